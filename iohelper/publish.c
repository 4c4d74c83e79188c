/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * publish - makes a finished file appear under its name, in one step.
 *
 * Owns the directory's descriptor and the temporary name, if there is one. Never touches the file
 * that has the target's name except by renaming over it.
 */
#include "publish.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

#include "error.h"
#include "i18n.h"
#include "label.h"
#include "sys.h"

#define PUBLISH_ATTEMPTS 100

struct IohPublication {
    int directory_fd;
    char *base;       /* the target's name in its directory */
    char *temporary;  /* a name the file has for now, or NULL */
    const char *name; /* what messages call it; borrowed from the options */
    gboolean refuse;  /* the name must be free */
};

void
ioh_publication_free (IohPublication *publication)
{
    if (publication == NULL)
        return;
    ioh_sys_clear_fd (&publication->directory_fd);
    g_free (publication->base);
    g_free (publication->temporary);
    g_free (publication);
}

static gboolean
publish_failed (const IohPublication *publication, IohStage stage, int result, GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, publication->name, stage, IOH_NO_OFFSET};

    return ioh_error_errno (error, &place, -result);
}

/* ".NAME.XXXXXX.part", NAME cut where the whole would be too long for a directory. */
static char *
publish_temporary_name (const char *base)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    char random[7] = "";

    for (unsigned i = 0; i + 1 < sizeof random; i++)
        random[i] = letters[g_random_int_range (0, sizeof letters - 1)];
    return g_strdup_printf (".%.*s.%s.part", (int) (NAME_MAX - strlen ("..XXXXXX.part")), base,
                            random);
}

/* Who owned, could read and was labelled like the old file still is and can. */
static void
publish_adopt (int fd, const IohOptions *options, const IohFacts *facts, IohReport *report)
{
    const struct stat *old = &facts->file.replaced;
    gboolean replaces = facts->file.kind == IOH_END_REGULAR;
    mode_t mode = replaces ? old->st_mode & IOH_MODE_MOST : options->mode;
    struct stat created;

    if (replaces && ioh_sys_fstat (fd, &created) >= 0 &&
        (created.st_uid != old->st_uid || created.st_gid != old->st_gid)) {
        int result = ioh_sys_chown (fd, old->st_uid, old->st_gid);
        if (result < 0) {
            /* rights that one owner and group had are not for another: as for all the world */
            mode = (mode & ~(mode_t) S_IRWXG) | (mode & S_IRWXO) << 3;
            ioh_report_note (report, _ ("the owner of the replaced file was not kept: %s"),
                             g_strerror (-result));
        }
    }
    if (replaces && (old->st_mode & (S_ISUID | S_ISGID | S_ISVTX)) != 0)
        ioh_report_note (report, _ ("the setuid, setgid or sticky bit of the replaced file was not "
                                    "kept"));
    int result = ioh_sys_chmod (fd, mode);
    if (result < 0)
        ioh_report_note (report, _ ("the permissions could not be set: %s"), g_strerror (-result));
    if (replaces && (options->label == NULL || ioh_labels () == IOH_LABELS_DISABLED)) {
        result = ioh_label_copy (facts->file.path, fd);
        if (result < 0 && result != -EOPNOTSUPP)
            ioh_report_note (report, _ ("the label of the replaced file was not kept: %s"),
                             g_strerror (-result));
    }
}

/* A label that was asked for is set before the first byte can be read by the wrong reader. */
static gboolean
publish_label (IohPublication *publication, int fd, const IohOptions *options, IohReport *report,
               GError **error)
{
    const IohPlace place = {IOH_SIDE_FILE, publication->name, IOH_STAGE_LABEL, IOH_NO_OFFSET};

    if (options->label == NULL)
        return TRUE;
    if (ioh_labels () == IOH_LABELS_DISABLED) {
        ioh_report_note (report, _ ("SELinux is disabled: the label %s was not set"),
                         options->label);
        return TRUE;
    }
    int result = ioh_label_set (fd, options->label);
    if (result == -EOPNOTSUPP)
        ioh_report_note (report, _ ("the label %s was not set: %s"), options->label,
                         g_strerror (-result));
    else if (result < 0)
        return ioh_error_set (error, IOH_EXIT_FILE, &place, "%s: %s", options->label,
                              g_strerror (-result));
    return TRUE;
}

static int
publish_create_named (IohPublication *publication, int flags)
{
    int fd = -EEXIST;

    for (int i = 0; i < PUBLISH_ATTEMPTS && fd == -EEXIST; i++) {
        g_free (publication->temporary);
        publication->temporary = publish_temporary_name (publication->base);
        fd = ioh_sys_open (publication->directory_fd, publication->temporary,
                           flags | O_CREAT | O_EXCL, 0600);
    }
    /* a kernel that refuses O_DIRECT has created the file all the same; one that is there already
     * is somebody else's */
    if (fd < 0 && fd != -EEXIST)
        ioh_sys_unlink (publication->directory_fd, publication->temporary);
    if (fd < 0)
        g_clear_pointer (&publication->temporary, g_free);
    return fd;
}

IohPublication *
ioh_publication_new (const IohOptions *options, const IohPlan *plan, const IohFacts *facts,
                     int extra_flags, IohReport *report, int *out_fd, GError **error)
{
    IohPublication *publication = g_new0 (IohPublication, 1);
    g_autofree char *directory = g_path_get_dirname (facts->file.path);

    publication->name = options->file_name;
    publication->base = g_path_get_basename (facts->file.path);
    publication->refuse = options->exists == IOH_EXISTS_REFUSE;
    publication->directory_fd = ioh_sys_open (AT_FDCWD, directory, O_DIRECTORY | O_RDONLY, 0);
    int fd = publication->directory_fd;
    if (fd >= 0 && plan->publish == IOH_PUBLISH_UNNAMED)
        fd =
            ioh_sys_open (publication->directory_fd, ".", O_TMPFILE | O_WRONLY | extra_flags, 0600);
    else if (fd >= 0)
        fd = publish_create_named (publication, O_WRONLY | extra_flags);
    if (fd < 0) {
        publish_failed (publication, IOH_STAGE_OPEN, fd, error);
        ioh_publication_free (publication);
        return NULL;
    }
    publish_adopt (fd, options, facts, report);
    if (!publish_label (publication, fd, options, report, error)) {
        ioh_publication_discard (publication, fd, FALSE);
        ioh_sys_close (fd);
        ioh_publication_free (publication);
        return NULL;
    }
    *out_fd = fd;
    return publication;
}

/* Links the unnamed FD under a temporary name, to be renamed. */
static int
publish_link_temporary (IohPublication *publication, int fd)
{
    int result = -EEXIST;

    for (int i = 0; i < PUBLISH_ATTEMPTS && result == -EEXIST; i++) {
        g_free (publication->temporary);
        publication->temporary = publish_temporary_name (publication->base);
        result = ioh_sys_link_fd (fd, publication->directory_fd, publication->temporary);
    }
    if (result < 0)
        g_clear_pointer (&publication->temporary, g_free);
    return result;
}

/* Gives the file its name while that is free; -EEXIST when it is not. */
static int
publish_claim (IohPublication *publication, int fd)
{
    if (publication->temporary == NULL)
        return ioh_sys_link_fd (fd, publication->directory_fd, publication->base);
    int result =
        ioh_sys_link (publication->directory_fd, publication->temporary, publication->base);
    if (result >= 0) {
        ioh_sys_unlink (publication->directory_fd, publication->temporary);
        g_clear_pointer (&publication->temporary, g_free);
    }
    return result;
}

/* Gives the file its name, taking it from the file that has it. */
static int
publish_replace (IohPublication *publication, int fd)
{
    int result = publication->temporary == NULL ? publish_link_temporary (publication, fd) : 0;

    if (result >= 0)
        result =
            ioh_sys_rename (publication->directory_fd, publication->temporary, publication->base);
    if (result >= 0)
        g_clear_pointer (&publication->temporary, g_free);
    return result;
}

gboolean
ioh_publication_commit (IohPublication *publication, int fd, GError **error)
{
    int result = -EEXIST;

    /* without a name to take over, the last link is the only step there is */
    if (publication->refuse || publication->temporary == NULL)
        result = publish_claim (publication, fd);
    if (result == -EEXIST && !publication->refuse)
        result = publish_replace (publication, fd);
    return result >= 0 || publish_failed (publication, IOH_STAGE_PUBLISH, result, error);
}

gboolean
ioh_publication_flush (IohPublication *publication, GError **error)
{
    int result = ioh_sys_sync (publication->directory_fd);

    /* EINVAL: file systems that have no directories to flush */
    return result >= 0 || result == -EINVAL ||
           publish_failed (publication, IOH_STAGE_FLUSH, result, error);
}

void
ioh_publication_drop (const IohPublication *publication)
{
    if (publication->temporary != NULL)
        ioh_sys_unlink (publication->directory_fd, publication->temporary);
}

void
ioh_publication_discard (IohPublication *publication, int fd, gboolean keep_partial)
{
    /* the longest names leave no room for an ending */
    g_autofree char *partial =
        g_strdup_printf ("%.*s.part", (int) (NAME_MAX - strlen (".part")), publication->base);

    if (keep_partial) {
        int result = publication->temporary == NULL ? publish_link_temporary (publication, fd) : 0;
        if (result >= 0 &&
            ioh_sys_rename (publication->directory_fd, publication->temporary, partial) >= 0)
            return;
    }
    ioh_publication_drop (publication);
}
