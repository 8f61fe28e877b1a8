#!/bin/sh
# Proposes newer versions of Operators in a git repository: pushes a branch with what `portolan generate` writes, and
# runs a command that opens the pull request. For a job that runs every night, outside of any cluster:
#
#   REPOSITORY=git@git.example:fleet.git FILE=operators.yaml WISHES='quay=latest-z-stream redis=latest' \
#   GENERATE='--catalog demo=oci://registry.example/catalog:v1' \
#   PROPOSE='gh pr create --head "$BRANCH" --title "$TITLE" --body "$BODY"' ./propose.sh
#
# FILE has all Operators, as YAML, and each names one version. WISHES are words, and so are the flags in GENERATE;
# ranges are written without blanks. The command in PROPOSE runs in a clone of the repository, on the branch, with
# BRANCH, TITLE and BODY in its environment. BASE is the branch to start from (main).
#
# BODY has the versions, and the unsafe changes of CRDs that an Operator waits for until they are accepted. The same pull
# request can accept them.
#
# The name of the branch is made of its content: what has been proposed already is not proposed again. Where
# something is wrong with the input or a catalog nothing is pushed, and the exit code is that of portolan.
set -eu

: "${REPOSITORY:?say which git repository}"
: "${FILE:?say which file in it has the Operators}"
: "${WISHES:?say which operators, and in which versions}"
: "${PROPOSE:?say which command opens a pull request}"
: "${GENERATE:=}"
: "${BASE:=main}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Exit code 1: the Operators are printed, and there are warnings, which a person reads in the log of this job.
generate() {
    # shellcheck disable=SC2086 # they are words
    portolan generate $WISHES -f "$FILE" $GENERATE "$@" || [ $? -eq 1 ]
}

git clone --quiet --depth 1 --branch "$BASE" -- "$REPOSITORY" "$work/clone"
cd "$work/clone"
BODY=$(generate --diff -o table)
generate -o yaml >"$work/generated"
cat "$work/generated" >"$FILE"
if git diff --quiet -- "$FILE"; then
    echo "nothing to propose"
    exit 0
fi

BRANCH=portolan-updates/$(git hash-object -- "$FILE" | cut -c 1-12)
TITLE="Update operators: $(git diff --numstat -- "$FILE" | cut -f 1) lines of $FILE"
if git ls-remote --exit-code --heads origin "$BRANCH" >/dev/null; then
    echo "$BRANCH is proposed already"
    exit 0
fi
git checkout --quiet -b "$BRANCH"
git commit --quiet -m "$TITLE" -m "$BODY" -- "$FILE"
git push --quiet origin "$BRANCH"
echo "$BRANCH is pushed"
export BRANCH TITLE BODY
exec sh -c "$PROPOSE"
