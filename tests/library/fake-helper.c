/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * fake-helper - stands in for iohelper and does what the variable FAKE says, none of it right.
 *
 * Its descriptors are those that the library gives: 2 standard error, 3 stream, 4 report, 5 control
 * and progress.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WORDS_FD = 2, STREAM_FD, REPORT_FD, CONTROL_FD };

static void
say (int fd, const char *text)
{
    if (write (fd, text, strlen (text)) < 0)
        _exit (99);
}

/* For ever, or until it is killed. */
static void
flood (int fd, const char *text)
{
    for (;;)
        say (fd, text);
}

static void
hang (void)
{
    for (;;)
        pause ();
}

#define DONE "{\"outcome\":\"done\",\"exit-status\":0,\"bytes\":7}"

/* Each returns the exit status. */

static int
fake_nothing (void)
{
    return 0;
}

static int
fake_status_1 (void)
{
    return 1;
}

static int
fake_status_77 (void)
{
    say (WORDS_FD, "cannot find the manual\n");
    return 77;
}

static int
fake_crash (void)
{
    const struct rlimit none = {0, 0};

    setrlimit (RLIMIT_CORE, &none);
    say (WORDS_FD, "something\niohelper: all is lost\n");
    /* a sanitizer would make an exit of it */
    signal (SIGSEGV, SIG_DFL);
    raise (SIGSEGV);
    return 0;
}

static int
fake_garbage (void)
{
    say (REPORT_FD, "\xff\xfe{]] not json");
    say (CONTROL_FD, "\n\n}{\n\"phase\"\n{\"phase\":5}\n{\"phase\":\"moving\",\"bytes\":-4}\n");
    return 0;
}

/* Deep enough to exhaust the stack of a parser that recurses. */
static int
fake_nested (void)
{
    static char text[500000];

    memset (text, '[', sizeof text - 1);
    say (REPORT_FD, text);
    return 0;
}

static int
fake_half_report (void)
{
    say (REPORT_FD, "{\"outcome\":\"done\",\"exit-st");
    return 0;
}

static int
fake_lying_report (void)
{
    say (REPORT_FD, DONE);
    return 4;
}

static int
fake_done_but_killed (void)
{
    say (REPORT_FD, DONE);
    raise (SIGKILL);
    return 0;
}

static int
fake_odd_members (void)
{
    say (REPORT_FD, "{\"outcome\":[],\"error\":{\"message\":7,\"side\":\"moon\",\"stage\":{},"
                    "\"offset\":-9,\"errno\":1e99},\"notes\":{},\"seconds\":\"long\","
                    "\"bytes\":\"many\",\"file\":[1]}");
    say (WORDS_FD, "iohelper: odd\n");
    return 4;
}

/* Progress that falls, and a success. */
static int
fake_falling_progress (void)
{
    char buffer[65536];

    say (CONTROL_FD, "{\"phase\":\"moving\",\"bytes\":5,\"expected\":7,\"seconds\":1}\n");
    say (CONTROL_FD, "{\"phase\":\"flushing\",\"bytes\":3,\"seconds\":0.5}\n");
    while (read (STREAM_FD, buffer, sizeof buffer) > 0)
        continue;
    say (REPORT_FD, DONE);
    return 0;
}

static int
fake_flood_report (void)
{
    flood (REPORT_FD, "{\"outcome\":\"done\",");
    return 0;
}

static int
fake_flood_progress (void)
{
    flood (CONTROL_FD, "{\"phase\":\"moving\",\"bytes\":1,\"seconds\":1}\n");
    return 0;
}

static int
fake_flood_words (void)
{
    flood (WORDS_FD, "blah blah blah\n");
    return 0;
}

static int
fake_endless_line (void)
{
    flood (CONTROL_FD, "{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{{");
    return 0;
}

static int
fake_hang (void)
{
    hang ();
    return 0;
}

/* Listens to nobody and hangs. */
static int
fake_deaf (void)
{
    signal (SIGTERM, SIG_IGN);
    say (CONTROL_FD, "{\"phase\":\"waiting\"}\n");
    for (int fd = WORDS_FD; fd <= CONTROL_FD; fd++)
        close (fd);
    hang ();
    return 0;
}

/* Leaves a process behind that keeps the lines open until the other end of one is closed. */
static int
fake_leave_child (void)
{
    char byte;

    if (fork () == 0) {
        while (read (CONTROL_FD, &byte, 1) > 0)
            continue;
        _exit (0);
    }
    say (REPORT_FD, DONE);
    return 0;
}

/* Tells all its variables as a complaint. */
static int
fake_environment (void)
{
    extern char **environ;

    for (char **variable = environ; *variable != NULL; variable++) {
        say (WORDS_FD, *variable);
        say (WORDS_FD, " ");
    }
    return 2;
}

static const struct {
    const char *name;
    int (*run) (void);
} fakes[] = {
    {"nothing", fake_nothing},
    {"status-1", fake_status_1},
    {"status-77", fake_status_77},
    {"crash", fake_crash},
    {"garbage", fake_garbage},
    {"nested", fake_nested},
    {"half-report", fake_half_report},
    {"lying-report", fake_lying_report},
    {"done-but-killed", fake_done_but_killed},
    {"odd-members", fake_odd_members},
    {"falling-progress", fake_falling_progress},
    {"flood-report", fake_flood_report},
    {"flood-progress", fake_flood_progress},
    {"flood-words", fake_flood_words},
    {"endless-line", fake_endless_line},
    {"hang", fake_hang},
    {"deaf", fake_deaf},
    {"leave-child", fake_leave_child},
    {"environment", fake_environment},
};

int
main (void)
{
    const char *fake = getenv ("FAKE");

    signal (SIGPIPE, SIG_IGN);
    for (size_t i = 0; fake != NULL && i < sizeof fakes / sizeof fakes[0]; i++)
        if (strcmp (fakes[i].name, fake) == 0)
            return fakes[i].run ();
    return 98;
}
