//! Finds the changes that other clients made to one member, and the step that reverts them.

use std::collections::BTreeSet;

use portolan_api::plan::{OnDrift, Reason};
use portolan_core_names::text::{listed, listed_up_to};
use serde_json::Value;

use super::{KUBERNETES, MOST};
use crate::decide::case::{ObjectView, PlanContext};
use crate::decide::decision::{Ask, Step};
use crate::decide::needed::unmet;
use crate::decide::{Halt, collision};
use crate::fields::{Fields, Owner};
use crate::lineages::manager;
use crate::object::{is_terminating, path, text};

/// The difference between a member and its applied manifest.
pub(in crate::decide) struct Difference {
    pub(in crate::decide) sentence: String,
    /// The step that repairs the member. None if the plan only reports the difference, or if
    /// another member must be repaired first.
    pub(in crate::decide) step: Option<Step>,
    pub(in crate::decide) is_gone: bool,
}

/// Returns the difference for a member that no longer exists. The object may also be a replacement
/// by another client that the plan adopts.
pub(super) fn gone(
    case: &PlanContext<'_>,
    views: &[ObjectView],
    place: usize,
) -> Result<Difference, Halt> {
    let is_ready = case.recreates(place) && unmet(case, views, place)?.is_none();
    Ok(Difference {
        sentence: "is gone".to_owned(),
        step: case.step(place, &views[place]).filter(|_| is_ready),
        is_gone: true,
    })
}

/// Returns the difference for a member that another owner took over or created again. The plan does
/// not change this object. Returns None if no other owner has the object.
pub(super) fn taken(
    case: &PlanContext<'_>,
    place: usize,
    view: &ObjectView,
) -> Result<Option<Difference>, Halt> {
    let is_refused = match view {
        ObjectView::Blocked(blocked) => blocked.reason == Reason::ObjectNotOwned,
        ObjectView::Absent
        | ObjectView::Stale { .. }
        | ObjectView::Immutable(_)
        | ObjectView::Adoptable
        | ObjectView::Settled(_) => true,
    };
    let object = case.object(place).filter(|_| case.is_applied && is_refused);
    let Some(object) = object else {
        return Ok(None);
    };
    Ok(Some(Difference {
        sentence: collision::taken(object, case.observed)?.sentence,
        step: None,
        is_gone: true,
    }))
}

/// Returns the difference that other clients made to a member. Returns None if there is no
/// difference, or if facts are missing. Missing facts are added to `asks`.
pub(in crate::decide) fn changed(
    case: &PlanContext<'_>,
    place: usize,
    asks: &mut BTreeSet<Ask>,
) -> Option<Difference> {
    let object = case.object(place)?;
    if is_terminating(object) {
        return None;
    }
    let fields = Fields::of(object);
    lost(case, place, object, &fields, asks).or_else(|| added(case, place, object, &fields))
}

fn lost(
    case: &PlanContext<'_>,
    place: usize,
    object: &Value,
    fields: &Fields,
    asks: &mut BTreeSet<Ask>,
) -> Option<Difference> {
    let member = &case.members[place];
    let lineage = case.observed.lineage_of(&member.identity);
    let manifest = member.applied(lineage);
    let ours = Owner::applies(&manager(lineage));
    let mut lost = fields.lost(&manifest, &ours);
    lost.retain(|lost| !member.ignores(&lost.pointer));
    if lost.is_empty() {
        return None;
    }
    let drift = case.observed.drifts.get(&member.identity);
    let Some(drift) = drift.filter(|drift| drift.holds(object)) else {
        asks.insert(Ask::Drift(member.identity.clone()));
        return None;
    };
    let changed = match &drift.changed {
        Ok(changed) => changed.clone(),
        // The dry run failed, so only the current values are compared.
        Err(_) => {
            let others = lost.iter().map(|lost| &lost.pointer);
            let others = others.filter(|at| object.pointer(at) != manifest.pointer(at));
            others.cloned().collect()
        }
    };
    let changed: Vec<_> = changed
        .into_iter()
        .filter(|pointer| !member.ignores(pointer))
        .map(|pointer| path(&pointer))
        .collect();
    if changed.is_empty() {
        return None;
    }
    let owners: BTreeSet<_> = lost.iter().flat_map(|lost| &lost.owners).collect();
    let sentence = format!(
        "has other values: {}{}",
        listed_up_to(MOST, &changed),
        by(&owners)
    );
    let step = Step::Apply {
        member: place,
        uid: text(object, "/metadata/uid").to_owned(),
        force: Some(text(object, "/metadata/resourceVersion").to_owned()),
    };
    Some(Difference {
        sentence,
        step: (case.on_drift(place) != OnDrift::Report).then_some(step),
        is_gone: false,
    })
}

/// Returns the difference for a sealed member to which other clients added fields. Returns None if
/// there are no such fields.
fn added(
    case: &PlanContext<'_>,
    place: usize,
    object: &Value,
    fields: &Fields,
) -> Option<Difference> {
    if case.on_drift(place) != OnDrift::Seal {
        return None;
    }
    let member = &case.members[place];
    let ours = manager(case.observed.lineage_of(&member.identity));
    let is_kept = |owner: &Owner| {
        let is_kubernetes = KUBERNETES.contains(&owner.manager.as_str());
        owner.manager == ours || owner.subresource.is_some() || is_kubernetes
    };
    let mut foreign = fields.foreign(object, is_kept);
    foreign.retain(|foreign| !member.ignores(&foreign.pointer));
    if foreign.is_empty() {
        return None;
    }
    let owners: BTreeSet<_> = foreign.iter().flat_map(|foreign| &foreign.owners).collect();
    let names = foreign.iter().map(|foreign| &foreign.field);
    let sentence = format!(
        "has unexpected fields: {}{}",
        listed_up_to(MOST, names),
        by(&owners)
    );
    // Removes the last list items first, so that the indexes of the other items stay valid.
    let last_first = foreign.into_iter().rev();
    let step = Step::Seal {
        member: place,
        uid: text(object, "/metadata/uid").to_owned(),
        version: text(object, "/metadata/resourceVersion").to_owned(),
        fields: last_first.map(|foreign| foreign.pointer).collect(),
    };
    Some(Difference {
        sentence,
        step: Some(step),
        is_gone: false,
    })
}

/// Returns the end of a sentence that names the field managers. Empty if no field manager is known.
pub(super) fn by(owners: &BTreeSet<&Owner>) -> String {
    let names: BTreeSet<_> = owners
        .iter()
        .map(|owner| format!("{:?}", owner.manager))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    format!(", by {}", listed(names.iter().take(MOST)))
}
