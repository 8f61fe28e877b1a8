//! Reports errors for which an API server would reject objects of a bundle.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_names::{ObjectRef, removed};
use serde_json::Value as Json;

use super::again;
use crate::bundle::Bundle;
use crate::fault::{BundleFault, Code, Faults};
use crate::object::{APIEXTENSIONS, Object, Scope, Title, supported_kind, text};
use crate::typed::shortened;

/// Returns all objects of a bundle except the ClusterServiceVersion, each with its file and line.
fn all(bundle: &Bundle) -> impl Iterator<Item = (&Arc<str>, u64, &Json)> {
    let crds = bundle.crds.iter();
    let crds = crds.map(|crd| (&crd.file, crd.line, &crd.json));
    let others = bundle.others.iter();
    crds.chain(others.map(|other| (&other.file, other.line, &other.json)))
}

fn title(json: &Json) -> String {
    // These texts may occur in a sentence for each field of the object, so they are shortened.
    let [kind, name] = [&json["kind"], &json["metadata"]["name"]].map(|it| shortened(text(it)));
    format!("{kind} {name:?}")
}

pub(super) fn objects_are_complete(bundle: &Bundle, faults: &mut Faults) {
    for (file, line, json) in all(bundle) {
        if text(&json["apiVersion"]).is_empty() {
            let sentence = format!(
                "{} has no `apiVersion`, so every API server rejects it",
                title(json)
            );
            faults.push(BundleFault::warning(
                file,
                line,
                Code::NoApiVersion,
                sentence,
            ));
        }
        if text(&json["metadata"]["name"]).is_empty() {
            let kind = text(&json["kind"]);
            let sentence = format!("a {kind} without a name, which every API server rejects");
            faults.push(BundleFault::warning(file, line, Code::NoName, sentence));
        }
    }
}

pub(super) fn versions_are_served(bundle: &Bundle, faults: &mut Faults) {
    for (file, line, json) in all(bundle) {
        let version = text(&json["apiVersion"]);
        if let Some(removed) = removed::of_object(version, text(&json["kind"])) {
            let sentence = format!(
                "{} has the apiVersion {version}, which Kubernetes no longer serves since 1.{}",
                title(json),
                removed.minor
            );
            faults.push(BundleFault::warning(file, line, Code::NotServed, sentence));
        }
    }
}

pub(super) fn objects_are_unique(bundle: &Bundle, faults: &mut Faults) {
    let identities: Vec<_> = bundle
        .others
        .iter()
        .map(|other| (ObjectRef::of(&other.json), &other.file, other.line))
        .collect();
    let keys = identities
        .iter()
        .map(|(identity, file, line)| (identity, *file, *line));
    for (identity, file, line) in again(keys) {
        let sentence = format!("{} appears twice in the bundle", Title(identity));
        faults.push(BundleFault::warning(
            file,
            line,
            Code::ObjectTwice,
            sentence,
        ));
    }
}

/// Reports objects with an unsuitable namespace. Authors do not know the namespace into which their
/// bundle is installed.
pub(super) fn namespaces_fit(bundle: &Bundle, faults: &mut Faults) {
    for crd in &bundle.crds {
        foreign(&crd.file, crd.line, &crd.json, faults);
    }
    for other in &bundle.others {
        let scope = supported_kind(other.kind()).map(|kind| kind.scope);
        if scope == Some(Scope::Cluster) && !is_custom(other) {
            foreign(&other.file, other.line, &other.json, faults);
        }
        subjects(other, faults);
    }
}

fn foreign(file: &Arc<str>, line: u64, json: &Json, faults: &mut Faults) {
    let namespace = text(&json["metadata"]["namespace"]);
    if !namespace.is_empty() {
        let sentence = format!(
            "{} is cluster-scoped, but has the namespace {namespace:?}",
            title(json)
        );
        faults.push(BundleFault::warning(
            file,
            line,
            Code::ForeignNamespace,
            sentence,
        ));
    }
}

fn subjects(other: &Object, faults: &mut Faults) {
    if !matches!(other.kind(), "RoleBinding" | "ClusterRoleBinding") {
        return;
    }
    let subjects = other.json["subjects"].as_array().into_iter().flatten();
    let accounts = subjects.filter(|subject| subject["kind"] == "ServiceAccount");
    let namespaces: BTreeSet<_> = accounts
        .map(|subject| text(&subject["namespace"]))
        .collect();
    for namespace in namespaces
        .into_iter()
        .filter(|namespace| !namespace.is_empty())
    {
        let sentence = format!(
            "{} binds a ServiceAccount of the namespace {namespace:?}, even if the operator is \
             installed in another namespace",
            title(&other.json)
        );
        faults.push(BundleFault::warning(
            &other.file,
            other.line,
            Code::SubjectNamespace,
            sentence,
        ));
    }
}

/// Reports custom resources whose kind has the same name as a kind of Kubernetes. OLM compares only
/// the name of the kind, so it confuses the two kinds.
pub(super) fn kinds_are_not_borrowed(bundle: &Bundle, faults: &mut Faults) {
    for other in &bundle.others {
        if is_custom(other) {
            let sentence = format!(
                "{} is a custom resource of {}; OLM mistakes it for a {} of Kubernetes",
                title(&other.json),
                other.group(),
                other.kind()
            );
            faults.push(BundleFault::warning(
                &other.file,
                other.line,
                Code::BorrowedKind,
                sentence,
            ));
        }
    }
}

/// Returns true if the object has the name of a supported kind, but another group.
fn is_custom(other: &Object) -> bool {
    let known = supported_kind(other.kind());
    let group = other.group();
    // These are older groups of Kubernetes. Their kinds were moved to other groups.
    let was_there = matches!(group, "" | "extensions" | APIEXTENSIONS);
    known.is_some_and(|known| known.group != group && !was_there)
}
