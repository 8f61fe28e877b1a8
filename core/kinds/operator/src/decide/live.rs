//! The CRDs and custom resources in the cluster. Their state is not part of a bundle.

use std::collections::BTreeSet;

use portolan_api::operator::{CrdChange, Reason};
use portolan_core_names::ObjectRef;
use portolan_core_names::text::listed;
use serde_json::Value;

use super::{Ask, Halt, Observation, OperatorContext, ResourceQuery};
use crate::adoption::LiveQuery;
use crate::answer::{Answer, CustomResources};
use crate::member::FleetMember;
use crate::unsafe_changes::changes;

/// Returns the data that custom resources may lose if the CRDs of a bundle replace the CRDs in the
/// cluster. The result includes losses that the Operator accepts.
///
/// The comparison uses the CRDs in the cluster instead of the CRDs of the installed bundle for two
/// reasons. An uninstalled operator leaves its CRDs, and the catalog may no longer contain the
/// installed bundle. As in OLM v1, the result does not depend on existing custom resources.
pub(super) fn losses(
    case: OperatorContext<'_>,
    manifests: &[Value],
) -> Result<Vec<CrdChange>, Halt> {
    let definitions = definitions(manifests);
    let there = there(case, definitions.clone())?;
    let of = |new: &Value| {
        let name = &new["metadata"]["name"];
        there.iter().find(|old| old["metadata"]["name"] == *name)
    };
    let pairs = definitions
        .into_iter()
        .filter_map(|new| Some((of(new)?, new)));
    Ok(pairs.flat_map(|(old, new)| changes(old, new)).collect())
}

/// Returns the CRDs among these manifests.
pub(super) fn definitions(manifests: &[Value]) -> Vec<&Value> {
    let is_definition = |it: &&Value| it["kind"] == "CustomResourceDefinition";
    manifests.iter().filter(is_definition).collect()
}

/// Returns the objects in the cluster that have the same kind, namespace and name as these
/// manifests.
pub(super) fn there<'o>(
    case: OperatorContext<'o>,
    manifests: Vec<&Value>,
) -> Result<&'o [Value], Halt> {
    if manifests.is_empty() {
        return Ok(&[]);
    }
    let query = LiveQuery {
        account: case.account(),
        objects: manifests.into_iter().map(ObjectRef::versioned).collect(),
        owner: None,
    };
    match case.observed.live.get(&query) {
        None => Err(Halt::Ask([Ask::Live(Box::new(query))].into())),
        Some(Answer::Known(there)) => Ok(there),
        Some(Answer::Refused(sentence)) => {
            let sentence = format!("cannot read the objects on the cluster: {sentence}");
            Err(Halt::no(Reason::PermissionMissing, sentence).polled())
        }
        Some(Answer::Unavailable(sentence)) => {
            let sentence = format!("cannot compare with the CRDs on the cluster: {sentence}");
            Err(Halt::no(Reason::CrdUpgradeUnsafe, sentence).polled())
        }
    }
}

/// Returns the custom resources that remain when an Operator is deleted, because its CRDs are kept.
/// Returns None if no custom resources exist, or if they cannot be counted.
///
/// # Errors
/// Returns the information that must be read first.
pub(super) fn left_behind(
    observed: &Observation,
    member: &FleetMember,
) -> Result<Option<String>, BTreeSet<Ask>> {
    let Some(hop) = member.current() else {
        return Ok(None);
    };
    let query = ResourceQuery {
        account: hop.account(),
        apis: hop.facts.installs.provides.clone(),
    };
    if query.apis.is_empty() {
        return Ok(None);
    }
    let all = match observed.resources.get(&query) {
        None => return Err([Ask::Resources(Box::new(query))].into()),
        Some(Answer::Known(all)) => all,
        // The custom resources only complete the message, so the deletion continues if they are
        // unknown.
        Some(Answer::Refused(_) | Answer::Unavailable(_)) => return Ok(None),
    };
    let all: Vec<_> = all.iter().filter(|it| it.count > 0).map(counted).collect();
    Ok((!all.is_empty()).then(|| {
        format!(
            "{} are kept, but no operator manages them any more",
            listed(&all)
        )
    }))
}

/// Formats the custom resources as `3 ferries.ferry.example (harbor/a, harbor/b and 1 more)`.
fn counted(resources: &CustomResources) -> String {
    let CustomResources {
        definition,
        count,
        first,
    } = resources;
    let more = match count.saturating_sub(first.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{count} {definition} ({}{more})", first.join(", "))
}
