/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_PLAN_WORDS_H
#define IOH_TEST_PLAN_WORDS_H

#include "options.h"
#include "probe.h"

/* The options of a command line, without the program's name. */
IohOptions *plan_words_options (const char *line);

/* The facts that TEXT says, "name=value" each, and what goes without saying. */
IohFacts *plan_words_facts (const IohOptions *options, const char *text);

#endif
