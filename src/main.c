/* SPDX-License-Identifier: BSD-2-Clause */
#include "cmd/cmd.h"

int main(int argc, char **argv)
{
	return rt_main(argc, argv);
}
