//! Checks that every printed command is valid.

use std::collections::BTreeSet;

use super::stories;
use crate::{Action, Diagnosis, KubectlRun, Procedure, Runnable, Step};

/// The verbs of kubectl that only read.
const READING: &[&str] = &["auth", "describe", "get", "logs", "wait"];

/// The verbs of kubectl that change objects.
const WRITING: &[&str] = &[
    "annotate", "apply", "create", "delete", "label", "patch", "rollout", "scale", "set", "taint",
    "uncordon",
];

/// The verbs whose first argument is a name and no resource.
const OF_NAMES: &[&str] = &["logs", "uncordon"];

/// The flags of these verbs in printed commands, without their values.
const FLAGS: &[&str] = &[
    "--all-namespaces",
    "--as",
    "--clusterrole",
    "--docker-password",
    "--docker-server",
    "--docker-username",
    "--field-selector",
    "--for",
    "--from-literal",
    "--limits",
    "--list",
    "--namespace",
    "--overwrite",
    "--previous",
    "--replicas",
    "--serviceaccount",
    "--show-managed-fields",
    "--subresource",
    "--tail",
    "--timeout",
    "--type",
    "-c",
    "-f",
    "-l",
    "-n",
    "-o",
    "-p",
];

/// The names of resources that need no API group, because they belong to the core group.
const CORE: &[&str] = &[
    "clusterrolebinding",
    "configmap",
    "namespace",
    "namespaces",
    "nodes",
    "pods",
    "resourcequotas",
    "rolebinding",
    "secret",
    "secrets",
    "serviceaccount",
    "serviceaccounts",
];

/// The time that replaces `$(date +%s)`.
const NOW: i64 = 1_700_000_000;

fn all() -> Vec<(String, Diagnosis)> {
    let named = |name: &str, all: Vec<Diagnosis>| {
        let all = all.into_iter().map(|one| (name.to_owned(), one));
        all.collect::<Vec<_>>()
    };
    let stories = stories::all().into_iter();
    let stories = stories.flat_map(|(name, story)| named(name, story.diagnose()));
    let plans = named("a plan", crate::own_plan::tests::stories());
    let operators = named("an Operator", crate::own_operator::tests::stories());
    let own = named("another kind", crate::own::tests::stories());
    stories.chain(plans).chain(operators).chain(own).collect()
}

/// Checks the arguments of a kubectl command. Panics with `place` and the reason if they are
/// invalid.
fn checked(run: &KubectlRun, verbs: &[&[&str]], place: &str) {
    let verb = run.verb();
    let is_known = verbs.iter().any(|verbs| verbs.contains(&verb));
    assert!(is_known, "{place}: {verb}");
    for flag in run
        .arguments
        .iter()
        .filter(|it| it.starts_with('-') && *it != "-")
    {
        let name = flag.split_once('=').map_or(flag.as_str(), |(name, _)| name);
        assert!(FLAGS.contains(&name), "{place}: {flag}");
    }
    let after = if ["auth", "rollout", "set"].contains(&verb) {
        2
    } else {
        1
    };
    let object = run.arguments.get(after).map(String::as_str);
    let object = object.filter(|it| !it.starts_with('-') && !OF_NAMES.contains(&verb));
    let resource = object.map(|it| it.split_once('/').map_or(it, |(resource, _)| resource));
    if let Some(resource) = resource {
        assert!(
            resource.contains('.') || CORE.contains(&resource),
            "{place}: {resource}"
        );
    }
}

/// Checks that a step only reads.
fn look(step: &Step, place: &str) {
    let Action::Command(line) = &step.action else {
        panic!("{place}: a manifest changes something");
    };
    if line.starts_with("portolan ") {
        return;
    }
    match Runnable::parse(line, NOW) {
        Some(Runnable::Kubectl(run)) if run.verb() == "rollout" => {
            assert_eq!(run.arguments[1], "status", "{place}: {line}");
        }
        Some(Runnable::Kubectl(run)) => checked(&run, &[READING], place),
        other => panic!("{place}: {line}: {other:?}"),
    }
}

/// Checks the steps of a procedure in order.
fn procedure(procedure: &Procedure, place: &str) {
    let mut saved: BTreeSet<String> = BTreeSet::new();
    let mut read: BTreeSet<Vec<String>> = BTreeSet::new();
    for step in &procedure.steps {
        let line = match &step.action {
            Action::Command(line) => line,
            Action::Manifest(text) => {
                assert!(
                    text.contains("apiVersion") && text.contains("kind"),
                    "{place}"
                );
                continue;
            }
        };
        let place = &format!("{place}: {line}");
        let Some(runnable) = Runnable::parse(line, NOW) else {
            panic!("{place}: only a shell can run it");
        };
        let run = match runnable {
            Runnable::Kubectl(run) => run,
            Runnable::Portolan(run) => {
                assert!(run.dry_run().is_some(), "{place}: it has no dry run");
                continue;
            }
            Runnable::Pause(_) => continue,
        };
        checked(&run, &[READING, WRITING], place);
        let files = run.arguments.windows(2).filter(|pair| pair[0] == "-f");
        for file in files.map(|pair| &pair[1]) {
            assert!(saved.contains(file), "{place}: no earlier step writes it");
        }
        let (verb, object) = (run.verb().to_owned(), run.arguments[1..].to_vec());
        if verb == "delete" {
            assert!(read.contains(&object), "{place}: no backup");
        }
        if let Some(file) = run.saved_to {
            assert!(saved.insert(file), "{place}: it replaces a backup");
            let end = object.iter().position(|it| it == "-o");
            read.insert(object[..end.unwrap_or(object.len())].to_vec());
        }
    }
}

#[test]
fn every_printed_command_can_be_run() {
    let mut commands = 0;
    for (name, diagnosis) in all() {
        for cause in diagnosis.causes() {
            let place = format!("{name}: {}", cause.code);
            cause.remedy.look.iter().for_each(|step| look(step, &place));
            for one in cause.remedy.procedures() {
                procedure(one, &place);
                commands += one.steps.len();
            }
        }
    }
    assert!(commands > 100, "{commands}");
}
