//! The succession of plans of a namespace: which of them takes the place of which.
//!
//! ```text
//! replaces -- without circles, without what another plan replaces first --> one successor each
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

use graph::{Graph, Line};

/// A plan, as the others of its namespace see it.
#[derive(Debug, Clone, PartialEq)]
pub struct Peer {
    pub name: String,
    pub uid: String,
    pub created: Timestamp,
    pub labels: BTreeMap<String, String>,
    /// Shared, as it is as large as all manifests of the plan.
    pub intent: Arc<Result<Intent, Refusals>>,
    pub status: Status,
    pub is_terminating: bool,
    /// True if it has the [`FINALIZER`], without which it goes at once.
    pub has_finalizer: bool,
    /// True if it [keeps all that it made](InstallPlan::is_abandoned).
    pub is_abandoned: bool,
}

/// The relation of a plan to the other plans of its namespace; none by default.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Succession {
    /// The plan's [lineage](crate::Plan::lineage).
    pub lineage: String,
    /// The other lineages whose objects it has: those of the plans that it merges.
    pub merged: BTreeSet<String>,
    /// The plans that are there and whose place it takes, the newest first, through others too.
    pub predecessors: Vec<Peer>,
    /// The names that it replaces, and that no plan has.
    pub missing: BTreeSet<String>,
    /// The plan that takes its place, or has taken it: the newest of those that do.
    pub successor: Option<Peer>,
    /// A plan that would take its place, and of which it is not known yet whether it can.
    pub undecided: Option<String>,
    /// A plan that replaces already what this one would replace.
    pub rival: Option<String>,
    /// A plan that gives back to it what it had: it has taken its place, and is being deleted.
    pub leaving: Option<Peer>,
    /// The newer plans that it names, and that replace it: these names do not count.
    pub circle: BTreeSet<String>,
}

impl Peer {
    /// A plan as it is read from an API server. One without a uid is nobody's peer.
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

    /// The same as it is read now, of which only what is not its spec may have changed.
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

    /// Whether it may have written something.
    pub(crate) fn has_begun(&self) -> bool {
        self.status.has_begun()
    }

    /// Whether it is carried out, or would be if its predecessors rested.
    pub(crate) fn is_working(&self) -> bool {
        let intent = (*self.intent).as_ref();
        let is_suspended = intent.map_or(true, |intent| intent.is_suspended);
        let is_valid = self.status.is_true(ConditionType::Valid)
            && self.status.is_true(ConditionType::Permitted);
        is_valid && !is_suspended && !self.is_terminating
    }

    /// Whether all of it is there, and none of it another plan's.
    pub(crate) fn is_applied(&self) -> bool {
        self.status.is_true(ConditionType::Applied) && !self.is_resting()
    }

    /// Returns true if it reports a collision with objects of others.
    pub(crate) fn collides(&self) -> bool {
        let applied = self.status.condition(ConditionType::Applied);
        applied.is_some_and(|said| said.reason == Reason::CollisionRefused.as_str())
    }

    /// Whether it has said that it writes nothing any more, as another plan takes its place.
    pub(crate) fn is_resting(&self) -> bool {
        self.status.is_true(ConditionType::Replaced)
    }

    /// Whether its predecessors must not write. One that has begun keeps its place, whatever comes
    /// over it, until it has said that it is being deleted.
    fn holds_its_place(&self) -> bool {
        let has_left = self.is_terminating && self.status.phase == Some(Phase::Terminating);
        self.is_working() || (self.has_begun() && !has_left)
    }

    /// Whether it may yet come to work. An invalid plan does not, before something is changed.
    fn is_undecided(&self) -> bool {
        !self.is_terminating && !self.has_begun() && !self.is_working() && !self.is_invalid()
    }

    /// Whether it cannot be carried out as it is, but for a plan that is in its way.
    fn is_invalid(&self) -> bool {
        let mut conditions = self.status.conditions.iter();
        let rival = Reason::AlreadyReplaced.as_str();
        let has_rival = conditions.any(|said| said.reason == rival);
        self.status.phase == Some(Phase::Invalid) && !has_rival
    }

    /// Whether it has said of a plan that it takes its place.
    fn says_it_follows(&self, other: &Self) -> bool {
        self.status.predecessors.contains(&other.uid)
    }
}

/// Plans by their age, the oldest first. The times at which objects were made have whole seconds: of plans of the same
/// second those are older that others follow by what these said of themselves, and those of which something was said
/// already when a new one came.
fn by_age(plans: &[Peer]) -> Vec<&Peer> {
    let mut peers: Vec<_> = plans.iter().collect();
    peers.sort_unstable_by_key(|peer| (peer.created, &peer.uid));
    let seconds = peers.chunk_by(|a, b| a.created == b.created);
    seconds.flat_map(in_a_second).collect()
}

/// The same for those of one second, which are sorted by their uid.
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
    /// Returns the relation of the plan with that uid to all plans of its namespace.
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
