/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef IOH_ENGINE_SPLICE_H
#define IOH_ENGINE_SPLICE_H

#include "engine.h"

extern const IohEngine ioh_engine_splice;

#endif
