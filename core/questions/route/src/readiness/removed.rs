//! Finds APIs that the cluster upgrade removes, in the objects and permissions of bundles.
//!
//! An existing object in the cluster is kept when its API is removed, because the API server serves
//! the object in a newer version. But no program can install its bundle again.

use portolan_core_graph::Installed;
use portolan_core_names::BundleName;
use portolan_core_names::removed::{self, RemovedApi, RemovedApiUse, RemovedApis};

use super::judge::Case;
use super::{Leg, Minor, Question, Readiness, Reason, Stage, release};

/// The requests of an operator for an API that a release of Kubernetes removes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiRequests {
    pub api: RemovedApi,
    /// The ServiceAccount that sent the requests, as `namespace/name`.
    pub account: String,
    /// The number of requests that the API server counted. It is at least 1.
    pub count: u64,
}

/// Returns the bundles that affect these answers and that were not read yet. Each bundle has the
/// index of its operator. Empty if the cluster upgrade removes no API.
pub fn unread_bundles(question: &Question, answers: &[Readiness]) -> Vec<(usize, BundleName)> {
    let stages = &question.stages;
    let (Some(current), Some(target)) = (stages.first(), stages.last()) else {
        return Vec::new();
    };
    if removed_between(*current, *target).is_empty() {
        return Vec::new();
    }
    let operators = question.operators.iter().zip(answers).enumerate();
    let unread = operators.flat_map(|(at, (subject, answer))| {
        let installed = subject.installed.as_ref().map(|it| &it.name);
        let hops = answer.legs.iter().flat_map(|leg| &leg.hops);
        let hops = hops.chain(answer.after.iter().flatten());
        let names = installed.into_iter().chain(hops.map(|hop| &hop.name));
        let unread = names.filter(|name| !subject.contents.contains_key(*name));
        unread.map(move |name| (at, name.clone()))
    });
    unread.collect()
}

/// Returns the APIs that the upgrade from `from` to `to` removes.
pub fn removed_between(from: Stage, to: Stage) -> Vec<RemovedApi> {
    let removed = removed::all().filter(|api| is_between(api.minor, from, to));
    removed.collect()
}

/// Returns true if Kubernetes release 1.`minor` is after `from`, and not after `to`.
fn is_between(minor: u64, from: Stage, to: Stage) -> bool {
    let release = Minor::new(1, minor);
    release > from.kubernetes && release <= to.kubernetes
}

/// Returns true if the stage does not serve the API of an object.
pub(super) fn is_removed(usage: &RemovedApiUse, stage: Stage) -> bool {
    Minor::new(1, usage.api.minor) <= stage.kubernetes
}

// === impl Case ===

impl<'a> Case<'a> {
    fn content(self, bundle: &BundleName) -> Option<&'a RemovedApis> {
        self.subject.contents.get(bundle)?.as_ref().ok()
    }

    /// Returns true if no release up to this stage removes an API that the objects of the bundle
    /// use. Also returns true if the objects were not read.
    pub(super) fn serves(self, bundle: &BundleName, stage: usize) -> bool {
        self.ignores_removed || self.removed_objects(bundle, stage).is_empty()
    }

    fn removed_objects(self, bundle: &BundleName, stage: usize) -> Vec<RemovedApiUse> {
        let content = self.content(bundle);
        self.removed_until(content.map(|it| &*it.objects), stage)
    }

    fn removed_until(self, uses: Option<&[RemovedApiUse]>, stage: usize) -> Vec<RemovedApiUse> {
        let uses = uses.into_iter().flatten();
        let (from, to) = (self.stages[0], self.stages[stage]);
        let removed = uses.filter(|it| is_between(it.api.minor, from, to));
        removed.cloned().collect()
    }

    /// Returns the removed APIs that objects of a bundle use, as a reason. Returns None if the
    /// objects use no such API.
    pub(super) fn removed_reason(self, bundle: &BundleName) -> Option<Reason> {
        let uses = self.removed_objects(bundle, self.target());
        (!uses.is_empty()).then(|| Reason::RemovedObjects {
            bundle: bundle.clone(),
            uses,
        })
    }

    /// Returns the removed APIs in the permissions of the bundle that is installed when the cluster
    /// reaches the target. Returns None if the permissions name no such API.
    pub(super) fn removed_permissions(self, installed: &Installed, legs: &[Leg]) -> Option<Reason> {
        let bundle = last(installed, legs);
        let permissions = self.content(bundle).map(|it| &*it.permissions);
        let uses = self.removed_until(permissions, self.target());
        (!uses.is_empty()).then(|| Reason::RemovedPermissions {
            bundle: bundle.clone(),
            uses,
        })
    }

    /// Returns the requests of the operator for APIs that the cluster upgrade removes. Returns None
    /// if the operator sends no such requests.
    pub(super) fn requests(self) -> Option<Reason> {
        let (from, to) = (self.stages[0], self.stages[self.target()]);
        let requests = self.subject.requests.iter();
        let requests = requests.filter(|it| is_between(it.api.minor, from, to));
        let requests: Vec<_> = requests.cloned().collect();
        (!requests.is_empty()).then_some(Reason::RequestsRemovedApi(requests))
    }

    /// Returns a bundle that would help if the target served the APIs of its objects, with these
    /// APIs. Returns None if no such bundle exists.
    pub(super) fn removed_by_upgrade(self, installed: &Installed) -> Option<Reason> {
        let blind = Self {
            ignores_removed: true,
            ..self
        };
        let way = blind.way(installed, self.subject.allowed.as_ref())?;
        let mut hops = way.legs.iter().flat_map(|leg| &leg.hops);
        hops.find_map(|hop| self.removed_reason(&hop.name))
    }

    /// Returns the reason that the objects of the bundle in the target were not read, although the
    /// cluster upgrade removes an API of such objects. Returns None otherwise.
    pub(super) fn unread_objects(self, installed: &Installed, legs: &[Leg]) -> Option<Reason> {
        let release = release::removal(self.stages[0], self.stages[self.target()])?;
        let bundle = last(installed, legs);
        let why = match self.subject.contents.get(bundle) {
            Some(Ok(_)) => return None,
            Some(Err(why)) => why.clone(),
            None => String::new(),
        };
        Some(Reason::ObjectsNotRead {
            bundle: bundle.clone(),
            release,
            why,
        })
    }
}

/// Returns the bundle that is installed after the updates.
fn last<'l>(installed: &'l Installed, legs: &'l [Leg]) -> &'l BundleName {
    let hop = legs.last().and_then(|leg| leg.hops.last());
    hop.map_or(&installed.name, |hop| &hop.name)
}
