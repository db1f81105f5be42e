#!/usr/bin/env bash
# Gradescope runs this once, when the autograder is built. Every submission starts from what it leaves.
exec bash /autograder/source/lab/harness/recipes/prepare.sh @EXERCISE@
