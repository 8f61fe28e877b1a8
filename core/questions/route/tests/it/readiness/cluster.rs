//! Builds questions about readiness from a few lines of text, and prints answers on one line.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{Catalog, Package, Reading};
use portolan_core_graph::{Charted, Installed, Node};
use portolan_core_route::readiness::{
    Installer, Limit, Minor, Offer, Question, Readiness, Reason, Stage, Subject, judge,
};
use portolan_kit::catalog;
use serde_json::json;

/// The catalog of a stage that cannot be read.
pub(crate) const UNREAD: &str = "unread";

/// Parses the catalog of one stage: the language of `portolan_kit::catalog`, and the lines
/// `limit BUNDLE RELEASE` and `kube BUNDLE VERSION`.
pub(crate) fn packages(text: &str) -> Vec<Arc<Package>> {
    let is_extra = |line: &&str| line.starts_with("limit ") || line.starts_with("kube ");
    let lines = text.lines().map(str::trim);
    let (extra, usual): (Vec<_>, Vec<_>) = lines.partition(is_extra);
    let mut shop = catalog(&usual.join("\n"));
    for line in extra {
        let words: Vec<_> = line.split(' ').collect();
        let (kind, value) = match words[0] {
            "limit" => ("olm.maxOpenShiftVersion", json!(words[2])),
            _ => ("olm.csv.metadata", json!({"minKubeVersion": words[2]})),
        };
        shop = shop.with_property(words[1], kind, value);
    }
    let text = shop.to_json_lines();
    let catalog = Catalog::of([Reading::of("text", text.as_bytes())]);
    assert_eq!(catalog.faults, [], "{text}");
    catalog.packages.into_values().collect()
}

/// Returns the offer of a package in the catalog of one stage.
pub(crate) fn offer(text: &str, package: &str) -> Offer {
    if text == UNREAD {
        return Offer {
            package: None,
            gap: Some("the registry does not answer".to_owned()),
        };
    }
    let found = packages(text)
        .into_iter()
        .find(|it| it.name.as_str() == package);
    Offer {
        package: found.map(|package| Arc::new(Charted::new(package))),
        gap: None,
    }
}

/// Returns the stages of `4.20 4.21 4.22` for OpenShift, or `1.33 1.34` for Kubernetes.
pub(crate) fn stages(text: &str) -> Vec<Stage> {
    let releases = text
        .split(' ')
        .map(|release| release.parse().expect("a release"));
    let stages = releases.map(|release: Minor| match release.major {
        1 => Stage::of_kubernetes(release),
        _ => Stage::of_openshift(release).expect("a known release"),
    });
    stages.collect()
}

/// Parses an operator: `BUNDLE CHANNEL`, and optionally `last RELEASE`, `allows RANGE` and
/// `by OLM v1`. `-` is no bundle, and the channel `*` is all channels. The package is the part of
/// the bundle before its first dot, or the namespace `package@`.
pub(crate) fn subject(text: &str, catalogs: &[&str]) -> Subject {
    let mut parts = text.split("; ");
    let (bundle, channel) = parts
        .next()
        .and_then(|it| it.split_once(' '))
        .expect("a bundle");
    let package = bundle.split(".v").next().unwrap_or_default();
    let mut subject = Subject {
        installer: Installer::OlmV0,
        namespace: "harbor".to_owned(),
        installed: None,
        is_followed: true,
        channels: [channel]
            .iter()
            .filter(|it| **it != "*")
            .map(|it| it.parse().expect("a name"))
            .collect(),
        allowed: None,
        limit: None,
        offers: catalogs.iter().map(|text| offer(text, package)).collect(),
    };
    subject.installed = Some(Installed {
        version: bundle
            .split_once(".v")
            .and_then(|(_, version)| version.parse().ok()),
        name: bundle.parse().expect("a name"),
    });
    for part in parts {
        match part.split_once(' ').unwrap_or((part, "")) {
            ("last", value) => subject.limit = Some(Limit::parse(value.split(' '))),
            ("allows", range) => subject.allowed = Some(range.parse().expect("a range")),
            ("in", namespace) => subject.namespace = namespace.to_owned(),
            ("v1", _) => subject.installer = Installer::OlmV1,
            ("unlimited", _) => subject.limit = Some(Ok(Limit::None)),
            ("unfollowed", _) => subject.is_followed = false,
            ("uninstalled", _) => subject.installed = None,
            (other, _) => panic!("{other:?} must be a property of an operator"),
        }
    }
    subject
}

/// Returns the answers for these operators, one line each.
pub(crate) fn answers(releases: &str, catalogs: &[&str], operators: &[&str]) -> Vec<String> {
    let question = Question {
        stages: stages(releases),
        operators: operators
            .iter()
            .map(|text| subject(text, catalogs))
            .collect(),
    };
    judge(&question).iter().map(line).collect()
}

/// Returns an answer on one line, without empty parts.
fn line(answer: &Readiness) -> String {
    let names = |hops: &[Node]| {
        let names: Vec<_> = hops.iter().map(|hop| hop.name.to_string()).collect();
        names.join(" ")
    };
    let mut parts = vec![answer.verdict.as_str().to_owned()];
    let reasons: Vec<_> = answer.reasons.iter().map(reason).collect();
    if !reasons.is_empty() {
        parts.push(format!("({})", reasons.join(", ")));
    }
    for leg in &answer.legs {
        parts.push(format!("at {}: {}", leg.stage, names(&leg.hops)));
    }
    parts.extend(
        answer
            .channel
            .as_ref()
            .map(|channel| format!("channel {channel}")),
    );
    if let Some(after) = answer.after.as_ref().filter(|after| !after.is_empty()) {
        parts.push(format!("after: {}", names(after)));
    }
    parts.extend(answer.blocks.map(|stage| format!("blocks {stage}")));
    if !answer.held_up_by.is_empty() {
        parts.push(format!("held up by {:?}", answer.held_up_by));
    }
    parts.join("; ")
}

fn reason(reason: &Reason) -> String {
    match reason {
        Reason::AboveLimit(last) => format!("last {last}"),
        Reason::InvalidLimit(_) => "invalid limit".to_owned(),
        Reason::UnknownLimit => "unknown limit".to_owned(),
        Reason::PackageGone => "package gone".to_owned(),
        Reason::ChannelGone => "channel gone".to_owned(),
        Reason::Stranded => "stranded".to_owned(),
        Reason::NotAllowed(range) => format!("allows {}", range.as_str()),
        Reason::NeedsNewerKubernetes { bundle, minimum } => format!("{bundle} needs {minimum}"),
        Reason::GoneBetween { stage } => format!("gone at {stage}"),
        Reason::Unread { stage, .. } => format!("unread at {stage}"),
        Reason::ObjectsNotRead(release) => format!("objects for {release}"),
        Reason::NothingInstalled => "nothing installed".to_owned(),
        Reason::NotFollowed => "not followed".to_owned(),
    }
}

/// Returns the names of channels as a set.
pub(crate) fn channels<'n>(
    names: impl IntoIterator<Item = &'n str>,
) -> BTreeSet<portolan_core_names::ChannelName> {
    names
        .into_iter()
        .map(|name| name.parse().expect("a name"))
        .collect()
}
