#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The kernel lab: a fault at each write of an apply, on each driver, and of one that
# changes a knob of every group.
VM_SECONDS=1500 VM_FULL=1 exec tests/vm/tap tests/vm/apply-faults.sh
