#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Other people's files: owner and mode of a replaced file are kept, and what may not be done is told.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

[[ $(id -u) == 0 ]] || skip_all "needs root"
cd "$T" || exit
n=70001
gen $n >stream
chmod 755 . && mkdir d && chmod 777 d

owner_of () {
    stat -c '%u:%g %a' "$1"
}

for mode in 600 644 750 770; do
    echo old >d/f
    chown 65534:12 d/f
    chmod $mode d/f
    save d/f <stream
    saved "a file of somebody else is replaced, mode $mode" d/f $n
    is "and stays his, mode $mode" "$(owner_of d/f)" "65534:12 $mode"
    if have_strace; then
        traced -e inject=openat:error=EOPNOTSUPP -e trace=openat -P "$T/d" -P d
        save d/f <stream
        untraced
        is "also without O_TMPFILE, mode $mode" "$(owner_of d/f)" "65534:12 $mode"
    fi
    save --exists overwrite d/f <stream
    is "also in place, mode $mode" "$(stat -c %u:%g d/f)" "65534:12"
    rm d/f
done
save d/f <stream
is "a new file is ours" "$(owner_of d/f)" "0:0 600"
save --keep-partial --expect-size 1 d/f <stream
rm -f d/f.part d/f
save --mode 777 d/f <stream
is "--mode with all its bits" "$(owner_of d/f)" "0:0 777"
rm d/f

# As somebody without rights. The helper has to be reachable for him.
cp "$IOH_HELPER" helper
chmod 755 helper
IOH_HELPER=$T/helper
other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if ! "${other[@]}" "$IOH_HELPER" --version >/dev/null 2>&1; then
    skip "another user" "the helper cannot be run as another user"
    finish
fi
mkdir closed mine
chmod 755 closed
chown 65534 mine
echo old >closed/f
before=$(stamp_of closed/f)
under=("${other[@]}")
for how in replace overwrite refuse; do
    save --exists $how closed/new <stream
    expect "a directory of somebody else, --exists $how" 4 file closed/new "Permission denied"
done
for how in replace overwrite; do
    save --exists $how closed/f <stream
    expect "a file of somebody else, --exists $how" 4 file closed/f "Permission denied"
done
is "nothing was touched" "$(names_in closed) $(stamp_of closed/f)" "f $before"
chmod 600 closed/f
restore "$T/closed/f" >out
expect "an image of somebody else" 4 file "$T/closed/f" open "Permission denied"
save --cache keep fd:5 5>closed/f <stream
saved "a descriptor that was opened for us" closed/f $n
restore --cache keep fd:5 5<closed/f >out
restored "an image that was opened for us" out $n
# A second description cannot be had: it goes on with the one there is, and says so once.
if in_memory .; then
    skip "a descriptor that cannot be opened again" "no O_DIRECT on this file system"
else
    save fd:5 5>closed/f <stream
    verdict "a descriptor that cannot be opened again" \
        "$(status | grep -vx 0; grep -c . err | grep -vx 1; check $n <closed/f)"
    save --cache direct fd:5 5>closed/f <stream
    expect "nor made direct" 4 file "fd 5" direct "Permission denied"
fi

# A file of root's in our own directory: we may replace it, but not give it back. What its owner and
# group were allowed is not for ours.
for modes in 644:644 640:600 600:600 755:755 771:711; do
    rm -f mine/f
    echo old >mine/f
    chmod ${modes%:*} mine/f
    save mine/f <stream
    verdict "a file that cannot be given back, mode ${modes%:*}" \
        "$([[ $(status) == 0 ]] || echo "status $(status)"
        grep -q "owner .* not kept" err || cat err
        check $n <mine/f
        [[ $(owner_of mine/f) == "65534:65534 ${modes#*:}" ]] || owner_of mine/f)"
done
rm -f mine/f
chmod 711 closed
mkdir closed/in
chmod 777 closed/in
save "$T/closed/in/f" <stream
saved "a directory that can be written below one that cannot be read" closed/in/f $n

# Root without its special rights, as on a root-squashed share.
under=(setpriv --bounding-set -all --inh-caps -all)
chown 65534 closed
chmod 755 closed
save "$T/closed/new" <stream
expect "root without capabilities" 4 file closed/new "Permission denied"
chown 0:0 closed/f
save fd:5 5>>closed/f <stream
is "root without capabilities, by descriptor" "$(status)" 0

finish
