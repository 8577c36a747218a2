#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator against recorded runs of a public one, those that take seconds.
exec tests/validate.sh --quick exact
