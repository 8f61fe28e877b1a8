//! Builds questions about readiness from a few lines of text, and formats answers in one line.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_catalog::{Catalog, Package, Reading};
use portolan_core_graph::{Charted, Installed, Node};
use portolan_core_names::removed::{self, RemovedApiUse, RemovedApis};
use portolan_core_names::{GroupKind, ObjectRef};
use portolan_core_route::readiness::{
    Agreement, ApiRequests, Installer, Limit, Minor, Offer, Question, Readiness, Reason, Restraint,
    RestraintRule, Stage, Subject, UpgradeableCondition, judge, unread_bundles,
};
use portolan_kit::catalog;
use serde_json::json;

/// The text that stands for the catalog of a stage that cannot be read.
pub(crate) const UNREAD: &str = "unread";

/// Parses the catalog of one stage. The text has the format of `portolan_kit::catalog`, and
/// additional lines `limit BUNDLE RELEASE` and `kube BUNDLE VERSION`.
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

/// Parses the stages: `4.20 4.21 4.22` for OpenShift, or `1.33 1.34` for Kubernetes.
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

/// Parses an operator: `BUNDLE CHANNEL`, and optionally `last RELEASE`, `allows RANGE`, `v1`,
/// `reads BUNDLE APIVERSION/KIND` (an object in a bundle), `rules BUNDLE GROUP/RESOURCE` (a
/// permission in a bundle), and `fails BUNDLE` (an unreadable bundle), `forbids RULE`,
/// and `requests APIVERSION/KIND`. `-` is no bundle, and the channel `*` is all channels. The package is the part of
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
        contents: BTreeMap::new(),
        restraints: Vec::new(),
        requests: Vec::new(),
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
            ("reads" | "rules" | "fails", content) => put_content(&mut subject, part, content),
            ("requests", api) => {
                let (version, kind) = api.rsplit_once('/').expect("a kind");
                let api = removed::of_object(version, kind).expect("a removed API");
                subject.requests.push(ApiRequests {
                    api,
                    account: "harbor/a".to_owned(),
                    count: 7,
                });
            }
            ("forbids", rule) => subject.restraints.push(restraint(rule)),
            ("unlimited", _) => subject.limit = Some(Ok(Limit::None)),
            ("unfollowed", _) => subject.is_followed = false,
            ("uninstalled", _) => subject.installed = None,
            (other, _) => panic!("{other:?} must be a property of an operator"),
        }
    }
    subject
}

/// Parses the rule of an OperatorPolicy: `updates`, `unapproved`, `all but CONSENT`, or `to
/// BUNDLE`.
fn restraint(rule: &str) -> Restraint {
    let rule = match rule.split_once(' ') {
        Some(("to", bundle)) => RestraintRule::Denied {
            to: bundle.parse().expect("a name"),
            message: "closed".to_owned(),
        },
        Some((_, consent)) => RestraintRule::Bundles {
            field: "spec.versions",
            consents: consent
                .strip_prefix("but ")
                .and_then(|it| it.parse().ok())
                .into_iter()
                .collect(),
        },
        None if rule == "updates" => RestraintRule::NoUpdates,
        None => RestraintRule::Approval,
    };
    let kind = GroupKind::new("policy.open-cluster-management.io", "OperatorPolicy");
    Restraint {
        object: ObjectRef::new(kind, "policies", "one"),
        rule,
    }
}

/// Adds an object or a permission to a bundle, or makes the bundle unreadable.
fn put_content(subject: &mut Subject, part: &str, content: &str) {
    let (bundle, what) = content.split_once(' ').unwrap_or((content, ""));
    let bundle = bundle.parse().expect("a name");
    if part.starts_with("fails") {
        subject.contents.insert(bundle, Err("not found".to_owned()));
        return;
    }
    let known = subject.contents.entry(bundle);
    let known = known.or_insert_with(|| Ok(RemovedApis::default()));
    let known = known.as_mut().expect("a readable bundle");
    let Some((group, kind)) = what.rsplit_once('/') else {
        return;
    };
    let usage = |api| RemovedApiUse {
        api,
        name: "one".to_owned(),
    };
    if part.starts_with("reads") {
        known
            .objects
            .extend(removed::of_object(group, kind).map(usage));
    } else {
        known
            .permissions
            .extend(removed::of_rule(group, kind).map(usage));
    }
}

/// Returns the answers for these operators, one line for each operator.
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

/// Returns the bundles of an operator that must be read.
pub(crate) fn unread(releases: &str, catalogs: &[&str], operator: &str) -> Vec<String> {
    let question = Question {
        stages: stages(releases),
        operators: vec![subject(operator, catalogs)],
    };
    let unread = unread_bundles(&question, &judge(&question)).into_iter();
    unread.map(|(_, bundle)| bundle.to_string()).collect()
}

/// Compares a condition with the operators of OLM v0, for an upgrade from 4.21 to 4.22.
pub(crate) fn agreement(
    [status, reason, named]: [&str; 3],
    catalogs: &[&str],
    operators: &[&str],
) -> String {
    let question = Question {
        stages: stages("4.21 4.22"),
        operators: operators
            .iter()
            .map(|text| subject(text, catalogs))
            .collect(),
    };
    let names = operators.iter().map(|text| {
        let bundle = text.split(' ').next().unwrap_or_default();
        format!("harbor/{bundle}")
    });
    let condition = UpgradeableCondition {
        status: status.to_owned(),
        reason: reason.to_owned(),
        named: named
            .split(' ')
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect(),
    };
    let names: Vec<_> = names.collect();
    match condition.compare(&question, Installer::OlmV0, &names) {
        Agreement::Same(names) => format!("same {:?}", Vec::from_iter(names)),
        Agreement::OtherReason => "other reason".to_owned(),
        Agreement::Different {
            only_condition,
            only_limits,
        } if only_limits.is_empty() => {
            format!("only condition {:?}", Vec::from_iter(only_condition))
        }
        Agreement::Different { only_limits, .. } => {
            format!("only limits {:?}", Vec::from_iter(only_limits))
        }
    }
}

/// Formats an answer in one line. Omits empty parts.
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
        Reason::NotReinstallable => "bundle gone".to_owned(),
        Reason::NotAllowed(range) => format!("allows {}", range.as_str()),
        Reason::Restrained { bundle, restraint } => match &restraint.rule {
            RestraintRule::NoUpdates => format!("no update to {bundle}"),
            RestraintRule::Approval => format!("approval of {bundle}"),
            RestraintRule::Bundles { .. } => format!("{bundle} is not allowed"),
            RestraintRule::Denied { message, .. } => format!("{bundle} is {message}"),
        },
        Reason::NeedsNewerKubernetes { bundle, minimum } => format!("{bundle} needs {minimum}"),
        Reason::GoneBetween { stage } => format!("gone at {stage}"),
        Reason::Unread { stage, .. } => format!("unread at {stage}"),
        Reason::RemovedObjects { bundle, uses } => format!("{bundle} has {}", names(uses)),
        Reason::RemovedPermissions { bundle, uses } => format!("{bundle} may {}", names(uses)),
        Reason::RequestsRemovedApi(requests) => {
            let requests = requests.iter();
            let requests = requests.map(|it| format!("{} requests of {}", it.count, it.api.kind));
            requests.collect::<Vec<_>>().join(" ")
        }
        Reason::ObjectsNotRead {
            bundle,
            release,
            why,
        } => format!("{bundle} objects for {release} {why}")
            .trim_end()
            .to_owned(),
        Reason::NothingInstalled => "nothing installed".to_owned(),
        Reason::NotFollowed => "not followed".to_owned(),
    }
}

fn names(uses: &[RemovedApiUse]) -> String {
    let names = uses.iter().map(|usage| {
        let api = usage.api;
        format!("{} {}", api.api_version(), api.kind)
    });
    names.collect::<Vec<_>>().join(" ")
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
