#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What a run says of itself: --report, --explain, -q and -v.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

have python3 || skip_all "no python3"
# past whatever stands for it in the path, which takes its time
python=$(python3 -c 'import sys; print(sys.executable)')
cd "$T" || exit
n=1048583
gen $n >stream
mkdir d

cat >look.py <<'PYTHON'
"""look.py REPORT [EXPRESSION...]: the report is one JSON object with every member it must have, and
each expression holds (r is the report; file(NAME) its stat)."""
import json, os, sys

text = open(sys.argv[1]).read()
objects = []
r = json.loads(text, object_hook=lambda o: objects.append(o) or o)
assert text.endswith("\n"), "no line"
of_a_save = ["sync", "exists"]
for key in """program version direction outcome bytes durable stream file engine cache
              alignment block-size steps-down notes seconds""".split():
    assert key in r, "no " + key
for key in of_a_save:
    assert (key in r) == (r["direction"] == "save"), key
choices = [r[key] for key in ["engine", "cache"] + of_a_save if key in r]
choices += [r["stream"]["pipe-size"]] if r["stream"]["kind"] == "pipe" else []
for choice in choices:
    assert set(choice) == {"asked", "used", "reason"} and choice["reason"], choice
assert not [v for o in objects for v in o.values() if v is None], "a member that does not apply"
for key in ("total", "wait-stream", "wait-file", "flush"):
    assert r["seconds"][key] >= 0, "seconds: " + key
for line in text.split('"seconds"')[1].splitlines():
    assert len(line.partition(".")[2].rstrip(",")) <= 6, "more than microseconds: " + line
parts = r["seconds"]["wait-stream"] + r["seconds"]["wait-file"] + r["seconds"]["flush"]
assert parts <= r["seconds"]["total"] * 1.01 + 0.001, "the parts are more than the whole"
assert r["program"] == "iohelper" and r["version"][0].isdigit()
assert isinstance(r["steps-down"], list) and isinstance(r["notes"], list)
assert ("exit-status" in r) != ("signal" in r), "neither or both of status and signal"
assert (r["outcome"] == "done") == (r.get("exit-status") == 0), "outcome and status disagree"
assert ("error" in r) == (r["outcome"] == "failed"), "error and outcome disagree"
if "error" in r:
    assert {"side", "name", "stage", "message"} <= set(r["error"]), "error lacks a member"
file = os.stat
wrong = [e for e in sys.argv[2:] if not eval(e)]
for e in wrong:
    print("not so:", e)
if wrong:
    print(json.dumps(r))
sys.exit(bool(wrong))
PYTHON

for engine in $(engines); do
    rm -f d/f
    gen $n | save --report r d/f
    saved "$engine: a save with a report" d/f $n
    ok "$engine: the report agrees with the file" "$python" -I -S look.py r \
        'r["direction"] == "save"' 'r["outcome"] == "done"' 'r["exit-status"] == 0' \
        "r['bytes'] == $n" 'r["durable"] is True' 'r["file"]["name"] == "d/f"' \
        'r["file"]["kind"] == "new"' 'r["file"]["length"] == file("d/f").st_size' \
        'r["file"]["allocated"] == file("d/f").st_blocks * 512' 'r["file"]["published"] is True' \
        'r["stream"]["kind"] == "pipe"' 'r["stream"]["pipe-size"]["used"] >= 4096' \
        "r['engine']['used'] == '$engine'" 'r["cache"]["asked"] == "auto"' \
        'r["cache"]["used"] in ("direct", "drop", "keep")' 'r["sync"]["used"] == "full"' \
        'r["stream"]["pipe-size"]["asked"] == 1048576' 'r["block-size"] == 1048576' \
        'r["seconds"]["flush"] > 0'
    rm r
    restore --report r d/f | cat >out
    restored "$engine: a restore with a report" out $n
    ok "$engine: the report agrees with what came out" "$python" -I -S look.py r \
        'r["direction"] == "restore"' "r['bytes'] == $n" 'r["file"]["length"] == r["bytes"]' \
        'r["file"]["allocated"] == file("d/f").st_blocks * 512' \
        'r["stream"]["kind"] == "pipe"'
    gen $n | save --report r --expect-size $((n + 1)) d/f
    ok "$engine: the report of a failure" "$python" -I -S look.py r \
        'r["outcome"] == "failed"' 'r["exit-status"] == 3' "r['bytes'] == $n" \
        'r["error"]["side"] == "stream"' 'r["durable"] is False' \
        'r["file"]["published"] is False' "r['error']['offset'] == $n"
    gen $n | save --report r /dev/full
    ok "$engine: the report of a full device" "$python" -I -S look.py r \
        'r["exit-status"] == 5' 'r["error"]["side"] == "file"' 'r["error"]["stage"] == "write"' \
        'r["error"]["errno"] in (28, "ENOSPC")' 'r["error"]["name"] == "/dev/full"' \
        '"No space left on device" in r["error"]["message"]'
    gen $n | save --sync none --report r d/f
    ok "$engine: not synced, and it says so" "$python" -I -S look.py r \
        'r["durable"] is False' 'r["sync"]["used"] == "none"'
    gen $n | save --sync data --exists overwrite --cache keep --report r d/f
    ok "$engine: what was asked is what was used" "$python" -I -S look.py r \
        'r["sync"]["used"] == "data"' 'r["exists"]["asked"] == "overwrite"' 'r["exists"]["used"] == "in-place"' \
        'r["cache"]["used"] == "keep"' 'r["cache"]["asked"] == "keep"'
    gen $n | save --pipe-size 128K --block-size 64K --report r d/f
    ok "$engine: sizes asked for" "$python" -I -S look.py r \
 \
        'r["stream"]["pipe-size"]["asked"] == 131072' 'r["stream"]["pipe-size"]["used"] == 131072' 'r["block-size"] == 65536'
    gen $n | save --report r /dev/null
    ok "$engine: what goes to /dev/null is not durable" "$python" -I -S look.py r \
        'r["file"]["kind"] != "regular"' "r['bytes'] == $n"
    gen $n | save --report fd:9 d/f 9>r
    ok "$engine: --report fd:9" "$python" -I -S look.py r "r['bytes'] == $n"
    gen $n | save --report - d/f >r
    ok "$engine: --report -" "$python" -I -S look.py r "r['bytes'] == $n"
    gen $n | save --report r --quiet - >out
    ok "$engine: a report of standard output" "$python" -I -S look.py r "r['bytes'] == $n"
    ok "$engine: where only the stream goes" check $n <out
done
engine=${IOH_ENGINE:-auto}

# A name that is no UTF-8 or has quotes still makes valid JSON.
for name in $'not\xffutf8' 'a"b\c' $'new\nline'; do
    save --report r "d/$name" <stream
    ok "a report with the name ${name@Q}" "$python" -I -S look.py r "r['bytes'] == $n"
    rm -f "d/$name"
done

# A signal makes a report, too.
mkfifo fifo
exec 6<>fifo
start save --report r d/f <fifo 6>&-
gen 100000 >&6
kill -TERM "$pid"
end
exec 6>&-
ok "a cancelled run reports" "$python" -I -S look.py r 'r["outcome"] == "cancelled"' \
    'r["signal"] == 15' 'r["durable"] is False'

# So does a manager that goes away, which is told to who reads the messages.
mkfifo line
exec 6<>fifo 7<>line
start save --control-fd 8 --report r d/new <fifo 8<line 6>&- 7>&-
gen 100000 >&6
exec 7>&-
end
exec 6>&-
expect "a manager that has gone: one line" 143 "cancelled" "manager"
ok "a manager that has gone: a report" "$python" -I -S look.py r 'r["outcome"] == "cancelled"'
ok "a manager that has gone: no file" test ! -e d/new

# One that has gone before we came is no other.
mkfifo early
exec 7<>early
exec 8<early
exec 7>&-
helper save --control-fd 8 --report r d/new <stream
exec 8<&-
expect "a manager that has never been: one line" 143 "cancelled" "manager"
ok "a manager that has never been: a report" "$python" -I -S look.py r 'r["outcome"] == "cancelled"'
ok "a manager that has never been: no file" test ! -e d/new

# A usage error still needs no report; a report that cannot be written is an error of its own, but
# never at the cost of the stream.
for where in /dev/full gone/r fd:97 fd:x d; do
    rm -f d/f
    {
        save --report $where d/f
        cat >rest
    } <stream
    case $(status) in
    0) fail "--report $where fails" "status 0" ;;
    *)
        reason=
        [[ $where != /dev/full ]] || reason="No space left on device"
        verdict "--report $where fails" "$(complaint "$(status)" "$where" "$reason")"
        if [[ $(size_of rest) == "$n" ]]; then
            ok "--report $where: refused before the stream was touched" test ! -e d/f
        else
            ok "--report $where: the stream is saved" check $n <d/f
        fi
        ;;
    esac
done

# A report must not land in the data, whatever name it goes by.
gen $n >image
ln image other
for where in image ./image other; do
    restore --report $where image >out
    expect "the report as $where, which is the image" 2 report $where
    verdict "the image stays" "$(check $n <image; size_of out | grep -vx 0)"
    save --report $where fd:5 <stream 5<>image
    expect "the report as $where, which is the target's descriptor" 2 report $where
    save --report $where d/f <image
    expect "the report as $where, which is the stream" 2 report $where
    ok "that stays too" check $n <image
done
save --report d/new d/new <stream
expect "the report and the target by one new name" 2 report d/new
ok "neither is made" test ! -e d/new
echo "much longer than any report could be" >r
head -c 100000 /dev/zero >>r
save --report r d/f <stream
ok "an old report is replaced" "$python" -I -S look.py r "r['bytes'] == $n"
save --report $'r\xff"' d/f <stream
ok "a report by a name that is not UTF-8" "$python" -I -S look.py $'r\xff"' "r['bytes'] == $n"
mkfifo pipe
cat pipe >r &
reader=$!
save --report pipe d/f <stream
wait $reader
ok "a report to a FIFO" "$python" -I -S look.py r "r['bytes'] == $n"

# ---- --explain -----------------------------------------------------------------------------------

rm -f d/f
for old in "" old; do
    [[ -z $old ]] || gen 5000 >d/f
    before=$(names_in d) stamp=$(stat d/f 2>&1)
    {
        helper save --explain d/f >said
        check $n
    } <stream >rest
    expect "--explain ends well ${old:-new}" 0
    is "--explain takes nothing from the stream ${old:-new}" "$(<rest)" ""
    is "--explain touches nothing ${old:-new}" "$(names_in d) $(stat d/f 2>&1)" "$before $stamp"
done
for word in engine cache sync publish block; do
    like "--explain tells of $word" "$(<said)" "*$word*"
done
ok "--explain takes nothing for asked that is a default" grep -q "^sync  *full: the default" said
helper save --explain --sync none d/f >said </dev/null
ok "--explain tells what was asked for" grep -q "^sync  *none: asked for" said
helper restore --explain stream >said </dev/null
expect "restore --explain ends well" 0
like "restore --explain writes the plan, not the image" "$(<said)" "*engine*"
is "restore --explain says nothing of how a file is written" "$(grep -cE '^(sync|publish)' said)" 0
helper restore --explain gone >said </dev/null
expect "restore --explain of nothing" 4 file gone "No such file"
helper save --explain --exists refuse d/f >said </dev/null
expect "save --explain of what would be refused" 4 file d/f "exists"
helper save --explain --cache direct /dev/null >said </dev/null
expect "save --explain of direct to a device without" 4 /dev/null
mkfifo d/fifo
helper save --explain d/fifo >said </dev/null
expect "save --explain does not wait for a FIFO's reader" 0
helper restore --explain d/fifo >said </dev/null
expect "restore --explain does not wait for a FIFO's writer" 0

# ---- how much is said ----------------------------------------------------------------------------

for engine in $(engines); do
    "$IOH_PATTERN" trickle 1000 7 1 500 | save -v --progress=always d/f
    is "$engine: -v: a success" "$(status)" 0
    ok "$engine: -v says something" test -s err
    ok "$engine: but not much, however small the pieces" test "$(size_of err)" -lt 8192
done
engine=${IOH_ENGINE:-auto}
save -q --cache auto d/f <stream
saved "-q: a success" d/f $n
save -q d <stream
expect "-q still tells of a failure" 4 file d "Is a directory"

finish
