#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The front door: what quickstart does on a machine where nothing is there, with and without root, and
# that no failing or missing test is counted as success.
# IOH_SOURCE  the source tree
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/../cli/lib.sh"

source=${IOH_SOURCE:?the source tree}
cd "$T" || exit

# ---- counting --------------------------------------------------------------------------------------

# program RESULT RETURNCODE STDOUT: one line of a test log.
program () {
    python3 -c 'import json, sys
print(json.dumps(dict(name="p", result=sys.argv[1], returncode=int(sys.argv[2]), stdout=sys.argv[3])))' \
        "$1" "$2" "$(printf '%b' "$3")" >>log
}

# counted NAME STATUS LAST-LINE [ARGUMENT...]: what tap-summary says about the log.
counted () {
    local name=$1 wanted="$2 $3" said status=0
    shift 3
    said=$("$source/.ci/tap-summary" "$@" log) || status=$?
    is "count: $name" "$status $(tail -n 1 <<<"$said")" "$wanted"
    rm log
}

program OK 0 'ok 1 - a\nok 2 /b # SKIP no loop\n1..2'
program OK 0 'ok 1 - a\n1..1'
counted "two logs, one skip" 0 "2 passed, 0 failed, 1 skipped"
program FAIL 1 'ok 1 - a\nnot ok 2 - b\n1..2'
counted "a failed test" 1 "1 passed, 1 failed, 0 skipped"
program ERROR 1 '1..3\nok 1 - a'
counted "tests that were planned and never ran" 1 "1 passed, 1 failed, 0 skipped"
program OK 0 '1..3\nok 1 - a'
counted "the same, unnoticed" 1 "1 passed, 1 failed, 0 skipped"
program TIMEOUT -15 'ok 1 - a'
counted "a hang" 1 "1 passed, 1 failed, 0 skipped"
program SKIP 0 ''
counted "a program that printed nothing" 1 "0 passed, 1 failed, 0 skipped"
program SKIP 0 'ok 1 - a\nBail out! no memory'
counted "a program that gave up" 1 "1 passed, 1 failed, 0 skipped"
program SKIP 0 '1..0 # SKIP no root'
counted "nothing but skips" 1 "0 passed, 0 failed, 1 skipped"
: >log
counted "no test at all" 1 "0 passed, 0 failed, 0 skipped"
program OK 0 'ok 1 - a\n1..1'
counted "steps that failed elsewhere" 1 "1 passed, 2 failed, 0 skipped" --failed-steps 2

# ---- quickstart ------------------------------------------------------------------------------------

# A machine with nothing on it but the shell's usual company, and a package manager that only remembers
# what it was asked for.
mkdir bare
for tool in bash dirname cat sort mktemp tail rm; do
    ln -s "$(command -v "$tool")" "bare/$tool"
done
ln -s "$(command -v env)" bare/env
printf '#!/bin/bash\necho "$*" >>"%s/asked"\n' "$T" >bare/apt-get
chmod +x bare/apt-get
mkdir clone
cp "$source/quickstart" clone/
chmod -R a+rX "$T"
: >asked
chmod a+rw asked

# quickstart [TASK]: on that machine; text in said, status in rc.
quickstart () {
    PATH="$T/bare" CC="$T/bare/no-compiler" "${as[@]}" clone/quickstart "$@" >said 2>&1 </dev/null
    echo $? >rc
}

as=()
quickstart
is "no task: usage, status 0" "$(<rc) $(grep -c '^Usage: ' said)" "0 1"
quickstart frobnicate
is "an unknown task: usage, status 2" "$(<rc) $(grep -c '^Usage: ' said)" "2 1"
is "neither asks the package manager" "$(<asked)" ""

if [[ $(id -u) == 0 ]]; then
    as=("$(command -v setpriv)" --reuid 65534 --regid 65534 --clear-groups)
fi
quickstart build
is "without root: status 1" "$(<rc)" 1
like "without root: says how to install" "$(<said)" \
    "*as root, with:*apt-get install --no-install-recommends *gcc *libglib2.0-dev *meson *ninja-build*"
is "without root: the package manager is left alone" "$(<asked)" ""
quickstart demo
like "the demo wants QEMU" "$(<said)" "*apt-get install *qemu-system-x86*"

mv bare/apt-get bare/dnf
quickstart build
like "another distribution: its own names" "$(<said)" "*dnf install *gcc *glib2-devel*"
rm bare/dnf
quickstart build
is "no package manager: status 1" "$(<rc)" 1
like "no package manager: says what is needed" "$(<said)" "*gcc*libglib2.0-dev*"

if [[ $(id -u) == 0 ]]; then
    printf '#!/bin/bash\necho "$*" >>"%s/asked"\n' "$T" >bare/apt-get
    chmod +x bare/apt-get
    as=()
    quickstart build
    like "as root: installs" "$(<asked)" \
        "*update*install --no-install-recommends *gcc *libglib2.0-dev *meson *"
    like "as root: says what is missing still" "$(<rc) $(<said)" "1 *still missing*compiler*"
else
    skip "as root: installs" "needs root"
    skip "as root: says what is missing still" "needs root"
fi

finish
