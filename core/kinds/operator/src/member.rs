//! One Operator, with its plans.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use portolan_api::Refusals;
use portolan_api::operator::{Approval, Dependencies, FINALIZER, Intent, Operator, Wanted};
use serde_json::json;

use crate::hop::OperatorHop;
use crate::offer::{Choice, Offers};
use crate::question::{Asked, Goal, Installation, RenderOptions};

/// One Operator of the Fleet.
#[derive(Debug, Clone, PartialEq)]
pub struct FleetMember {
    pub name: String,
    pub uid: String,
    pub labels: BTreeMap<String, String>,
    pub created: Option<Timestamp>,
    pub generation: i64,
    pub is_terminating: bool,
    /// True if the Operator is deleted even if other operators need it.
    pub is_forced: bool,
    /// True if the Operator has the [`FINALIZER`].
    pub has_finalizer: bool,
    /// The bundle that a user has approved.
    pub approved: Option<String>,
    /// The bundles whose breaking CRD changes an annotation of the Operator accepts.
    pub accepted: BTreeSet<String>,
    pub intent: Result<Intent, Refusals>,
    /// The plans of the Operator, as hops in order.
    pub hops: Vec<OperatorHop>,
}

impl FleetMember {
    /// Creates a member from an Operator and the hops whose plans name this Operator, in any order.
    /// If the Operator names no ServiceAccount, its plans must be in the namespace `home`.
    pub fn of(operator: &Operator, mut hops: Vec<OperatorHop>, home: &str) -> Self {
        let metadata = &operator.metadata;
        // A plan in any other namespace is ignored, because users of that namespace can name any
        // Operator in its plans.
        let namespace = operator.plans_namespace().unwrap_or(home);
        hops.retain(|hop| hop.namespace == namespace);
        let is_terminating = metadata.deletion_timestamp.is_some();
        let lost = OperatorHop::lost(operator, &hops).filter(|_| !is_terminating);
        let mut hops: Vec<_> = lost.into_iter().chain(hops).collect();
        hops.sort_by_key(|hop| hop.facts.number);
        let finalizers = metadata.finalizers.as_deref().unwrap_or_default();
        Self {
            name: metadata.name.clone().unwrap_or_default(),
            uid: metadata.uid.clone().unwrap_or_default(),
            labels: metadata.labels.clone().unwrap_or_default(),
            created: metadata.creation_timestamp.as_ref().map(|time| time.0),
            generation: metadata.generation.unwrap_or_default(),
            is_terminating,
            is_forced: operator.is_deletion_forced(),
            has_finalizer: finalizers.iter().any(|it| it == FINALIZER),
            approved: operator.approved().map(str::to_owned),
            accepted: operator.accepted(),
            intent: Intent::parse(operator),
            hops,
        }
    }

    /// Returns the sort key by age. The smallest key is the oldest.
    pub(crate) fn age(&self) -> (Option<Timestamp>, &str) {
        (self.created, &self.uid)
    }

    /// Returns the newest hop that has begun.
    pub fn current(&self) -> Option<&OperatorHop> {
        self.hops.iter().rev().find(|hop| !hop.is_held())
    }

    /// Returns the newest hop that has begun and whose plan exists.
    pub(crate) fn predecessor(&self) -> Option<&OperatorHop> {
        let mut hops = self.hops.iter().rev();
        hops.find(|hop| !hop.is_held() && !hop.is_lost())
    }

    /// Returns the installed hop whose plan no longer exists. This hop is restored before other
    /// hops begin.
    pub(crate) fn lost(&self) -> Option<&OperatorHop> {
        self.current().filter(|hop| hop.is_lost())
    }

    /// Returns the suspended hop after the current one.
    pub fn next(&self) -> Option<&OperatorHop> {
        self.hops.last().filter(|hop| hop.is_held())
    }

    /// Returns the newest hop whose objects were all applied.
    pub fn installed(&self) -> Option<&OperatorHop> {
        self.hops.iter().rev().find(|hop| hop.is_applied())
    }

    /// Returns the hops whose objects may exist in the cluster: the newest hop that has begun, and
    /// the newest earlier hop that was applied.
    pub(crate) fn there(&self) -> impl Iterator<Item = &OperatorHop> {
        let [current, installed] = [self.current(), self.installed()];
        let installed = installed.filter(|it| current.is_none_or(|hop| hop.uid != it.uid));
        current.into_iter().chain(installed)
    }

    /// Returns the number of the next hop.
    pub(crate) fn next_number(&self) -> u32 {
        self.hops.last().map_or(1, |hop| hop.facts.number + 1)
    }

    pub fn package(&self) -> Option<&str> {
        let intent = self.intent.as_ref().ok();
        let wanted = intent.map(|intent| intent.package.as_str());
        let has = || {
            self.current()
                .map(|hop| hop.facts.installs.package.as_str())
        };
        wanted.or_else(has)
    }

    /// Returns true if a user has approved a bundle, or if no approval is needed.
    pub(crate) fn is_allowed(&self, bundle: &str) -> bool {
        match self.intent.as_ref().map(|intent| intent.approval) {
            Ok(Approval::Automatic) => true,
            Ok(Approval::Manual) => self.approved.as_deref() == Some(bundle),
            Err(_) => false,
        }
    }

    /// Returns the time when the settle time of the installed version ends. Returns None while the
    /// version is not ready.
    pub(crate) fn settled_at(&self) -> Option<Timestamp> {
        let since = self.current()?.ready_since()?;
        let seconds = self
            .intent
            .as_ref()
            .map_or(0, |intent| intent.settle_seconds);
        since
            .checked_add(jiff::SignedDuration::from_secs(seconds.into()))
            .ok()
    }

    /// Returns true if no hop is in progress and the settle time is over.
    pub(crate) fn is_settled(&self, now: Timestamp) -> bool {
        self.current().is_none() || self.settled_at().is_some_and(|at| at <= now)
    }

    /// Returns the goal of the Operator.
    fn wish(&self) -> Option<Goal> {
        let is_installed = self.current().is_some();
        let intent = match &self.intent {
            Ok(intent) if !self.is_terminating && self.lost().is_none() => intent,
            Ok(_) | Err(_) => return is_installed.then_some(Goal::Stay),
        };
        Some(match &intent.version {
            Wanted::Range(range) => Goal::Range(range.as_str().to_owned()),
            Wanted::Once if self.installed().is_some() => Goal::Stay,
            Wanted::Once => Goal::Any,
        })
    }

    /// Returns the channels whose upgrade edges the Operator may use.
    pub fn channels(&self) -> BTreeSet<String> {
        let intent = self.intent.as_ref().ok();
        intent.map(Intent::channel_names).unwrap_or_default()
    }

    pub(crate) fn asked(&self, offers: &Offers, installed: Option<&Installation>) -> Option<Asked> {
        let package = self.package()?.to_owned();
        let wish = self.wish()?;
        let intent = self.intent.as_ref().ok();
        let Choice::Catalog(catalog) = Choice::of(offers, &package, intent) else {
            return None;
        };
        let overrides = intent.map(|intent| intent.overrides).unwrap_or_default();
        Some(Asked {
            package,
            catalog,
            channels: self.channels(),
            installed: installed.cloned(),
            wish,
            ignore_dependencies: intent
                .is_some_and(|intent| intent.dependencies == Dependencies::Ignore),
            direct_upgrades: overrides.direct_upgrades,
            downgrades: overrides.downgrades,
            ignore_conflicts: overrides.ignore_conflicts,
        })
    }

    /// Returns true if the controller abandons the current hop. This happens if the hop is not
    /// ready and the Operator now requests another version or other install options. Other changes
    /// of the Operator do not abandon a hop.
    pub(crate) fn is_overruled(&self) -> bool {
        let is_unready = |hop: &&OperatorHop| hop.ready_since().is_none() && !hop.is_lost();
        let unready = self.current().filter(is_unready);
        unready.is_some_and(|hop| match (&hop.facts.wish, &self.intent) {
            (Some(wish), Ok(intent)) => {
                *wish != Self::wished(intent)
                    || hop.facts.options != RenderOptions::of(intent).text()
            }
            (None, _) | (_, Err(_)) => hop.facts.generation != self.generation,
        })
    }

    /// Returns all fields that determine the requested versions, as one text.
    pub(crate) fn wished(intent: &Intent) -> String {
        let version = match &intent.version {
            Wanted::Once => None,
            Wanted::Range(range) => Some(range.as_str()),
        };
        json!([version, intent.channel_names(), intent.catalog_selector]).to_string()
    }
}
