//! The facts on which the decision for a valid policy is based.

use jiff::Timestamp;
use portolan_api::{Intent, OperatorPolicyStatus};
use portolan_core_names::{BundleName, ChannelName};
use portolan_core_olm::{ClusterServiceVersion, Subscription};
use serde_json::{Map, Value};

use crate::observed::WriteMode;
use crate::{Answers, NamespaceState, Observed};

/// A valid policy, with all facts on which its decision is based.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case<'a> {
    pub(crate) intent: &'a Intent,
    pub(crate) observed: &'a Observed,
    pub(crate) namespace: &'a NamespaceState,
    pub(crate) answers: &'a Answers,
    /// The status that the previous reconciliation wrote.
    pub(crate) before: &'a OperatorPolicyStatus,
    pub(crate) now: Timestamp,
}

/// The desired Subscription. If the policy does not set a field, its default is already filled in.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DesiredSubscription {
    pub(crate) channel: ChannelName,
    pub(crate) source: String,
    pub(crate) source_namespace: String,
    pub(crate) starting_csv: Option<BundleName>,
    /// True if OLM must not approve InstallPlans itself, so that the controller or a user approves
    /// them.
    pub(crate) is_manual: bool,
    pub(crate) config: Option<Map<String, Value>>,
}

impl<'a> Case<'a> {
    /// Returns the existing Subscription of the policy. Returns None if it does not exist.
    pub(crate) fn subscription(&self) -> Option<&'a Subscription> {
        let package = self.intent.subscription.package.as_str();
        let mut all = self.namespace.subscriptions.iter();
        all.find(|each| each.metadata.name.as_deref() == Some(package))
            .map(|each| &**each)
    }

    /// Returns the ClusterServiceVersion with this name in the namespace. Returns None if it does
    /// not exist.
    pub(crate) fn csv(&self, name: &str) -> Option<&'a ClusterServiceVersion> {
        let mut all = self.namespace.csvs.iter();
        all.find(|each| each.metadata.name.as_deref() == Some(name))
            .map(|each| &**each)
    }

    /// Returns the ClusterServiceVersion that the Subscription reports as installed. If it no
    /// longer exists, returns its replacement, because OLM deletes the old ClusterServiceVersion
    /// before it updates the Subscription. Returns None if neither exists.
    pub(crate) fn installed(&self) -> Option<&'a ClusterServiceVersion> {
        let status = &self.subscription()?.status;
        let named = &status.installed_csv;
        let next = || self.csv(&status.current_csv);
        let successor = || next().filter(|next| !named.is_empty() && next.spec.replaces == *named);
        self.csv(named).or_else(successor)
    }

    /// Returns true if the controller executes steps for the policy: the policy is enforced, and
    /// writes are allowed.
    pub(crate) fn acts(&self) -> bool {
        self.intent.is_enforced() && self.observed.write_mode == WriteMode::ReadWrite
    }
}
