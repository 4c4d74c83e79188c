# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# Where this machine's libvirt keeps its own helper. The packages are asked first, because the
# directory differs between distributions; nothing is ever written there.

stock_helper_paths () {
    [[ -z ${IOH_STOCK_HELPER:-} ]] || printf '%s\n' "$IOH_STOCK_HELPER"
    {
        dpkg -L libvirt-daemon libvirt-daemon-common || true
        rpm -ql libvirt-daemon libvirt-daemon-common || true
    } 2>/dev/null | grep '/libvirt_iohelper$'
    printf '%s\n' /usr/{lib,libexec,lib64}{/libvirt,}/libvirt_iohelper
}

# stock_helper: the first that is there; fails without one.
stock_helper () {
    local path
    while read -r path; do
        [[ -x $path ]] && printf '%s\n' "$path" && return
    done < <(stock_helper_paths)
    return 1
}
