//! The condition about the OperatorGroup of the namespace.

mod fields;
mod modes;
#[cfg(test)]
mod tests;

use portolan_api::{CREATED_BY, ConditionType, Intent, MANAGED, Reason, RelatedObject, Targets};
use portolan_core_names::trouble;
use portolan_core_olm::OperatorGroup;
use serde_json::{Value, json};

use crate::case::Case;
use crate::change::{self, Change, Changed};
use crate::contribution::{Contribution, known, related};
use crate::desired::{Condition, Step, Target};
use crate::kinds::OPERATOR_GROUP;
use crate::phrase::{INFORMS, READ_ONLY, listed};
use crate::{managed, valid};
use modes::Admits;

const TYPE: ConditionType = ConditionType::OperatorGroupCompliant;
const AS_EXPECTED: &str = "Resource found as expected";
const MISSING: &str = "Resource not found but should exist";
const DIFFERS: &str = "Resource found but does not match";
const CREATED: &str = "K8s creation success";
const UPDATED: &str = "K8s update success";

/// The wanted spec of the OperatorGroup, as written in the policy.
type GroupSpec = portolan_api::OperatorGroup;

/// Judges the OperatorGroup of the namespace, and contributes the steps that correct it.
pub(crate) fn judge(case: &Case<'_>) -> Contribution {
    match case.namespace.groups.as_slice() {
        [] => missing(case),
        [only] if only.metadata.deletion_timestamp.is_some() => deleting(case, only),
        [only] => match &case.intent.operator_group {
            None => preexisting(case, only),
            Some(wanted) => compared(case, only, wanted),
        },
        several => too_many(case, several),
    }
}

/// Returns true if the OperatorGroup is correct, or will be correct after the steps.
pub(crate) fn is_right(group: &Contribution) -> bool {
    group.conditions.iter().all(|condition| !condition.violates) || !group.steps.is_empty()
}

fn missing(case: &Case<'_>) -> Contribution {
    let wanted = case.intent.operator_group.as_ref();
    let named = wanted.and_then(|wanted| wanted.name.as_deref());
    let targets = wanted.map_or(&Targets::All, |wanted| &wanted.targets);
    let why = match modes::admits(case, targets) {
        Admits::No(modes, _) => {
            let message = format!(
                "{}: {}",
                nothing_there(case, named),
                modes::sentence(case, modes)
            );
            return lacking(case, named, Reason::InstallModeUnsupported, message);
        }
        Admits::Unknown(why) if *targets == Targets::All => format!(
            "no OperatorGroup is created because it is unknown if the operator supports \
             AllNamespaces: {why}; set {}, or create an OperatorGroup by hand",
            modes::field(case)
        ),
        Admits::Unknown(_) | Admits::Yes => match valid::cannot_create(case) {
            Some(why) => why,
            None => return creating(case, named, wanted),
        },
    };
    let message = format!("{}; {why}", nothing_there(case, named));
    lacking(case, named, Reason::OperatorGroupMissing, message)
}

fn nothing_there(case: &Case<'_>, named: Option<&str>) -> String {
    let namespace = &case.namespace.name;
    match named {
        Some(name) => {
            format!("OperatorGroup {namespace}/{name} not found")
        }
        None => {
            format!(
                "Namespace {namespace} has no OperatorGroup (OLM installs nothing in a \
                     namespace without an OperatorGroup)"
            )
        }
    }
}

fn lacking(case: &Case<'_>, named: Option<&str>, reason: Reason, message: String) -> Contribution {
    let name = named.unwrap_or("-");
    Contribution::of(Condition::bad(TYPE, reason, message))
        .add_related(TYPE, vec![entry(case, name, "NonCompliant", MISSING)])
}

fn creating(case: &Case<'_>, named: Option<&str>, wanted: Option<&GroupSpec>) -> Contribution {
    // The name is derived from the namespace, so that two clients cannot create two OperatorGroups
    // at the same time.
    let name = named.unwrap_or(&case.namespace.name);
    let message = format!(
        "{}; the OperatorGroup will be created",
        nothing_there(case, named)
    );
    let done = Condition::good(
        TYPE,
        Reason::OperatorGroupCreated,
        format!("OperatorGroup {}/{name} was created", case.namespace.name),
    );
    let step = Step {
        action: change::create(
            OPERATOR_GROUP,
            (&case.namespace.name, name),
            &marks(case, true),
            wanted.map_or(json!({}), fields::spec),
        ),
        type_: TYPE,
        done,
        related: vec![known(entry(case, name, "Compliant", CREATED), None, true)],
    };
    lacking(case, named, Reason::OperatorGroupMissing, message).add_step(step)
}

/// Returns the annotations that an OperatorGroup gets when the policy creates or changes it.
fn marks(case: &Case<'_>, is_created: bool) -> Value {
    let uid = case.observed.policy.metadata.uid.as_deref();
    let mut annotations = json!({MANAGED: managed::mark(case)});
    if let Some(uid) = uid.filter(|_| is_created) {
        annotations[CREATED_BY] = json!(uid);
    }
    json!({"annotations": annotations})
}

fn deleting(case: &Case<'_>, group: &OperatorGroup) -> Contribution {
    let message = format!(
        "OperatorGroup {} is being deleted; the controller waits until the deletion is complete",
        full_name(case, group)
    );
    let related = of_group(case, group, "NonCompliant", "Resource is being deleted");
    Contribution::of(Condition::bad(TYPE, Reason::OperatorGroupDeleting, message))
        .add_related(TYPE, vec![related])
}

/// Judges the existing OperatorGroup for a policy that does not specify one.
fn preexisting(case: &Case<'_>, group: &OperatorGroup) -> Contribution {
    if let Some(part) = unsupported(case, group) {
        return part;
    }
    let is_ours =
        managed::is_own(case, &group.metadata) && managed::is_created(case, &group.metadata);
    let condition = if is_ours {
        matching(case, group)
    } else {
        let message = format!(
            "OperatorGroup {} exists, and the policy does not require another OperatorGroup{}",
            full_name(case, group),
            left_open(case, group)
        );
        Condition::good(TYPE, Reason::PreexistingOperatorGroupFound, message)
    };
    right(case, group, condition)
}

fn matching(case: &Case<'_>, group: &OperatorGroup) -> Condition {
    let message = format!(
        "OperatorGroup {} matches the policy{}",
        full_name(case, group),
        left_open(case, group)
    );
    Condition::good(TYPE, Reason::OperatorGroupMatches, message)
}

/// Returns a sentence about the namespaces that the OperatorGroup selects, for a policy that sets
/// no namespaces. The policy does not change these namespaces, because other operators may depend
/// on them. An OperatorGroup created by this policy would select all namespaces.
fn left_open(case: &Case<'_>, group: &OperatorGroup) -> String {
    if !is_for_all(case.intent) || modes::is_for_all(group) {
        return String::new();
    }
    format!(
        "; the OperatorGroup selects {}, but the policy does not set any namespaces",
        modes::in_words(group)
    )
}

fn right(case: &Case<'_>, group: &OperatorGroup, condition: Condition) -> Contribution {
    let related = of_group(case, group, "Compliant", AS_EXPECTED);
    Contribution::of(condition).add_related(TYPE, vec![related])
}

/// Compares the existing OperatorGroup with the OperatorGroup that the policy specifies.
fn compared(case: &Case<'_>, group: &OperatorGroup, wanted: &GroupSpec) -> Contribution {
    let found = group.metadata.name.as_deref().unwrap_or_default();
    if let Some(name) = wanted.name.as_deref().filter(|name| *name != found) {
        return misnamed(case, group, name);
    }
    let mut fields = fields::of(group, wanted);
    if !case.intent.is_enforced() {
        fields = change::written(fields);
    }
    let change = Change::of(&group.metadata, &fields);
    if !change.differs() {
        let good = || owned(case, group, &change);
        return unsupported(case, group).unwrap_or_else(good);
    }
    let differs = format!(
        "OperatorGroup {} does not match the policy: {}",
        full_name(case, group),
        change.describe()
    );
    match why_not(case, group, wanted, &change) {
        Some((reason, why)) => mismatch(case, group, reason, format!("{differs}; {why}")),
        None => changing(case, group, &change, differs),
    }
}

/// Judges an OperatorGroup with the correct values. If this controller does not own a field yet,
/// the contribution takes ownership of the field.
fn owned(case: &Case<'_>, group: &OperatorGroup, change: &Change) -> Contribution {
    let part = right(case, group, matching(case, group));
    if !change.is_needed() || !is_own(case, group) || !case.acts() {
        return part;
    }
    let is_created = managed::is_created(case, &group.metadata);
    let steps = change.quietly(&part, &target(group), &marks(case, is_created));
    steps.into_iter().fold(part, Contribution::add_step)
}

fn target(group: &OperatorGroup) -> Target {
    let (api_version, kind) = OPERATOR_GROUP;
    Target::of(api_version, kind, group)
}

/// Reports an OperatorGroup whose name differs from the name in the policy. The controller does not
/// create a second OperatorGroup, because OLM then stops working in the namespace.
fn misnamed(case: &Case<'_>, group: &OperatorGroup, wanted: &str) -> Contribution {
    let message = format!(
        "OperatorGroup {} exists instead of {wanted}, but a namespace can have only one \
         OperatorGroup; set spec.operatorGroup.name to the name of the existing OperatorGroup, or \
         delete it",
        full_name(case, group)
    );
    let related = vec![
        entry(case, wanted, "NonCompliant", MISSING),
        of_group(case, group, "NonCompliant", DIFFERS),
    ];
    Contribution::of(Condition::bad(TYPE, Reason::OperatorGroupMismatch, message))
        .add_related(TYPE, related)
}

/// Returns the reason why the controller does not correct the OperatorGroup. Returns None if the
/// controller corrects it.
fn why_not(
    case: &Case<'_>,
    group: &OperatorGroup,
    wanted: &GroupSpec,
    change: &Change,
) -> Option<(Reason, String)> {
    let differs = Reason::OperatorGroupMismatch;
    if let Some(other) = others_mark(case, group).filter(|mark| is_there(case, mark)) {
        let why = format!(
            "the OperatorGroup is not changed because policy {other} manages it; enforce only one \
             of the two policies, or remove the OperatorGroup's annotation {MANAGED}"
        );
        return Some((differs, why));
    }
    if let Admits::No(modes, _) = modes::admits(case, &wanted.targets) {
        return Some((Reason::InstallModeUnsupported, modes::sentence(case, modes)));
    }
    if wanted.name.is_none() && !is_own(case, group) {
        let why = "the OperatorGroup is not changed because this policy did not create it and does \
                   not name it; set spec.operatorGroup.name to the name of this OperatorGroup";
        return Some((differs, why.to_owned()));
    }
    if !case.intent.is_enforced() {
        return Some((
            differs,
            format!("the OperatorGroup is not changed because {INFORMS}"),
        ));
    }
    if !case.acts() {
        return Some((
            differs,
            format!("the OperatorGroup is not changed because {READ_ONLY}"),
        ));
    }
    contested(case, group, change)
}

fn contested(case: &Case<'_>, group: &OperatorGroup, change: &Change) -> Option<(Reason, String)> {
    let name = group.metadata.name.as_deref();
    let mut contests = case.observed.contested.iter();
    let contest = contests.find(|contest| {
        contest.kind == OPERATOR_GROUP.1
            && Some(contest.name.as_str()) == name
            && change.touches(&contest.field)
    })?;
    let why = format!(
        "the OperatorGroup is no longer changed because {} keeps reverting {}",
        contest.manager, contest.field
    );
    Some((Reason::Contested, why))
}

fn is_own(case: &Case<'_>, group: &OperatorGroup) -> bool {
    managed::is_own(case, &group.metadata)
}

/// Returns the mark of another policy on the OperatorGroup. Returns None if there is no such mark.
/// The other policy may no longer exist.
fn others_mark<'a>(case: &Case<'_>, group: &'a OperatorGroup) -> Option<&'a str> {
    managed::marked(&group.metadata).filter(|_| !is_own(case, group))
}

/// Returns true if the policy that the mark names exists and manages this namespace, or may manage
/// it.
fn is_there(case: &Case<'_>, mark: &str) -> bool {
    let mut neighbors = case.observed.neighbors.iter();
    neighbors.any(|other| format!("{}.{}", other.id.namespace, other.id.name) == mark)
}

fn mismatch(
    case: &Case<'_>,
    group: &OperatorGroup,
    reason: Reason,
    message: String,
) -> Contribution {
    Contribution::of(Condition::bad(TYPE, reason, message))
        .add_related(TYPE, vec![of_group(case, group, "NonCompliant", DIFFERS)])
}

fn changing(
    case: &Case<'_>,
    group: &OperatorGroup,
    change: &Change,
    differs: String,
) -> Contribution {
    let is_own = is_own(case, group);
    let whose = match others_mark(case, group) {
        None if is_own => "the OperatorGroup will be changed".to_owned(),
        None => "the OperatorGroup has no known owner, and will be changed because the policy \
                 names it"
            .to_owned(),
        Some(other) => format!(
            "the OperatorGroup will be taken over from policy {other}, which no \
                                longer exists"
        ),
    };
    let part = mismatch(
        case,
        group,
        Reason::OperatorGroupMismatch,
        format!("{differs}; {whose}"),
    );
    let from = match others_mark(case, group) {
        Some(other) => format!("; the OperatorGroup was taken over from policy {other}"),
        None => String::new(),
    };
    let done = format!(
        "OperatorGroup {} was changed: {}{from}",
        full_name(case, group),
        change.describe_after()
    );
    let changed = Changed {
        done: Condition::good(TYPE, Reason::OperatorGroupUpdated, done),
        related: vec![of_group(case, group, "Compliant", UPDATED)],
    };
    let is_created = managed::is_created(case, &group.metadata);
    let change = if is_own {
        change.clone()
    } else {
        change.clone().marking()
    };
    let steps = change.steps(&target(group), &marks(case, is_created), &changed);
    steps.into_iter().fold(part, Contribution::add_step)
}

/// Reports an OperatorGroup that matches the policy but selects namespaces that the operator cannot
/// watch.
fn unsupported(case: &Case<'_>, group: &OperatorGroup) -> Option<Contribution> {
    let Admits::No(modes, lacking) = modes::admits_group(case, group) else {
        return None;
    };
    let name = group.metadata.name.as_deref().unwrap_or_default();
    let message = format!(
        "{}: {}",
        trouble::mode_missing(
            &modes.bundle,
            &listed(&lacking),
            &format!("{}/{name}", case.namespace.name),
            &modes::in_words(group),
        ),
        modes::sentence(case, modes)
    );
    let reason = Reason::InstallModeUnsupported;
    Some(mismatch(case, group, reason, message))
}

fn too_many(case: &Case<'_>, groups: &[std::sync::Arc<OperatorGroup>]) -> Contribution {
    let names: Vec<_> = groups
        .iter()
        .map(|group| group.metadata.name.as_deref().unwrap_or_default())
        .collect();
    let (namespace, count) = (&case.namespace.name, names.len());
    let message = trouble::several_groups(namespace, count, &listed(&names));
    let entry = |group| {
        let reason = "There is more than one OperatorGroup in this namespace";
        of_group(case, group, "NonCompliant", reason)
    };
    let related = groups.iter().map(|group| entry(group)).collect();
    Contribution::of(Condition::bad(TYPE, Reason::TooManyOperatorGroups, message))
        .add_related(TYPE, related)
}

/// Returns the OperatorGroup as `namespace/name`.
fn full_name(case: &Case<'_>, group: &OperatorGroup) -> String {
    let name = group.metadata.name.as_deref().unwrap_or_default();
    format!("{}/{name}", case.namespace.name)
}

fn entry(case: &Case<'_>, name: &str, compliant: &str, reason: &str) -> RelatedObject {
    let at = (Some(case.namespace.name.as_str()), name);
    related(OPERATOR_GROUP, at, Some(compliant), reason)
}

fn of_group(
    case: &Case<'_>,
    group: &OperatorGroup,
    compliant: &str,
    reason: &str,
) -> RelatedObject {
    let name = group.metadata.name.as_deref().unwrap_or_default();
    let uid = group.metadata.uid.as_deref();
    let is_created = managed::is_created(case, &group.metadata);
    known(entry(case, name, compliant, reason), uid, is_created)
}

/// Returns true if the policy wants an operator that watches all namespaces.
pub(crate) fn is_for_all(intent: &Intent) -> bool {
    let wanted = intent.operator_group.as_ref();
    wanted.is_none_or(|wanted| wanted.targets == Targets::All)
}
