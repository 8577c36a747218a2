#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The kernel lab's NICs come and go, many times, in the middle of things.
VM_SECONDS=600 exec tests/vm/tap tests/vm/long/life.sh
