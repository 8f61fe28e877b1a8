#!/bin/sh
# Brings the Operators of a cluster to newer versions, from outside of it: for a job that runs every night, with a
# kubeconfig that may read and patch Operators.
#
#   WISHES='quay=latest-z-stream redis=latest' GENERATE='--server https://resolver.example:50051' ./apply.sh
#
# WISHES are words, and so are the flags in GENERATE; ranges are written without blanks. All that is wished goes
# together, or nothing does. Only Operators that change are applied: those in WISHES, and those that they require. Of an
# Operator that exists the job applies and owns spec.version alone, as MANAGER (portolan-job). It takes nothing by force:
# if spec.version has another owner, such as a controller that applies what is in git, kubectl reports the conflict and
# that Operator stays unchanged.
#
# The log has the unsafe changes of CRDs that an Operator waits for until they are accepted, or why CRDs are not
# compared. Such an Operator is applied as well, and waits at the version before.
#
# Where something is wrong with the input or a catalog nothing is applied, and the exit code is that of portolan.
set -eu

: "${WISHES:?say which operators, and in which versions}"
: "${GENERATE:=}"
: "${MANAGER:=portolan-job}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kubectl get operators.operators.operatorframework.io -o yaml >"$work/are.yaml"

# Exit code 1: the Operators are printed, and there are warnings, which a person reads in the log of this job.
generate() {
    # shellcheck disable=SC2086 # they are words
    portolan generate $WISHES -f "$work/are.yaml" $GENERATE "$@" || [ $? -eq 1 ]
}

generate --diff -o table
generate --changed -o yaml >"$work/changed.yaml"
if [ -s "$work/changed.yaml" ]; then
    kubectl apply --server-side --field-manager="$MANAGER" -f "$work/changed.yaml"
else
    echo "nothing changes"
fi
