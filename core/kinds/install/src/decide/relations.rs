//! The relations of a plan to the other plans in its namespace.
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
    /// The plans that this plan replaces, newest first.
    pub(super) predecessors: &'o [Peer],
    /// The predecessors whose objects this plan has not completely taken over.
    pub(super) open: Vec<&'o Peer>,
    /// The first predecessor that may still write objects.
    pub(super) writing: Option<&'o Peer>,
    /// The predecessors that take objects back when this plan is deleted. A predecessor that has
    /// not begun is included only if it may begin now.
    pub(super) heirs: Vec<&'o Peer>,
    /// The plan that replaces this plan.
    pub(super) successor: Option<&'o Peer>,
    /// True if the successor has taken over all objects, so that it no longer needs this plan.
    pub(super) is_over: bool,
    /// The name of a plan that replaces this plan if it can begin. It is not known yet if it can.
    pub(super) undecided: Option<&'o str>,
    /// A plan in deletion that gives its objects back to this plan.
    pub(super) leaving: Option<&'o Peer>,
    /// The newer plans that this plan names in `replaces`, although they replace this plan.
    pub(super) circle: &'o BTreeSet<String>,
    /// True if this plan replaces only deleted plans, and may adopt their objects.
    pub(super) is_heir_of_gone: bool,
    /// The condition to report if another plan has already replaced this plan.
    pub(super) rival: Option<UndatedCondition>,
    /// The condition that rejects the plan before its members are checked. None if the plan is not
    /// rejected.
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

    /// Returns true if this plan replaces no other plan and no other plan replaces this plan.
    pub(super) fn is_alone(&self) -> bool {
        self.predecessors.is_empty() && self.successor.is_none()
    }

    /// Returns the condition that explains why the plan cannot replace its predecessors. Returns
    /// None if the plan can replace them.
    pub(super) fn refusal(&self) -> Option<&UndatedCondition> {
        self.rejection.as_ref().or(self.rival.as_ref())
    }
}

/// Returns the condition of a valid plan that cannot begin, because another plan already replaces
/// the same predecessor. An invalid plan reports its faults instead, and does not block the other
/// plan.
fn already_replaced(rival: &str) -> UndatedCondition {
    let sentence = format!(
        "{rival} already replaces the same plan; delete one of the two plans, or create a plan \
         that replaces {rival}"
    );
    UndatedCondition::no(Reason::AlreadyReplaced, sentence)
}

fn too_many_lineages(count: usize) -> Option<UndatedCondition> {
    let sentence = format!(
        "the replaced plans belong to {count} lineages (chains of plans), but a plan can merge at \
         most {MOST_LINEAGES} lineages; merge some of the replaced plans first"
    );
    (count > MOST_LINEAGES).then(|| UndatedCondition::no(Reason::LineagesDiffer, sentence))
}

fn open(observed: &Observation) -> Vec<&Peer> {
    let predecessors = &observed.succession.predecessors;
    // Plans that are being deleted do not count: they have given back the objects that they took
    // over.
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
    // Plans whose objects another plan has taken over do not get objects back. Their objects belong
    // to that plan, or no longer exist.
    let taken = staying.iter().flat_map(|peer| &peer.status.taken_over);
    let taken: BTreeSet<_> = taken.collect();
    let heirs = staying.iter().filter(|peer| !taken.contains(&peer.uid));
    heirs.copied().collect()
}

/// Returns true if a plan that has not begun may begin when its successor gives the objects back.
///
/// The controller does not check a resting plan, so a plan without a known result counts as "may
/// begin". A plan of another lineage that conflicts with objects of other owners does not count.
/// The wait for this plan would last as long as these objects exist.
fn may_begin(observed: &Observation, peer: &Peer) -> bool {
    let is_unknown = matches!(peer.status.phase, None | Some(Phase::Superseded));
    let is_merged = peer.status.lineage.as_ref() != Some(&observed.plan.lineage);
    is_unknown || peer.is_working() && !(is_merged && peer.collides())
}
