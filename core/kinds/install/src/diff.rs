//! Compares the versions of a plan. The result is the changes from one version to the next, or the
//! effects of deleting a plan. The comparison uses only the plans and their manifests, not the
//! cluster.

mod refused;
mod settings;
mod values;

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::OnImmutable;
use portolan_core_names::ObjectRef;
use portolan_core_names::text::listed;

use crate::fate::{Fate, KeepReason};
use crate::manifest::Member;
use crate::version::PlanVersion;

pub(crate) use values::removed;
pub use values::{FieldChange, tried};

/// The changes when a plan replaces another plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Difference {
    /// The changed settings outside of manifests: stages, Jobs, lifecycles, transformations.
    pub settings: Vec<FieldChange>,
    pub added: Vec<ObjectRef>,
    pub changed: Vec<Changed>,
    /// The objects that only an old plan contains.
    pub dropped: Vec<(ObjectRef, Fate)>,
    pub unchanged: usize,
    /// The objects with manifests that this process cannot read, one sentence for each plan.
    pub not_compared: Vec<String>,
}

/// An object that both plans contain, with different manifests.
#[derive(Debug, Clone, PartialEq)]
pub struct Changed {
    pub object: ObjectRef,
    pub fields: Vec<FieldChange>,
    /// The reasons why the API server rejects the change from the old manifest to the new manifest,
    /// each as one sentence.
    pub refused: Vec<String>,
    /// True if the controller deletes and recreates the object, because the API server would reject
    /// the change. The lifecycle of the resource must allow this.
    pub is_made_again: bool,
}

/// The effects of the deletion of a plan.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Deletion {
    pub deleted: Vec<ObjectRef>,
    pub kept: Vec<(ObjectRef, KeepReason)>,
    /// The objects that the previous plan takes back and changes to its own manifests.
    pub restored: Vec<ObjectRef>,
    /// The objects whose earlier state cannot be restored, and the objects whose deletion also
    /// deletes other objects or data. Each has a sentence about the loss.
    pub lost: Vec<(ObjectRef, String)>,
    pub not_compared: Vec<String>,
}

/// Compares old plans with the plan that replaces them. If there are no old plans, all objects of
/// the new plan are added. If several old plans contain the same object, the first of these plans
/// is compared.
pub fn difference<'p>(
    old: impl IntoIterator<Item = &'p PlanVersion>,
    new: &PlanVersion,
) -> Difference {
    let old: Vec<_> = old.into_iter().collect();
    let mut difference = Difference {
        settings: settings(&old, new),
        not_compared: not_compared(&old, new),
        ..Difference::default()
    };
    let before = by_identity(&old);
    for member in &new.members {
        match before.get(&member.identity) {
            None => difference.added.push(member.identity.clone()),
            Some((old, _)) if old.digest == member.digest => difference.unchanged += 1,
            Some((old, _)) => difference.changed.push(changed(old, member)),
        }
    }
    let unread: BTreeSet<_> = old.iter().flat_map(|old| old.unread()).collect();
    difference.unchanged += unread.intersection(&new.unread()).count();
    difference.dropped = dropped(&old, new);
    difference
}

/// Returns the objects that only old plans contain. If two old plans contain an object, and one of
/// them deletes it, the object is deleted.
fn dropped(old: &[&PlanVersion], new: &PlanVersion) -> Vec<(ObjectRef, Fate)> {
    let (mut dropped, mut places) = (Vec::new(), BTreeMap::new());
    for (plan, member) in old
        .iter()
        .flat_map(|plan| plan.members.iter().map(move |member| (plan, member)))
    {
        let identity = &member.identity;
        if new.member(identity).is_some() {
            continue;
        }
        let fate = Fate::when_lacking(member).unless_found(plan.was_found(member));
        let place = *places.entry(identity).or_insert(dropped.len());
        if place == dropped.len() {
            dropped.push((identity.clone(), fate));
        } else if fate == Fate::Deleted {
            dropped[place].1 = fate;
        }
    }
    dropped
}

/// Returns the settings that differ between a plan and each of the old plans.
fn settings(old: &[&PlanVersion], new: &PlanVersion) -> Vec<FieldChange> {
    let changes = old.iter().flat_map(|before| {
        let changes = settings::changes(before, new).into_iter();
        changes.map(|change| match old.len() {
            1 => change,
            _ => FieldChange {
                path: format!("{} of {}", change.path, before.name),
                ..change
            },
        })
    });
    changes.collect()
}

/// Returns the effects of deleting a plan: the objects that are deleted, the objects that stay, and
/// the objects that the previous plans take back.
pub fn deletion<'p>(
    plan: &PlanVersion,
    before: impl IntoIterator<Item = &'p PlanVersion>,
) -> Deletion {
    let before: Vec<_> = before.into_iter().collect();
    let mut deletion = Deletion {
        not_compared: not_compared(&before, plan),
        ..Deletion::default()
    };
    let heirs = by_identity(&before);
    for member in plan.members.iter().rev() {
        let object = &member.identity;
        if let Some((heir, before)) = heirs.get(object) {
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
    /// Returns true if the plans do not differ. Manifests that cannot be compared are ignored.
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

fn by_identity<'p>(
    plans: &[&'p PlanVersion],
) -> BTreeMap<&'p ObjectRef, (&'p Member, &'p PlanVersion)> {
    let members = plans
        .iter()
        .rev()
        .flat_map(|plan| plan.members.iter().map(|member| (member, *plan)));
    members
        .map(|(member, plan)| (&member.identity, (member, plan)))
        .collect()
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

/// Returns a sentence about the data or objects that are deleted together with the object. Returns
/// None if nothing else is deleted.
fn lost(object: &ObjectRef) -> Option<(ObjectRef, String)> {
    let sentence = if object.kind.is_definition() {
        "deleting the CustomResourceDefinition also deletes all custom resources of its kind"
    } else if object.kind.is_namespace() {
        "deleting the Namespace also deletes everything in it"
    } else if object.kind.is_precious() {
        "deleting the PersistentVolumeClaim also deletes its data"
    } else {
        return None;
    };
    Some((object.clone(), sentence.to_owned()))
}

/// Returns a sentence for each plan about the objects with manifests that cannot be read. An object
/// that the new plan and an old plan refer to by the same name is omitted, because its content
/// never changes.
fn not_compared(old: &[&PlanVersion], new: &PlanVersion) -> Vec<String> {
    let told = |plan: &PlanVersion, others: &[&PlanVersion]| {
        let others: BTreeSet<_> = others.iter().flat_map(|other| other.unread()).collect();
        let names: Vec<_> = plan
            .unread()
            .difference(&others)
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
    let of_old = old.iter().filter_map(|plan| told(plan, &[new]));
    of_old.chain(told(new, old)).collect()
}
