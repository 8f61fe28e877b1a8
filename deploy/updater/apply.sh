#!/bin/sh
# Upgrades the Operators of a cluster from outside the cluster. For a nightly job with a kubeconfig that can read and
# patch Operators.
#
#   REQUIREMENTS='quay@latest-patch redis@latest' GENERATE='--server https://resolver.example:50051' ./apply.sh
#
# REQUIREMENTS is a list of words, and so is GENERATE, which has flags. Write version ranges without blanks. Either
# all requirements are met, or nothing is applied. The job applies only Operators that change: those in REQUIREMENTS,
# and those that they require. Of an existing Operator it applies and owns only spec.version, as field manager MANAGER
# (portolan-job). It does not force conflicts. If spec.version has another owner, such as a controller that applies
# manifests from git, kubectl reports the conflict. That Operator stays unchanged.
#
# The log has the unsafe CRD changes that an Operator waits for until they are accepted, or the reason why CRDs are
# not compared. Such an Operator is applied as well, and stays at its previous version until then.
#
# If the input or a catalog is invalid, nothing is applied, and the exit code is that of portolan.
set -eu

: "${REQUIREMENTS:?set it to the operators and their versions}"
: "${GENERATE:=}"
: "${MANAGER:=portolan-job}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
kubectl get operators.operators.operatorframework.io -o yaml >"$work/are.yaml"

# Exit code 1: the Operators are printed, with warnings for the readers of the log of this job.
generate() {
    # shellcheck disable=SC2086 # they are words
    portolan generate $REQUIREMENTS -f "$work/are.yaml" $GENERATE "$@" || [ $? -eq 1 ]
}

generate --diff -o table
generate --changed -o yaml >"$work/changed.yaml"
if [ -s "$work/changed.yaml" ]; then
    kubectl apply --server-side --field-manager="$MANAGER" -f "$work/changed.yaml"
else
    echo "nothing changes"
fi
