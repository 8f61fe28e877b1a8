//! Finds the bundles that an InstallPlan installs, and identifies their packages and versions.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_names::text::listed;
use portolan_core_names::{BundleName, PackageName, Version};
use portolan_core_olm::Api;

use crate::words::named;
use crate::{Bundle, BundleIdentity, Need, Plan, Source, Subscription};

/// A bundle that an InstallPlan installs.
#[derive(Debug)]
pub(crate) struct Brought<'a> {
    /// The name of the bundle.
    pub(crate) name: &'a str,
    /// The entries of the plan that describe the bundle. The most reliable source comes first.
    pub(crate) told: Vec<&'a Bundle>,
    /// The identity of the bundle, or the reason why the identity is unknown.
    pub(crate) is: Result<KnownBundle<'a>, String>,
    /// The reasons why some properties of the bundle cannot be read.
    pub(crate) unread: Vec<String>,
}

/// A bundle whose package is known.
#[derive(Debug, Clone)]
pub(crate) struct KnownBundle<'a> {
    /// The name of the bundle, in the form that policies use.
    pub(crate) bundle: BundleName,
    /// The source of the package name.
    pub(crate) source: Source,
    /// The package of the bundle.
    pub(crate) package: &'a PackageName,
    /// The catalog of the bundle. Empty if it is unknown.
    pub(crate) catalog: &'a str,
    /// The identity from the bundle's properties. None if only a Subscription identifies the
    /// bundle.
    identity: Option<&'a BundleIdentity>,
}

// === impl Brought ===

impl<'a> Brought<'a> {
    /// Returns the bundles of a plan, sorted by name. If a step creates a ClusterServiceVersion, a
    /// bundle with this name is included, even if the step names another bundle.
    pub(crate) fn of(plan: &'a Plan, subscriptions: &[&'a Subscription]) -> Vec<Self> {
        let mut bundles: BTreeMap<&str, Vec<&Bundle>> = BTreeMap::new();
        for csv in &plan.csvs {
            bundles.entry(csv).or_default();
        }
        for step in &plan.steps {
            let made = (step.kind == portolan_core_olm::ClusterServiceVersion::KIND)
                .then_some(step.name.as_str());
            let whole = (!step.bundle.is_empty()).then_some(step.bundle.as_str());
            for name in made.into_iter().chain(whole) {
                bundles.entry(name).or_default();
            }
        }
        for bundle in &plan.bundles {
            bundles.entry(&bundle.name).or_default().push(bundle);
        }
        let bundles = bundles.into_iter();
        bundles
            .map(|(name, told)| Self::new(name, told, subscriptions))
            .collect()
    }

    fn new(name: &'a str, mut told: Vec<&'a Bundle>, subscriptions: &[&'a Subscription]) -> Self {
        // Sorting makes the result independent of the input order, because equal values may have
        // different spellings and messages show only the first spelling.
        told.sort_by_cached_key(|bundle| {
            let Bundle {
                name: _,
                source,
                replaces,
                catalog,
                identity,
                is_pending: _,
            } = bundle;
            (source, replaces, catalog, format!("{identity:?}"))
        });
        let mut unread: Vec<String> = told
            .iter()
            .filter_map(|bundle| unreadable(bundle))
            .collect();
        unread.sort();
        unread.dedup();
        let asking: Vec<&Subscription> = subscriptions
            .iter()
            .copied()
            .filter(|subscription| subscription.current == name)
            .collect();
        let is = identify(name, &told, &asking, &unread);
        Self {
            name,
            told,
            is,
            unread,
        }
    }

    /// Returns the package of the bundle. Returns None if the package is unknown.
    pub(crate) fn package(&self) -> Option<&'a PackageName> {
        self.is.as_ref().ok().map(|known| known.package)
    }

    /// Returns the bundle that this bundle replaces. Empty if no source names a replaced bundle.
    pub(crate) fn replaces(&self) -> &'a str {
        self.first(|bundle| &bundle.replaces)
    }

    /// Iterates over the bundles that this bundle replaces according to any of its descriptions.
    pub(crate) fn all_replaced(&self) -> impl Iterator<Item = &'a str> {
        let told = self.told.iter().map(|bundle| bundle.replaces.as_str());
        told.filter(|replaced| !replaced.is_empty())
    }

    /// Returns the catalog of the bundle. Empty if it is unknown.
    pub(crate) fn catalog(&self) -> &'a str {
        self.first(|bundle| &bundle.catalog)
    }

    /// Returns true if OLM has not unpacked the bundle yet.
    pub(crate) fn is_pending(&self) -> bool {
        self.told.iter().any(|bundle| bundle.is_pending)
    }

    fn first(&self, field: impl Fn(&'a Bundle) -> &'a String) -> &'a str {
        let mut texts = self.told.iter().map(|bundle| field(bundle).as_str());
        texts.find(|text| !text.is_empty()).unwrap_or_default()
    }
}

// === impl KnownBundle ===

impl<'a> KnownBundle<'a> {
    /// Returns the identity of an installed bundle from the bundle's own properties. Returns None
    /// if the name is not a valid bundle name.
    pub(crate) fn installed(name: &str, identity: &'a BundleIdentity) -> Option<Self> {
        Some(Self {
            bundle: BundleName::parse(name).ok()?,
            source: Source::Step,
            package: &identity.package,
            catalog: "",
            identity: Some(identity),
        })
    }

    pub(crate) fn version(&self) -> Option<&'a Version> {
        self.identity.and_then(|identity| identity.version.as_ref())
    }

    pub(crate) fn needs(&self) -> &'a [Need] {
        self.identity.map_or(&[], |identity| &identity.needs)
    }

    pub(crate) fn provides(&self) -> impl Iterator<Item = &'a Api> {
        self.identity
            .into_iter()
            .flat_map(|identity| &identity.provides)
    }
}

/// Identifies a bundle from the most reliable source that can be read. Fails if another source
/// contradicts this source.
fn identify<'a>(
    name: &str,
    told: &[&'a Bundle],
    asking: &[&'a Subscription],
    unread: &[String],
) -> Result<KnownBundle<'a>, String> {
    let bundle = BundleName::parse(name)
        .map_err(|_| format!("{} is not a valid bundle name", named(name)))?;
    let identities: Vec<(Source, &BundleIdentity)> =
        told.iter().filter_map(|bundle| readable(bundle)).collect();
    let asked: Vec<&PackageName> = asking
        .iter()
        .filter_map(|subscription| subscription.package.as_ref())
        .collect();
    agree(name, &identities, &asked)?;
    let mut catalogs = told.iter().map(|bundle| bundle.catalog.as_str());
    let known = |source, package, identity| KnownBundle {
        bundle,
        source,
        package,
        catalog: catalogs
            .find(|catalog| !catalog.is_empty())
            .unwrap_or_default(),
        identity,
    };
    match (identities.first(), asked.as_slice()) {
        (Some((source, identity)), _) => Ok(known(*source, &identity.package, Some(*identity))),
        (None, [package]) => Ok(known(Source::Subscription, *package, None)),
        (None, []) if unread.is_empty() => {
            Err(format!("The package of {} is unknown", named(name)))
        }
        (None, []) => Err(unread.join(" ")),
        (None, several) => Err(format!(
            "The package of {} is unknown: {} Subscriptions name this bundle, but only one \
             Subscription may name a bundle",
            named(name),
            several.len()
        )),
    }
}

/// Returns an error if the sources contradict each other. Examples are two packages, two versions,
/// or two different descriptions from the same source.
fn agree(
    name: &str,
    identities: &[(Source, &BundleIdentity)],
    asked: &[&PackageName],
) -> Result<(), String> {
    let told = identities.iter().map(|(_, identity)| &identity.package);
    let packages: BTreeSet<&PackageName> = told.chain(asked.iter().copied()).collect();
    if packages.len() > 1 {
        let packages = listed(packages);
        return Err(format!(
            "{} belongs to several packages: {packages}",
            named(name)
        ));
    }
    let mut versions = identities
        .iter()
        .filter_map(|(_, identity)| identity.version.as_ref());
    let first = versions.next();
    if versions.any(|version| Some(version) != first) {
        return Err(format!("{} has several versions", named(name)));
    }
    let is_told_otherwise =
        |(source, identity): &(Source, &BundleIdentity)| match identities.first() {
            None => false,
            Some((best, said)) => source == best && identity != said,
        };
    if identities.iter().any(is_told_otherwise) {
        return Err(format!(
            "{} has two descriptions with different contents",
            named(name)
        ));
    }
    Ok(())
}

fn readable(bundle: &Bundle) -> Option<(Source, &BundleIdentity)> {
    match &bundle.identity {
        Some(Ok(identity)) => Some((bundle.source, identity)),
        Some(Err(_)) | None => None,
    }
}

fn unreadable(bundle: &Bundle) -> Option<String> {
    match &bundle.identity {
        Some(Err(why)) => Some(format!(
            "The properties of {} {} cannot be read: {}",
            named(&bundle.name),
            place(bundle.source),
            why.trim_end_matches('.')
        )),
        Some(Ok(_)) | None => None,
    }
}

fn place(source: Source) -> &'static str {
    match source {
        Source::Lookup => "in its bundle image",
        Source::Step => "in its ClusterServiceVersion",
        Source::Subscription => "in its Subscription",
    }
}
