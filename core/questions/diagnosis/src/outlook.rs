//! Forecasts what OLM v0 does next in the namespace, and finds the objects that block it.

mod culprit;
mod reachable;
mod rounds;

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_forecast::{End, Forecast, Purpose, Stay};
use portolan_core_graph::{Installed, Upgrades};
use portolan_core_health::{self as health, Item};
use portolan_core_names::{BundleName, ChannelName, Version};
use portolan_core_olm::Subscription;

pub(crate) use self::culprit::{Contested, Culprit, Matter, Trouble};
use self::rounds::Ahead;
pub(crate) use self::rounds::lost;
use crate::Situation;
use crate::trouble;

/// The forecast of OLM's next actions in the namespace.
#[derive(Debug, Default)]
pub(crate) struct Outlook {
    /// The problems that make the resolution of the namespace fail. The order is the order in which
    /// OLM reports them.
    pub(crate) troubles: Vec<Trouble>,
    /// The failure message that OLM reports. Empty if OLM reports no failure.
    pub(crate) words: String,
    /// The bundle at which each Subscription stays, and the reason.
    pub(crate) stays: Vec<Stay>,
    /// The bundle that OLM selects next, by Subscription. Subscriptions without a next bundle are
    /// missing.
    pub(crate) next: BTreeMap<String, String>,
    /// The bundles that OLM installs next, including dependencies. Empty if they are unknown.
    pub(crate) coming: BTreeSet<String>,
    /// The possible upgrades, by Subscription. Subscriptions whose operator is at the head of its
    /// channel are missing.
    pub(crate) upgrades: BTreeMap<String, Upgrades>,
    /// True if OLM reports a resolution failure that no longer applies.
    pub(crate) is_stale: bool,
    /// The reason why the forecast is unknown. None if it is known.
    pub(crate) unknown: Option<String>,
}

// === impl Outlook ===

impl Outlook {
    pub(crate) fn of(situation: &Situation<'_>) -> Self {
        let subscriptions = &situation.namespace.subscriptions.objects;
        let mut outlook = Self {
            words: words(subscriptions),
            upgrades: upgrades(situation),
            ..Self::default()
        };
        if outlook.is_asked_for(situation) && situation.namespace.groups.objects.len() == 1 {
            outlook.look(situation);
        }
        outlook
    }

    /// Returns true if a forecast is needed: OLM has something to install, or OLM reports or will
    /// report a failure. OLM itself does not check again by itself if the catalog, package and
    /// channel of a Subscription exist.
    fn is_asked_for(&self, situation: &Situation<'_>) -> bool {
        let subscriptions = &situation.namespace.subscriptions.objects;
        let is_going_on = |upgrades: &Upgrades| !upgrades.successors.is_empty();
        let is_open = |subscription: &Item<Subscription>| {
            subscription.status.installed_csv.is_empty() && subscription.plan().is_empty()
        };
        !self.words.is_empty()
            || self.upgrades.values().any(is_going_on)
            || subscriptions.iter().any(is_open)
            || subscriptions.iter().any(|one| is_lacking(situation, one))
    }

    fn look(&mut self, situation: &Situation<'_>) {
        match rounds::ahead(situation) {
            Ok(Ahead {
                first,
                stays,
                troubles,
            }) => {
                (self.troubles, self.stays) = (troubles, stays);
                if self.troubles.is_empty() {
                    self.troubles = self.unrefuted(situation, is_decided(&first));
                }
                let is_refuted = self.troubles.is_empty() && is_decided(&first);
                // If the message of OLM cannot be parsed, the forecast cannot show that the message
                // no longer applies.
                let is_understood = !trouble::of_words(&self.words).is_empty();
                self.is_stale = is_understood && is_refuted;
                self.next = next(&first);
                self.coming = coming(&first);
            }
            Err(why) => {
                let said = trouble::of_words(&self.words);
                self.troubles = culprit::troubles(&said, situation);
                self.is_stale = !said.is_empty() && self.is_about_nobody(situation);
                self.unknown = Some(why);
            }
        }
    }

    /// Returns the problems in OLM's message that the forecast does not disprove. If the forecast
    /// is undecided, these are the problems of Subscriptions and ClusterServiceVersions. The result
    /// also contains the problems of existing catalogs whose registries did not answer a probe.
    fn unrefuted(&self, situation: &Situation<'_>, is_decided: bool) -> Vec<Trouble> {
        let said = trouble::of_words(&self.words);
        let mut troubles = culprit::troubles(&said, situation);
        troubles.retain(|trouble| match &trouble.culprit {
            Culprit::Catalog(key) => {
                let is_asked = |offer: &&crate::situation::Offer<'_>| {
                    let has_answered =
                        matches!(offer.registry.probe, health::Probe::Answered { .. });
                    offer.key() == *key && has_answered
                };
                let is_there = situation.catalogs.iter().any(|offer| offer.key() == *key);
                is_there && !situation.catalogs.iter().any(|offer| is_asked(&offer))
            }
            Culprit::Subscription(_) | Culprit::Csv(_) => !is_decided,
        });
        troubles
    }

    /// Returns true if all Subscriptions in OLM's message no longer exist.
    fn is_about_nobody(&mut self, situation: &Situation<'_>) -> bool {
        let is_clear = situation.namespace.subscriptions.sight == health::Sight::Clear;
        let is_gone = |trouble: &Trouble| match &trouble.culprit {
            Culprit::Subscription(name) => situation.subscription(name).is_none(),
            Culprit::Csv(_) | Culprit::Catalog(_) => false,
        };
        let all_gone = !self.troubles.is_empty() && self.troubles.iter().all(is_gone);
        self.troubles.retain(|trouble| !is_gone(trouble));
        is_clear && all_gone
    }
}

/// Returns true if the catalog was read, and does not contain the package or the channel of the
/// Subscription.
fn is_lacking(situation: &Situation<'_>, subscription: &Item<Subscription>) -> bool {
    let spec = &subscription.spec;
    let offered = situation.offered(subscription);
    offered.is_some_and(|offered| !offered.has(&spec.package, &spec.channel))
}

/// Returns the bundle that OLM selects next, by Subscription. Subscriptions without a next bundle
/// are omitted.
fn next(forecast: &Forecast) -> BTreeMap<String, String> {
    let installs = forecast.passes.first().into_iter();
    let mut next = BTreeMap::new();
    for install in installs.flat_map(|pass| &pass.installs) {
        if let Purpose::Subscribed(names) = &install.purpose {
            let bundle = install.bundle.to_string();
            next.extend(names.iter().map(|name| (name.clone(), bundle.clone())));
        }
    }
    next
}

/// Returns the bundles that the next InstallPlan installs.
fn coming(forecast: &Forecast) -> BTreeSet<String> {
    let installs = forecast.passes.first().into_iter();
    let installs = installs.flat_map(|pass| &pass.installs);
    installs.map(|install| install.bundle.to_string()).collect()
}

/// Returns true if the forecast shows that OLM completes its work or continues.
fn is_decided(forecast: &Forecast) -> bool {
    match &forecast.end {
        End::Settled(_) | End::AwaitsApproval { .. } | End::Circles { .. } | End::Endless => true,
        End::Failed(_) => !forecast.passes.is_empty(),
        End::Silent(_) | End::AwaitsPlans { .. } | End::GaveUp { .. } => false,
    }
}

/// Returns the failure message of OLM. Normally, all Subscriptions have the same message. If the
/// messages differ, returns the first message in alphabetical order.
fn words(subscriptions: &[Item<Subscription>]) -> String {
    let failed = subscriptions
        .iter()
        .filter_map(|subscription| subscription.true_condition(Subscription::RESOLUTION_FAILED));
    let words = failed.map(|said| match said.message.as_str() {
        "" => said.reason.as_str(),
        message => message,
    });
    words.min().unwrap_or_default().to_owned()
}

fn upgrades(situation: &Situation<'_>) -> BTreeMap<String, Upgrades> {
    let subscriptions = situation.namespace.subscriptions.objects.iter();
    let upgrades = subscriptions.filter_map(|subscription| {
        let upgrades = upgrades_of(situation, subscription)?;
        Some((subscription.observed.object.name.clone(), upgrades))
    });
    upgrades.collect()
}

/// Returns the possible upgrades of an operator that is not at the head of its channel. Returns
/// None if OLM is still working on the operator.
fn upgrades_of(situation: &Situation<'_>, subscription: &Item<Subscription>) -> Option<Upgrades> {
    let is_between = !subscription.status.current_csv.is_empty()
        && subscription.status.current_csv != subscription.status.installed_csv;
    let csv = situation
        .csv(&subscription.status.installed_csv)
        .filter(|_| !is_between)?;
    let name = BundleName::parse(&subscription.status.installed_csv).ok()?;
    let graph = situation.graph(subscription)?;
    let channel = match subscription.spec.channel.as_str() {
        "" => None,
        channel => Some(ChannelName::parse(channel).ok()?),
    };
    let is_head = graph
        .heads()
        .iter()
        .any(|head| head.bundle == name && channel.as_ref().is_none_or(|own| *own == head.channel));
    if is_head {
        return None;
    }
    let version = Version::parse(&csv.spec.version).ok();
    let installed = Installed { name, version };
    graph.list_upgrades(&installed, channel.as_ref()).ok()
}
