/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * test-options - command lines: what is remembered of them, or how they are refused.
 */
#include <inttypes.h>
#include <string.h>

#include "dropin.h"
#include "error.h"
#include "options.h"

static void
describe_number (GString *text, const char *name, uint64_t value, uint64_t standard)
{
    if (value != standard)
        g_string_append_printf (text, " %s=%" PRIu64, name, value);
}

static void
describe_word (GString *text, const char *name, const char *value, const char *standard)
{
    if (g_strcmp0 (value, standard) != 0)
        g_string_append_printf (text, " %s=%s", name, value);
}

static void
describe_ends (GString *text, const IohOptions *options)
{
    if (options->file_fd >= 0)
        g_string_append_printf (text, " file=fd:%d", options->file_fd);
    else if (options->file_path != NULL)
        g_string_append_printf (text, " file=%s", options->file_path);
    if (options->stream_fd >= 0)
        g_string_append_printf (text, " stream=%d", options->stream_fd);
    if (options->listen != NULL)
        g_string_append_printf (text, " listen=%s", options->listen->text);
    if (options->connect != NULL)
        g_string_append_printf (text, " connect=%s", options->connect->text);
}

/* The ends, and everything that is not as it is when nothing is said. */
static char *
describe (const IohOptions *options)
{
    static const char *const commands[] = {"save",    "restore", "info",  "bench",
                                           "engines", "help",    "dropin"};
    GString *text = g_string_new (commands[options->command]);
    g_autoptr (IohOptions) standard = ioh_options_new (options->command);

    describe_ends (text, options);
    describe_word (text, "engine", options->engine, "auto");
    describe_word (text, "cache", ioh_wire_cache_name (options->cache), "auto");
    describe_word (text, "sync", ioh_wire_sync_name (options->sync), "full");
    describe_word (text, "exists", ioh_wire_exists_name (options->exists),
                   ioh_wire_exists_name (standard->exists));
    describe_word (text, "queue", ioh_wire_queue_name (options->queue), "auto");
    describe_word (text, "progress", ioh_wire_progress_name (options->progress), "auto");
    describe_word (text, "death", ioh_wire_parent_death_name (options->parent_death), "cancel");
    describe_number (text, "depth", options->queue_depth, standard->queue_depth);
    describe_number (text, "pipe", options->pipe_bytes, standard->pipe_bytes);
    describe_number (text, "socket", options->socket_bytes, standard->socket_bytes);
    describe_number (text, "block", options->block_bytes, standard->block_bytes);
    describe_number (text, "offset", options->offset, IOH_UNSET);
    describe_number (text, "expect", options->expect_bytes, IOH_UNSET);
    describe_number (text, "rate", options->rate_bytes, 0);
    describe_number (text, "stall", (uint64_t) options->stall_us, 0);
    describe_number (text, "mode", options->mode, 0600);
    describe_number (text, "progress-fd", (uint64_t) options->progress_fd, (uint64_t) -1);
    describe_number (text, "control", (uint64_t) options->control_fd, (uint64_t) -1);
    describe_number (text, "skip", (uint64_t) options->skip_header, 0);
    describe_number (text, "partial", (uint64_t) options->keep_partial, 0);
    describe_number (text, "empty", (uint64_t) options->accept_empty, 0);
    describe_number (text, "explain", (uint64_t) options->explain, 0);
    describe_number (text, "json", (uint64_t) options->json, 0);
    if (options->verbosity != 0)
        g_string_append_printf (text, " verbosity=%d", options->verbosity);
    describe_word (text, "report", options->report, NULL);
    describe_number (text, "report-fd", (uint64_t) options->report_fd, (uint64_t) -1);
    describe_word (text, "suite", options->bench.suite, NULL);
    describe_number (text, "size", options->bench.size_bytes, IOH_UNSET);
    describe_number (text, "runs", options->bench.runs, 5);
    describe_number (text, "burst", options->bench.burst_bytes, 131328);
    describe_number (text, "zeros", (uint64_t) options->bench.zeros, 0);
    describe_word (text, "plot", options->bench.plot, NULL);
    return g_string_free (text, FALSE);
}

typedef struct {
    const char *line; /* behind the program's name */
    const char *said; /* what describe or the error says */
} OptionsRow;

static IohOptions *
parse (const char *line, GError **error)
{
    g_autofree char *whole = g_strconcat ("iohelper ", line, NULL);
    g_auto (GStrv) argv = NULL;

    g_assert_true (g_shell_parse_argv (whole, NULL, &argv, NULL));
    return ioh_options_parse (argv, error);
}

static void
check_accepted (const OptionsRow *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        g_autoptr (GError) error = NULL;
        g_autoptr (IohOptions) options = parse (rows[i].line, &error);
        g_test_message ("%s", rows[i].line);
        g_assert_no_error (error);
        g_autofree char *said = describe (options);
        g_assert_cmpstr (said, ==, rows[i].said);
    }
}

static void
check_refused (const OptionsRow *rows, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        g_autoptr (GError) error = NULL;
        g_test_message ("%s", rows[i].line);
        g_assert_null (parse (rows[i].line, &error));
        g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
        g_assert_cmpstr (error->message, ==, rows[i].said);
    }
}

static void
test_ends (void)
{
    static const OptionsRow rows[] = {
        {"save /srv/vm", "save file=/srv/vm stream=0"},
        {"restore /srv/vm", "restore file=/srv/vm stream=1"},
        {"save -", "save file=fd:1 stream=0"},
        {"restore -", "restore file=fd:0 stream=1"},
        {"save fd:7", "save file=fd:7 stream=0"},
        {"save /dev/fd/7", "save file=fd:7 stream=0"},
        {"save /proc/self/fd/7", "save file=fd:7 stream=0"},
        {"save /dev/stdout", "save file=fd:1 stream=0"},
        {"restore /dev/stdin", "restore file=fd:0 stream=1"},
        {"save --fd 5 x", "save file=x stream=5"},
        {"restore x --fd=5", "restore file=x stream=5"},
        {"save -- -x", "save file=-x stream=0"},
        {"save x --", "save file=x stream=0"},
        {"save x --fd 5 --", "save file=x stream=5"},
        {"save ./fd:7", "save file=./fd:7 stream=0"},
        {"save --listen unix:/run/s x", "save file=x listen=unix:/run/s"},
        {"restore --connect tcp:host:4444 x", "restore file=x connect=tcp:host:4444"},
        {"info x", "info file=x"},
        {"info -", "info file=fd:0"},
        {"info --json x", "info file=x json=1"},
        {"engines", "engines"},
    };

    check_accepted (rows, G_N_ELEMENTS (rows));
}

static void
test_values (void)
{
    static const OptionsRow rows[] = {
        {"save --engine copy x", "save file=x stream=0 engine=copy"},
        {"save --engine auto x", "save file=x stream=0"},
        {"save --cache direct x", "save file=x stream=0 cache=direct"},
        {"restore --cache=keep x", "restore file=x stream=1 cache=keep"},
        {"save --sync none x", "save file=x stream=0 sync=none"},
        {"save --sync data x", "save file=x stream=0 sync=data"},
        {"save --exists refuse x", "save file=x stream=0 exists=refuse"},
        {"save --exists overwrite x", "save file=x stream=0 exists=overwrite"},
        {"save --pipe-size 64K x", "save file=x stream=0 pipe=65536"},
        {"save --block-size 4096 x", "save file=x stream=0 block=4096"},
        {"save --block-size 64M x", "save file=x stream=0 block=67108864"},
        {"save --queue threads --queue-depth 64 x", "save file=x stream=0 queue=threads depth=64"},
        {"save --offset 0 x", "save file=x stream=0 offset=0"},
        {"restore --offset 4097 x", "restore file=x stream=1 offset=4097"},
        {"restore --skip-header x", "restore file=x stream=1 skip=1"},
        {"save --expect-size 1G x", "save file=x stream=0 expect=1073741824"},
        {"save --expect-size 0 x", "save file=x stream=0 expect=0 empty=1"},
        {"save --rate-limit 10M/s x", "save file=x stream=0 rate=10485760"},
        {"save --rate-limit 1 x", "save file=x stream=0 rate=1"},
        {"save --stall-timeout 30 x", "save file=x stream=0 stall=30000000"},
        {"save --mode 0644 x", "save file=x stream=0 mode=420"},
        {"save --mode 0 x", "save file=x stream=0 mode=0"},
        {"save --keep-partial x", "save file=x stream=0 partial=1"},
        {"save --report r.json x", "save file=x stream=0 report=r.json"},
        {"save --report - x", "save file=x stream=0 report=- report-fd=1"},
        {"save --report /dev/stderr x", "save file=x stream=0 report=/dev/stderr report-fd=2"},
        {"save --report /dev/fd/7 x", "save file=x stream=0 report=/dev/fd/7 report-fd=7"},
        {"save --progress x", "save file=x stream=0 progress=always"},
        {"save --progress=never x", "save file=x stream=0 progress=never"},
        {"save --progress-fd 4 x", "save file=x stream=0 progress-fd=4"},
        {"save --control-fd 4 --parent-death finish-save x",
         "save file=x stream=0 death=finish-save control=4"},
        {"save --explain x", "save file=x stream=0 explain=1"},
        {"save -q x", "save file=x stream=0 verbosity=-1"},
        {"save -v -v x", "save file=x stream=0 verbosity=2"},
        {"save -q -v x", "save file=x stream=0 verbosity=1"},
        {"save -qvv x", "save file=x stream=0 verbosity=2"},
        {"save --report --explain x", "save file=x stream=0 report=--explain"},
        {"save --report=a=b x", "save file=x stream=0 report=a=b"},
        {"save --offset 1 --offset 2 x", "save file=x stream=0 offset=2"},
        {"engines --json", "engines json=1"},
        {"bench", "bench file=/dev/null suite=summary"},
        {"bench pipe-size", "bench file=/dev/null suite=pipe-size"},
        {"bench summary x --exists=overwrite", "bench file=x exists=overwrite suite=summary"},
        {"bench --exists overwrite --exists refuse", "bench file=/dev/null suite=summary"},
        {"bench --size 1G --runs 9 --burst 64 --zero --plot p.svg --json",
         "bench file=/dev/null json=1 suite=summary size=1073741824 runs=9 burst=64 zeros=1 "
         "plot=p.svg"},
        {"bench --zero --random", "bench file=/dev/null suite=summary"},
    };

    check_accepted (rows, G_N_ELEMENTS (rows));
}

static void
test_commands_refused (void)
{
    static const OptionsRow rows[] = {
        {"", "a command is missing; see 'iohelper --help'"},
        {"svae x", "'svae' is not a command; did you mean 'save'?"},
        {"reset x", "'reset' is not a command; see 'iohelper --help'"},
        {"eng", "'eng' is not a command; did you mean 'engines'?"},
        {"--cache=keep save x",
         "'--cache=keep' is not a command; options come behind one, see 'iohelper --help'"},
        {"--versio", "'--versio' is not a command; did you mean '--version'?"},
        {"--hlep", "'--hlep' is not a command; did you mean '--help'?"},
        {"save",
         "save: TARGET is missing: the file to write, or fd:N, or -; see 'iohelper save --help'"},
        {"restore", "restore: IMAGE is missing: the file to read, or fd:N, or -; see 'iohelper "
                    "restore --help'"},
        {"save a b", "save: 'b' is one argument too many"},
        {"help svae", "'svae' is not a command; did you mean 'save'?"},
        {"help save x", "help: 'x' is one argument too many"},
        {"hepl", "'hepl' is not a command; did you mean 'help'?"},
        {"save -- -a -b", "save: '-b' is one argument too many"},
        {"engines x", "engines: 'x' is one argument too many"},
        {"save ''", "TARGET is empty"},
        {"restore ''", "IMAGE is empty"},
        {"save --nonsense x", "save: there is no option --nonsense; see 'iohelper save --help'"},
        {"save --nonsense=x x", "save: there is no option --nonsense; see 'iohelper save --help'"},
        {"save --chache keep x", "save: there is no option --chache; did you mean '--cache'?"},
        {"save --off 3 x", "save: there is no option --off; did you mean '--offset'?"},
        {"save --= x", "save: there is no option --; see 'iohelper save --help'"},
        {"restore --sync none x",
         "restore: there is no option --sync; see 'iohelper restore --help'"},
        {"engines --fd 3", "engines: there is no option --fd; see 'iohelper engines --help'"},
        {"bench x", "bench: 'x' is not one of summary, pipe-size, socket-buffer, message-size, "
                    "queue-depth"},
        {"bench pip-size", "bench: 'pip-size' is not one of summary, pipe-size, socket-buffer, "
                           "message-size, queue-depth; did you mean 'pipe-size'?"},
        {"bench pipe-size x y", "bench: 'y' is one argument too many"},
        {"bench pipe-size ''", "TARGET is empty"},
        {"bench queue-depth", "bench: queue-depth needs a TARGET, a file or a block device"},
        {"bench --engine copy", "bench: there is no option --engine; see 'iohelper bench --help'"},
        {"save -x y", "save: there is no option -x; see 'iohelper save --help'"},
        {"save -qxv y", "save: there is no option -x; see 'iohelper save --help'"},
        {"save x --offset", "--offset: its value BYTES is missing"},
        {"save --keep-partial=no x", "--keep-partial takes no value, but 'no' was given"},
        {"save --quiet= x", "--quiet takes no value, but '' was given"},
    };

    check_refused (rows, G_N_ELEMENTS (rows));
}

static void
test_values_refused (void)
{
    static const OptionsRow rows[] = {
        {"save --cache hot x", "--cache: 'hot' is not one of auto, direct, drop, keep"},
        {"save --cache dirct x",
         "--cache: 'dirct' is not one of auto, direct, drop, keep; did you mean 'direct'?"},
        {"save --progress=alwys x",
         "--progress: 'alwys' is not one of auto, always, never; did you mean 'always'?"},
        {"save --queue uring x", "--queue: 'uring' is not one of auto, io_uring, threads"},
        {"save --sync maybe x", "--sync: 'maybe' is not one of full, data, none"},
        {"save --exists x x", "--exists: 'x' is not one of replace, refuse, overwrite"},
        {"save --queue x x", "--queue: 'x' is not one of auto, io_uring, threads"},
        {"save --pipe-size 0 x", "--pipe-size: '0' is not between 1 and 1073741824"},
        {"save --pipe-size 2G x", "--pipe-size: '2G' is not between 1 and 1073741824"},
        {"save --pipe-size -1 x", "--pipe-size: '-1' is negative"},
        {"save --block-size 4095 x", "--block-size: '4095' is not between 4096 and 67108864"},
        {"save --block-size 65M x", "--block-size: '65M' is not between 4096 and 67108864"},
        {"save --queue-depth 0 x", "--queue-depth: '0' is not a number from 1 to 64"},
        {"save --queue-depth 65 x", "--queue-depth: '65' is not a number from 1 to 64"},
        {"save --queue-depth 4k x", "--queue-depth: '4k' is not a number from 1 to 64"},
        {"save --offset 1.5K x", "--offset: '1.5K' has a fraction; give whole bytes, K, M ..."},
        {"save --expect-size 8E x", "--expect-size: '8E' is too large"},
        {"save --rate-limit 0 x", "--rate-limit: at a rate of 0 nothing would ever move"},
        {"save --rate-limit 1M/m x", "--rate-limit: '1M/m' has the unknown suffix 'M/m'"},
        {"save --stall-timeout 0 x",
         "--stall-timeout: '0' is not a number of seconds from 1 to 31536000"},
        {"save --mode 888 x", "--mode: '888' is not an octal mode such as 0600"},
        {"save --mode 04755 x",
         "--mode: '04755' is more than 0777: an image is never setuid, setgid or sticky"},
        {"save --mode 10000 x", "--mode: '10000' is not an octal mode such as 0600"},
        {"save --mode -1 x", "--mode: '-1' is not an octal mode such as 0600"},
        {"save --fd x y", "--fd: 'x' is not a descriptor number"},
        {"save --fd -1 y", "--fd: '-1' is not a descriptor number"},
        {"save --fd 2147483648 y", "--fd: '2147483648' is not a descriptor number"},
        {"bench --size 0", "--size: '0' is not between 1 and 4611686018427387903"},
        {"bench --burst 0", "--burst: '0' is not between 1 and 2097152"},
        {"bench --burst 2097153", "--burst: '2097153' is not between 1 and 2097152"},
        {"bench --runs 0", "--runs: '0' is not a number from 1 to 1001"},
        {"bench --runs 1002", "--runs: '1002' is not a number from 1 to 1001"},
        {"bench --exists refus",
         "--exists: 'refus' is not one of refuse, overwrite; did you mean 'refuse'?"},
        {"bench --exists replace", "--exists: 'replace' is not one of refuse, overwrite"},
        {"save fd:", "fd:: '' is not a descriptor number"},
        {"save fd:x", "fd:x: 'x' is not a descriptor number"},
        {"save /dev/fd/1x", "/dev/fd/1x: '1x' is not a descriptor number"},
    };

    check_refused (rows, G_N_ELEMENTS (rows));
}

/* An unknown engine is answered by the names there are. */
static void
test_engine_refused (void)
{
    g_autoptr (GError) error = NULL;

    g_assert_null (parse ("save --engine warp x", &error));
    g_assert_error (error, IOH_ERROR, IOH_EXIT_USAGE);
    g_assert_true (g_str_has_prefix (error->message, "--engine: 'warp' is not one of auto, "));
    g_assert_nonnull (strstr (error->message, "copy"));
}

static void
test_conflicts_refused (void)
{
    static const OptionsRow rows[] = {
        {"save fd:0", "standard input is both the stream and the file"},
        {"restore fd:1", "standard output is both the stream and the file"},
        {"save --fd 5 fd:5", "fd 5 is both the stream and the file"},
        {"save --report '' x", "--report: the file name is empty"},
        {"save --report x x", "--report: x already carries the data"},
        {"save --report fd:0 x", "--report: fd 0 already carries the data"},
        {"restore --report - x", "--report: fd 1 already carries the data"},
        {"save --progress-fd 0 x", "--progress-fd: fd 0 already carries the data"},
        {"save --control-fd 6 fd:6", "--control-fd: fd 6 already carries the data"},
        {"save --parent-death cancel x", "--parent-death needs --control-fd"},
        {"save --listen unix:a --connect unix:b x", "--listen and --connect exclude each other"},
        {"save --fd 3 --listen unix:a x", "--fd and --listen exclude each other"},
    };

    check_refused (rows, G_N_ELEMENTS (rows));
}

/* Who is libvirt: by the program's name, or by arguments that are a path and a number. */
static void
test_dropin_wanted (void)
{
    static const struct {
        const char *line;
        gboolean wanted;
    } rows[] = {
        {"/usr/libexec/libvirt_iohelper /x 3", TRUE},
        {"libvirt_iohelper", TRUE},
        {"libvirt_iohelper --help", TRUE},
        {"iohelper /x 3", TRUE},
        {"iohelper engines", FALSE},
        {"iohelper save 3", FALSE},
        {"iohelper restore 3", FALSE},
        {"iohelper bench 3", FALSE},
        {"iohelper /x 3x", FALSE},
        {"iohelper /x ''", FALSE},
        {"iohelper --x 3", FALSE},
        {"iohelper /x 3 4", FALSE},
    };

    for (unsigned i = 0; i < G_N_ELEMENTS (rows); i++) {
        g_auto (GStrv) argv = NULL;
        int argc = 0;
        g_assert_true (g_shell_parse_argv (rows[i].line, &argc, &argv, NULL));
        g_test_message ("%s", rows[i].line);
        g_assert_cmpint (ioh_dropin_wanted (argc, argv), ==, rows[i].wanted);
    }
}

int
main (int argc, char **argv)
{
    g_test_init (&argc, &argv, NULL);
    g_test_add_func ("/options/ends", test_ends);
    g_test_add_func ("/options/values", test_values);
    g_test_add_func ("/options/commands-refused", test_commands_refused);
    g_test_add_func ("/options/values-refused", test_values_refused);
    g_test_add_func ("/options/engine-refused", test_engine_refused);
    g_test_add_func ("/options/conflicts-refused", test_conflicts_refused);
    g_test_add_func ("/options/dropin-wanted", test_dropin_wanted);
    return g_test_run ();
}
