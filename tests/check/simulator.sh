#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The simulator against recorded runs that it repeats exactly; `make validate` has the rest.
exec tests/validate.sh exact
