#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The fault loop of apply on the kernel lab's NICs: every write, every fault.
VM_SECONDS=900 exec tests/vm/tap tests/vm/long/apply-faults.sh
