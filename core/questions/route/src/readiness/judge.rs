//! The verdict about each operator.

use std::collections::BTreeSet;

use portolan_core_catalog::Bundle;
use portolan_core_graph::{Destination, Installed, Node, PathAnswer, Query, heads};
use portolan_core_names::{BundleName, ChannelName, VersionRange};

use super::position::{Position, followed, position};
use super::walk::StagedWalk;
use super::{
    InvalidLimit, Leg, Limit, Question, Readiness, ReadinessVerdict, Reason, Stage, Subject,
    neighbors, release,
};

/// Judges each operator of a question, in the order of the question.
///
/// # Panics
/// Panics if the question has fewer than two stages, or if an operator has not one offer for each
/// stage.
pub fn judge(question: &Question) -> Vec<Readiness> {
    let stages = &question.stages;
    assert!(stages.len() > 1, "a question must have a target");
    let judged = question.operators.iter().map(|subject| {
        let offers = subject.offers.len();
        assert_eq!(offers, stages.len(), "each stage must have an offer");
        let case = Case { stages, subject };
        case.judge()
    });
    let mut all: Vec<_> = judged.collect();
    neighbors::link(&question.operators, &mut all);
    all
}

/// One operator, and the stages of its cluster.
#[derive(Debug, Clone, Copy)]
struct Case<'a> {
    stages: &'a [Stage],
    subject: &'a Subject,
}

/// A way that keeps the operator up to date, and the channel that it needs.
struct Way {
    verdict: ReadinessVerdict,
    legs: Vec<Leg>,
    channel: Option<ChannelName>,
}

// === impl Case ===

impl Case<'_> {
    fn judge(self) -> Readiness {
        let Some(installed) = &self.subject.installed else {
            return self.without_bundle();
        };
        let installed = &self.versioned(installed);
        let blocks = self.first_unsupported(installed);
        let mut readiness = match (self.subject.is_followed, blocks) {
            (true, _) => self.followed(installed, blocks),
            (false, Some(_)) => Readiness::of(ReadinessVerdict::Blocked),
            (false, None) => Readiness::of(ReadinessVerdict::NotChecked),
        };
        if !self.subject.is_followed {
            readiness.reasons.extend(self.limit_reason(installed));
            readiness.reasons.push(Reason::NotFollowed);
        }
        readiness.blocks = blocks;
        readiness
    }

    fn target(self) -> usize {
        self.stages.len() - 1
    }

    /// Returns the bundle with its version from a catalog, if only a catalog states it. Skip ranges
    /// of other catalogs need the version.
    fn versioned(self, installed: &Installed) -> Installed {
        let known = self
            .offered(&installed.name)
            .map(|bundle| bundle.version.clone());
        Installed {
            name: installed.name.clone(),
            version: installed.version.clone().or(known),
        }
    }

    /// Returns a bundle as the first catalog that contains it describes it.
    fn offered(&self, name: &BundleName) -> Option<&Bundle> {
        let offers = self.subject.offers.iter();
        let mut packages = offers.filter_map(|offer| offer.package.as_ref());
        packages.find_map(|charted| charted.package().bundles.get(name).map(|bundle| &**bundle))
    }

    /// Judges an operator without a bundle: its object can hold up its neighbors.
    fn without_bundle(self) -> Readiness {
        let subject = self.subject;
        let end = if subject.is_followed {
            position(&subject.offers[self.target()], &subject.channels, None)
        } else {
            Position::Follows
        };
        let verdict = match end {
            Position::PackageGone => ReadinessVerdict::PackageGone,
            Position::ChannelGone | Position::Stranded => ReadinessVerdict::Stranded,
            Position::Follows | Position::Unread(_) => ReadinessVerdict::NotChecked,
        };
        let mut readiness = Readiness::of(verdict);
        readiness.reasons.push(Reason::NothingInstalled);
        readiness.reasons.extend(self.end_reason(&end));
        readiness
    }

    fn followed(self, installed: &Installed, blocks: Option<usize>) -> Readiness {
        let offer = &self.subject.offers[self.target()];
        let end = position(offer, &self.subject.channels, Some(installed));
        let unknown = self.unknown(installed);
        let mut readiness = match (&end, blocks) {
            (Position::Follows, None) if unknown.is_empty() => {
                Readiness::of(ReadinessVerdict::Ready)
            }
            (Position::Follows, None) | (Position::Unread(_), _) => {
                Readiness::of(ReadinessVerdict::NotChecked)
            }
            (
                Position::Follows
                | Position::PackageGone
                | Position::ChannelGone
                | Position::Stranded,
                _,
            ) => self.improved(installed, &end),
        };
        let mut reasons: Vec<_> = self.limit_reason(installed).into_iter().collect();
        reasons.extend(self.end_reason(&end));
        reasons.append(&mut readiness.reasons);
        reasons.extend(self.gone_between(installed, &readiness.legs));
        let known: Vec<_> = unknown
            .into_iter()
            .filter(|it| !reasons.contains(it))
            .collect();
        reasons.extend(known);
        readiness.reasons = reasons;
        readiness.after = self.after(installed, &readiness);
        readiness
    }

    /// Returns the best way for an operator that must change.
    fn improved(self, installed: &Installed, end: &Position) -> Readiness {
        let allowed = self.subject.allowed.as_ref();
        let strict = self.way(installed, allowed);
        let way = strict.map(|way| (way, None)).or_else(|| {
            let range = allowed?;
            Some((self.way(installed, None)?, Some(range.clone())))
        });
        if let Some((way, excluding)) = way {
            let mut readiness = Readiness::of(way.verdict);
            readiness.legs = way.legs;
            readiness.channel = way.channel;
            readiness.reasons.extend(excluding.map(Reason::NotAllowed));
            return readiness;
        }
        let is_unsupported = self.first_unsupported(installed).is_some();
        let legs = is_unsupported
            .then(|| self.supported_way(installed))
            .flatten();
        let mut readiness = Readiness::of(match end {
            _ if is_unsupported && legs.is_none() => ReadinessVerdict::Blocked,
            Position::PackageGone => ReadinessVerdict::PackageGone,
            Position::Follows
            | Position::ChannelGone
            | Position::Stranded
            | Position::Unread(_) => ReadinessVerdict::Stranded,
        });
        readiness.legs = legs.unwrap_or_default();
        readiness.reasons.extend(self.kubernetes_reason(installed));
        if let Some(why) = &self.subject.offers[0].gap {
            readiness.reasons.push(Reason::Unread {
                stage: 0,
                why: why.clone(),
            });
        }
        readiness
    }

    /// Returns the first of these ways that exists: in the same channel before the upgrade, in the
    /// same channel in between, in another channel before, in a new channel afterwards.
    fn way(self, installed: &Installed, allowed: Option<&VersionRange>) -> Option<Way> {
        let subject = self.subject;
        let same = &subject.channels;
        let kept = |verdict| {
            move |legs| Way {
                verdict,
                legs,
                channel: None,
            }
        };
        let before = self
            .walk(same, allowed)
            .shortest_to(self, installed, (0, same));
        let between = || {
            let last = self.target() - 1;
            self.walk(same, allowed)
                .shortest_to(self, installed, (last, same))
        };
        before
            .map(kept(ReadinessVerdict::UpdateFirst))
            .or_else(|| between().map(kept(ReadinessVerdict::UpdateBetween)))
            .or_else(|| self.switched(installed, allowed))
    }

    /// Returns the way through another channel. None if the operator uses all channels.
    fn switched(self, installed: &Installed, allowed: Option<&VersionRange>) -> Option<Way> {
        let subject = self.subject;
        let new = subject.offers[self.target()].package.as_ref()?;
        let new = new.package().channels.keys();
        let others: Vec<_> = new
            .filter(|name| !subject.channels.contains(*name))
            .collect();
        if subject.channels.is_empty() {
            return None;
        }
        let old = subject.offers[0].package.as_ref();
        let is_old =
            |name: &ChannelName| old.is_some_and(|old| old.package().channels.contains_key(name));
        let way = |name: &ChannelName, is_first: bool| {
            let then = BTreeSet::from([name.clone()]);
            let (verdict, now) = if is_first {
                (ReadinessVerdict::SwitchChannelFirst, &then)
            } else {
                (ReadinessVerdict::SwitchChannelAfter, &subject.channels)
            };
            let legs = self
                .walk(now, allowed)
                .shortest_to(self, installed, (0, &then))?;
            Some(Way {
                verdict,
                legs,
                channel: Some(name.clone()),
            })
        };
        let first = others.iter().filter(|name| is_old(name));
        let after = others.iter().filter(|name| !is_old(name));
        let first = first.map(|name| way(name, true));
        let mut ways = first.chain(after.map(|name| way(name, false)));
        ways.find_map(|way| way)
    }

    /// Returns the shortest way to a bundle that only does not block the upgrade.
    fn supported_way(self, installed: &Installed) -> Option<Vec<Leg>> {
        let subject = self.subject;
        let walk = self.walk(&subject.channels, subject.allowed.as_ref());
        let last = self.target() - 1;
        let may_enter = |stage: usize, bundle: &Installed| self.supports(bundle, stage);
        let is_goal = |stage: usize, bundle: &Installed| self.supports_after(bundle, stage);
        walk.shortest(installed, 0..=last, &may_enter, &is_goal)
    }

    /// Returns the updates after the upgrade, to the head of the channel.
    fn after(self, installed: &Installed, readiness: &Readiness) -> Option<Vec<Node>> {
        match readiness.verdict {
            ReadinessVerdict::Ready
            | ReadinessVerdict::UpdateFirst
            | ReadinessVerdict::UpdateBetween
            | ReadinessVerdict::SwitchChannelFirst
            | ReadinessVerdict::SwitchChannelAfter => {}
            ReadinessVerdict::Stranded
            | ReadinessVerdict::PackageGone
            | ReadinessVerdict::Blocked
            | ReadinessVerdict::NotChecked => {
                return None;
            }
        }
        let target = self.target();
        let charted = self.subject.offers[target].package.as_ref()?;
        let then = readiness
            .channel
            .clone()
            .map(|channel| BTreeSet::from([channel]));
        let channels = then.as_ref().unwrap_or(&self.subject.channels);
        let channels = followed(charted, channels);
        let package = charted.package();
        let aim = match (channels.first(), channels.len()) {
            (Some(only), 1) => only,
            (_, _) => channels.get(package.default_channel.as_ref()?)?,
        };
        let mut heads = heads(&package.channels[aim]);
        let (head, None) = (heads.next()?, heads.next()) else {
            return None;
        };
        let start = readiness.last();
        let start = start.map_or_else(|| installed.clone(), to_installed);
        if start.name == *head {
            return Some(Vec::new());
        }
        let walk = self.walk(&channels, self.subject.allowed.as_ref());
        let query = Query {
            channel: Some(aim.clone()),
            ..Query::new(start.clone(), Destination::Bundle(head.clone()))
        };
        // The graph finds a path faster, but does not know Kubernetes and the allowed versions.
        if channels.len() == 1
            && let Ok(PathAnswer::Reached(path)) = charted.graph().find_path(&query)
            && path.hops.iter().all(|hop| walk.permits(target, &hop.to))
        {
            return Some(path.hops.into_iter().map(|hop| hop.to).collect());
        }
        let is_head = |_: usize, bundle: &Installed| bundle.name == *head;
        let legs = walk.shortest(&start, target..=target, &|_, _| false, &is_head)?;
        Some(legs.into_iter().flat_map(|leg| leg.hops).collect())
    }

    fn walk<'w>(
        self,
        channels: &'w BTreeSet<ChannelName>,
        allowed: Option<&'w VersionRange>,
    ) -> StagedWalk<'w>
    where
        Self: 'w,
    {
        StagedWalk {
            stages: self.stages,
            offers: &self.subject.offers,
            channels,
            allowed,
            ignores_kubernetes: false,
        }
    }
}

// === impl StagedWalk ===

impl StagedWalk<'_> {
    /// Returns the shortest way to a bundle that needs nothing more: it supports all later stages,
    /// and OLM can update from it in the target. `last` is the last stage with hops, and `then` are
    /// the channels in the target.
    fn shortest_to(
        &self,
        case: Case<'_>,
        installed: &Installed,
        (last, then): (usize, &BTreeSet<ChannelName>),
    ) -> Option<Vec<Leg>> {
        let end = &case.subject.offers[case.target()];
        let may_enter = |stage: usize, bundle: &Installed| case.supports(bundle, stage);
        let is_goal = |stage: usize, bundle: &Installed| {
            case.supports_after(bundle, stage)
                && position(end, then, Some(bundle)) == Position::Follows
        };
        self.shortest(installed, 0..=last, &may_enter, &is_goal)
    }
}

// === impl Case ===

impl Case<'_> {
    /// Returns the limit of a bundle. None if no catalog contains the bundle.
    fn limit(self, bundle: &BundleName) -> Option<Result<Limit, InvalidLimit>> {
        let installed = self.subject.installed.as_ref();
        if let Some(limit) = &self.subject.limit
            && installed.is_some_and(|installed| installed.name == *bundle)
        {
            return Some(limit.clone());
        }
        let found = self.offered(bundle)?;
        Some(Limit::parse(found.max_openshift_version.as_deref()))
    }

    /// Returns true unless the bundle keeps the cluster from going on to this stage. An unknown
    /// limit counts as none here, and prevents the verdict `Ready`.
    fn supports(self, bundle: &Installed, stage: usize) -> bool {
        let Some(release) = self.stages[stage].openshift else {
            return true;
        };
        match self.limit(&bundle.name) {
            None => true,
            Some(Ok(limit)) => limit.permits(release),
            Some(Err(_)) => false,
        }
    }

    fn supports_after(self, bundle: &Installed, stage: usize) -> bool {
        (stage + 1..self.stages.len()).all(|later| self.supports(bundle, later))
    }

    fn first_unsupported(self, installed: &Installed) -> Option<usize> {
        (1..self.stages.len()).find(|stage| !self.supports(installed, *stage))
    }
}

// === impl Case ===

impl Case<'_> {
    fn limit_reason(self, installed: &Installed) -> Option<Reason> {
        self.first_unsupported(installed)?;
        match self.limit(&installed.name)? {
            Ok(Limit::Last(last)) => Some(Reason::AboveLimit(last)),
            Ok(Limit::None) => None,
            Err(invalid) => Some(Reason::InvalidLimit(invalid)),
        }
    }

    fn end_reason(self, end: &Position) -> Option<Reason> {
        match end {
            Position::Follows => None,
            Position::PackageGone => Some(Reason::PackageGone),
            Position::ChannelGone => Some(Reason::ChannelGone),
            Position::Stranded => Some(Reason::Stranded),
            Position::Unread(why) => Some(Reason::Unread {
                stage: self.target(),
                why: why.clone(),
            }),
        }
    }

    /// Returns the bundle that would help, but needs a newer Kubernetes.
    fn kubernetes_reason(self, installed: &Installed) -> Option<Reason> {
        let same = &self.subject.channels;
        let walk = StagedWalk {
            ignores_kubernetes: true,
            ..self.walk(same, None)
        };
        let legs = walk.shortest_to(self, installed, (self.target() - 1, same))?;
        let mut hops = legs
            .iter()
            .flat_map(|leg| leg.hops.iter().map(|hop| (leg.stage, hop)));
        hops.find_map(|(stage, hop)| {
            Some(Reason::NeedsNewerKubernetes {
                bundle: hop.name.clone(),
                minimum: walk.missing_kubernetes(stage, hop)?,
            })
        })
    }

    /// Returns the releases in between whose catalogs do not continue the bundle that is installed
    /// at that time.
    fn gone_between(self, installed: &Installed, legs: &[Leg]) -> Vec<Reason> {
        let bundle = |stage: usize| {
            let legs = legs.iter().take_while(|leg| leg.stage <= stage);
            let hop = legs.last().and_then(|leg| leg.hops.last());
            hop.map_or_else(|| installed.clone(), to_installed)
        };
        let stages = 1..self.target();
        let gone = stages.filter(|stage| match self.position_in(*stage, &bundle(*stage)) {
            Position::PackageGone | Position::ChannelGone | Position::Stranded => true,
            Position::Follows | Position::Unread(_) => false,
        });
        gone.map(|stage| Reason::GoneBetween { stage }).collect()
    }

    /// Returns the facts that are unknown, although the verdict `Ready` depends on them.
    fn unknown(self, installed: &Installed) -> Vec<Reason> {
        let stages = 1..self.stages.len();
        let unread = stages.filter_map(|stage| match self.position_in(stage, installed) {
            Position::Unread(why) => Some(Reason::Unread { stage, why }),
            Position::Follows
            | Position::PackageGone
            | Position::ChannelGone
            | Position::Stranded => None,
        });
        let mut unknown: Vec<_> = unread.collect();
        let (current, target) = (self.stages[0], self.stages[self.target()]);
        if target.openshift.is_some() && self.limit(&installed.name).is_none() {
            unknown.push(Reason::UnknownLimit);
        }
        unknown.extend(release::removal(current, target).map(Reason::ObjectsNotRead));
        unknown
    }

    fn position_in(self, stage: usize, installed: &Installed) -> Position {
        let offer = &self.subject.offers[stage];
        position(offer, &self.subject.channels, Some(installed))
    }
}

/// Returns a bundle of a catalog as an installed bundle.
pub(super) fn to_installed(node: &Node) -> Installed {
    Installed {
        name: node.name.clone(),
        version: node.version.clone(),
    }
}
