/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_TEST_CASES_H
#define IOH_TEST_CASES_H

#include "trial.h"

/* One promise of every engine. */
typedef struct {
    const char *name;
    gboolean (*applies) (const TrialEnds *ends); /* NULL: to all ends */
    void (*run) (const TrialEnds *ends, size_t argument);
    size_t argument; /* what run makes of it: mostly a length */
} ContractCase;

/* Tables that end with a name of NULL. */
extern const ContractCase contract_size_cases[]; /* how long, how cut into pieces */
extern const ContractCase contract_flow_cases[]; /* who waits for whom */
extern const ContractCase contract_fail_cases[]; /* what goes wrong, and cancelling */

/* For the column APPLIES. */
gboolean contract_is_save (const TrialEnds *ends);
gboolean contract_is_restore (const TrialEnds *ends);
gboolean contract_is_seekable (const TrialEnds *ends);
gboolean contract_is_regular (const TrialEnds *ends);
gboolean contract_has_file_peer (const TrialEnds *ends);

/* A seed for what is drawn at random: IOH_SEED, or a new one; told in the test's output. */
uint32_t contract_seed (void);

#endif
