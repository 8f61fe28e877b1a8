//! The OperatorGroup of the namespace.

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
use crate::phrase::listed;
use crate::{managed, valid};
use modes::Admits;

const TYPE: ConditionType = ConditionType::OperatorGroupCompliant;
const AS_EXPECTED: &str = "Resource found as expected";
const MISSING: &str = "Resource not found but should exist";
const DIFFERS: &str = "Resource found but does not match";
const CREATED: &str = "K8s creation success";
const UPDATED: &str = "K8s update success";

/// The spec of the group that the policy wants, as far as the policy sets it.
type GroupSpec = portolan_api::OperatorGroup;

/// Judges the OperatorGroup of the namespace, and contributes the steps that make it right.
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

/// Whether the group is right, or will be once the steps are taken.
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
            "none is created, as one for all namespaces fits only an operator that supports \
             AllNamespaces, and that is not known: {why}; write {} to have one, or make one by hand",
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
            format!("the OperatorGroup {name:?} is not in the namespace {namespace:?}")
        }
        None => trouble::no_group(namespace),
    }
}

fn lacking(case: &Case<'_>, named: Option<&str>, reason: Reason, message: String) -> Contribution {
    let name = named.unwrap_or("-");
    Contribution::of(Condition::bad(TYPE, reason, message))
        .add_related(TYPE, vec![entry(case, name, "NonCompliant", MISSING)])
}

fn creating(case: &Case<'_>, named: Option<&str>, wanted: Option<&GroupSpec>) -> Contribution {
    // Derived from the namespace, so that two who create it cannot make two.
    let name = named.unwrap_or(&case.namespace.name);
    let message = format!("{}; it will be created", nothing_there(case, named));
    let done = Condition::good(
        TYPE,
        Reason::OperatorGroupCreated,
        format!(
            "the OperatorGroup {name:?} was created in the namespace {:?}",
            case.namespace.name
        ),
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

/// Returns the annotations that mark a group which the policy made or changed.
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
        "the OperatorGroup {} is being deleted; what follows waits until it is gone",
        quoted(case, group)
    );
    let related = of_group(case, group, "NonCompliant", "Resource is being deleted");
    Contribution::of(Condition::bad(TYPE, Reason::OperatorGroupDeleting, message))
        .add_related(TYPE, vec![related])
}

/// The policy says nothing of the group.
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
            "the OperatorGroup {} is there, and the policy names none{}",
            quoted(case, group),
            left_open(case, group)
        );
        Condition::good(TYPE, Reason::PreexistingOperatorGroupFound, message)
    };
    right(case, group, condition)
}

fn matching(case: &Case<'_>, group: &OperatorGroup) -> Condition {
    let message = format!(
        "the OperatorGroup {} is as the policy wants it{}",
        quoted(case, group),
        left_open(case, group)
    );
    Condition::good(TYPE, Reason::OperatorGroupMatches, message)
}

/// Describes what a group selects where the policy leaves it open. Such a group is not changed, as
/// others may rely on it; but one that this policy had made would be for all namespaces.
fn left_open(case: &Case<'_>, group: &OperatorGroup) -> String {
    if !is_for_all(case.intent) || modes::is_for_all(group) {
        return String::new();
    }
    format!(
        "; it is for {}, of which the policy says nothing",
        modes::in_words(group)
    )
}

fn right(case: &Case<'_>, group: &OperatorGroup, condition: Condition) -> Contribution {
    let related = of_group(case, group, "Compliant", AS_EXPECTED);
    Contribution::of(condition).add_related(TYPE, vec![related])
}

/// The policy says how the group shall be.
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
        "the OperatorGroup {} is not as the policy wants it: {}",
        quoted(case, group),
        change.describe()
    );
    match why_not(case, group, wanted, &change) {
        Some((reason, why)) => mismatch(case, group, reason, format!("{differs}; {why}")),
        None => changing(case, group, &change, differs),
    }
}

/// All values are as they should be; what is not yet owned under our name becomes so.
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

/// There is one of another name. A second one would stop OLM.
fn misnamed(case: &Case<'_>, group: &OperatorGroup, wanted: &str) -> Contribution {
    let message = format!(
        "the OperatorGroup {} is there instead of {wanted:?}, and a namespace can have only one; \
         write its name in spec.operatorGroup.name, or delete it",
        quoted(case, group)
    );
    let related = vec![
        entry(case, wanted, "NonCompliant", MISSING),
        of_group(case, group, "NonCompliant", DIFFERS),
    ];
    Contribution::of(Condition::bad(TYPE, Reason::OperatorGroupMismatch, message))
        .add_related(TYPE, related)
}

/// Why a group that differs stays as it is.
fn why_not(
    case: &Case<'_>,
    group: &OperatorGroup,
    wanted: &GroupSpec,
    change: &Change,
) -> Option<(Reason, String)> {
    let differs = Reason::OperatorGroupMismatch;
    if let Some(other) = others_mark(case, group).filter(|mark| is_there(case, mark)) {
        let why = format!(
            "it is not changed, as the policy {other} manages it; agree on one, or take the \
             annotation {MANAGED} off it"
        );
        return Some((differs, why));
    }
    if let Admits::No(modes, _) = modes::admits(case, &wanted.targets) {
        return Some((Reason::InstallModeUnsupported, modes::sentence(case, modes)));
    }
    if wanted.name.is_none() && !is_own(case, group) {
        let why = "it is not changed, as it is not this policy's and the policy does not name it; \
                   write its name in spec.operatorGroup.name";
        return Some((differs, why.to_owned()));
    }
    if !case.intent.is_enforced() {
        return Some((
            differs,
            "it is not changed, as the policy only informs".to_owned(),
        ));
    }
    if !case.acts() {
        return Some((
            differs,
            "it is not changed, as nothing may be written".to_owned(),
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
        "it is not changed any more, as {} changes {} back again and again",
        contest.manager, contest.field
    );
    Some((Reason::Contested, why))
}

fn is_own(case: &Case<'_>, group: &OperatorGroup) -> bool {
    managed::is_own(case, &group.metadata)
}

/// The mark of another policy, which may be gone.
fn others_mark<'a>(case: &Case<'_>, group: &'a OperatorGroup) -> Option<&'a str> {
    managed::marked(&group.metadata).filter(|_| !is_own(case, group))
}

/// Whether the policy of a mark works on the namespace, or may.
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
        None if is_own => "it will be changed".to_owned(),
        None => "it is nobody's that is known here, and will be changed as the policy names it"
            .to_owned(),
        Some(other) => format!("it will be taken over from the policy {other}, which is gone"),
    };
    let part = mismatch(
        case,
        group,
        Reason::OperatorGroupMismatch,
        format!("{differs}; {whose}"),
    );
    let from = match others_mark(case, group) {
        Some(other) => format!("; it was taken over from the policy {other}"),
        None => String::new(),
    };
    let done = format!(
        "the OperatorGroup {} was changed: {}{from}",
        quoted(case, group),
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

/// A group that is as it should be, but not for the operator.
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

/// A group by its name and namespace.
fn quoted(case: &Case<'_>, group: &OperatorGroup) -> String {
    let name = group.metadata.name.as_deref().unwrap_or_default();
    format!("{name:?} in the namespace {:?}", case.namespace.name)
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

/// Whether the policy wants an operator that watches all namespaces.
pub(crate) fn is_for_all(intent: &Intent) -> bool {
    let wanted = intent.operator_group.as_ref();
    wanted.is_none_or(|wanted| wanted.targets == Targets::All)
}
