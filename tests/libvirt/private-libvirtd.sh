# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# A libvirt of our own, for the time of a test: own mounts, processes and network, so that the
# machine's libvirt, its helper and its domains never notice, and so that the kernel itself ends and
# unmounts everything when the test is gone, however it ended.
#
# enter_private_world must come first; everything else only works inside.

# What libvirt keeps outside of the two directories that are its own. All of it becomes empty.
private_dirs=(/run /var/log /var/cache /etc/libvirt /var/lib/libvirt)

missing_need () {
    local need
    [[ $(id -u) == 0 ]] || { echo "needs root"; return; }
    for need in virsh libvirtd virtlogd qemu-system-x86_64 unshare setpriv; do
        have "$need" || { echo "no $need"; return; }
    done
    for need in "${private_dirs[@]}"; do
        [[ -d $need ]] || { echo "no $need"; return; }
    done
    unshare --mount --pid --net --fork true 2>/dev/null || echo "no namespaces"
}

# namespace_members NAME: the processes in that process namespace.
namespace_members () {
    local dir
    for dir in /proc/[0-9]*; do
        [[ $(readlink "$dir/ns/pid") != "$1" ]] || echo "${dir#/proc/}"
    done
}

namespace_empty () {
    [[ -z $(namespace_members "$1") ]]
}

world_known () {
    world=$(readlink "/proc/$world_pid/ns/pid_for_children") && [[ $world != "$1" ]]
}

# in_private_world COMMAND...: returns its status. Whatever it started is gone by then, and also
#   when this shell is told to end before.
in_private_world () {
    setpriv --pdeathsig KILL unshare --mount --pid --net --fork --kill-child --mount-proc \
        --propagation private "$@" &
    world_pid=$!
    defer leave_private_world
    wait_for world_known "$(readlink /proc/self/ns/pid)" || return
    wait "$world_pid"
    set -- $?
    world_pid= # somebody else's from here on
    return "$1"
}

# Its first process dies with unshare, and everything in it with its first process.
leave_private_world () {
    if [[ -n $world_pid ]]; then
        kill -KILL "$world_pid"
        wait "$world_pid"
    fi
    wait_for namespace_empty "$world"
} 2>/dev/null

# ---- inside --------------------------------------------------------------------------------------

vsh () {
    virsh -q -c qemu:///system "$@"
}

libvirt_answers () {
    vsh version >/dev/null 2>&1
}

libvirt_decided () {
    libvirt_answers || ! kill -0 "$libvirtd_pid" 2>/dev/null
}

# Nothing may reach what this machine shares: no cgroups, no huge pages, no security profiles.
configure_libvirt () {
    cat >/etc/libvirt/qemu.conf <<-END
	security_driver = "none"
	cgroup_controllers = [ ]
	namespaces = [ ]
	END
    printf 'auth_unix_rw = "none"\n' >/etc/libvirt/libvirtd.conf
    : >/etc/libvirt/virtlogd.conf
}

# start_libvirt DIR: managed-saved domains are kept in DIR, which is on a disk.
start_libvirt () {
    local dir save=/var/lib/libvirt/qemu/save
    for dir in "${private_dirs[@]}" /sys/fs/cgroup; do
        [[ ! -d $dir ]] || mount -t tmpfs -o mode=755 private "$dir" || return
    done
    umount --all --types hugetlbfs
    mkdir -p /run/lock /var/log/libvirt /var/cache/libvirt "$save"
    mount --bind "$1" "$save" || return
    configure_libvirt
    virtlogd >"$T/virtlogd.log" 2>&1 &
    virtlogd_pid=$!
    libvirtd >"$T/libvirtd.log" 2>&1 &
    libvirtd_pid=$!
    defer stop_libvirt
    wait_for libvirt_decided && libvirt_answers
}

stop_libvirt () {
    local domain
    for domain in $(vsh list --name); do
        vsh destroy "$domain" >/dev/null
    done
    kill "$libvirtd_pid" && wait "$libvirtd_pid"
    kill "$virtlogd_pid" && wait "$virtlogd_pid"
} 2>/dev/null
