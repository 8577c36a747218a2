#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The kernel lab: every script of tests/vm in one guest, one boot.
exec tests/vm/tap tests/vm/*.sh
