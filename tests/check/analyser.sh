#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The analyser against what an independent script found in captures of a real stack.
exec tests/validate-analyser.sh
