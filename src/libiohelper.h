/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LIBIOHELPER_H
#define LIBIOHELPER_H

/*
 * libiohelper: save a virtual machine's stream to storage and restore it, from a program. The guide
 * is libiohelper(3).
 */
#include "libiohelper-enums.h"
#include "libiohelper-error.h"
#include "libiohelper-result.h"
#include "libiohelper-transfer.h"
#include "libiohelper-types.h"

#endif
