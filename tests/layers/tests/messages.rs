//! Checks that no program of this repository searches for text in the messages of another program
//! of this repository.
//!
//! Messages are for people. If a program needs a fact, the fact must be a reason, a code or a
//! field. A program may search messages only if Kubernetes or OLM writes them, and provides no
//! field for the fact.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portolan_layers::sources;
use regex::Regex;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
/// Finds code that searches a message: the name of a value that contains a message, followed by a
/// search method.
const SEARCH: &str = concat!(
    r"\b(message|reason|said|sentence|why)(\(\))?(\.as_(str|deref)\(\))?\s*",
    r"\.(contains|ends_with|find|matches|rfind|rsplit_once|split|split_once|starts_with|strip_prefix|strip_suffix)",
    r"\(\s*[^|&\s]",
);
/// The line at which the unit tests of a source file begin.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

/// The files that search for text in messages. For each file: the program that writes these
/// messages, or the reason for the search.
const ALLOWED: &[(&str, &str)] = &[
    // These messages come from Kubernetes and OLM.
    ("core/base/olm/src/messages.rs", "API server, kubelet, OLM"),
    (
        "core/base/olm/src/messages/admission.rs",
        "API server, Kyverno, Gatekeeper: rejected objects",
    ),
    (
        "core/base/olm/src/messages/conversion.rs",
        "API server: conversion webhooks",
    ),
    ("core/base/olm/src/messages/extension.rs", "OLM v1"),
    (
        "core/base/olm/src/messages/missing.rs",
        "API server, kubelet: missing objects",
    ),
    ("core/base/olm/src/messages/scheduling.rs", "scheduler"),
    ("core/base/olm/src/messages/upgrade.rs", "OLM"),
    (
        "controller/plans/src/grants/client.rs",
        "API server: a JSON patch that does not fit",
    ),
    (
        "controller/runtime/src/client.rs",
        "API server: conflicts, and errors that are final",
    ),
    (
        "core/kinds/install/src/fields/conflict.rs",
        "API server: conflicts",
    ),
    (
        "core/kinds/operatorpolicy/src/subscription/resolution.rs",
        "OLM: resolution",
    ),
    (
        "core/questions/diagnosis/src/rollout/quota.rs",
        "API server: quotas",
    ),
    (
        "services/world/src/templates/denied.rs",
        "API server: permissions",
    ),
    // These messages and formats come from other libraries.
    (
        "core/base/templates/src/parse/cursor.rs",
        "Go: adds a line as Go does",
    ),
    (
        "services/shell/src/call.rs",
        "tonic: messages that cannot be decoded",
    ),
    (
        "controller/src/write/status.rs",
        "Open Cluster Management: events begin with Compliant;",
    ),
    (
        "controller/src/write/read_only.rs",
        "Open Cluster Management: a note in a condition of its controller",
    ),
    // These files search for no fact. They read a list in an annotation, or remove the final period
    // of a sentence.
    (
        "core/kinds/install/src/make/annotations.rs",
        "kapp: a list in an annotation",
    ),
    (
        "core/kinds/install/src/decide/pods/judged.rs",
        "removes the final period",
    ),
    (
        "controller/updater/src/catalogs.rs",
        "removes the final period",
    ),
    // The API of the resolver has no field for the operators that a cause concerns.
    (
        "cli/src/route/steps.rs",
        "resolver: names of installed operators in a cause",
    ),
    // The same program writes these messages. It searches them because the schema of another
    // project has no field for the reason, or because only the text matters.
    (
        "core/kinds/install/src/decide/lookup_failed.rs",
        "keeps its own first message",
    ),
    (
        "core/kinds/operatorpolicy/src/status/conditions.rs",
        "removes its own note from the last known message",
    ),
    (
        "core/kinds/operatorpolicy/src/defaults.rs",
        "replaces the name of a request field",
    ),
    (
        "core/kinds/operatorpolicy/src/subscription.rs",
        "repeats no missing object",
    ),
    (
        "core/questions/diagnosis/src/own_plan/live.rs",
        "repeats no reason of a Pod",
    ),
];

/// Returns the lines of a source file that search for text in a message.
fn searches(text: &str, search: &Regex) -> Vec<String> {
    let code = text.split(TESTS).next().unwrap_or_default();
    let found = search.find_iter(code);
    let lines = found.map(|it| code[..it.start()].lines().count());
    lines.map(|line| line.to_string()).collect()
}

fn is_product(path: &Path) -> bool {
    let mut parts = path.components().map(|part| part.as_os_str());
    parts.any(|part| part == "src") && !path.ends_with("tests.rs")
}

#[test]
fn code_searches_only_messages_of_other_programs() {
    let root = Path::new(ROOT);
    let search = Regex::new(SEARCH).expect("a regular expression");
    let allowed: BTreeSet<_> = ALLOWED.iter().map(|(file, _)| (*file).to_owned()).collect();
    let (mut searching, mut refused) = (BTreeSet::new(), Vec::new());
    for file in packages(root).iter().flat_map(|it| sources(it)) {
        let path = file.strip_prefix(root).expect("a file of the repository");
        let in_tests = path.components().any(|part| part.as_os_str() == "tests");
        if in_tests || !is_product(path) {
            continue;
        }
        let text = fs::read_to_string(&file).expect("a source file");
        let lines = searches(&text, &search);
        let name = path.to_string_lossy().into_owned();
        if lines.is_empty() {
            continue;
        }
        if !allowed.contains(&name) {
            refused.push(format!("{name}:{}", lines.join(",")));
        }
        searching.insert(name);
    }
    assert_eq!(
        refused, [""; 0],
        "read a field or a reason instead; if the message is of Kubernetes or OLM, add a function to \
         core/base/olm/src/messages.rs"
    );
    let stale: Vec<_> = allowed.difference(&searching).collect();
    assert_eq!(stale, [""; 0], "these files search no message any more");
}

/// Returns the folders of all crates except tests.
fn packages(root: &Path) -> Vec<std::path::PathBuf> {
    let groups = [
        "core/base",
        "core/kinds",
        "core/questions",
        "core/views",
        "services",
        "controller",
    ];
    let within = groups
        .iter()
        .flat_map(|group| fs::read_dir(root.join(group)).expect("a folder"));
    let within = within.filter_map(|entry| Some(entry.ok()?.path()));
    let within = within.filter(|path| path.join("Cargo.toml").is_file());
    let others = ["controller", "cli"].map(|name| root.join(name));
    within.chain(others).collect()
}

#[test]
fn finds_message_searches_in_code_and_not_in_tests() {
    let search = Regex::new(SEARCH).expect("a regular expression");
    let text = "fn a(said: &str) {\n    said\n        .contains(HELD)\n}\n";
    assert_eq!(searches(text, &search), ["2"]);
    let text = "fn a() {\n    status.message().as_str().split_once(\": \");\n}\n";
    assert_eq!(searches(text, &search), ["2"]);
    let conditions = "conditions.find(|said| said.is_true()); names.contains(&name)";
    assert_eq!(searches(conditions, &search), [""; 0]);
    let tests = format!("{TESTS}\n    assert!(message.contains(\"a\"));\n}}\n");
    assert_eq!(searches(&tests, &search), [""; 0]);
}
