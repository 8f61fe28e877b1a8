//! Finds the reasons for a verdict.

use portolan_core_graph::Installed;

use super::judge::{Case, to_installed};
use super::position::{Position, position};
use super::walk::StagedWalk;
use super::{Leg, Limit, Reason};

// === impl Case ===

impl Case<'_> {
    pub(super) fn limit_reason(self, installed: &Installed) -> Option<Reason> {
        let mut stages = 1..self.stages.len();
        stages.find(|stage| !self.permits_stage(&installed.name, *stage))?;
        match self.limit(&installed.name)? {
            Ok(Limit::Last(last)) => Some(Reason::AboveLimit(last)),
            Ok(Limit::None) => None,
            Err(invalid) => Some(Reason::InvalidLimit(invalid)),
        }
    }

    pub(super) fn end_reason(self, end: &Position) -> Option<Reason> {
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

    /// Returns the first bundle of a path that would help if the cluster had a newer Kubernetes.
    /// Returns None if no such path exists.
    pub(super) fn kubernetes_reason(self, installed: &Installed) -> Option<Reason> {
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

    /// Returns the releases between the current release and the target in whose catalogs OLM cannot
    /// update the operator. Considers the bundle that is installed at that stage.
    pub(super) fn gone_between(self, installed: &Installed, legs: &[Leg]) -> Vec<Reason> {
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

    /// Returns the unknown facts that are required for the verdict `Ready`.
    pub(super) fn unknown(self, installed: &Installed) -> Vec<Reason> {
        let stages = 1..self.stages.len();
        let unread = stages.filter_map(|stage| match self.position_in(stage, installed) {
            Position::Unread(why) => Some(Reason::Unread { stage, why }),
            Position::Follows
            | Position::PackageGone
            | Position::ChannelGone
            | Position::Stranded => None,
        });
        let mut unknown: Vec<_> = unread.collect();
        let target = self.stages[self.target()];
        if target.openshift.is_some() && self.limit(&installed.name).is_none() {
            unknown.push(Reason::UnknownLimit);
        }
        unknown
    }

    fn position_in(self, stage: usize, installed: &Installed) -> Position {
        let offer = &self.subject.offers[stage];
        position(offer, &self.subject.channels, Some(installed))
    }
}
