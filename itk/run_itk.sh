#!/usr/bin/env bash
# Runs the integration test kit on this repository. ITK_DIR names a checkout of the kit, whose driver does the work:
#   ITK_DIR=../itk itk/run_itk.sh
set -euo pipefail
cd "$(dirname "$0")"

export ITK_SDK_NAME=parlance
export ITK_MATRIX_SDK=parlance
export ITK_COPY_PROTO=0
export ITK_SCENARIO_SET=shared

# The agent reads instructions by a table of its own, so that nothing is generated.
itk_generate_protos() { :; }
itk_extra_cleanup() { :; }

driver="${ITK_DIR:?set ITK_DIR to a checkout of the integration test kit}/run_itk.sh"
if [ ! -f "$driver" ]; then
  echo "ITK_DIR: there is no driver at $driver" >&2
  exit 2
fi
# shellcheck source=/dev/null
source "$driver"
