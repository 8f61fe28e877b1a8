//! Causes in OperatorGroups.

use std::collections::BTreeSet;

use portolan_core_health::{self as health, Csv, Fact, Item, Sight};
use portolan_core_names::ChannelName;
use portolan_core_names::text::listed;
use portolan_core_olm::{InstallModeType, OperatorGroup, Subscription, Targets};
use serde_json::json;

use crate::case::Case;
use crate::command::{CSVS, GROUPS, Target};
use crate::cure::Cure;
use crate::deletion;
use crate::role::{Role, role};
use crate::words::yaml;
use crate::{Cause, Code, Evidence, Object, Procedure, State, Step, evidence};

/// Returns the causes in the OperatorGroups of the namespace.
pub(crate) fn causes(case: Case<'_>) -> Vec<Cause> {
    let told = case.facts();
    let bad = told.iter().map(|told| told.fact);
    let bad = bad.filter(|fact| fact.state == health::State::No);
    let mut causes: Vec<Cause> = bad.filter_map(|fact| cause(case, fact)).collect();
    causes.dedup_by_key(|cause| cause.code);
    causes
}

fn cause(case: Case<'_>, fact: &Fact) -> Option<Cause> {
    let Role::Group(code) = role(fact.code) else {
        return None;
    };
    let whole = || Object::new("OperatorGroup", case.situation().name(), "");
    let (at_fault, cure) = if code == Code::OperatorGroupMissing {
        (whole(), create(case))
    } else if code == Code::OperatorGroupsConflict {
        keep_one(case)
    } else if code == Code::GroupServiceAccountMissing {
        (Object::from(&fact.observed.object), account(case, fact))
    } else {
        (Object::from(&fact.observed.object), other_mode(case, fact))
    };
    let failed = case
        .newest()
        .filter(|csv| csv.status.phase == health::CsvPhase::Failed);
    let state = match failed {
        Some(_) => State::Broken,
        None => State::Stuck,
    };
    let csv = failed.into_iter().flat_map(evidence::csv);
    let cause = Cause::new(code, state, at_fault, &fact.message).cured(cure);
    Some(cause.shown(groups(case)).shown(csv))
}

/// Returns the evidence about the OperatorGroups of the namespace.
fn groups(case: Case<'_>) -> Vec<Evidence> {
    let groups = &case.situation().namespace.groups.objects;
    let mut evidence: Vec<Evidence> = groups
        .iter()
        .map(|group| {
            let targets = match group.targets() {
                Targets::All => "all namespaces".to_owned(),
                Targets::Selected => "not selected yet".to_owned(),
                Targets::These(names) => Vec::from_iter(names).join(", "),
            };
            Evidence::new(&group.observed.object, "status.namespaces", &targets)
        })
        .collect();
    if evidence.is_empty() {
        let none = Object::new("OperatorGroup", case.situation().name(), "");
        evidence.push(Evidence::absent(none));
    }
    evidence.sort();
    evidence
}

/// The reasons with which OLM reports that an operator failed because of OperatorGroups.
const FAILED: &[&str] = &[
    "NoOperatorGroup",
    "NoTargetNamespaces",
    "TooManyOperatorGroups",
    "UnsupportedOperatorGroup",
];

/// Returns true if OLM has set the operator to Failed because of its OperatorGroup. OLM does not
/// notice when a user corrects the OperatorGroup.
pub(crate) fn has_failed(csv: &Csv) -> bool {
    csv.status.phase == health::CsvPhase::Failed && FAILED.contains(&csv.status.reason.as_str())
}

/// Returns the steps that make OLM check operators again that it has set to Failed because of the
/// OperatorGroup.
fn retries(case: Case<'_>) -> Vec<Step> {
    let csvs = case.situation().namespace.csvs.objects.iter();
    let mut failed: Vec<&Csv> = csvs.filter(|csv| has_failed(csv)).collect();
    failed.sort();
    let failed = failed.into_iter();
    failed
        .map(|csv| Target::of(CSVS, &csv.observed).retried())
        .collect()
}

/// Returns the install modes that all operators of the namespace support. Returns None if no
/// install modes are known.
fn common_modes(case: Case<'_>) -> Option<BTreeSet<&InstallModeType>> {
    let situation = case.situation();
    let csvs = situation.namespace.csvs.objects.iter();
    let mut all: Vec<_> = csvs.map(|csv| csv.supported_modes()).collect();
    let subscriptions = situation.namespace.subscriptions.objects.iter();
    let wanted = subscriptions.filter(|subscription| subscription.status.installed_csv.is_empty());
    all.extend(wanted.filter_map(|subscription| offered_modes(case, subscription)));
    let first = all.pop()?;
    Some(all.iter().fold(first, |common, modes| &common & modes))
}

/// Returns the install modes of the bundle that OLM would install first for the Subscription.
/// Returns None if they are unknown.
fn offered_modes(
    case: Case<'_>,
    subscription: &Item<Subscription>,
) -> Option<BTreeSet<&'static InstallModeType>> {
    let graph = case.situation().graph(subscription)?;
    let default = graph.package().default_channel.clone();
    let channel = ChannelName::parse(&subscription.spec.channel)
        .ok()
        .or(default)?;
    let heads = graph.heads();
    let head = heads.iter().find(|head| head.channel == channel)?;
    let bundle = graph.package().bundles.get(&head.bundle)?;
    let named = |mode: &&InstallModeType| {
        let mut listed = bundle.display.install_modes.iter();
        listed.any(|one| one.is_supported && *one.name == *mode.as_str())
    };
    Some(MODES.iter().filter(named).collect()).filter(|modes: &BTreeSet<_>| !modes.is_empty())
}

const MODES: &[InstallModeType] = &[
    InstallModeType::OwnNamespace,
    InstallModeType::SingleNamespace,
    InstallModeType::MultiNamespace,
    InstallModeType::AllNamespaces,
];

/// Returns the cure for a missing OperatorGroup. The namespaces of the previous OperatorGroup are
/// unknown, so the fix with fewer permissions comes first.
fn create(case: Case<'_>) -> Cure {
    let modes = common_modes(case);
    let can = |mode| modes.as_ref().is_none_or(|modes| modes.contains(mode));
    let mut fixes = Vec::new();
    if can(&InstallModeType::OwnNamespace) || !can(&InstallModeType::AllNamespaces) {
        fixes.push(created(case, true));
    }
    if can(&InstallModeType::AllNamespaces) {
        fixes.push(created(case, false));
    }
    Cure::Choice(fixes)
}

/// Returns a fix that creates an OperatorGroup. The OperatorGroup selects its own namespace or all
/// namespaces.
fn created(case: Case<'_>, is_own: bool) -> Procedure {
    let namespace = case.situation().name();
    let name = yaml(namespace);
    let (spec, scope, risk) = if is_own {
        (
            format!("spec:\n  targetNamespaces: [{name}]\n"),
            "its own namespace",
            watched(case, &format!("namespace {namespace} alone")),
        )
    } else {
        (
            String::new(),
            "all namespaces",
            watched(case, "all namespaces, with permissions in all of them"),
        )
    };
    let manifest = format!(
        "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\nmetadata:\n  name: \
         {name}\n  namespace: {name}\n{spec}"
    );
    let title = format!("Create an OperatorGroup for {scope} in namespace {namespace}.");
    let step = Step::manifest(&format!("Create the OperatorGroup for {scope}"), manifest);
    let steps = std::iter::once(step).chain(after(case)).collect();
    Procedure::of(&title, steps, &risk)
}

/// Returns the steps to run after a change of the OperatorGroup.
fn after(case: Case<'_>) -> Vec<Step> {
    let retries = retries(case);
    let noticed = (!retries.is_empty()).then(deletion::noticed);
    noticed.into_iter().chain(retries).collect()
}

/// Returns the OperatorGroup at fault, and fixes that each keep one OperatorGroup and delete the
/// others. Fixes that keep an OperatorGroup that all operators support come first.
fn keep_one(case: Case<'_>) -> (Object, Cure) {
    let groups = &case.situation().namespace.groups.objects;
    let mut groups: Vec<&Item<OperatorGroup>> = groups.iter().collect();
    let modes = common_modes(case);
    let suits = |group: &Item<OperatorGroup>| {
        modes.as_ref().is_none_or(|modes| {
            let wanted = wanted(group, case.situation().name());
            wanted.is_some_and(|mode| modes.contains(mode))
        })
    };
    groups.sort_by(|a, b| (!suits(a), a).cmp(&(!suits(b), b)));
    let at_fault = match groups.as_slice() {
        [_, other] => Object::from(&other.observed.object),
        _ => Object::new("OperatorGroup", case.situation().name(), ""),
    };
    let keep = |kept: &&Item<OperatorGroup>| keep(case, kept, &groups);
    (at_fault, Cure::Choice(groups.iter().map(keep).collect()))
}

fn keep(case: Case<'_>, kept: &Item<OperatorGroup>, groups: &[&Item<OperatorGroup>]) -> Procedure {
    let others = || groups.iter().filter(|group| **group != kept);
    let targets = others().map(|group| Target::of(GROUPS, &group.observed));
    let targets: Vec<_> = targets.collect();
    let names = others().map(|group| &group.observed.object);
    let title = format!(
        "Keep {}, which selects {}, and delete {}.",
        kept.observed.object,
        selected(kept),
        listed(names)
    );
    let risk = watched(case, &selected(kept));
    deletion::delete(&title, &targets, after(case), &risk)
}

/// Returns a sentence about the operators that watch the selected namespaces after a change.
fn watched(case: Case<'_>, which: &str) -> String {
    let is_clear = case.situation().namespace.csvs.sight == Sight::Clear;
    match case.situation().installed() {
        Some(names) => format!("From then on, the installed operators ({names}) watch {which}."),
        None if is_clear => {
            format!(
                "The namespace has no operators yet. All operators that are installed later \
                     watch {which}."
            )
        }
        None => format!("From then on, all operators of the namespace watch {which}."),
    }
}

/// Returns the names of the other installed operators that do not support the mode. Returns None if
/// all operators support it.
fn unsupporting(case: Case<'_>, mode: &InstallModeType) -> Option<String> {
    let csvs = case.situation().namespace.csvs.objects.iter();
    let others = csvs.filter(|csv| !case.has_csv(&csv.observed.object.name));
    let unsupporting = others.filter(|csv| !csv.supported_modes().contains(mode));
    let names: BTreeSet<_> = unsupporting
        .map(|csv| csv.observed.object.name.as_str())
        .collect();
    (!names.is_empty()).then(|| listed(names))
}

fn selected(group: &Item<OperatorGroup>) -> String {
    match group.targets() {
        Targets::All => "all namespaces".to_owned(),
        Targets::Selected => "namespaces by their labels".to_owned(),
        Targets::These(names) => listed(names),
    }
}

/// Returns the install mode that an OperatorGroup requires. Returns None if the selected namespaces
/// are unknown.
fn wanted(group: &OperatorGroup, own: &str) -> Option<&'static InstallModeType> {
    match group.targets() {
        Targets::All => Some(&InstallModeType::AllNamespaces),
        Targets::Selected => None,
        Targets::These(names) => Some(match (names.len(), names.contains(own)) {
            (1, true) => &InstallModeType::OwnNamespace,
            (1, false) => &InstallModeType::SingleNamespace,
            (_, _) => &InstallModeType::MultiNamespace,
        }),
    }
}

/// Returns fixes that create the missing ServiceAccount, or that remove the reference to it.
fn account(case: Case<'_>, fact: &Fact) -> Cure {
    let object = &fact.observed.object;
    let groups = case.situation().namespace.groups.objects.iter();
    let mut named = groups.filter(|group| group.observed.object == *object);
    let name = named
        .next()
        .map_or("", |group| &group.spec.service_account_name);
    let target = || Target::of(GROUPS, &fact.observed);
    let manifest = format!(
        "apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: {}\n  namespace: {}\n",
        yaml(name),
        yaml(&object.namespace)
    );
    let patch = json!([{"op": "remove", "path": "/spec/serviceAccountName"}]);
    let title = format!("Create ServiceAccount {}/{name}.", object.namespace);
    let steps = vec![
        Step::manifest("Create the ServiceAccount", manifest),
        target().retried(),
    ];
    let create = Procedure::of(
        &title,
        steps,
        "OLM then installs with only the permissions that RoleBindings grant to the \
         ServiceAccount. OLM reports the missing permissions.",
    );
    let remove = Procedure::command(
        &format!("Let OLM install with its own ServiceAccount in the namespace of {object}."),
        target().patch(&patch),
        "OLM then installs with all its own permissions. The ServiceAccount of the OperatorGroup \
         no longer limits these permissions.",
    );
    Cure::Choice(vec![create, remove])
}

/// Returns fixes that select other namespaces, so that the operator supports the required install
/// mode.
fn other_mode(case: Case<'_>, fact: &Fact) -> Cure {
    let own = case.newest().map(|csv| csv.supported_modes());
    let own = own.unwrap_or_default();
    let common = common_modes(case).unwrap_or_default();
    let target = Target::of(GROUPS, &fact.observed);
    let namespace = case.situation().name();
    let mut choices = Vec::new();
    for mode in [
        InstallModeType::OwnNamespace,
        InstallModeType::AllNamespaces,
    ] {
        if own.contains(&mode) {
            choices.push((!common.contains(&mode), mode));
        }
    }
    choices.sort();
    let fixes =
        choices.into_iter().map(|(hurts, mode)| {
            let (names, which) = if mode == InstallModeType::AllNamespaces {
                (json!(null), "all namespaces".to_owned())
            } else {
                let which = format!("the namespace {namespace} alone");
                (json!([namespace]), which)
            };
            let patch = json!({"spec": {"targetNamespaces": names, "selector": null}});
            let risk = match unsupporting(case, &mode) {
            Some(names) => format!("{names} do not support this setting. OLM sets operators to \
                                    Failed if they do not support the setting."),
            None if hurts => {
                "Another Subscription of the namespace requests an operator that does not support \
                 this setting."
                    .to_owned()
            }
            None => watched(case, &which),
        };
            let title = format!("Let {} select {which}.", fact.observed.object);
            let select = Step::new(&format!("Select {which}"), target.merge(&patch));
            let steps = std::iter::once(select).chain(after(case)).collect();
            Procedure::of(&title, steps, &risk)
        });
    let who = format!("the owner of namespace {namespace}");
    let action = format!(
        "Change which namespaces {} selects, so that the operator supports the selection. Or \
         install another operator.",
        fact.observed.object
    );
    Cure::choice_or(fixes.collect(), Cure::external(&who, &action))
}
