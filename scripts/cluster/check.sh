#!/usr/bin/env bash
# Fits a few tosses on one thread, by jobs that are plain processes, and on four ranks of MPI where the
# examples were built with it; the reports must be the same to the last digit.
#
#   check.sh FOLDER        with the examples of the cluster built (cargo build -p dualbody-cluster --examples)
set -euo pipefail
folder=$1
built=${CARGO_TARGET_DIR:-$(dirname "$0")/../../target}/debug/examples
export IDENTIFY=$built/identify
mpirun=(mpirun --allow-run-as-root --oversubscribe --bind-to none -n 4)
options=(--fit-tosses 3)
mkdir -p "$folder"

fitted() { echo "${options[@]}" --out "$folder/$1" --json "$folder/$1.json"; }

"$IDENTIFY" $(fitted one) --serial > /dev/null 2>&1
"$(dirname "$0")/fit.sh" processes 3 "$folder/jobs" $(fitted processes) > "$folder/processes.log"
cmp "$folder/one.json" "$folder/processes.json"
echo "3 jobs: the same report after $(grep -c '^question' "$folder/processes.log") questions"

# Throws in three shares, and all at once.
"$built/rest" --throws 12 --to "$folder/all.csv" > "$folder/all.txt" 2> /dev/null
for i in 0 1 2; do
  "$built/rest" --throws 12 --shard $i/3 --to "$folder/share-$i.csv" > /dev/null 2>&1
done
"$built/rest" collect "$folder"/share-?.csv | diff - <(grep -v ^Table "$folder/all.txt")
echo "3 shares of a sweep: the same statistics"

if ! command -v mpirun > /dev/null || ! "$IDENTIFY" --help | grep -q "built with MPI"; then
  echo "skipped: ranks of MPI"
  exit
fi
"${mpirun[@]}" "$IDENTIFY" $(fitted ranks) > /dev/null 2>&1
cmp "$folder/one.json" "$folder/ranks.json"
echo "4 ranks: the same report"
"${mpirun[@]}" "$built/rest" --throws 12 --to "$folder/ranks.csv" > /dev/null 2>&1
cmp "$folder/all.csv" "$folder/ranks.csv"
echo "4 ranks: the same sweep"
"${mpirun[@]}" "$built/plan" --fit-tosses 3 --steps 1 2> /dev/null
