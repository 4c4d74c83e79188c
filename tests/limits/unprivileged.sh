#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The stories of tests/cli again as a user without rights: who tests as root learns nothing about
# him. The longest are left out.
# shellcheck source=tests/limits/lib.sh
. "$(dirname "$0")/lib.sh"

[[ $(id -u) == 0 ]] || skip_all "all tests run like that already"
can "${nobody[@]}" || skip_all "setpriv cannot become nobody"
cp -r "$(dirname "$0")/../cli" "$T/cli"
cp "$IOH_DROPIN" "$T/libvirt_iohelper"
chmod -R a+rX "$T/cli" "$T/libvirt_iohelper"

# What is said of a need that is missing is not for this user to mend.
export IOH_MUST_WORK=0 TMPDIR=$T/his IOH_HELPER IOH_PATTERN IOH_DROPIN=$T/libvirt_iohelper
for story in fds images pipes publish report room targets; do
    said=$(cd "$T/his" && timeout 120 "${nobody[@]}" bash "$T/cli/$story.sh" 2>&1)
    result=$?
    verdict "$story" "$(grep -A5 '^not ok' <<<"$said"
        [[ $result == 0 ]] || printf 'status %s: %s\n' "$result" "$(tail -3 <<<"$said")"
        grep -q '^1\.\.[1-9]' <<<"$said" || echo "it tested nothing")"
done

finish
