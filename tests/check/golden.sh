#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
exec "$(dirname "$0")/../golden.sh"
