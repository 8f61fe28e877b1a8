//! Finds the objects that belong to the operator of a policy.

use std::collections::BTreeSet;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_core_olm::{
    COMPONENT, ClusterServiceVersion, InstallPlan, Subscription, whole_component,
};

use super::case::RemovalCase;
use super::stage::Stage;

/// The objects that belong to the operator of a policy.
#[derive(Debug, Clone)]
pub(super) struct OperatorObjects<'a> {
    pub(super) subscription: Option<&'a Subscription>,
    /// The ClusterServiceVersions of the operator, installed or not.
    pub(super) csvs: Vec<&'a ClusterServiceVersion>,
    /// The names of the CRDs that the bundles of the operator own.
    pub(super) crds: BTreeSet<&'a str>,
    /// True if the policy installed the operator, which means that it created the Subscription.
    pub(super) is_made: bool,
    /// True if a new Subscription with the same name has replaced the recorded Subscription.
    pub(super) is_succeeded: bool,
}

impl<'a> OperatorObjects<'a> {
    pub(super) fn of(removal: &RemovalCase<'a>) -> Self {
        let mut subscriptions = removal.subscriptions().iter();
        let is_named =
            |each: &&Subscription| each.metadata.name.as_deref() == Some(removal.package());
        let subscription = subscriptions.find_map(|each| Some(&**each).filter(is_named));
        let csvs = removal.csvs().iter().map(|csv| &**csv);
        let csvs: Vec<_> = csvs
            .filter(|csv| !csv.is_copied() && is_own(removal, subscription, csv))
            .collect();
        let crds = csvs.iter().copied().flat_map(owned).collect();
        Self {
            is_made: is_made(removal, subscription),
            is_succeeded: is_succeeded(removal, subscription),
            subscription,
            csvs,
            crds,
        }
    }

    /// Returns true if the object is the Subscription or a ClusterServiceVersion of the operator.
    pub(super) fn has(&self, metadata: &ObjectMeta) -> bool {
        let csvs = self.csvs.iter().map(|csv| &csv.metadata);
        let mut all = self.subscription.iter().map(|it| &it.metadata).chain(csvs);
        all.any(|own| own.uid == metadata.uid)
    }

    /// Returns true if the InstallPlan belongs only to this operator.
    ///
    /// OLM makes all Subscriptions of a namespace owners of an InstallPlan, even if the InstallPlan
    /// installs nothing for them. If an InstallPlan has no owners, its labels decide.
    pub(super) fn has_plan(&self, removal: &RemovalCase<'_>, plan: &InstallPlan) -> bool {
        if self.other_owner(removal, plan).is_some() {
            return false;
        }
        owners(plan).any(|uid| self.is_subscription(removal, uid))
            || self.brings_nothing_else(plan)
            || is_labeled_alone(removal, &plan.metadata)
    }

    /// Returns the first Subscription of another operator that owns an InstallPlan. Returns None if
    /// there is no such Subscription.
    pub(super) fn other_owner(
        &self,
        removal: &RemovalCase<'a>,
        plan: &InstallPlan,
    ) -> Option<&'a str> {
        let there = removal.subscriptions().iter();
        let others = there.filter(|each| {
            let uid = each.metadata.uid.as_deref().unwrap_or_default();
            !self.is_subscription(removal, uid) && owners(plan).any(|owner| owner == uid)
        });
        others
            .filter_map(|each| each.metadata.name.as_deref())
            .min()
    }

    fn is_subscription(&self, removal: &RemovalCase<'_>, uid: &str) -> bool {
        let own = self
            .subscription
            .and_then(|own| own.metadata.uid.as_deref());
        let mut recorded = removal.recorded(Stage::Subscriptions);
        own == Some(uid) || recorded.any(|object| object.uid.as_deref() == Some(uid))
    }

    fn brings_nothing_else(&self, plan: &InstallPlan) -> bool {
        let mut csvs = plan.spec.csvs.iter();
        !plan.spec.csvs.is_empty() && csvs.all(|name| self.is_bundle(name))
    }

    /// Returns true if the ClusterServiceVersion with this name belongs to this operator, installed
    /// or pending.
    pub(super) fn is_bundle(&self, name: &str) -> bool {
        let status = self.subscription.map(|own| &own.status);
        let named = status.map(|status| [&status.installed_csv, &status.current_csv]);
        let mut named = named.into_iter().flatten();
        let mut csvs = self.csvs.iter();
        named.any(|each| each == name) || csvs.any(|csv| csv.metadata.name.as_deref() == Some(name))
    }
}

/// Returns the uids of the Subscriptions that own an InstallPlan.
fn owners(plan: &InstallPlan) -> impl Iterator<Item = &str> {
    let owners = plan.metadata.owner_references.iter().flatten();
    let owners = owners.filter(|owner| owner.kind == "Subscription");
    owners.map(|owner| owner.uid.as_str())
}

/// Returns true if the object has OLM's label of this operator. OLM truncates long labels, so a
/// label that may be truncated does not count.
pub(super) fn is_labeled(removal: &RemovalCase<'_>, metadata: &ObjectMeta) -> bool {
    let name = whole_component(removal.package(), &removal.namespace.name);
    let mut names = COMPONENT.suffixes(metadata);
    name.is_some_and(|name| names.any(|rest| rest == name))
}

/// Returns true if the object has OLM's label of this operator, and no such label of another
/// operator.
fn is_labeled_alone(removal: &RemovalCase<'_>, metadata: &ObjectMeta) -> bool {
    is_labeled(removal, metadata) && COMPONENT.suffixes(metadata).count() == 1
}

/// Returns the names of the CRDs that a bundle owns.
pub(super) fn owned(csv: &ClusterServiceVersion) -> impl Iterator<Item = &str> {
    let owned = csv.spec.custom_resources.owned.iter();
    owned.map(|resource| resource.name.as_str())
}

/// Returns true if the ClusterServiceVersion belongs to this operator. Its package decides. If its
/// package is unknown, the Subscription must name it.
fn is_own(
    removal: &RemovalCase<'_>,
    subscription: Option<&Subscription>,
    csv: &ClusterServiceVersion,
) -> bool {
    if removal.is_recorded(Stage::Csvs, &csv.metadata) {
        return true;
    }
    match csv.package() {
        Some(package) => package == removal.package(),
        None => subscription
            .zip(csv.metadata.name.as_ref())
            .is_some_and(|(subscription, name)| {
                let status = &subscription.status;
                [&status.installed_csv, &status.current_csv].contains(&name)
            }),
    }
}

/// Returns true if the policy installed the operator, which means that it created the Subscription.
/// If the Subscription is deleted, the status contains this information. It makes no difference how
/// the policy configures the removal of Subscriptions.
fn is_made(removal: &RemovalCase<'_>, subscription: Option<&Subscription>) -> bool {
    let stage = Stage::Subscriptions;
    if removal.recorded(stage).next().is_some() {
        return removal.recorded_as_created(stage).is_some();
    }
    match subscription {
        Some(subscription) => removal.made(stage, &subscription.metadata),
        None => removal.listed_as_created(stage).any(|listed| {
            let metadata = &listed.object.metadata;
            metadata.name == removal.package()
                && metadata.namespace.as_deref() == Some(removal.namespace.name.as_str())
        }),
    }
}

fn is_succeeded(removal: &RemovalCase<'_>, subscription: Option<&Subscription>) -> bool {
    let stage = Stage::Subscriptions;
    let is_new = subscription.is_some_and(|new| !removal.is_recorded(stage, &new.metadata));
    is_new && removal.recorded(stage).next().is_some()
}
