//! Explains why no path reaches the destination.

use std::cell::OnceCell;
use std::sync::Arc;

use portolan_core_names::BundleName;

use crate::graph::{Id, Scope};
use crate::path::ScopedQuery;
use crate::path::blockage::{Blockage, Missing, Suggestion};
use crate::reach::Reach;
use crate::{ChannelFault, Reachable, Reason};

/// The maximum number of faults in a blockage. The limit keeps answers small, because each
/// unreachable bundle has a separate blockage. Real packages have only a few faults.
const MOST_FAULTS: usize = 100;

/// A query without a path, with the data for explaining it.
pub(crate) struct BlockageSearch<'a> {
    question: &'a ScopedQuery<'a>,
    reached: Vec<Id>,
    gates: Vec<(Id, Id)>,
    /// The faults of the channels. All blockages of the query share this list.
    faults: Arc<[ChannelFault]>,
    /// The bundles that each of the other channels reaches, by channel index.
    others: OnceCell<Vec<(usize, Vec<Id>)>>,
    union: OnceCell<Reach<'a>>,
}

// === impl BlockageSearch ===

impl<'a> BlockageSearch<'a> {
    pub(crate) fn new(question: &'a ScopedQuery<'a>) -> Self {
        Self {
            question,
            reached: question.reach.newest_first(),
            gates: question.reach.gates(),
            faults: faults(question),
            others: OnceCell::new(),
            union: OnceCell::new(),
        }
    }

    /// Returns the blockage of a bundle that no path reaches.
    pub(crate) fn missed(&self, at: Id) -> Blockage {
        let ScopedQuery {
            graph,
            query,
            start,
            reach,
            ..
        } = self.question;
        if let Some(reason) = graph.no_channels() {
            return self.aimless(reason);
        }
        let name = &graph.node(at).name;
        let is_listed = graph.chart(self.question.scope()).has(at);
        let mut blockage = self.blank();
        let gate = self.gate(at);
        let furthest = reach.furthest_before(gate, &self.reached);
        blockage.furthest = furthest.map(|at| self.reachable(at));
        if !is_listed {
            let channels = graph.channels_of(at);
            blockage.reasons.push(Reason::NotInChannel {
                bundle: name.clone(),
                channels,
            });
        } else if query.walk.is_olm() {
            blockage.reasons.push(self.olm_choice(at));
        } else {
            let from = furthest.map_or(&start.installed.name, |at| &graph.node(at).name);
            let (from, to) = (from.clone(), graph.node(gate).name.clone());
            blockage.missing = Some(Missing {
                from: from.clone(),
                to: to.clone(),
            });
            blockage.reasons.push(Reason::NoEdge { from, to });
        }
        blockage.reasons.extend(start.unknown_version(graph));
        blockage.suggestions = self.suggestions(at, is_listed, blockage.missing.as_ref());
        blockage
    }

    /// Returns the blockage of a destination that is older than the installed bundle.
    pub(crate) fn below(&self, at: Id, is_reached: bool) -> Blockage {
        let ScopedQuery {
            graph,
            query,
            start,
            ..
        } = self.question;
        let suggestion = if is_reached || query.allow_unconnected {
            Suggestion::AllowDowngrade
        } else {
            Suggestion::AllowUnconnectedDowngrade
        };
        let reason = Reason::Below {
            destination: graph.node(at).name.clone(),
            installed: start.installed.name.clone(),
        };
        Blockage {
            reasons: vec![reason],
            suggestions: vec![suggestion],
            ..self.blank()
        }
    }

    /// Returns the blockage of a destination that matches no bundle in the scope of the query.
    /// Bundles of other channels may match.
    pub(crate) fn unoffered(&self) -> Blockage {
        let ScopedQuery { graph, query, .. } = self.question;
        if let Some(reason) = graph.no_channels() {
            return self.aimless(reason);
        }
        let entries = &graph.chart(self.question.scope()).entries;
        let mut meant = graph.installable().filter(|at| self.question.means(*at));
        if let Some(at) = meant.clone().find(|at| self.question.admits(*at)) {
            return self.elsewhere(at);
        }
        let reason = match meant.find(|at| entries.contains(at)) {
            Some(at) => Reason::OnlyPrereleases {
                newest: graph.node(at).name.clone(),
            },
            None => Reason::NotOffered {
                destination: query.destination.clone(),
                package: graph.package.name.clone(),
            },
        };
        self.aimless(reason)
    }

    /// Returns the blockage of a bundle that only other channels contain. If the bundle is also
    /// older than the installed bundle, the blockage contains this reason too.
    fn elsewhere(&self, at: Id) -> Blockage {
        let mut blockage = self.missed(at);
        if self.question.is_below(at) && !self.question.query.allow_downgrade {
            let Blockage {
                reasons,
                suggestions,
                ..
            } = self.below(at, true);
            blockage.reasons.extend(reasons);
            blockage.suggestions.extend(suggestions);
        }
        blockage
    }

    /// Returns a blockage that has only this reason, for a destination that matches no bundle.
    pub(crate) fn aimless(&self, reason: Reason) -> Blockage {
        Blockage {
            reasons: vec![reason],
            ..self.blank()
        }
    }

    fn blank(&self) -> Blockage {
        let ScopedQuery { graph, query, .. } = self.question;
        let channels = graph.channels_in(self.question.scope());
        Blockage {
            installed: self.question.installed(),
            destination: query.destination.clone(),
            // OLM uses only one channel, even if the query names no channel.
            channel: match (query.walk.is_olm(), channels) {
                (true, [only]) => Some(only.name.clone()),
                (_, _) => query.channel.clone(),
            },
            furthest: None,
            missing: None,
            reasons: Vec::new(),
            faults: Arc::clone(&self.faults),
            suggestions: Vec::new(),
        }
    }

    fn gate(&self, at: Id) -> Id {
        let found = self.gates.binary_search_by_key(&at, |(at, _)| *at);
        found.map_or(at, |place| self.gates[place].1)
    }

    fn reachable(&self, at: Id) -> Reachable {
        Reachable {
            bundle: self.question.graph.node(at).clone(),
            hops: self.question.reach.hops_to(at),
        }
    }

    /// Returns the reason why OLM does not reach the bundle: OLM upgrades directly to a later
    /// bundle, or stops before the bundle.
    fn olm_choice(&self, at: Id) -> Reason {
        let ScopedQuery {
            graph,
            start,
            reach,
            ..
        } = self.question;
        let (mut from, mut age) = (&start.installed.name, start.age);
        for to in reach.in_order() {
            if age < graph.age(at) && graph.age(at) < graph.age(*to) {
                return Reason::LeaptOver {
                    destination: graph.node(at).name.clone(),
                    from: from.clone(),
                    to: graph.node(*to).name.clone(),
                };
            }
            (from, age) = (&graph.node(*to).name, graph.age(*to));
        }
        let channel = &graph.channels_in(self.question.scope())[0].name;
        Reason::OlmStops {
            at: from.clone(),
            channel: channel.clone(),
            back_to: reach.back().map(|to| graph.node(to).name.clone()),
        }
    }

    fn suggestions(&self, at: Id, is_listed: bool, missing: Option<&Missing>) -> Vec<Suggestion> {
        let ScopedQuery {
            graph,
            query,
            start,
            ..
        } = self.question;
        let mut suggestions = Vec::new();
        let reaches = |(_, reached): &&(usize, Vec<Id>)| reached.binary_search(&at).is_ok();
        let others = self.others().iter().filter(reaches);
        let channel = |at: usize| graph.channels[at].name.clone();
        suggestions.extend(others.map(|(at, _)| Suggestion::InChannel(channel(*at))));
        if suggestions.is_empty() && query.channel.is_some() && self.union().has(at) {
            suggestions.push(Suggestion::OverAllChannels);
        }
        if query.walk.is_olm() && Reach::over(graph, start, self.question.scope()).has(at) {
            suggestions.push(Suggestion::HopByHop);
        }
        if start.version.is_none() {
            suggestions.push(Suggestion::SayVersion(start.installed.name.clone()));
        }
        if let Some(Missing { from, to }) = missing {
            let (entry, bundle): (BundleName, BundleName) = (to.clone(), from.clone());
            suggestions.push(Suggestion::Skip { entry, bundle });
        }
        if is_listed {
            suggestions.push(Suggestion::AllowUnconnected);
        }
        suggestions
    }

    /// Returns the bundles that each of the other channels reaches with the same walk. Empty if the
    /// query includes all channels.
    fn others(&self) -> &[(usize, Vec<Id>)] {
        let ScopedQuery {
            graph,
            query,
            start,
            ..
        } = self.question;
        let walk = |at| {
            if query.walk.is_olm() {
                Reach::as_olm(graph, start, at)
            } else {
                Reach::over(graph, start, Scope::One(at))
            }
        };
        let is_other = |at: &usize| match self.question.scope() {
            Scope::One(asked) => *at != asked,
            Scope::All => false,
        };
        self.others.get_or_init(|| {
            let others = (0..graph.channels.len()).filter(is_other);
            let reached = |reach: Reach<'_>| {
                let mut reached = reach.newest_first();
                reached.extend(start.node);
                reached.sort_unstable();
                reached
            };
            others.map(|at| (at, reached(walk(at)))).collect()
        })
    }

    fn union(&self) -> &Reach<'a> {
        let ScopedQuery { graph, start, .. } = self.question;
        self.union
            .get_or_init(|| Reach::over(graph, start, Scope::All))
    }
}

fn faults(question: &ScopedQuery<'_>) -> Arc<[ChannelFault]> {
    let faults = question.graph.faults_in(question.scope());
    let errors = faults.filter(|fault| fault.is_error());
    errors.take(MOST_FAULTS).cloned().collect()
}
