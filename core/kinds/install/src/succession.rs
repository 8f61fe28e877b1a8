//! Determines which plans of a namespace replace which other plans.
//!
//! ```text
//! replaces -- without circles and indirect edges --> one successor each
//!                                    |  two: the older works, the other is AlreadyReplaced
//!                                    +--> predecessors, successor, lineages of one plan
//! ```

mod graph;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use portolan_api::Refusals;
use portolan_api::plan::{
    ConditionType, FINALIZER, InstallPlan, Intent, Phase, Reason, Replaces, Status,
};

use crate::lineages;
use graph::{Graph, Line};

/// A plan, reduced to the facts that the other plans of its namespace need.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    pub name: String,
    pub uid: String,
    pub created: Timestamp,
    pub labels: BTreeMap<String, String>,
    /// The intent of the plan. It contains all manifests, so it is shared in memory.
    pub intent: Arc<Result<Intent, Refusals>>,
    pub status: Status,
    pub is_terminating: bool,
    /// True if the plan has the [`FINALIZER`]. Without it, the API server removes a deleted plan at
    /// once.
    pub has_finalizer: bool,
    /// True if the plan [keeps all objects that it created](InstallPlan::is_abandoned).
    pub is_abandoned: bool,
}

/// The relations of a plan to the other plans of its namespace. Empty by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Succession {
    /// The plan's [lineage](crate::Plan::lineage).
    pub lineage: String,
    /// The other lineages whose objects this plan contains, because it merges plans of these
    /// lineages.
    pub merged: BTreeSet<String>,
    /// The existing plans that this plan replaces, directly or indirectly. The newest plan comes
    /// first.
    pub predecessors: Vec<Peer>,
    /// The names in this plan's `replaces` for which no plan exists.
    pub missing: BTreeSet<String>,
    /// The plan that replaces this plan, directly or indirectly. If there are several, the last one
    /// in the chain.
    pub successor: Option<Peer>,
    /// The name of a plan that replaces this plan if it can begin. It is not known yet if it can.
    pub undecided: Option<String>,
    /// The name of another plan that already replaces a plan in this plan's `replaces`.
    pub rival: Option<String>,
    /// A plan in deletion that replaced this plan. This plan takes its objects back.
    pub leaving: Option<Peer>,
    /// The newer plans in this plan's `replaces` that themselves replace this plan. These entries
    /// of `replaces` are ignored.
    pub circle: BTreeSet<String>,
}

impl Peer {
    /// Returns the facts about a plan that was read from the API server. A plan without a uid
    /// cannot be a peer.
    pub fn of(plan: &InstallPlan) -> Self {
        let metadata = &plan.metadata;
        let created = metadata.creation_timestamp.as_ref();
        let finalizers = metadata.finalizers.as_deref().unwrap_or_default();
        Self {
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone().unwrap_or_default(),
            created: created.map_or(Timestamp::UNIX_EPOCH, |created| created.0),
            labels: metadata.labels.clone().unwrap_or_default(),
            intent: Arc::new(Intent::parse(plan)),
            status: plan.status.clone().unwrap_or_default(),
            is_terminating: metadata.deletion_timestamp.is_some(),
            has_finalizer: finalizers.iter().any(|name| name == FINALIZER),
            is_abandoned: plan.is_abandoned(),
        }
    }

    /// Returns a peer with the new metadata and status of the plan, and with the intent of this
    /// peer. The spec of the plan must be unchanged.
    #[must_use]
    pub fn renewed(&self, plan: &InstallPlan) -> Self {
        let bare = InstallPlan {
            metadata: plan.metadata.clone(),
            status: plan.status.clone(),
            ..InstallPlan::default()
        };
        Self {
            intent: self.intent.clone(),
            ..Self::of(&bare)
        }
    }

    /// Returns true if the plan may already have written objects.
    pub(crate) fn has_begun(&self) -> bool {
        self.status.has_begun()
    }

    /// Returns true if the plan writes objects now, or would write objects if its predecessors did
    /// not.
    pub(crate) fn is_working(&self) -> bool {
        let intent = (*self.intent).as_ref();
        let is_suspended = intent.map_or(true, |intent| intent.is_suspended);
        let is_valid = self.status.is_true(ConditionType::Valid)
            && self.status.is_true(ConditionType::Permitted);
        is_valid && !is_suspended && !self.is_terminating
    }

    /// Returns true if all members of the plan were applied, and no other plan has replaced it
    /// since.
    pub(crate) fn is_applied(&self) -> bool {
        self.status.is_true(ConditionType::Applied) && !self.is_resting()
    }

    /// Returns true if the plan reports a conflict with objects of other owners.
    pub(crate) fn collides(&self) -> bool {
        let applied = self.status.condition(ConditionType::Applied);
        applied.is_some_and(|said| said.reason == Reason::ObjectNotOwned.as_str())
    }

    /// Returns true if the plan reports that it rests, because another plan replaces it.
    pub(crate) fn is_resting(&self) -> bool {
        self.status.is_true(ConditionType::Replaced)
    }

    /// Returns true if the predecessors of the plan must not write objects. This is the case from
    /// the time when the plan may write until it reports that it is being deleted.
    fn holds_its_place(&self) -> bool {
        let has_left = self.is_terminating && self.status.phase == Some(Phase::Terminating);
        self.is_working() || (self.has_begun() && !has_left)
    }

    /// Returns true if it is not known yet if the plan can begin. An invalid plan cannot begin
    /// unless a user changes it.
    fn is_undecided(&self) -> bool {
        !self.is_terminating && !self.has_begun() && !self.is_working() && !self.is_invalid()
    }

    /// Returns true if the plan is invalid, for another reason than a rival plan.
    fn is_invalid(&self) -> bool {
        let mut conditions = self.status.conditions.iter();
        let rival = Reason::AlreadyReplaced.as_str();
        let has_rival = conditions.any(|said| said.reason == rival);
        self.status.phase == Some(Phase::Invalid) && !has_rival
    }

    /// Returns true if the status of this plan reports that it replaces the other plan.
    fn says_it_follows(&self, other: &Self) -> bool {
        self.status.predecessors.contains(&other.uid)
    }
}

/// Sorts plans by age, oldest first. Creation times have a resolution of one second. Within a
/// second, three criteria decide, in this order. Plans that replace none of the others come first.
/// Then come plans that another plan replaces or that have conditions. Then come plans that have
/// begun.
fn by_age(plans: &[Peer]) -> Vec<&Peer> {
    let mut peers: Vec<_> = plans.iter().collect();
    peers.sort_unstable_by_key(|peer| (peer.created, &peer.uid));
    let seconds = peers.chunk_by(|a, b| a.created == b.created);
    seconds.flat_map(in_a_second).collect()
}

/// Sorts plans that were created in the same second. The input is sorted by uid.
fn in_a_second<'p>(peers: &[&'p Peer]) -> Vec<&'p Peer> {
    let mut left = peers.to_vec();
    let mut sorted = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let rank = |peer: &&Peer| {
            let others = || left.iter().filter(|it| it.uid != peer.uid);
            let follows = others().any(|it| peer.says_it_follows(it));
            let is_followed = others().any(|it| it.says_it_follows(peer));
            let is_known = is_followed || !peer.status.conditions.is_empty();
            (follows, !is_known, !peer.has_begun())
        };
        let oldest = left.iter().enumerate().min_by_key(|(_, peer)| rank(peer));
        let oldest = oldest.map_or(0, |(at, _)| at);
        sorted.push(left.remove(oldest));
    }
    sorted
}

impl Succession {
    /// Returns the relations of a plan that replaces no other plan and that no other plan replaces.
    pub fn alone(plan: &InstallPlan) -> Self {
        let status = plan.status.iter();
        let merged = status.flat_map(|status| status.merged_lineages.iter().cloned());
        Self {
            lineage: lineages::own(plan),
            merged: merged.collect(),
            ..Self::default()
        }
    }

    /// Returns the relations of the plan with this uid to all plans of its namespace.
    pub fn of(uid: &str, plans: &[Peer]) -> Self {
        let peers = by_age(plans);
        let Some(own) = peers.iter().position(|peer| peer.uid == uid) else {
            return Self {
                lineage: uid.to_owned(),
                ..Self::default()
            };
        };
        let graph = Graph::of(&peers);
        let chain = graph.chain(own);
        let name = |at: usize| peers[at].name.clone();
        let find = |is: fn(&Peer) -> bool| {
            let mut chain = chain.iter().rev();
            chain.find(|at| is(peers[**at])).map(|at| peers[*at])
        };
        let has_left =
            |peer: &Peer| peer.is_terminating && peer.has_begun() && !peer.holds_its_place();
        let Line { lineage, merged } = graph.line(own, &peers);
        Self {
            lineage,
            merged,
            predecessors: graph
                .below(own)
                .iter()
                .rev()
                .map(|at| peers[*at].clone())
                .collect(),
            missing: missing(peers[own], plans),
            successor: find(Peer::holds_its_place).cloned(),
            undecided: find(Peer::is_undecided).map(|peer| peer.name.clone()),
            rival: graph.rivals.get(&own).map(|at| name(*at)),
            leaving: find(has_left).cloned(),
            circle: graph.circles[own].iter().map(|at| name(*at)).collect(),
        }
    }
}

fn missing(own: &Peer, plans: &[Peer]) -> BTreeSet<String> {
    let replaces = (*own.intent).iter().flat_map(|intent| &intent.replaces);
    let names = replaces.filter_map(|one| match one {
        Replaces::Name(name) => Some(name),
        Replaces::Labels(_) => None,
    });
    let is_missing = |name: &&String| !plans.iter().any(|plan| plan.name == **name);
    names.filter(is_missing).cloned().collect()
}
