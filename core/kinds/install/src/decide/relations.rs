//! The relations of a plan to the other plans of its namespace.
//!
//! ```text
//! plan, lineages, status, Succession -- Relations::of, once for each decision --> Relations
//!                                                                                     |
//!       removal: successor, heirs    handover: successor    begin: rival, writing  <--+
//! ```

use std::collections::BTreeSet;

use portolan_api::plan::{MOST_LINEAGES, Phase, Reason};

use super::observation::Observation;
use super::report::UndatedCondition;
use crate::succession::{Peer, Succession};

/// The other plans that a decision depends on.
pub(super) struct Relations<'o> {
    /// The plans that it takes over from, newest first.
    pub(super) predecessors: &'o [Peer],
    /// The predecessors from which it has not taken over yet.
    pub(super) open: Vec<&'o Peer>,
    /// The first predecessor that still writes.
    pub(super) writing: Option<&'o Peer>,
    /// The predecessors that get objects back when the plan is deleted. A predecessor that never
    /// began and cannot begin now has no objects.
    pub(super) heirs: Vec<&'o Peer>,
    /// The plan that takes over from it.
    pub(super) successor: Option<&'o Peer>,
    /// True if the successor has taken over and needs nothing from it any more.
    pub(super) is_over: bool,
    /// The name of a plan that may turn out to take over from it.
    pub(super) undecided: Option<&'o str>,
    /// The plan that gives its objects back to this one.
    pub(super) leaving: Option<&'o Peer>,
    /// The newer plans that it names and that replace it.
    pub(super) circle: &'o BTreeSet<String>,
    /// True if it replaces only plans that are gone, and may adopt their objects.
    pub(super) is_heir_of_gone: bool,
    /// Set if another plan has already taken over.
    pub(super) rival: Option<UndatedCondition>,
    /// Set if the plan must be rejected before its members are checked.
    pub(super) rejection: Option<UndatedCondition>,
}

impl<'o> Relations<'o> {
    pub(super) fn of(observed: &'o Observation) -> Self {
        let Observation { plan, status, .. } = observed;
        let Succession {
            lineage: _,
            merged: _,
            predecessors,
            missing,
            successor,
            undecided,
            rival,
            leaving,
            circle,
        } = &observed.succession;
        let rival = rival.as_deref().map(already_replaced);
        Self {
            predecessors,
            open: open(observed),
            writing: predecessors.iter().find(|peer| !peer.is_resting()),
            heirs: heirs(observed),
            successor: successor.as_ref(),
            is_over: successor
                .as_ref()
                .is_some_and(|successor| successor.status.taken_over.contains(&plan.uid)),
            undecided: undecided.as_deref(),
            leaving: leaving.as_ref(),
            circle,
            is_heir_of_gone: status.lineage.is_none()
                && !missing.is_empty()
                && predecessors.is_empty(),
            rejection: if status.has_begun() {
                rival.clone()
            } else {
                too_many_lineages(plan.merged.len())
            },
            rival,
        }
    }

    /// Returns true if it neither takes over from another plan, nor another plan from it.
    pub(super) fn is_alone(&self) -> bool {
        self.predecessors.is_empty() && self.successor.is_none()
    }

    /// Returns why the plan cannot take over from the plans that it replaces.
    pub(super) fn refusal(&self) -> Option<&UndatedCondition> {
        self.rejection.as_ref().or(self.rival.as_ref())
    }
}

/// Returns why a valid plan cannot begin. A plan that is invalid reports that instead, and leaves
/// the place to the other plan.
fn already_replaced(rival: &str) -> UndatedCondition {
    let sentence = format!(
        "{rival} already replaces the same plan; delete one of them, or create a plan that \
         replaces {rival}"
    );
    UndatedCondition::no(Reason::AlreadyReplaced, sentence)
}

fn too_many_lineages(count: usize) -> Option<UndatedCondition> {
    let sentence = format!(
        "the plans that it replaces belong to {count} lineages, and a plan merges at most {MOST_LINEAGES}; merge some \
         of them first"
    );
    (count > MOST_LINEAGES).then(|| UndatedCondition::no(Reason::LineagesDiffer, sentence))
}

fn open(observed: &Observation) -> Vec<&Peer> {
    let predecessors = &observed.succession.predecessors;
    // A plan that is being deleted has given back the objects that it took over.
    let taken = predecessors.iter().filter(|other| !other.is_terminating);
    let taken = taken.map(|other| &other.status.taken_over);
    let taken: BTreeSet<_> = taken
        .chain([&observed.status.taken_over])
        .flatten()
        .collect();
    let open = predecessors.iter();
    open.filter(|peer| peer.has_begun() && !taken.contains(&peer.uid))
        .collect()
}

fn heirs(observed: &Observation) -> Vec<&Peer> {
    let predecessors = observed.succession.predecessors.iter();
    let stays =
        |peer: &&Peer| !peer.is_terminating && (peer.has_begun() || may_begin(observed, peer));
    let staying: Vec<_> = predecessors.filter(stays).collect();
    // The objects of such a plan belong to another plan, or are gone.
    let taken = staying.iter().flat_map(|peer| &peer.status.taken_over);
    let taken: BTreeSet<_> = taken.collect();
    let heirs = staying.iter().filter(|peer| !taken.contains(&peer.uid));
    heirs.copied().collect()
}

/// Returns true if a plan that has not begun may begin once its successor gives its place back. A
/// plan is not judged while it rests, so an unknown state counts as possible. A plan of another
/// lineage that collides with objects of others does not begin. Waiting for it would take as long
/// as these objects exist.
fn may_begin(observed: &Observation, peer: &Peer) -> bool {
    let is_unknown = matches!(peer.status.phase, None | Some(Phase::Superseded));
    let is_merged = peer.status.lineage.as_ref() != Some(&observed.plan.lineage);
    is_unknown || peer.is_working() && !(is_merged && peer.collides())
}
