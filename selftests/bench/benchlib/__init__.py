# SPDX-License-Identifier: GPL-2.0
"""What run.py needs: figures and what is made of them."""
# Copyright (C) 2026 The mptun authors
