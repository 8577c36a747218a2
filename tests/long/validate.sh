#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# All of `make validate`, with the docs left alone.
exec tests/validate.sh
