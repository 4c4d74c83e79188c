# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
#
# What the stories about errors of the kernel share: an old file d/f in a directory of its own, a
# stream of $n bytes, and strace, which lets single system calls fail.

have_strace || skip_all "no strace"
cd "$T" || exit
n=3145741
gen $n >stream
mkdir d
gen 5000 7 >old

# the old file, untouched
old_file () {
    rm -rf d/f
    cp old d/f
    before=$(stamp_of d/f)
}
old_file

# In strace's reach, which rings are not, and one request after the other, so that the number of a
# call is certain.
save () {
    attempt save --queue threads --queue-depth 1 "$@"
}

restore () {
    attempt restore --queue threads --queue-depth 1 "$@"
}

# shellcheck disable=SC2034 # used by the stories
reads=read,pread64,readv,preadv,preadv2,splice
# shellcheck disable=SC2034
writes=write,pwrite64,writev,pwritev,pwritev2,splice,sendfile

# broken CALLS ERROR WHEN [OPTION...]: what the next runs meet. WHEN counts the calls of one name of
# each thread.
broken () {
    traced -e trace=%desc,%file -e "inject=$1:error=$2:when=$3" "${@:4}"
}

# hit: the injection took place (else the test would test nothing)
hit () {
    injected || echo "nothing was injected"
}

injected () {
    grep -q INJECTED trace
}

# fails NAME STATUS WORD...: the save just made failed so, and the old file is untouched.
fails () {
    local name=$1
    shift
    verdict "$name" "$(
        hit
        complaint "$@"
        [[ $(names_in d) == f ]] || echo "litter: $(names_in d)"
        [[ $(stamp_of d/f) == "$before" ]] || echo "the old file was touched"
    )"
}

# text_of ERROR
text_of () {
    case $1 in
    EIO) echo "Input/output error" ;;
    ENOSPC) echo "No space left on device" ;;
    EDQUOT) echo "Disk quota exceeded" ;;
    EFBIG) echo "File too large" ;;
    EINVAL) echo "Invalid argument" ;;
    EROFS) echo "Read-only file system" ;;
    ENOTSUP) echo "Operation not supported" ;;
    EACCES) echo "Permission denied" ;;
    EPERM) echo "Operation not permitted" ;;
    EMFILE) echo "Too many open files" ;;
    ENOMEM) echo "Cannot allocate memory" ;;
    *) echo "$1?" ;;
    esac
}

# status_of ERROR OTHERWISE: shortage of room has a status of its own.
status_of () {
    case $1 in
    ENOSPC | EDQUOT | EFBIG) echo 5 ;;
    *) echo "$2" ;;
    esac
}

# The calls that fail may be on the other side than meant, as splice is for both: a pipe that fills
# otherwise than last time changes their numbers.
stream_call='\((0|1), |splice\([0-9]+, [^,]*, 1,'

# What was injected, by the line that has the arguments.
failed_calls () {
    awk '/unfinished/ { begun[$1] = $0 } /INJECTED/ { print /resumed/ ? begun[$1] : $0 }' trace
}

# blames SIDE: some call of that side was among those that failed. One that goes from the image
# into the stream is on both.
blames () {
    case $1 in
    stream) failed_calls | grep -qE -- "$stream_call" ;;
    file) failed_calls | sed -E 's/splice\([0-9]+, \[.*|sendfile.*/both/' |
        grep -qvE -- "$stream_call" ;;
    esac || echo "no failure was injected on the side of the $1"
}

# points CALLS REGEX: in the good run that was traced last, the first two of the comma separated
# CALLS that match: name and number among their equals of the same thread.
points () {
    grep -E "^[0-9]+ +(${1//,/|})\(" trace | regex=$2 awk '
        { name = $2; sub(/\(.*/, "", name); count[$1, name]++ }
        $0 ~ ENVIRON["regex"] { print name, count[$1, name] }' | head -2
}

# save_points CALLS REGEX ARGUMENT...: of a save ARGUMENT... of a pipe
save_points () {
    local calls=$1 regex=$2
    shift 2
    traced -e "trace=$calls"
    gen $n | save "$@" d/f
    untraced
    points "$calls" "$regex"
}
