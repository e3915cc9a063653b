#!/usr/bin/env bash
# Fits by arrays of jobs that share a folder.
#
#   fit.sh processes|slurm|hyperqueue JOBS FOLDER [options of identify]
#
# IDENTIFY is the program (default target/release/examples/identify), SBATCH and HQ hold options for the
# scheduler (partition, time, cores). Ended for whatever reason, it goes on where it was when it is
# started again: answers that are there are not made again.
set -euo pipefail
how=$1 jobs=$2 folder=$3
shift 3
identify=${IDENTIFY:-target/release/examples/identify}
at=$folder/unknowns.json
last=$((jobs - 1))
mkdir -p "$folder"

fold() { "$identify" fold --journal "$folder/fit.journal" --at "$at" "$@"; }

fold "$@"
while [ -e "$at" ]; do
  number=$(sed -n 's/^ *"number": \([0-9]*\).*/\1/p' "$at")
  answers=$folder/answers-$number
  mkdir -p "$answers"
  # A job: its number is in the scheduler's variable.
  job() {
    printf 'i=${SLURM_ARRAY_TASK_ID:-${HQ_TASK_ID:-$1}}; [ -e %q/$i.shard ] || exec %q evaluate --at %q --shard $i/%q --to %q/$i.shard' \
      "$answers" "$identify" "$at" "$jobs" "$answers"
    [ $# = 0 ] || printf ' %q' "$@"
  }
  case $how in
    processes) seq 0 $last | xargs -P "$(nproc)" -I{} bash -c "$(job --serial "$@")" job {} ;;
    slurm) sbatch --quiet --wait --array="0-$last" --output="$folder/job-%a.log" ${SBATCH:-} --wrap "$(job "$@")" ;;
    hyperqueue) hq submit --wait --array="0-$last" --stdout=none ${HQ:-} -- bash -c "$(job "$@")" ;;
    *) echo "$how: neither processes nor slurm nor hyperqueue" >&2; exit 2 ;;
  esac
  fold "$@" "$answers"/*.shard
  rm -r "$answers"
done
