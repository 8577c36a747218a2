#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The verbs engine against perftest, and 7:1 incast, over rdma_rxe in the kernel lab.
VM_OPTIONS=-i VM_SECONDS=1800 exec tests/vm/tap tests/vm/long/verbs.sh
