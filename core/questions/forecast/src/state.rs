//! The state of a namespace between two passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use portolan_core_catalog::{Api, Properties, Requirements};
use portolan_core_names::{BundleName, PackageName, Version};

use crate::entries::Entry;
use crate::{Csv, Install, Namespace, OperatorGroup, Phase, Purpose, Subscription};

/// The version that OLM assumes for an operator without a version.
static ZERO: LazyLock<Version> = LazyLock::new(|| Version::new(0, 0, 0));

/// An operator that was installed from the start, or that a simulated pass installed.
#[derive(Debug, Clone)]
pub(crate) struct Installed<'a> {
    pub(crate) name: &'a BundleName,
    pub(crate) version: &'a Version,
    package: Option<&'a PackageName>,
    is_annotated: bool,
    pub(crate) provides: &'a BTreeSet<Api>,
    pub(crate) requires: &'a Requirements,
    pub(crate) properties: Properties<'a>,
    pub(crate) is_prohibited: bool,
    pub(crate) replaces: Option<BundleName>,
    pub(crate) phase: Phase,
}

/// The state of a namespace between two passes.
#[derive(Debug, Clone)]
pub(crate) struct State<'a> {
    namespace: &'a Namespace,
    group: OperatorGroup,
    /// The Subscriptions, sorted by name.
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) installed: BTreeMap<&'a BundleName, Installed<'a>>,
}

/// The key that identifies equal states. It contains the current bundle of each Subscription, and
/// the names of the installed bundles.
pub(crate) type Fingerprint = (Vec<(String, Option<BundleName>)>, Vec<BundleName>);

// === impl State ===

impl<'a> State<'a> {
    pub(crate) fn of(namespace: &'a Namespace, group: OperatorGroup) -> Self {
        let mut subscriptions = namespace.subscriptions.clone();
        subscriptions.sort_by(|left, right| left.name.cmp(&right.name));
        let csvs = namespace.csvs.iter();
        let mut state = Self {
            namespace,
            group,
            subscriptions,
            installed: csvs.map(|csv| (&csv.name, Installed::of(csv))).collect(),
        };
        state.catch_up();
        state
    }

    pub(crate) fn name(&self) -> &'a str {
        &self.namespace.name
    }

    /// Sets the installed bundle of each Subscription. For OLM, a bundle is installed as soon as a
    /// ClusterServiceVersion with its name exists, in any phase. Copies from other namespaces count
    /// too.
    fn catch_up(&mut self) {
        let (installed, copied) = (&self.installed, &self.namespace.copied);
        for subscription in &mut self.subscriptions {
            if let Some(current) = &subscription.current_csv
                && (installed.contains_key(current) || copied.contains(current))
            {
                subscription.installed_csv = Some(current.clone());
            }
        }
    }

    pub(crate) fn is_there(&self, csv: &BundleName) -> bool {
        self.installed.contains_key(csv) || self.namespace.copied.contains(csv)
    }

    pub(crate) fn is_copied(&self, csv: &BundleName) -> bool {
        self.namespace.copied.contains(csv) && !self.installed.contains_key(csv)
    }

    pub(crate) fn is_referenced(&self, csv: &BundleName) -> bool {
        let mut subscriptions = self.subscriptions.iter();
        subscriptions.any(|subscription| subscription.installed_csv.as_ref() == Some(csv))
    }

    /// Returns true if a Subscription waits for an InstallPlan. OLM ignores a waiting Subscription.
    pub(crate) fn awaits_plan(&self, subscription: &Subscription) -> bool {
        let is_over = subscription.plan_failed && self.group.fails_forward;
        let has_plan = subscription.has_plan && !is_over;
        let current = subscription.current_csv.as_ref();
        has_plan && current.is_some_and(|csv| !self.is_there(csv))
    }

    /// Iterates over the installed operators that OLM considers. With the fail-forward strategy,
    /// OLM ignores an operator whose replacement has failed.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Installed<'a>> {
        let fails_forward = self.group.fails_forward;
        let all = self.installed.values();
        all.filter(move |csv| {
            !(fails_forward && csv.phase == Phase::Replacing && self.ends_in_failure(csv))
        })
    }

    fn ends_in_failure(&self, csv: &Installed<'a>) -> bool {
        let mut seen = BTreeSet::new();
        let mut last = csv;
        while seen.insert(last.name) {
            match self.successor(last.name) {
                Some(next) => last = next,
                None => return last.phase == Phase::Failed,
            }
        }
        false
    }

    /// Returns the installed operator that replaces the operator with this name. Returns None if no
    /// installed operator replaces it.
    pub(crate) fn successor(&self, name: &BundleName) -> Option<&Installed<'a>> {
        let mut installed = self.installed.values();
        installed.find(|csv| csv.replaces.as_ref() == Some(name))
    }

    /// Returns the package of an installed operator. If the annotation is missing, and all
    /// Subscriptions of the operator have the same package, returns this package. Returns None if
    /// the package is unknown.
    pub(crate) fn package_of(&self, csv: &Installed<'a>) -> Option<&'a PackageName> {
        if csv.is_annotated {
            return csv.package;
        }
        let is_own = |known: &&Subscription| {
            let mut all = self
                .subscriptions
                .iter()
                .filter(|each| each.name == known.name);
            all.any(|each| each.installed_csv.as_ref() == Some(csv.name))
        };
        let own = self.namespace.subscriptions.iter().filter(is_own);
        let packages: BTreeSet<_> = own.map(|each| &each.package).collect();
        match packages.len() {
            1 => packages.into_iter().next(),
            _ => csv.package,
        }
    }

    /// Applies an installation to the state. The installation succeeds, and OLM removes the
    /// replaced operator.
    pub(crate) fn install(&mut self, install: &Install, entry: &Entry<'a>) {
        let replaced = install.replaces.as_ref().filter(|name| *name != entry.name);
        if let Some(replaced) = replaced {
            self.installed.remove(replaced);
        }
        if !self.is_there(entry.name) {
            let taken = Installed::taken(entry, install.replaces.clone());
            self.installed.insert(entry.name, taken);
        }
        match &install.purpose {
            Purpose::Subscribed(names) => {
                let all = self.subscriptions.iter_mut();
                for subscription in all.filter(|each| names.contains(&each.name)) {
                    subscription.current_csv = Some(install.bundle.clone());
                    subscription.has_plan = true;
                    subscription.plan_failed = false;
                }
            }
            Purpose::Needed { subscription } => {
                self.subscriptions.push(Subscription {
                    name: subscription.clone(),
                    package: install.package.clone(),
                    channel: Some(install.channel.clone()),
                    catalog: install.catalog.clone(),
                    starting_csv: Some(install.bundle.clone()),
                    installed_csv: None,
                    current_csv: Some(install.bundle.clone()),
                    approval: crate::Approval::Automatic,
                    has_plan: true,
                    plan_failed: false,
                });
                self.subscriptions
                    .sort_by(|left, right| left.name.cmp(&right.name));
            }
        }
        self.catch_up();
    }

    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let subscriptions = self.subscriptions.iter();
        let subscriptions = subscriptions.map(|each| (each.name.clone(), each.current_csv.clone()));
        let installed = self.installed.keys().map(|name| (*name).clone());
        (subscriptions.collect(), installed.collect())
    }
}

// === impl Installed ===

impl<'a> Installed<'a> {
    fn of(csv: &'a Csv) -> Self {
        let Csv {
            name,
            version,
            replaces,
            phase,
            traits,
        } = csv;
        Self {
            name,
            version: version.as_ref().unwrap_or(&ZERO),
            package: traits.package.as_ref(),
            is_annotated: traits.is_annotated,
            provides: &traits.provides,
            requires: &traits.requires,
            properties: Properties::Listed(&traits.properties),
            is_prohibited: traits.is_prohibited,
            replaces: replaces.clone(),
            phase: phase.clone(),
        }
    }

    /// Returns the installed operator for a bundle that OLM has just installed.
    fn taken(entry: &Entry<'a>, replaces: Option<BundleName>) -> Self {
        Self {
            name: entry.name,
            version: entry.candidate.version.unwrap_or(&ZERO),
            package: entry.package(),
            is_annotated: true,
            provides: entry.candidate.provides,
            requires: entry.requires,
            properties: entry.candidate.properties,
            is_prohibited: entry.is_prohibited,
            replaces,
            phase: Phase::Succeeded,
        }
    }
}
