#!/bin/sh
# Proposes newer versions of Operators in a git repository. It pushes a branch with the output of `portolan generate`,
# and runs a command that opens the pull request. For a nightly job outside of any cluster:
#
#   REPOSITORY=git@git.example:fleet.git FILE=operators.yaml REQUIREMENTS='quay@latest-patch redis@latest' \
#   GENERATE='--catalog demo=oci://registry.example/catalog:v1' \
#   PROPOSE='gh pr create --head "$BRANCH" --title "$TITLE" --body "$BODY"' ./propose.sh
#
# FILE has all Operators as YAML, and each Operator names one version. REQUIREMENTS is a list of words, and so is
# GENERATE, which has flags. Write version ranges without blanks. The command in PROPOSE runs in a clone of the
# repository, on the branch, with BRANCH, TITLE and BODY in its environment. BASE is the branch to start from (main).
#
# BODY has the versions, and the unsafe CRD changes that an Operator waits for until they are accepted. The same pull
# request can accept them.
#
# The name of the branch depends on its content, so the same change is not proposed twice. If the input or a catalog
# is invalid, nothing is pushed, and the exit code is that of portolan.
set -eu

: "${REPOSITORY:?set it to the URL of the git repository}"
: "${FILE:?set it to the file in the repository that has the Operators}"
: "${REQUIREMENTS:?set it to the operators and their versions}"
: "${PROPOSE:?set it to the command that opens the pull request}"
: "${GENERATE:=}"
: "${BASE:=main}"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Exit code 1: the Operators are printed, with warnings for the readers of the log of this job.
generate() {
    # shellcheck disable=SC2086 # they are words
    portolan generate $REQUIREMENTS -f "$FILE" $GENERATE "$@" || [ $? -eq 1 ]
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
