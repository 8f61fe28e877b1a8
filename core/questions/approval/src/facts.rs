//! The facts about a namespace, indexed for lookups by package and by bundle.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::{Consent, PackageName};

use crate::identity::{Brought, KnownBundle};
use crate::{
    Allows, Installed, InstalledBundle, Namespace, Plan, Says, Standing, Subscription, Withheld,
};

/// The indexed facts about a namespace.
#[derive(Debug)]
pub(crate) struct Facts<'a> {
    /// The name of the namespace.
    pub(crate) name: &'a str,
    /// The reasons why facts may be missing, sorted.
    pub(crate) unseen: BTreeSet<&'a str>,
    /// The InstallPlans of the namespace with the bundles that they install, newest first.
    pub(crate) plans: Vec<(&'a Plan, Vec<Brought<'a>>)>,
    /// The Subscriptions of the namespace, sorted.
    pub(crate) subscriptions: Vec<&'a Subscription>,
    /// The installed bundles by name. A bundle is included only if a Subscription for its package
    /// has this bundle as `status.installedCSV`.
    pub(crate) installed: BTreeMap<&'a str, KnownBundle<'a>>,
    /// The names of all ClusterServiceVersions.
    csvs: BTreeSet<&'a str>,
    /// The names in `csvs`, and the installed bundles of all Subscriptions.
    names: BTreeSet<&'a str>,
    /// The packages of all installed bundles, with the bundle names.
    packages: BTreeSet<(&'a PackageName, &'a str)>,
    /// The policies that apply to this namespace, by package.
    managers: BTreeMap<&'a PackageName, Vec<&'a Standing>>,
    /// The policies with an unknown namespace, by package. These policies may apply to this
    /// namespace.
    unresolved: BTreeMap<&'a PackageName, Vec<&'a Standing>>,
}

// === impl Facts ===

impl<'a> Facts<'a> {
    pub(crate) fn new(namespace: &'a Namespace) -> Self {
        let mut subscriptions: Vec<&Subscription> = namespace.subscriptions.iter().collect();
        subscriptions.sort();
        subscriptions.dedup();
        let mut plans: Vec<&Plan> = namespace.plans.iter().collect();
        plans.sort_by(|a, b| (b.generation.cmp(&a.generation)).then_with(|| a.name.cmp(&b.name)));
        let brought = |plan| (plan, Brought::of(plan, &subscriptions));
        let is_here = |place: &str| place == namespace.name;
        let told = namespace.installed.iter().filter_map(|one| {
            let identity = one.identity.as_ref()?;
            Some((&identity.package, one.name.as_str()))
        });
        let asked = subscriptions
            .iter()
            .filter(|one| !one.installed.is_empty())
            .filter_map(|one| {
                let package = one.package.as_ref()?;
                Some((package, one.installed.as_str()))
            });
        let csvs: BTreeSet<&str> = namespace
            .installed
            .iter()
            .map(|it| it.name.as_str())
            .collect();
        let plans: Vec<_> = plans.into_iter().map(brought).collect();
        // A replaced bundle gets the package of its successor, because both belong to the same
        // operator. The bundle's own properties may add another package.
        let replaced = plans.iter().flat_map(|(_, brought)| brought);
        let replaced = replaced.filter_map(|bundle| Some((bundle.package()?, bundle)));
        let replaced = replaced.flat_map(|(package, bundle)| {
            let replaced = bundle.all_replaced().filter(|name| csvs.contains(name));
            replaced.map(move |name| (package, name))
        });
        Self {
            name: &namespace.name,
            unseen: namespace.unseen.iter().map(String::as_str).collect(),
            installed: wanted(&subscriptions, &namespace.installed),
            names: asked
                .clone()
                .map(|(_, name)| name)
                .chain(csvs.iter().copied())
                .collect(),
            packages: told.chain(asked).chain(replaced).collect(),
            plans,
            csvs,
            managers: by_package(namespace, |place| place.is_some_and(is_here)),
            unresolved: by_package(namespace, |place| place.is_none()),
            subscriptions,
        }
    }

    /// Returns the installed bundle of a package. If several bundles are installed, returns the
    /// first bundle by name. Returns None if no bundle is installed.
    pub(crate) fn installed_of(&self, package: &PackageName) -> Option<InstalledBundle> {
        let mut all = self.packages.iter();
        let (_, name) = all.find(|(of, _)| *of == package)?;
        let known = self.installed.get(name);
        Some(InstalledBundle {
            name: (*name).to_owned(),
            version: known.and_then(|known| known.version().cloned()),
        })
    }

    /// Returns the policies that manage a package in this namespace. Invalid policies are included.
    pub(crate) fn managers(&self, package: &PackageName) -> &[&'a Standing] {
        self.managers.get(package).map_or(&[], Vec::as_slice)
    }

    /// Returns the policies that may manage a package in this namespace, because the namespace of
    /// these policies is unknown.
    pub(crate) fn unresolved(&self, package: &PackageName) -> &[&'a Standing] {
        self.unresolved.get(package).map_or(&[], Vec::as_slice)
    }

    /// Iterates over all policies that apply to this namespace and allow at least one bundle. Each
    /// policy is returned with its allowances.
    pub(crate) fn allowing(&self) -> impl Iterator<Item = (&'a Standing, &'a Allows)> {
        let managers = self.managers.values().flatten();
        managers.filter_map(|policy| Some((*policy, allows(policy)?)))
    }

    /// Returns the policies with an unknown namespace that could invalidate an allowance for a
    /// package. If a policy manages the package, these are the enforced and valid policies, because
    /// they would overlap with it. Otherwise, these are all policies with an unknown namespace.
    pub(crate) fn doubts(&self, package: &PackageName) -> impl Iterator<Item = &'a Standing> {
        let is_managed = !self.managers(package).is_empty();
        let unresolved = self.unresolved.get(package).into_iter().flatten().copied();
        unresolved.filter(move |policy| !is_managed || counts(policy))
    }

    /// Iterates over the Subscriptions of a package.
    pub(crate) fn subscriptions_of<'b>(
        &'b self,
        package: &'b PackageName,
    ) -> impl Iterator<Item = &'a Subscription> + 'b {
        let all = self.subscriptions.iter().copied();
        all.filter(move |one| one.package.as_ref() == Some(package))
    }

    /// Returns an installed bundle of the same package that this bundle would update. Returns None
    /// if no such bundle exists. Returns None if this bundle itself is installed, because an
    /// installed bundle is not an update.
    pub(crate) fn other_installed(&self, bundle: &KnownBundle<'_>) -> Option<&'a str> {
        if self.is_installed(bundle.bundle.as_str()) {
            return None;
        }
        let mut installed = self.packages.iter();
        let (_, name) = installed.find(|(package, _)| *package == bundle.package)?;
        Some(name)
    }

    /// Returns true if the ClusterServiceVersion of a bundle exists.
    pub(crate) fn has_csv(&self, bundle: &str) -> bool {
        self.csvs.contains(bundle)
    }

    /// Returns true if a bundle is installed, according to a ClusterServiceVersion or a
    /// Subscription.
    fn is_installed(&self, bundle: &str) -> bool {
        self.names.contains(bundle)
    }
}

/// Returns the allowances of a policy. Returns None if the policy allows no bundle.
pub(crate) fn allows(policy: &Standing) -> Option<&Allows> {
    match &policy.says {
        Says::Allows(allows) => Some(allows),
        Says::Withholds(_) => None,
    }
}

/// Returns the catalog that a policy requires, but only if the bundle comes from another catalog.
/// Returns None otherwise.
pub(crate) fn other_catalog<'a>(allows: &'a Allows, bundle: &KnownBundle<'_>) -> Option<&'a str> {
    let wanted = allows.catalog.as_deref()?;
    (!bundle.catalog.is_empty() && bundle.catalog != wanted).then_some(wanted)
}

/// Returns the first consent of a policy that covers a bundle. Returns None if no consent covers
/// the bundle, or if the bundle comes from another catalog than the policy requires.
pub(crate) fn consent<'a>(allows: &'a Allows, bundle: &KnownBundle<'_>) -> Option<&'a Consent> {
    if other_catalog(allows, bundle).is_some() {
        return None;
    }
    let mut consents = allows.consents.iter();
    consents.find(|consent| consent.covers(&bundle.bundle, bundle.package, bundle.version()))
}

/// Returns true if a policy is enforced and valid. Only enforced and valid policies can overlap.
pub(crate) fn counts(policy: &Standing) -> bool {
    match &policy.says {
        Says::Allows(_) | Says::Withholds(Withheld::MustNotHave | Withheld::Overlaps(_)) => true,
        Says::Withholds(Withheld::Inform | Withheld::Invalid(_) | Withheld::Leaving) => false,
    }
}

fn by_package(
    namespace: &Namespace,
    is_wanted: impl Fn(Option<&str>) -> bool,
) -> BTreeMap<&PackageName, Vec<&Standing>> {
    let mut policies: BTreeMap<&PackageName, Vec<&Standing>> = BTreeMap::new();
    for policy in &namespace.policies {
        if is_wanted(policy.namespace.as_deref()) {
            policies.entry(&policy.package).or_default().push(policy);
        }
    }
    for policies in policies.values_mut() {
        policies.sort_by_key(|policy| &policy.id);
        policies.dedup();
    }
    policies
}

/// Returns the bundles that a Subscription for their package reports as installed. If a bundle has
/// two different descriptions, it is unknown and is left out.
fn wanted<'a>(
    subscriptions: &[&'a Subscription],
    installed: &'a [Installed],
) -> BTreeMap<&'a str, KnownBundle<'a>> {
    let mut wanted = BTreeMap::new();
    for subscription in subscriptions {
        let name = subscription.installed.as_str();
        let mut told = installed.iter().filter(|one| one.name == name);
        let Some(first) = told.next() else { continue };
        let is_clear = told.all(|other| other == first);
        let known = first
            .identity
            .as_ref()
            .and_then(|identity| KnownBundle::installed(name, identity));
        if let Some(known) =
            known.filter(|known| Some(known.package) == subscription.package.as_ref())
            && is_clear
        {
            wanted.insert(name, known);
        }
    }
    wanted
}
