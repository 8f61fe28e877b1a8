//! The operator that requests are about, according to a policy. If the policy omits a setting, the
//! setting comes from its Subscription.

use portolan_api::{Intent, Presence};
use portolan_core_names::BundleName;
use portolan_core_olm::{ClusterServiceVersion, Subscription};
use portolan_core_operatorpolicy::{Modes, NamespaceState, Observed, Offer, newest_allowed};

use super::wire::Packaged;

/// The operator that requests are about.
#[derive(Debug, Clone, Copy)]
pub(super) struct Subject<'a> {
    intent: &'a Intent,
    observed: &'a Observed,
    subscription: Option<&'a Subscription>,
}

/// The installed bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Installed<'a> {
    pub(super) name: &'a str,
    /// The version. Empty if it is unknown.
    pub(super) version: &'a str,
}

// === impl Subject ===

impl<'a> Subject<'a> {
    pub(super) fn of(intent: &'a Intent, observed: &'a Observed) -> Self {
        let package = intent.subscription.package.as_str();
        let state = observed.namespace.as_ref();
        let mut subscriptions = state.into_iter().flat_map(|state| &state.subscriptions);
        let subscription =
            subscriptions.find(|each| each.metadata.name.as_deref() == Some(package));
        Self {
            intent,
            observed,
            subscription: subscription.map(|each| &**each),
        }
    }

    pub(super) fn package(&self) -> &'a str {
        self.intent.subscription.package.as_str()
    }

    pub(super) fn state(&self) -> Option<&'a NamespaceState> {
        self.observed.namespace.as_ref()
    }

    pub(super) fn is_wanted(&self) -> bool {
        match self.intent.presence {
            Presence::MustHave => true,
            Presence::MustNotHave => false,
        }
    }

    /// Returns the namespace of the policy's operator. Returns None if the namespace is unknown.
    pub(super) fn namespace(&self) -> Option<&'a str> {
        let seen = self.state().map(|state| state.name.as_str());
        seen.or(self.intent.subscription.namespace.as_deref())
    }

    /// Returns the catalog as `namespace/name`. Returns an empty text if no catalog is specified.
    /// Also returns an empty text if the name has no namespace and several known catalogs have this
    /// name.
    pub(super) fn catalog(&self, known: impl FnOnce() -> Vec<String>) -> String {
        let wanted = &self.intent.subscription;
        let (name, namespace) = (wanted.source.as_deref(), wanted.source_namespace.as_deref());
        let stated = self.stated_catalog();
        let (name, namespace) = match (name, namespace, stated) {
            (Some(name), Some(namespace), _) => return format!("{namespace}/{name}"),
            (None, None, stated) => return stated.map_or_else(String::new, joined),
            (Some(name), None, Some(stated)) if stated.1 == name => return joined(stated),
            (None, Some(namespace), Some(stated)) if stated.0 == namespace => {
                return joined(stated);
            }
            (name, namespace, _) => (name, namespace),
        };
        let fits = |catalog: &&String| {
            let parts = catalog.split_once('/');
            parts.is_some_and(|parts| {
                namespace.is_none_or(|namespace| namespace == parts.0)
                    && name.is_none_or(|name| name == parts.1)
            })
        };
        // Most policies specify the complete name. This case is checked first, because there may be
        // thousands of policies.
        let known = known();
        let mut fitting = known.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(only), None) => only.clone(),
            (_, _) => String::new(),
        }
    }

    /// Returns the namespace and the name of the Subscription's catalog. Returns None if there is
    /// no Subscription.
    fn stated_catalog(&self) -> Option<(&'a str, &'a str)> {
        let spec = &self.subscription?.spec;
        let is_whole = !spec.source.is_empty() && !spec.source_namespace.is_empty();
        is_whole.then_some((spec.source_namespace.as_str(), spec.source.as_str()))
    }

    /// Returns the bundle that is installed according to the Subscription.
    pub(super) fn installed(&self) -> Option<Installed<'a>> {
        let name = self.subscription?.status.installed_csv.as_str();
        let version = self.csv(name).map_or("", |csv| csv.spec.version.as_str());
        (!name.is_empty()).then_some(Installed { name, version })
    }

    /// Returns the install modes in the ClusterServiceVersion of the installed operator.
    pub(super) fn installed_modes(&self) -> Option<Modes> {
        let csv = self.csv(self.installed()?.name)?;
        let modes = csv.spec.install_modes.iter();
        let supported = modes.clone().filter(|mode| mode.supported);
        let supported = supported.map(|mode| mode.r#type.to_string()).collect();
        Some(Modes {
            bundle: csv.metadata.name.clone().unwrap_or_default(),
            supported: (modes.len() > 0).then_some(supported),
        })
    }

    fn csv(&self, name: &str) -> Option<&'a ClusterServiceVersion> {
        let mut csvs = self.state()?.csvs.iter();
        csvs.find(|csv| csv.metadata.name.as_deref() == Some(name))
            .map(|csv| &**csv)
    }

    /// Returns the channel of the Subscription. Empty for the default channel of the catalog.
    pub(super) fn subscribed_channel(&self) -> &'a str {
        self.subscription
            .map_or("", |each| each.spec.channel.as_str())
    }

    /// Returns the channel of the operator: the channel in the policy, else the channel in the
    /// Subscription, else the default channel.
    fn channel<'b>(&'b self, offer: &'b Offer) -> &'b str {
        let wanted = self.intent.subscription.channel.as_ref();
        match (wanted, self.subscribed_channel()) {
            (Some(wanted), _) => wanted.as_str(),
            (None, "") => &offer.default_channel,
            (None, subscribed) => subscribed,
        }
    }

    /// Returns the bundle at the head of the channel.
    pub(super) fn head<'b>(&'b self, package: &'b Packaged) -> Option<&'b str> {
        let head = package.heads.get(self.channel(&package.offer));
        head.map(String::as_str)
    }

    /// Returns the bundle that OLM installs first.
    pub(super) fn first_bundle<'b>(&'b self, package: &'b Packaged) -> Option<&'b str> {
        let stated = self
            .subscription
            .map(|each| each.spec.starting_csv.as_str());
        let stated = stated.filter(|name| !name.is_empty());
        let wanted = self.intent.subscription.starting_csv.as_ref();
        if let Some(installed) = self.installed() {
            return Some(installed.name);
        }
        if let Some(starting) = wanted.map(BundleName::as_str).or(stated) {
            return Some(starting);
        }
        if self.intent.restricts() {
            let offer = &package.offer;
            newest_allowed(self.intent, offer, self.channel(offer)).or(self.head(package))
        } else {
            self.head(package)
        }
    }

    /// Returns true if no namespace is specified for the operator.
    pub(super) fn is_homeless(&self) -> bool {
        self.namespace().is_none()
    }

    /// Returns true if OLM reports that it cannot resolve the namespace.
    pub(super) fn is_unresolved(&self) -> bool {
        let conditions = self.subscription.map(|each| &each.status.conditions);
        let mut conditions = conditions.into_iter().flatten();
        conditions.any(|each| each.r#type == "ResolutionFailed" && each.status == "True")
    }
}

fn joined((namespace, name): (&str, &str)) -> String {
    format!("{namespace}/{name}")
}

#[cfg(test)]
mod tests;
