//! Judges the readiness of each operator.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::Bundle;
use portolan_core_graph::{Charted, Destination, Installed, Node, PathAnswer, Query, heads};
use portolan_core_names::{BundleName, ChannelName, VersionRange};

use super::position::{Position, followed, position};
use super::walk::StagedWalk;
use super::{Leg, Question, Readiness, ReadinessVerdict, Reason, Stage, Subject, neighbors};

/// Judges each operator of a question, in the order of the question.
///
/// # Panics
/// Panics if the question has fewer than two stages, or if the number of an operator's offers
/// differs from the number of stages.
pub fn judge(question: &Question) -> Vec<Readiness> {
    let stages = &question.stages;
    assert!(stages.len() > 1, "a question must have a target");
    let judged = question.operators.iter().map(|subject| {
        let offers = subject.offers.len();
        assert_eq!(offers, stages.len(), "each stage must have an offer");
        Case::of(stages, subject).judge()
    });
    let mut all: Vec<_> = judged.collect();
    neighbors::link(&question.operators, &mut all);
    all
}

/// One operator, with the stages of its cluster.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) stages: &'a [Stage],
    pub(super) subject: &'a Subject,
    /// True to permit bundles that use an API that the upgrade removes.
    pub(super) ignores_removed: bool,
}

/// The updates that keep an operator up to date after the upgrade, with the channel that it must
/// follow.
pub(super) struct Way {
    verdict: ReadinessVerdict,
    pub(super) legs: Vec<Leg>,
    channel: Option<ChannelName>,
}

// === impl Case ===

impl<'a> Case<'a> {
    pub(super) fn of(stages: &'a [Stage], subject: &'a Subject) -> Self {
        Self {
            stages,
            subject,
            ignores_removed: false,
        }
    }
}

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
            readiness
                .reasons
                .extend(self.removed_reason(&installed.name));
            readiness.reasons.extend(self.requests());
            readiness.reasons.push(Reason::NotFollowed);
        }
        readiness.blocks = blocks;
        readiness
    }

    pub(super) fn target(self) -> usize {
        self.stages.len() - 1
    }

    /// Returns the installed bundle. If its version is unknown, uses the version from a catalog,
    /// because skip ranges of other catalogs need the version.
    fn versioned(self, installed: &Installed) -> Installed {
        let known = self
            .offered(&installed.name)
            .map(|bundle| bundle.version.clone());
        Installed {
            name: installed.name.clone(),
            version: installed.version.clone().or(known),
        }
    }

    /// Returns a bundle from the first stage whose catalogs contain it.
    pub(super) fn offered(&self, name: &BundleName) -> Option<&Bundle> {
        let offers = self.subject.offers.iter();
        let mut packages = offers.filter_map(|offer| offer.package.as_ref());
        packages.find_map(|charted| charted.package().bundles.get(name).map(|bundle| &**bundle))
    }

    /// Judges an operator without an installed bundle. Its Subscription may prevent OLM from
    /// updating other operators of the namespace.
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
        let mut unknown = self.unknown(installed);
        let is_unread = self.unread_objects(installed, &[]).is_some();
        let mut readiness = match (&end, blocks) {
            (Position::Follows, None) if unknown.is_empty() && !is_unread => {
                self.continued(installed)
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
        reasons.extend(self.removed_reason(&installed.name));
        reasons.extend(self.end_reason(&end));
        reasons.append(&mut readiness.reasons);
        reasons.extend(self.gone_between(installed, &readiness.legs));
        unknown.extend(self.unread_objects(installed, &readiness.legs));
        unknown.retain(|it| !reasons.contains(it));
        reasons.append(&mut unknown);
        reasons.extend(self.removed_permissions(installed, &readiness.legs));
        reasons.extend(self.restrained(&readiness.legs));
        reasons.extend(self.requests());
        readiness.reasons = reasons;
        readiness.after = self.after(installed, &readiness);
        readiness
    }

    /// Judges an operator that OLM can update in the target. The verdict depends on whether the
    /// target catalog still contains the installed bundle.
    fn continued(self, installed: &Installed) -> Readiness {
        let offer = &self.subject.offers[self.target()];
        let package = offer.package.as_ref().filter(|_| offer.gap.is_none());
        let lacks = |charted: &Arc<Charted>| {
            let bundles = &charted.package().bundles;
            !bundles.contains_key(&installed.name)
        };
        if !package.is_some_and(lacks) {
            return Readiness::of(ReadinessVerdict::Ready);
        }
        let mut readiness = Readiness::of(ReadinessVerdict::NotReinstallable);
        readiness.reasons.push(Reason::NotReinstallable);
        readiness
    }

    /// Judges an operator that needs a change. The readiness contains the best updates that help.
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
        readiness.reasons.extend(self.removed_by_upgrade(installed));
        if let Some(why) = &self.subject.offers[0].gap {
            readiness.reasons.push(Reason::Unread {
                stage: 0,
                why: why.clone(),
            });
        }
        readiness
    }

    /// Returns the first possibility that keeps the operator up to date, in this order: updates in
    /// the same channel before the upgrade, updates in the same channel between the releases,
    /// another channel before the upgrade, a new channel after the upgrade. Returns None if no
    /// possibility exists.
    pub(super) fn way(self, installed: &Installed, allowed: Option<&VersionRange>) -> Option<Way> {
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

    /// Returns the updates through another channel. Returns None if no channel helps, or if the
    /// operator already follows all channels.
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

    /// Returns the fewest updates to a bundle that does not block the upgrade. The operator may get
    /// no updates after the upgrade.
    fn supported_way(self, installed: &Installed) -> Option<Vec<Leg>> {
        let subject = self.subject;
        let walk = self.walk(&subject.channels, subject.allowed.as_ref());
        let last = self.target() - 1;
        let may_enter = |stage: usize, bundle: &Installed| self.supports(bundle, stage);
        let is_goal = |stage: usize, bundle: &Installed| self.supports_after(bundle, stage);
        walk.shortest(installed, 0..=last, &may_enter, &is_goal)
    }

    /// Returns the updates after the upgrade, up to the head of the channel. Returns None if no
    /// path leads to a single head.
    fn after(self, installed: &Installed, readiness: &Readiness) -> Option<Vec<Node>> {
        match readiness.verdict {
            ReadinessVerdict::Ready
            | ReadinessVerdict::UpdateFirst
            | ReadinessVerdict::UpdateBetween
            | ReadinessVerdict::SwitchChannelFirst
            | ReadinessVerdict::SwitchChannelAfter
            | ReadinessVerdict::NotReinstallable => {}
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
        // The graph finds a path faster, but ignores the required Kubernetes version and the
        // allowed versions. Therefore its path is used only if all hops are permitted.
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

    pub(super) fn walk<'w>(
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
            contents: (!self.ignores_removed).then_some(&self.subject.contents),
            ignores_kubernetes: false,
        }
    }
}

// === impl StagedWalk ===

impl StagedWalk<'_> {
    /// Returns the fewest updates to a bundle that supports all later stages, and from which OLM
    /// can update in the target. `last` is the last stage in which updates are permitted. `then`
    /// contains the channels that the operator follows in the target.
    pub(super) fn shortest_to(
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

/// Converts a bundle of a catalog to an installed bundle.
pub(super) fn to_installed(node: &Node) -> Installed {
    Installed {
        name: node.name.clone(),
        version: node.version.clone(),
    }
}
