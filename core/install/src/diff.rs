//! The changes from one version of a plan to the next, and those of a deletion: by what the plans
//! and their manifests say, and not by what a cluster has.

mod refused;
mod settings;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::OnImmutable;
use portolan_core_names::text::listed;

use crate::fate::{Fate, KeepReason};
use crate::manifest::Member;
use crate::object::Identity;
use crate::version::PlanVersion;

pub(crate) use values::removed;
pub use values::{FieldChange, tried};

/// The changes when a plan takes the place of another one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// The changed fields besides those of manifests: stages, Jobs, lifecycles, transformations.
    pub settings: Vec<FieldChange>,
    pub added: Vec<Identity>,
    pub changed: Vec<Changed>,
    /// The objects that only the old plan has.
    pub dropped: Vec<(Identity, Fate)>,
    pub unchanged: usize,
    /// The references of the plans that cannot be read here, a sentence for each plan.
    pub not_compared: Vec<String>,
}

/// An object that both have, with other manifests.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    pub object: Identity,
    pub fields: Vec<FieldChange>,
    /// The reasons why an API server refuses to change the old manifest into the new one, a
    /// sentence each.
    pub refused: Vec<String>,
    /// Whether it is deleted and made again for that, as its resource says.
    pub is_made_again: bool,
}

/// The effects of the deletion of a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deletion {
    pub deleted: Vec<Identity>,
    pub kept: Vec<(Identity, KeepReason)>,
    /// The objects that the plan before it takes back with another manifest.
    pub restored: Vec<Identity>,
    /// The objects that do not come back as they were, or that take something else with them, each
    /// with a sentence.
    pub lost: Vec<(Identity, String)>,
    pub not_compared: Vec<String>,
}

/// Compares an old plan with a new one; without an old one all of the new one is added.
pub fn difference(old: Option<&PlanVersion>, new: &PlanVersion) -> Difference {
    let mut difference = Difference {
        settings: old.map_or_else(Vec::new, |old| settings::changes(old, new)),
        not_compared: not_compared(old, new),
        ..Difference::default()
    };
    let before = by_identity(old);
    for member in &new.members {
        match before.get(&member.identity) {
            None => difference.added.push(member.identity.clone()),
            Some(old) if old.digest == member.digest => difference.unchanged += 1,
            Some(old) => difference.changed.push(changed(old, member)),
        }
    }
    if let Some(old) = old {
        difference.unchanged += old.unread().intersection(&new.unread()).count();
        for member in &old.members {
            if new.member(&member.identity).is_none() {
                let fate = Fate::when_lacking(member).unless_found(old.was_found(member));
                difference.dropped.push((member.identity.clone(), fate));
            }
        }
    }
    difference
}

/// Returns the objects that the deletion of a plan deletes, those that stay, and those that the
/// plan before it takes back.
pub fn deletion(plan: &PlanVersion, before: Option<&PlanVersion>) -> Deletion {
    let mut deletion = Deletion {
        not_compared: not_compared(before, plan),
        ..Deletion::default()
    };
    let heirs = by_identity(before);
    for member in plan.members.iter().rev() {
        let object = &member.identity;
        if let (Some(heir), Some(before)) = (heirs.get(object), before) {
            if heir.digest == member.digest {
                let kept = KeepReason::OfPlanNamed(before.name.clone());
                deletion.kept.push((object.clone(), kept));
                continue;
            }
            deletion.restored.push(object.clone());
            if heir.lifecycle.on_immutable == OnImmutable::Recreate {
                continue;
            }
            let refused = refused::refused(member, heir, &values::changes(member, heir));
            let refused = refused
                .into_iter()
                .map(|sentence| (object.clone(), sentence));
            deletion.lost.extend(refused);
            continue;
        }
        let fate = Fate::with_plan(member, plan.intent.on_plan_deletion);
        match fate.unless_found(plan.was_found(member)) {
            Fate::Deleted => {
                deletion.deleted.push(object.clone());
                deletion.lost.extend(lost(object));
            }
            Fate::Kept(kept) => deletion.kept.push((object.clone(), kept)),
        }
    }
    deletion
}

impl Difference {
    /// Whether nothing changes, as far as it could be compared.
    pub fn is_empty(&self) -> bool {
        let Self {
            settings,
            added,
            changed,
            dropped,
            unchanged: _,
            not_compared: _,
        } = self;
        settings.is_empty() && added.is_empty() && changed.is_empty() && dropped.is_empty()
    }
}

fn by_identity(plan: Option<&PlanVersion>) -> BTreeMap<&Identity, &Member> {
    let members = plan.into_iter().flat_map(|plan| plan.members.iter());
    members.map(|member| (&member.identity, member)).collect()
}

fn changed(old: &Member, new: &Member) -> Changed {
    let fields = values::changes(old, new);
    let refused = refused::refused(old, new, &fields);
    let may_be_made_again = new.lifecycle.on_immutable == OnImmutable::Recreate;
    Changed {
        object: new.identity.clone(),
        is_made_again: may_be_made_again && !refused.is_empty(),
        refused,
        fields,
    }
}

/// Returns a sentence about what is lost with an object besides the object; None if nothing is.
fn lost(object: &Identity) -> Option<(Identity, String)> {
    let sentence = if object.kind.is_definition() {
        "all custom resources of its kind go with it"
    } else if object.kind.is_namespace() {
        "all that is in it goes with it"
    } else if object.kind.is_precious() {
        "its data goes with it"
    } else {
        return None;
    };
    Some((object.clone(), sentence.to_owned()))
}

/// Returns the references of two plans that cannot be read, a sentence for each plan. An object
/// that both refer to by one name is left out: it never changes.
fn not_compared(old: Option<&PlanVersion>, new: &PlanVersion) -> Vec<String> {
    let unread: Vec<_> = old
        .into_iter()
        .chain([new])
        .map(PlanVersion::unread)
        .collect();
    let told = |plan: &PlanVersion, own: &BTreeSet<_>| {
        let names: Vec<_> = own
            .iter()
            .filter(|one| unread.len() < 2 || !unread.iter().all(|unread| unread.contains(one)))
            .map(|(kind, name)| format!("{kind} {name}"))
            .collect();
        let is_none = names.is_empty();
        (!is_none).then(|| {
            let plan = &plan.name;
            format!(
                "{plan} refers to {}, which cannot be read here",
                listed(names)
            )
        })
    };
    let plans = old.into_iter().chain([new]);
    plans
        .zip(&unread)
        .filter_map(|(plan, own)| told(plan, own))
        .collect()
}
