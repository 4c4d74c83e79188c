#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The command line: what is taken, what is refused by name, and that a refusal touches nothing.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$T" || exit
mkdir d
gen 4096 >d/old
gen 4096 >stream
before=$(stamp_of d/old)

# refused NAME WORD ARGUMENT...: status 2, the word in the message, nothing touched or consumed.
refused () {
    local name=$1 word=$2 wrong
    shift 2
    wrong=$(
        {
            helper "$@" >out
            check 4096
        } <stream
        complaint 2 "$word"
        [[ ! -s out ]] || echo "text on standard output"
        [[ $(names_in d) == old ]] || echo "touched: $(names_in d)"
        [[ $(stamp_of d/old) == "$before" ]] || echo "the old file was touched"
    )
    verdict "$name" "$wrong"
}

# taken NAME ARGUMENT...: the plan accepts it.
taken () {
    local name=$1 wrong
    shift
    wrong=$(
        helper "$@" --explain >out <stream
        [[ $(status) == 0 ]] || echo "status $(status): $(<err)"
        [[ $(names_in d) == old ]] || echo "touched: $(names_in d)"
    )
    verdict "$name" "$wrong"
}

helper --version >out </dev/null
expect "--version ends well and says nothing else" 0
like "--version prints program and version" "$(<out)" "iohelper*[0-9].[0-9]*"
for command in "" save restore bench engines; do
    # shellcheck disable=SC2086
    helper $command --help >out </dev/null
    expect "${command:-iohelper} --help ends well" 0
    like "${command:-iohelper} --help shows the usage" "$(<out)" "*iohelper*"
done
for command in "" save restore info bench engines help; do
    # shellcheck disable=SC2086
    helper help $command >out </dev/null
    # shellcheck disable=SC2086
    is "help $command does what ${command:-iohelper} --help does" "$(status) $(<out)" \
        "0 $("$IOH_HELPER" $command --help)"
done
helper restore --help >out </dev/null
like "restore --help tells of no created file" "$(grep -e --label out)" "*--listen*"
helper save --help-all >out </dev/null
missing=
for option in pipe-size cache sync offset expect-size exists mode keep-partial block-size engine \
    report explain fd quiet verbose; do
    grep -qe "--$option" out || missing+=" --$option"
done
is "save --help lists every option" "$missing" ""

# Who asked for a text and does not get it is told so.
for wanted in --help --version "save --help" "bench --help-all" "restore --version" engines \
    "engines --json" "info d/old" "info --json d/old" "save --explain d/new"; do
    # shellcheck disable=SC2086
    helper $wanted >/dev/full <stream
    expect "$wanted to a full device" 1 "standard output" "No space left on device"
done
is "--help of the drop-in to a full device" "$("$IOH_DROPIN" --help 2>&1 >/dev/full; echo " $?")" \
    "$IOH_DROPIN: cannot write to standard output: No space left on device 1"

refused "no command" "help"
refused "an unknown command" "frobnicate" frobnicate d/new
refused "an unknown option" "--frobnicate" save --frobnicate d/new
refused "an option without its value" "--cache" save d/new --cache
refused "save without a target" "TARGET" save
refused "restore without an image" "IMAGE" restore
refused "two targets" "d/more" save d/new d/more
refused "two images" "d/more" restore d/old d/more
refused "an empty target" "empty" save ""

for option in --cache --sync --exists --engine; do
    refused "$option with an unknown word" "frobnicate" save "$option" frobnicate d/new
    refused "$option with an empty word" "${option#--}" save "$option" "" d/new
done
refused "restore: --cache with an unknown word" "frobnicate" restore --cache frobnicate d/old

for option in --pipe-size --block-size --offset --expect-size; do
    for value in -1 1.5M 1x 12KB 1kB 16E 1ZiB x K 0x10 1e3 '1 M' 1,5 1MiBs \
        18446744073709551616 99999999999999999999T 16777216T 16777217T; do
        refused "$option $value" "$value" save "$option=$value" d/new
    done
    refused "$option with nothing" "${option#--}" save "$option=" d/new
done
# Beyond what an offset in a file can be.
for option in --offset --expect-size; do
    for value in 9223372036854775808 8388608T 18446744073709551615; do
        refused "$option $value" "$value" save "$option=$value" d/new
    done
done
for value in 0 18446744073709551615 8388607T; do
    refused "--block-size $value" "$value" save --block-size="$value" d/new
done
helper save --offset 9223372036854775807 --expect-size 4096 d/new <stream
expect "offset and expected size together past the largest file" 5 file d/new 9223372036854775807
is "which touches nothing" "$(names_in d)" old

for value in 4096 8192B 4K 4KiB 1M 1MiB 2097152; do
    [[ $value != *B || $value == *iB ]] || continue
    taken "--block-size $value" save --block-size "$value" d/new
    taken "--pipe-size $value" save --pipe-size "$value" d/new
    taken "--offset $value" save --offset "$value" --exists overwrite d/new
    taken "--expect-size $value" save --expect-size "$value" d/new
done
for value in 3G 3GiB 1T 1TiB 4294967297; do
    taken "--offset $value" save --offset "$value" --exists overwrite d/new
done

# Any size is either refused by name or used as far as it goes, never a crash.
wrong=
for option in --pipe-size --block-size; do
    for value in 1 3 511 513 4095 4097 12345 1023M 1073741825 2G 2147483647 4G 64G 1T 1k; do
        rm -f d/new
        gen 10000 | save "$option=$value" d/new
        case $(status) in
        0) check 10000 <d/new >/dev/null || wrong+="$option=$value: wrong bytes"$'\n' ;;
        2) [[ $(<err) == *"$value"* ]] || wrong+="$option=$value: $(<err)"$'\n' ;;
        *) wrong+="$option=$value: status $(status) $(<err)"$'\n' ;;
        esac
    done
done
rm -f d/new
verdict "an odd or huge size is used or refused" "$wrong"

for value in 888 0o600 rw-r--r-- 10000 -1 77777777777777777777 "" " 600"; do
    refused "--mode '$value'" "${value:-mode}" save --mode="$value" d/new
done
for value in 1000 4755 02755 7777; do
    refused "--mode $value" "setuid, setgid or sticky" save --mode="$value" d/new
done
for value in 0 600 0600 644 777 0777; do
    taken "--mode $value" save --mode "$value" d/new
done

for value in abc -1 99999999999 2147483648 1.5 "" 3x; do
    refused "--fd '$value'" "${value:-fd}" save --fd="$value" d/new
    refused "target fd:$value" "fd:$value" save "fd:$value"
    refused "image fd:$value" "fd:$value" restore "fd:$value"
done

refused "the report and the stream both on standard output" "report" restore --report - d/old
refused "the report and the target both on standard output" "report" save --report - -
refused "the report and the target on one descriptor" "report" save --report fd:1 fd:1
refused "the stream and the target on one descriptor" "both" save --fd 0 fd:0
refused "no report named" "report" save --report= d/new

helper engines >out </dev/null
expect "engines ends well" 0
ok "engines tells of copy" grep -q copy out
helper engines --json >out </dev/null
expect "engines --json ends well" 0
ok "engines --json is JSON" python3 -m json.tool out
refused "engines takes no operand" "d/old" engines d/old
refused "engines takes no number either" "5" engines 5

gen 4096 | helper save --engine copy -- -d
saved "a target that looks like an option, after --" ./-d 4096

finish
