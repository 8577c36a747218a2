#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# rocetune incast with eight agents over rdma_rxe in the kernel lab.
VM_OPTIONS=-i VM_SECONDS=900 exec tests/vm/tap tests/vm/long/incast.sh
