//! Adoption of an operator that OLM v1 has installed, without a restart.
//!
//! ```text
//! plan of the live objects, suspended -> applied beside OLM v1
//!    -> ClusterExtension held: our finalizer, and a version that no bundle has
//!    -> OLM v1 reports that it finds no such bundle -> marks of OLM v1 removed, objects read again
//!    -> ClusterExtension deleted, orphaning -> objects read again -> Helm release deleted
//!    -> ClusterExtension gone -> found objects become ours
//! ```
//!
//! The garbage collector deletes all objects with an owner reference to a deleted ClusterExtension,
//! also CRDs with their custom resources. So no object has such a reference before the deletion,
//! the deletion orphans its dependents, and the finalizer keeps the ClusterExtension until the
//! objects were read again. The adoption can be undone until the ClusterExtension is deleted: its
//! Helm release still exists, and OLM v1 adds the owner references again.

mod begin;

use jiff::{SignedDuration, Timestamp};
use portolan_api::operator::{AdoptionStatus, AdoptionStep, ExtensionStatus, Reason};
use portolan_core_names::ObjectRef;
use serde_json::Value;

use super::super::report::UndatedCondition;
use super::super::{Act, Decision, Halt, Observation, OperatorContext, Step};
use super::{delete, let_go, live, patch, refuse, text, unapplied};
use crate::adoption::{
    AdoptedExtension, Adopts, HELD_VERSION, LiveQuery, OlmOwner, disown, has_finalizer, is_held,
    is_of, is_release, is_unchanged_since_deletion, obeys_hold, restored, version_of, wanted_hold,
};
use crate::fleet::{Extension, Present};
use crate::hop::OperatorHop;

pub(super) use begin::begin;

/// The finalizer with which the garbage collector removes owner references.
const ORPHAN: &str = "orphan";
/// The time until released objects are read again. No watch covers these objects.
const VERIFIED_AFTER: SignedDuration = SignedDuration::from_secs(1);
/// The time until the report of OLM v1 is read again. The watch covers only its generation.
const REPORTED_AFTER: SignedDuration = SignedDuration::from_secs(10);
/// The time after the deletion of a changed ClusterExtension after which no reconcile of an old spec
/// runs any more. Later versions of OLM v1 never report on a ClusterExtension that is being deleted.
const LONGEST_RECONCILE: SignedDuration = SignedDuration::from_mins(10);

/// The adoption of an operator of OLM v1, from its plan.
#[derive(Clone, Copy)]
pub(super) struct Handover<'o> {
    observed: &'o Observation,
    hop: &'o OperatorHop,
    adopts: &'o Adopts,
    extension: &'o AdoptedExtension,
}

/// The condition of an adoption, or the reason why the decision ends.
type Answered = Result<UndatedCondition, Halt>;

impl<'o> Handover<'o> {
    /// Returns the adoption that created a plan. Returns None if the plan adopts nothing from
    /// OLM v1.
    pub(super) fn of(observed: &'o Observation, hop: &'o OperatorHop) -> Option<Self> {
        let adopts = hop.facts.adopts.as_ref()?;
        Some(Self {
            observed,
            hop,
            adopts,
            extension: adopts.extension.as_ref()?,
        })
    }

    pub(super) fn status(self) -> AdoptionStatus {
        let step = match self.there() {
            _ if self.hop.owns_found => AdoptionStep::Adopted,
            Some((_, there)) if there.is_terminating => AdoptionStep::Leaving,
            Some((_, there)) if there.version == HELD_VERSION => AdoptionStep::Held,
            Some(_) => AdoptionStep::Beside,
            None => AdoptionStep::Leaving,
        };
        AdoptionStatus {
            namespace: self.extension.id.namespace.clone(),
            cluster_extension: Some(ExtensionStatus {
                name: self.extension.id.name.clone(),
                spec: self.extension.spec(),
            }),
            step,
            ..AdoptionStatus::default()
        }
    }

    /// Continues or cancels an adoption. `case` is None if the Operator is being deleted.
    pub(super) fn proceed(
        self,
        is_wanted: bool,
        case: Option<OperatorContext<'_>>,
        decision: &mut Decision,
    ) -> Result<Option<UndatedCondition>, Halt> {
        match self.there() {
            Some((_, there)) if !is_wanted && !there.is_terminating => {
                self.give_back(decision)?;
                match case {
                    Some(_) => self.undone(decision).map(Some),
                    // The plan is deleted together with the Operator.
                    None => Ok(None),
                }
            }
            Some((present, there)) if !there.is_terminating => {
                self.release((present, there), decision).map(Some)
            }
            Some(_) => self.leave(decision).map(Some),
            None => self.own(decision).map(Some),
        }
    }

    fn there(self) -> Option<(&'o Present, &'o Extension)> {
        self.observed.fleet.extension(&self.extension.id.uid)
    }

    // --- cancellation ---

    /// Gives the ClusterExtension back to OLM v1, which then manages the objects again.
    fn give_back(self, decision: &mut Decision) -> Result<(), Halt> {
        let live = self.live()?;
        if let Some(seen) = self.seen(live) {
            let operations = restored(seen, &self.extension.spec());
            decision.steps.extend(patch(self.hop, seen, operations));
        }
        Ok(())
    }

    fn undone(self, decision: &mut Decision) -> Answered {
        if !self.hop.is_terminating {
            decision.steps.push(Step::delete(self.hop));
        }
        let sentence = format!(
            "the plan {} is deleted, and OLM v1 keeps its objects",
            self.hop.plan
        );
        Err(Halt::no(Reason::InstalledByClusterExtension, sentence))
    }

    // --- phases ---

    /// Makes OLM v1 release the objects, and then deletes the ClusterExtension.
    fn release(
        self,
        (present, there): (&Present, &Extension),
        decision: &mut Decision,
    ) -> Answered {
        if let Some(condition) = unapplied(self.hop)? {
            return Ok(condition);
        }
        if self.has_gone_on(present) {
            self.give_back(decision)?;
            return self.undone(decision);
        }
        let live = self.live()?;
        let id = self.extension.id.object();
        let Some(seen) = self.seen(live).filter(|it| !is_terminating(it)) else {
            return adopting(format!("{id} is being deleted by another client"));
        };
        if !is_held(seen) {
            // A hold that another client has changed is set again without checks, because the
            // status then describes the hold.
            if !has_finalizer(seen) {
                let refusals = self.observed.fleet.extension_refusals((present, there));
                refuse(refusals)?;
            }
            let operations = wanted_hold(seen);
            decision.steps.extend(patch(self.hop, seen, operations));
            return adopting(format!(
                "{id} is being held: with version {HELD_VERSION}, which no bundle has, OLM v1 \
                 leaves its objects unchanged"
            ));
        }
        if !obeys_hold(seen) {
            self.read_after(REPORTED_AFTER, decision);
            return adopting(format!(
                "{id} requests version {HELD_VERSION}, which no bundle has; waiting until OLM v1 \
                 reports that it does not find this version"
            ));
        }
        if self.has_strangers(live) {
            // The next adoption compares these objects with the bundle.
            self.give_back(decision)?;
            return self.undone(decision);
        }
        let steps = self.disowned(live);
        if !steps.is_empty() {
            decision.steps.extend(steps);
            self.read_after(VERIFIED_AFTER, decision);
            return adopting(format!(
                "the labels and owner references of OLM v1 are removed from the objects of {id}"
            ));
        }
        let deleted = Act::Orphan {
            object: id.clone(),
            uid: text(seen, "/metadata/uid").to_owned(),
            version: text(seen, "/metadata/resourceVersion").to_owned(),
        };
        decision.steps.push(Step::As(self.hop.account(), deleted));
        adopting(format!(
            "{id} is being deleted, and all objects that it owned are kept"
        ))
    }

    /// Deletes the Helm release of a ClusterExtension that is being deleted, and then removes the
    /// finalizer. Another ClusterExtension with the same name would use this release.
    fn leave(self, decision: &mut Decision) -> Answered {
        let live = self.live()?;
        let id = self.extension.id.object();
        let Some(seen) = self.seen(live) else {
            return adopting(format!("{id} has been deleted"));
        };
        let finalizers = seen["metadata"]["finalizers"].as_array();
        if finalizers.is_some_and(|all| all.iter().any(|it| it == ORPHAN)) {
            self.read_after(VERIFIED_AFTER, decision);
            return adopting(format!(
                "{id} is being deleted; Kubernetes removes the reference to it from the \
                 ownerReferences of its objects"
            ));
        }
        if !has_finalizer(seen) {
            return adopting(format!("{id} is being deleted by another client"));
        }
        if version_of(seen) != Some(HELD_VERSION) {
            let operations = wanted_hold(seen);
            decision.steps.extend(patch(self.hop, seen, operations));
            return adopting(format!(
                "another client has changed {id}; it is held again before its deletion"
            ));
        }
        if !is_unchanged_since_deletion(seen) && !self.is_long_deleted(seen) {
            self.read_after(VERIFIED_AFTER, decision);
            return adopting(format!(
                "another client has changed {id} during its deletion; waiting until OLM v1 reports \
                 that it does not find version {HELD_VERSION}, or 10 minutes after the deletion"
            ));
        }
        let mut steps = self.disowned(live);
        steps.extend(self.releases(live).map(|it| delete(self.hop, it)));
        if !steps.is_empty() {
            decision.steps.extend(steps);
            self.read_after(VERIFIED_AFTER, decision);
            return adopting(format!("the Helm release of {id} is being deleted"));
        }
        decision.steps.extend(patch(self.hop, seen, let_go(seen)));
        adopting(format!("{id} is being deleted; its objects are kept"))
    }

    /// Completes the adoption after the ClusterExtension was deleted.
    fn own(self, decision: &mut Decision) -> Answered {
        let live = self.live()?;
        if self.seen(live).is_some() {
            // The controller has not read the ClusterExtension for a while.
            self.read_after(VERIFIED_AFTER, decision);
            let id = self.extension.id.object();
            return adopting(format!("waiting until {id} is deleted"));
        }
        let steps = self.disowned(live);
        let bundle = &self.hop.facts.installs.bundle;
        if !steps.is_empty() {
            decision.steps.extend(steps);
            self.read_after(VERIFIED_AFTER, decision);
            return adopting(format!(
                "the labels and owner references of OLM v1 are removed from the objects of {bundle}"
            ));
        }
        decision.steps.push(Step::OwnFound {
            namespace: self.hop.namespace.clone(),
            plan: self.hop.plan.clone(),
            uid: self.hop.uid.clone(),
            version: self.hop.version.clone(),
        });
        adopting(format!("OLM no longer owns {bundle}"))
    }

    // --- facts ---

    /// Returns true if OLM v1 has installed another version since the adoption began.
    fn has_gone_on(self, present: &Present) -> bool {
        let installed = &present.installs.bundle;
        !installed.is_empty() && *installed != self.hop.facts.installs.bundle
    }

    /// Returns the live objects: those of the plan, those that OLM v1 owns, and the ClusterExtension.
    fn live(self) -> Result<&'o [Value], Halt> {
        let objects = self.adopts.objects.iter().cloned();
        let query = LiveQuery {
            account: self.hop.account(),
            objects: objects.chain([self.extension.id.object()]).collect(),
            owner: Some(self.owner()),
        };
        live(self.observed, query)
    }

    fn owner(self) -> OlmOwner {
        OlmOwner::Extension(self.extension.id.clone())
    }

    /// Returns the ClusterExtension. Returns None if another client has deleted it, even if it was
    /// created again.
    fn seen(self, live: &'o [Value]) -> Option<&'o Value> {
        let id = self.extension.id.object();
        let mut live = live.iter();
        let seen = live.find(|it| ObjectRef::versioned(it) == id)?;
        (seen["metadata"]["uid"] == self.extension.id.uid).then_some(seen)
    }

    /// Returns the Secrets with the Helm release.
    fn releases(self, live: &'o [Value]) -> impl Iterator<Item = &'o Value> {
        let owner = self.owner();
        live.iter().filter(move |it| is_release(&owner, it))
    }

    /// Returns the patches that remove all marks of OLM v1 from the operator's objects.
    fn disowned(self, live: &[Value]) -> Vec<Step> {
        let own = live.iter().filter(|it| self.is_of_operator(it));
        own.filter_map(|it| patch(self.hop, it, disown(it)))
            .collect()
    }

    fn is_of_operator(self, object: &Value) -> bool {
        let id = ObjectRef::versioned(object);
        let owner = self.owner();
        let is_known = self.adopts.objects.contains(&id);
        id != self.extension.id.object()
            && !is_release(&owner, object)
            && (is_known || is_of(&owner, &object["metadata"]))
    }

    /// Returns true if OLM v1 created objects after the plan of the adoption.
    fn has_strangers(self, live: &[Value]) -> bool {
        let mut own = live.iter().filter(|it| self.is_of_operator(it));
        own.any(|it| !self.adopts.objects.contains(&ObjectRef::versioned(it)))
    }

    fn is_long_deleted(self, seen: &Value) -> bool {
        let deleted: Result<Timestamp, _> = text(seen, "/metadata/deletionTimestamp").parse();
        let end = deleted
            .ok()
            .and_then(|at| at.checked_add(LONGEST_RECONCILE).ok());
        end.is_some_and(|end| end <= self.observed.now)
    }

    fn read_after(self, time: SignedDuration, decision: &mut Decision) {
        decision.until = self.observed.now.checked_add(time).ok();
    }
}

fn is_terminating(object: &Value) -> bool {
    object["metadata"]["deletionTimestamp"].is_string()
}

fn adopting(sentence: String) -> Answered {
    Ok(UndatedCondition::yes(Reason::Adopting, sentence))
}
