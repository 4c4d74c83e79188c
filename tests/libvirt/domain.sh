# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# The domain of the scenarios: no disk, no network, emulated, so that it runs everywhere. Half of its
# memory is filled from outside with data that tells its own place: an idle guest would only give a
# stream of 2 MB, and nobody would notice what was lost.

domain=ioh-test
memory=$((256 << 20))
fill_from=$((64 << 20)) # above what the firmware uses, below where it puts its tables
filled=$((128 << 20))

domain_xml () {
    cat <<-END
	<domain type='qemu'>
	  <name>$domain</name>
	  <memory unit='b'>$memory</memory>
	  <vcpu>1</vcpu>
	  <memoryBacking>
	    <source type='memfd'/>
	    <access mode='shared'/>
	  </memoryBacking>
	  <os><type arch='x86_64' machine='pc'>hvm</type></os>
	  <devices>
	    <controller type='usb' model='none'/>
	    <memballoon model='none'/>
	  </devices>
	</domain>
	END
}

# The domain's memory, as a file.
memory_file () {
    local dir fd
    for dir in /proc/[0-9]*; do
        [[ $(<"$dir/comm") == qemu-system* ]] || continue
        for fd in "$dir"/fd/*; do
            [[ $(readlink "$fd") != /memfd:* ]] || { echo "$fd"; return; }
        done
    done 2>/dev/null
    return 1
}

fill_memory () {
    gen "$filled" |
        dd of="$(memory_file)" bs=1M seek=$((fill_from >> 20)) iflag=fullblock conv=notrunc status=none
}

memory_good () {
    tail -c "+$((fill_from + 1))" "$(memory_file)" | head -c "$filled" | check "$filled" ||
        echo "the guest's memory is not what it was"
}

# domain_lost: what runs and what is saved is not to be used again.
domain_lost () {
    vsh destroy "$domain"
    vsh managedsave-remove "$domain"
    rm -f "$T/image" "$T/core"
} >/dev/null 2>&1

# domain_ready: it runs, with its memory filled, whatever happened before.
domain_ready () {
    [[ $(vsh domstate "$domain" 2>/dev/null) != running ]] || return 0
    domain_lost
    domain_xml >"$T/domain.xml"
    { vsh define "$T/domain.xml" && vsh start "$domain" && fill_memory; } >/dev/null 2>"$T/err"
}
