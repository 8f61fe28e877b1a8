//! The succession of plans in a namespace: the plans that replace other plans.
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

/// A plan, reduced to the information that the other plans in its namespace need.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    pub name: String,
    pub uid: String,
    pub created: Timestamp,
    pub labels: BTreeMap<String, String>,
    /// The intent. It is shared in memory, because it is as large as all manifests of the plan.
    pub intent: Arc<Result<Intent, Refusals>>,
    pub status: Status,
    pub is_terminating: bool,
    /// True if the plan has the [`FINALIZER`]. Without this finalizer, a deleted plan disappears at
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
    /// The other lineages whose objects the plan has: the lineages of the plans that it merges.
    pub merged: BTreeSet<String>,
    /// The existing plans that this plan replaces, directly or indirectly, newest first.
    pub predecessors: Vec<Peer>,
    /// The names in `replaces` for which no plan exists.
    pub missing: BTreeSet<String>,
    /// The plan that replaces this plan. If there are several, the newest of them.
    pub successor: Option<Peer>,
    /// A plan that would replace this plan if it can begin. It is not known yet if it can.
    pub undecided: Option<String>,
    /// Another plan that already replaces one of the plans in `replaces` of this plan.
    pub rival: Option<String>,
    /// A plan that replaced this plan and is being deleted. This plan takes its objects back.
    pub leaving: Option<Peer>,
    /// The newer plans in `replaces` of this plan that themselves replace this plan. These names
    /// are ignored.
    pub circle: BTreeSet<String>,
}

impl Peer {
    /// Reads a plan from an API server. A plan without a uid cannot be a peer.
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

    /// Returns the peer with the current metadata and status of the plan. The spec must be
    /// unchanged.
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

    /// Returns true if the plan writes objects, or would write objects if its predecessors rested.
    pub(crate) fn is_working(&self) -> bool {
        let intent = (*self.intent).as_ref();
        let is_suspended = intent.map_or(true, |intent| intent.is_suspended);
        let is_valid = self.status.is_true(ConditionType::Valid)
            && self.status.is_true(ConditionType::Permitted);
        is_valid && !is_suspended && !self.is_terminating
    }

    /// Returns true if all members of the plan were applied and no other plan has replaced the
    /// plan.
    pub(crate) fn is_applied(&self) -> bool {
        self.status.is_true(ConditionType::Applied) && !self.is_resting()
    }

    /// Returns true if the plan reports a conflict with objects of other owners.
    pub(crate) fn collides(&self) -> bool {
        let applied = self.status.condition(ConditionType::Applied);
        applied.is_some_and(|said| said.reason == Reason::ObjectNotOwned.as_str())
    }

    /// Returns true if the plan has reported that it rests because another plan replaces it.
    pub(crate) fn is_resting(&self) -> bool {
        self.status.is_true(ConditionType::Replaced)
    }

    /// Returns true if the predecessors of the plan must not write. This is the case from the start
    /// of the plan until it reports that it is being deleted.
    fn holds_its_place(&self) -> bool {
        let has_left = self.is_terminating && self.status.phase == Some(Phase::Terminating);
        self.is_working() || (self.has_begun() && !has_left)
    }

    /// Returns true if the plan may still begin. An invalid plan cannot begin unless it is changed.
    fn is_undecided(&self) -> bool {
        !self.is_terminating && !self.has_begun() && !self.is_working() && !self.is_invalid()
    }

    /// Returns true if the plan cannot be carried out for another reason than a rival plan.
    fn is_invalid(&self) -> bool {
        let mut conditions = self.status.conditions.iter();
        let rival = Reason::AlreadyReplaced.as_str();
        let has_rival = conditions.any(|said| said.reason == rival);
        self.status.phase == Some(Phase::Invalid) && !has_rival
    }

    /// Returns true if the plan has reported that it replaces the other plan.
    fn says_it_follows(&self, other: &Self) -> bool {
        self.status.predecessors.contains(&other.uid)
    }
}

/// Sorts plans by age, oldest first. Creation times have a resolution of one second. Within a
/// second, plans that replace none of the others come first. Next come plans that another plan
/// replaces or that have conditions, and then plans that have begun.
fn by_age(plans: &[Peer]) -> Vec<&Peer> {
    let mut peers: Vec<_> = plans.iter().collect();
    peers.sort_unstable_by_key(|peer| (peer.created, &peer.uid));
    let seconds = peers.chunk_by(|a, b| a.created == b.created);
    seconds.flat_map(in_a_second).collect()
}

/// Sorts plans that were created in the same second. The plans are given in the order of their
/// uids.
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
    /// Returns the relations of a plan that replaces no plan and is not replaced.
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
