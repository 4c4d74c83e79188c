/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * entries - the one table of options.
 *
 * Owns which command has which options, what help says of them and which function reads them. A new
 * one is a line here.
 */
#include "entries.h"

#include "bench-values.h"
#include "help.h"
#include "i18n.h"

#define ENTRIES_SAVE (1u << IOH_COMMAND_SAVE)
#define ENTRIES_RESTORE (1u << IOH_COMMAND_RESTORE)
#define ENTRIES_INFO (1u << IOH_COMMAND_INFO)
#define ENTRIES_BENCH (1u << IOH_COMMAND_BENCH)
#define ENTRIES_ENGINES (1u << IOH_COMMAND_ENGINES)
#define ENTRIES_TRANSFERS (ENTRIES_SAVE | ENTRIES_RESTORE)
#define ENTRIES_ALL G_MAXUINT

static const IohEntry entries_stream[] = {
    {IOH_OPTION_LISTEN, 0, "ADDR", ioh_value_take_address,
     N_ ("Wait for it at unix:PATH, tcp:HOST:PORT, vsock:...")},
    {IOH_OPTION_CONNECT, 0, "ADDR", ioh_value_take_address, N_ ("Go to it at ADDR")},
    {IOH_OPTION_FD, 0, "N", ioh_value_take_fd, N_ ("Use the inherited descriptor N")},
};

static const IohEntry entries_file[] = {
    {IOH_OPTION_OFFSET, 0, "BYTES", ioh_value_take_size,
     N_ ("Where in the file the stream begins")},
    {IOH_OPTION_EXPECT_SIZE, 0, "BYTES", ioh_value_take_size,
     N_ ("Exact length of the stream, or a failure")},
    {IOH_OPTION_CACHE, 0, "MODE", ioh_value_take_word,
     N_ ("Page cache: auto, direct, drop, keep (auto)")},
};

static const IohEntry entries_socket[] = {
    {IOH_OPTION_LABEL, 0, "CONTEXT", ioh_value_take_label,
     N_ ("SELinux context of the path that --listen makes")},
};

static const IohEntry entries_image[] = {
    {IOH_OPTION_SKIP_HEADER, 0, NULL, ioh_value_take_flag,
     N_ ("The stream of a libvirt save image, found by itself")},
};

static const IohEntry entries_new_file[] = {
    {IOH_OPTION_EXISTS, 0, "WHAT", ioh_value_take_word,
     N_ ("Old file: replace, refuse, overwrite (replace)")},
    {IOH_OPTION_SYNC, 0, "WHAT", ioh_value_take_word,
     N_ ("Durable at the end: full, data, none (full)")},
    {IOH_OPTION_MODE, 0, "OCTAL", ioh_value_take_mode,
     N_ ("Permissions of a new file (default 0600)")},
    {IOH_OPTION_KEEP_PARTIAL, 0, NULL, ioh_value_take_flag,
     N_ ("After a failure leave TARGET.part")},
    {IOH_OPTION_LABEL, 0, "CONTEXT", ioh_value_take_label,
     N_ ("SELinux context of a created file or socket")},
};

static const IohEntry entries_way[] = {
    {IOH_OPTION_RATE_LIMIT, 0, "SIZE[/s]", ioh_value_take_rate,
     N_ ("Move no more than SIZE a second")},
    {IOH_OPTION_STALL_TIMEOUT, 0, "SECONDS", ioh_value_take_stall_timeout,
     N_ ("Fail when nothing has moved for so long")},
    {IOH_OPTION_PROGRESS, 0, "WHEN", ioh_value_take_word,
     N_ ("A line of progress: auto, always, never (auto)"), "always"},
    {IOH_OPTION_REPORT, 0, "FILE", ioh_value_take_report,
     N_ ("Write a final report as JSON to FILE, fd:N or -")},
    {IOH_OPTION_EXPLAIN, 0, NULL, ioh_value_take_flag,
     N_ ("Print the plan and its reasons, touch nothing")},
    {IOH_OPTION_QUIET, 'q', NULL, ioh_value_take_verbosity, N_ ("Print errors only")},
    {IOH_OPTION_VERBOSE, 'v', NULL, ioh_value_take_verbosity, N_ ("Tell what was done and why")},
};

static const IohEntry entries_tuning[] = {
    {IOH_OPTION_ENGINE, 0, "NAME", ioh_value_take_engine,
     N_ ("How bytes cross: auto, or see 'engines'")},
    {IOH_OPTION_QUEUE, 0, "NAME", ioh_value_take_word,
     N_ ("Its queue: auto, io_uring, threads (auto)")},
    {IOH_OPTION_QUEUE_DEPTH, 0, "N", ioh_value_take_queue_depth,
     N_ ("Requests to the file under way (default 4)")},
    {IOH_OPTION_BLOCK_SIZE, 0, "SIZE", ioh_value_take_size,
     N_ ("Size of one request to the file (default 1M)")},
    {IOH_OPTION_PIPE_SIZE, 0, "SIZE", ioh_value_take_size,
     N_ ("Size wanted for the stream's pipe (default 1M)")},
    {IOH_OPTION_SOCKET_BUFFER, 0, "SIZE", ioh_value_take_size,
     N_ ("Buffer wanted for the stream's socket (default 1M)")},
};

static const IohEntry entries_trouble[] = {
    {IOH_OPTION_NO_SANDBOX, 0, NULL, ioh_value_take_flag,
     N_ ("Keep all rights, to find out what goes wrong")},
};

static const IohEntry entries_manager[] = {
    {IOH_OPTION_PROGRESS_FD, 0, "N", ioh_value_take_fd,
     N_ ("Tell descriptor N the progress, as lines of JSON")},
    {IOH_OPTION_CONTROL_FD, 0, "N", ioh_value_take_fd,
     N_ ("Complete when the manager says so on N")},
    {IOH_OPTION_PARENT_DEATH, 0, "WHAT", ioh_value_take_word,
     N_ ("Manager gone: cancel, finish-save (cancel)")},
};

static const IohEntry entries_bench[] = {
    {IOH_OPTION_SIZE, 0, "SIZE", ioh_bench_value_take_size,
     N_ ("Bytes of one run (so that all take 2 s)")},
    {IOH_OPTION_RUNS, 0, "N", ioh_bench_value_take_runs,
     N_ ("How often each cell is run (default 5)")},
    {IOH_OPTION_BURST, 0, "SIZE", ioh_bench_value_take_size,
     N_ ("Bytes of one write of the sender (default 131328)")},
    {IOH_OPTION_RANDOM, 0, NULL, ioh_bench_value_take_data,
     N_ ("Send random pages, which is the default")},
    {IOH_OPTION_ZERO, 0, NULL, ioh_bench_value_take_data, N_ ("Send pages of zeros")},
    {IOH_OPTION_EXISTS, 0, "WHAT", ioh_bench_value_take_exists,
     N_ ("TARGET that exists: refuse, overwrite (refuse)")},
    {IOH_OPTION_PLOT, 0, "FILE.svg", ioh_bench_value_take_plot,
     N_ ("Draw a picture as well, by gnuplot")},
};

static const IohEntry entries_output[] = {
    {IOH_OPTION_JSON, 0, NULL, ioh_value_take_flag, N_ ("Print JSON")},
};

static const IohEntry entries_help[] = {
    {IOH_OPTION_HELP, 'h', NULL, ioh_help_take, N_ ("Print the options that are often of use")},
    {IOH_OPTION_HELP_ALL, 0, NULL, ioh_help_take, N_ ("Print all options")},
    {IOH_OPTION_VERSION, 0, NULL, ioh_help_take_version, N_ ("Print the version")},
};

#define ENTRIES_SECTION(title, commands, rare, entries)                                            \
    {                                                                                              \
        title, commands, rare, entries, G_N_ELEMENTS (entries)                                     \
    }

static const IohSection entries_sections[] = {
    ENTRIES_SECTION (N_ ("The stream, unless it is standard input or output"), ENTRIES_TRANSFERS,
                     FALSE, entries_stream),
    ENTRIES_SECTION (N_ ("A new socket"), ENTRIES_RESTORE, FALSE, entries_socket),
    ENTRIES_SECTION (N_ ("The file"), ENTRIES_TRANSFERS, FALSE, entries_file),
    ENTRIES_SECTION (N_ ("An image of another program"), ENTRIES_RESTORE, FALSE, entries_image),
    ENTRIES_SECTION (N_ ("A new file"), ENTRIES_SAVE, FALSE, entries_new_file),
    ENTRIES_SECTION (N_ ("On the way"), ENTRIES_TRANSFERS, FALSE, entries_way),
    ENTRIES_SECTION (N_ ("Tuning"), ENTRIES_TRANSFERS, TRUE, entries_tuning),
    ENTRIES_SECTION (N_ ("Managed by a program"), ENTRIES_TRANSFERS, TRUE, entries_manager),
    ENTRIES_SECTION (N_ ("In trouble"), ENTRIES_TRANSFERS | ENTRIES_INFO, TRUE, entries_trouble),
    ENTRIES_SECTION (N_ ("Measuring"), ENTRIES_BENCH, FALSE, entries_bench),
    ENTRIES_SECTION (N_ ("Output"), ENTRIES_INFO | ENTRIES_BENCH | ENTRIES_ENGINES, FALSE,
                     entries_output),
    ENTRIES_SECTION (N_ ("Help"), ENTRIES_ALL, FALSE, entries_help),
};

const IohSection *
ioh_section_nth (IohCommand command, unsigned n)
{
    for (unsigned i = 0; i < G_N_ELEMENTS (entries_sections); i++)
        if ((entries_sections[i].commands & 1u << command) != 0 && n-- == 0)
            return &entries_sections[i];
    return NULL;
}

/* The option of COMMAND that has NAME or, when that is NULL, LETTER. */
static const IohEntry *
entries_find (IohCommand command, const char *name, char letter)
{
    const IohSection *section;

    for (unsigned n = 0; (section = ioh_section_nth (command, n)) != NULL; n++)
        for (unsigned i = 0; i < section->count; i++) {
            const IohEntry *entry = &section->entries[i];
            if (name != NULL ? g_str_equal (entry->name, name) : entry->letter == letter)
                return entry;
        }
    return NULL;
}

const IohEntry *
ioh_entry_find (IohCommand command, const char *name)
{
    return entries_find (command, name, 0);
}

const IohEntry *
ioh_entry_find_letter (IohCommand command, char letter)
{
    return entries_find (command, NULL, letter);
}

const char **
ioh_entry_names (IohCommand command)
{
    GPtrArray *names = g_ptr_array_new ();
    const IohSection *section;

    for (unsigned n = 0; (section = ioh_section_nth (command, n)) != NULL; n++)
        for (unsigned i = 0; i < section->count; i++)
            g_ptr_array_add (names, (gpointer) section->entries[i].name);
    g_ptr_array_add (names, NULL);
    return (const char **) g_ptr_array_free (names, FALSE);
}
