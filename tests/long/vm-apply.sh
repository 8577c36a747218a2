#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# The kernel lab: an apply with a fault at every write, and --confirm without systemd.
VM_SECONDS=1500 exec tests/vm/tap tests/vm/long/faults-apply.sh tests/vm/long/apply-faults.sh \
	tests/vm/long/confirm.sh
