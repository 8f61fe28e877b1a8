//! The data of an operator that all its Installed objects show.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Key;
use crate::label::labels;
use crate::original::{Csv, Subscription};

/// An operator. All its Installed objects share this data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operator {
    /// The ClusterServiceVersion of the operator.
    pub csv: Arc<Csv>,
    /// The origin of the operator.
    pub origin: Origin,
    /// The Subscription that requested the operator. None if there is no such Subscription.
    pub subscription: Option<Arc<Subscription>>,
    /// The package. Empty if unknown.
    pub package: Arc<str>,
    /// The version that the Subscription installs, or the name of the bundle if its version is
    /// unknown. Empty without a Subscription.
    pub target: Arc<str>,
    /// The name of the ClusterServiceVersion that replaces this operator.
    pub replaced_by: Option<Arc<str>>,
    /// The labels of the Installed objects.
    pub labels: BTreeMap<String, String>,
}

/// The origin of an operator. If several operators have the same name, the order of the origins
/// determines which of them has the name without a suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// The operator comes from a catalog for all namespaces, or belongs to an Operator, which is
    /// cluster-scoped.
    Cluster,
    /// The operator comes from a catalog of the namespace in which it is installed.
    Namespace,
    /// No Subscription has installed the ClusterServiceVersion.
    Unsubscribed,
}

/// The ClusterServiceVersions and Subscriptions in one namespace.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Home<'a> {
    pub(crate) csvs: &'a [Arc<Csv>],
    pub(crate) subscriptions: &'a [Arc<Subscription>],
}

// === impl Operator ===

impl Operator {
    /// Returns the key of the operator.
    pub fn key(&self) -> &Key {
        &self.csv.key
    }

    /// Returns the size in bytes of the texts of this operator, without texts that `other` also
    /// uses.
    pub(crate) fn bytes_beside(&self, other: Option<&Self>) -> usize {
        let has_csv = other.is_some_and(|other| Arc::ptr_eq(&self.csv, &other.csv));
        let others = other.and_then(|other| other.subscription.as_ref());
        let own = self.subscription.as_ref();
        let own = own.filter(|it| others.is_none_or(|other| !Arc::ptr_eq(it, other)));
        let csv = if has_csv {
            0
        } else {
            self.csv.body.as_str().len()
        };
        let subscription = own.map_or(0, |it| {
            it.body.as_str().len() + it.limited_body.as_str().len()
        });
        csv + subscription
    }

    /// Returns the rank of the operator among operators with the same name. The operator with the
    /// lowest rank has the name without a suffix. The rank contains the creation time of the
    /// Subscription, because the Subscription remains when the operator is upgraded. So a user
    /// gains nothing by creating the ClusterServiceVersion of the next version early.
    pub(crate) fn standing(&self) -> (Origin, &str) {
        let subscription = self.subscription.as_ref();
        let installing = subscription.filter(|it| it.has_installed(&self.csv));
        let since = installing.map_or(&self.csv.created, |it| &it.created);
        (self.origin, since)
    }
}

// === impl Home ===

impl Home<'_> {
    /// Returns the operator of a ClusterServiceVersion.
    pub(crate) fn operator(&self, csv: &Arc<Csv>) -> Operator {
        let subscription = self.subscription_of(&csv.key.name);
        let installing = subscription.filter(|it| it.has_installed(csv));
        let replacing = self.csvs.iter().map(|other| &other.key.name);
        let mut replacing = replacing.zip(self.csvs.iter().map(|other| &other.replaces));
        let replaced_by = replacing.find(|(_, replaces)| **replaces == csv.key.name);
        Operator {
            origin: installing.map_or(Origin::Unsubscribed, |it| it.origin()),
            labels: labels(csv, subscription.map(Arc::as_ref)),
            target: subscription.map_or_else(|| "".into(), |it| self.target(&it.current)),
            package: subscription.map_or_else(|| "".into(), |it| it.package.clone()),
            subscription: subscription.cloned(),
            replaced_by: replaced_by.map(|(name, _)| name.clone()),
            csv: csv.clone(),
        }
    }

    /// Returns the Subscription that requested the operator with this name: the oldest Subscription
    /// that names it as installed, or else the oldest Subscription that names it as current.
    fn subscription_of(&self, name: &Arc<str>) -> Option<&Arc<Subscription>> {
        let oldest = |is_its: &dyn Fn(&Subscription) -> bool| {
            let its = self.subscriptions.iter().filter(|each| is_its(each));
            its.min_by_key(|each| (&each.created, &each.key.name))
        };
        oldest(&|each| each.installed == *name).or_else(|| oldest(&|each| each.current == *name))
    }

    fn target(&self, current: &Arc<str>) -> Arc<str> {
        let csv = self.csvs.iter().find(|csv| csv.key.name == *current);
        let version = csv.map(|csv| &csv.version);
        let version = version.filter(|version| !version.is_empty());
        version.unwrap_or(current).clone()
    }
}
