#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator against the figures of public ones.
exec tests/validate.sh
