//! Finds the bundles from which OLM v1 chooses.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use portolan_core_catalog::{Bundle, Channel, Entry, Package};
use portolan_core_names::{Release, Version};
use portolan_core_olm::{Availability, ExtensionPackage};

use super::answer::{CatalogRole, Change, Exclusion, ExtensionBlock, ExtensionStep, NewerBundle};
use super::versions::AllowedVersions;
use super::{ExtensionCatalog, InstalledBundle, name};

/// A ClusterCatalog with its role for one ClusterExtension.
#[derive(Debug)]
pub(super) struct Catalog<'a> {
    pub(super) name: String,
    pub(super) priority: i32,
    /// The role of the catalog before the candidates are known.
    pub(super) role: CatalogRole,
    /// The package, if OLM v1 can use the catalog.
    package: Option<&'a Package>,
}

/// The constraints of a ClusterExtension, with the catalogs that OLM v1 evaluates.
#[derive(Debug)]
pub(super) struct Question<'a> {
    pub(super) catalogs: &'a [Catalog<'a>],
    pub(super) name: &'a str,
    /// The version range as the user wrote it. Empty if all versions are allowed.
    pub(super) range: &'a str,
    pub(super) allowed: AllowedVersions,
    /// The requested channels. Empty if all channels are allowed.
    pub(super) channels: BTreeSet<&'a str>,
    pub(super) is_self_certified: bool,
}

/// A bundle with its package and its catalog.
#[derive(Debug, Clone, Copy)]
pub(super) struct OfferedBundle<'a> {
    pub(super) catalog: &'a Catalog<'a>,
    pub(super) package: &'a Package,
    pub(super) bundle: &'a Bundle,
}

// === impl Catalog ===

impl<'a> Catalog<'a> {
    pub(super) fn of(package: &ExtensionPackage, given: &'a ExtensionCatalog<'_>) -> Self {
        let catalog = given.catalog;
        let role = if !package.may_be_from(catalog) {
            CatalogRole::NotSelected
        } else if catalog.spec.availability == Availability::Unavailable {
            CatalogRole::Disabled
        } else if !catalog.is_serving() {
            CatalogRole::NotServed
        } else {
            match &given.package {
                Err(reason) => CatalogRole::Unread(reason.clone()),
                Ok(None) => CatalogRole::WithoutPackage,
                Ok(Some(_)) => CatalogRole::WithoutBundle,
            }
        };
        let is_used = role == CatalogRole::WithoutBundle;
        let package = given.package.as_ref().ok().copied().flatten();
        Self {
            name: name(catalog),
            priority: catalog.spec.priority,
            role,
            package: package.filter(|_| is_used),
        }
    }

    /// Returns true if the catalog is disabled or not selected, so that OLM v1 does not read it.
    pub(super) fn is_unused(&self) -> bool {
        [CatalogRole::NotSelected, CatalogRole::Disabled].contains(&self.role)
    }
}

// === impl Question ===

impl<'a> Question<'a> {
    /// Returns the best allowed bundle of each catalog. Omits catalogs without an allowed bundle.
    pub(super) fn candidates(&self, installed: Option<&InstalledBundle>) -> Vec<OfferedBundle<'a>> {
        let all = self.all().filter(|it| self.admits(it, installed));
        let mut best: Vec<OfferedBundle<'a>> = Vec::new();
        for candidate in all {
            match best.last_mut() {
                Some(last) if last.catalog.name == candidate.catalog.name => {
                    if candidate.preference() > last.preference() {
                        *last = candidate;
                    }
                }
                Some(_) | None => best.push(candidate),
            }
        }
        best
    }

    /// Returns the bundle that OLM v1 chooses from the best bundles of the catalogs, or the error
    /// that OLM v1 reports.
    pub(super) fn choose(
        &self,
        installed: Option<&InstalledBundle>,
        candidates: &[OfferedBundle<'a>],
    ) -> Result<OfferedBundle<'a>, ExtensionBlock> {
        let is_any_current = candidates.iter().any(|it| !it.is_deprecated());
        let mut left = candidates.to_vec();
        left.retain(|it| !is_any_current || !it.is_deprecated());
        left.sort_by_key(|it| Reverse(it.catalog.priority));
        let chosen = match left.as_slice() {
            [] => return Err(self.without_bundle(installed)),
            [first, second, ..] if first.catalog.priority == second.catalog.priority => {
                let mut catalogs: Vec<_> = left.iter().map(|it| it.catalog.name.clone()).collect();
                catalogs.sort();
                return Err(ExtensionBlock::CatalogsAmbiguous { catalogs });
            }
            [first, ..] => *first,
        };
        let mut requirements = chosen.bundle.requires.each().peekable();
        if requirements.peek().is_some() {
            return Err(ExtensionBlock::DependencyUnsupported {
                bundle: chosen.bundle.name.to_string(),
                requirements: requirements.map(|it| it.to_string()).collect(),
            });
        }
        Ok(chosen)
    }

    /// Returns the bundles that are newer than the installed bundle, newest first. Each bundle has
    /// the reasons why OLM v1 does not choose it.
    pub(super) fn newer(&self, installed: Option<&InstalledBundle>) -> Vec<NewerBundle> {
        let Some(installed) = installed else {
            return Vec::new();
        };
        let Some(version) = &installed.version else {
            return Vec::new();
        };
        let best = self.candidates(Some(installed));
        let chosen = self.choose(Some(installed), &best).ok();
        let mut newer: Vec<_> = self
            .all()
            .filter(|it| age(it.bundle) > (version, version.build_as_release()))
            .collect();
        newer.sort_by(|a, b| {
            let key = |it: &OfferedBundle<'a>| (Reverse(age(it.bundle)), &it.bundle.name);
            // Equal bundles of several catalogs remain sorted by catalog, because the sort is
            // stable and the catalogs are sorted by name.
            (key(a).0.cmp(&key(b).0)).then_with(|| key(a).1.cmp(key(b).1))
        });
        let newer = newer.into_iter().map(|it| NewerBundle {
            bundle: it.bundle.name.to_string(),
            version: it.bundle.version.clone(),
            catalog: it.catalog.name.clone(),
            exclusions: self.exclusions(&it, installed, chosen.as_ref()),
        });
        newer.collect()
    }

    fn exclusions(
        &self,
        it: &OfferedBundle<'a>,
        installed: &InstalledBundle,
        chosen: Option<&OfferedBundle<'a>>,
    ) -> Vec<Exclusion> {
        let mut exclusions = Vec::new();
        if !self.is_in_channels(it) {
            exclusions.push(Exclusion::Channels {
                channels: it
                    .package
                    .channels_of(&it.bundle.name)
                    .map(ToString::to_string)
                    .collect(),
            });
        }
        if !self.allowed.allow(&it.bundle.version) {
            exclusions.push(Exclusion::Versions {
                range: self.range.to_owned(),
            });
        }
        if !self.is_reachable(it, Some(installed)) {
            exclusions.push(Exclusion::NoUpgrade {
                from: installed.name.clone(),
            });
        }
        if !exclusions.is_empty() {
            return exclusions;
        }
        if it.is_deprecated() {
            exclusions.push(Exclusion::Deprecated);
        } else if let Some(chosen) = chosen.filter(|chosen| chosen.catalog.name != it.catalog.name)
        {
            exclusions.push(Exclusion::Priority {
                preferred: chosen.catalog.name.clone(),
            });
        }
        exclusions
    }

    /// Returns the error for the case that no catalog has an allowed bundle.
    fn without_bundle(&self, installed: Option<&InstalledBundle>) -> ExtensionBlock {
        let package = self.name.to_owned();
        let having = self.catalogs.iter().filter(|it| it.package.is_some());
        let catalogs: Vec<_> = having.map(|it| it.name.clone()).collect();
        if catalogs.is_empty() {
            let used = self.catalogs.iter().filter(|it| !it.is_unused());
            let catalogs = used.map(|it| it.name.clone()).collect();
            return ExtensionBlock::PackageMissing { package, catalogs };
        }
        if !self.all().any(|it| self.is_in_channels(&it)) {
            return ExtensionBlock::ChannelMissing {
                package,
                channels: self.channels.iter().map(|it| (*it).to_owned()).collect(),
                known: self.known_channels(),
            };
        }
        let versions = |is_meant: &dyn Fn(&OfferedBundle<'a>) -> bool| {
            let meant = self
                .all()
                .filter(|it| self.is_in_channels(it) && is_meant(it));
            let versions: BTreeSet<_> =
                meant.map(|it| Reverse(it.bundle.version.clone())).collect();
            versions
                .into_iter()
                .map(|Reverse(it)| it)
                .collect::<Vec<_>>()
        };
        let range = self.range.to_owned();
        let are_allowed = |it: &OfferedBundle<'a>| self.allowed.allow(&it.bundle.version);
        let Some(installed) = installed.filter(|_| self.all().any(|it| are_allowed(&it))) else {
            return ExtensionBlock::VersionMissing {
                package,
                range,
                known: versions(&|_| true),
            };
        };
        ExtensionBlock::NoUpgrade {
            from: installed.name.clone(),
            range,
            upgrades: versions(&|it| self.is_successor(it, installed)),
        }
    }

    fn known_channels(&self) -> Vec<String> {
        let packages = self.catalogs.iter().filter_map(|it| it.package);
        let names = packages.flat_map(|it| it.channels.keys().map(ToString::to_string));
        names.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Iterates over all bundles of the package, catalog by catalog.
    fn all(&self) -> impl Iterator<Item = OfferedBundle<'a>> {
        let packages = self.catalogs.iter();
        let packages = packages.filter_map(|catalog| Some((catalog, catalog.package?)));
        packages.flat_map(|(catalog, package)| {
            package.bundles.values().map(move |bundle| OfferedBundle {
                catalog,
                package,
                bundle,
            })
        })
    }

    fn admits(&self, it: &OfferedBundle<'a>, installed: Option<&InstalledBundle>) -> bool {
        self.is_in_channels(it)
            && self.allowed.allow(&it.bundle.version)
            && self.is_reachable(it, installed)
    }

    fn is_in_channels(&self, it: &OfferedBundle<'a>) -> bool {
        let mut channels = it.package.channels_of(&it.bundle.name);
        self.channels.is_empty() || channels.any(|name| self.channels.contains(name.as_str()))
    }

    /// Returns true if OLM v1 may install the bundle in the next step. This is true if the bundle
    /// is installed or a direct upgrade. It is also true for all bundles if no bundle is installed,
    /// or with `SelfCertified`.
    fn is_reachable(&self, it: &OfferedBundle<'a>, installed: Option<&InstalledBundle>) -> bool {
        let Some(installed) = installed.filter(|_| !self.is_self_certified) else {
            return true;
        };
        it.is(Some(installed)) || self.is_successor(it, installed)
    }

    fn is_successor(&self, it: &OfferedBundle<'a>, installed: &InstalledBundle) -> bool {
        let channels = it.package.channels.values();
        let is_used = |channel: &Channel| {
            self.channels.is_empty() || self.channels.contains(channel.name.as_str())
        };
        let channels = channels.filter(|channel| is_used(channel));
        let mut entries = channels.filter_map(|channel| channel.entries.get(&it.bundle.name));
        entries.any(|entry| upgrades(entry, installed))
    }
}

/// Returns true if an entry of a channel upgrades the installed bundle directly.
fn upgrades(entry: &Entry, installed: &InstalledBundle) -> bool {
    let is_it = |name: &str| name == installed.name;
    let replaces = entry.replaces.as_ref();
    let range = entry.skip_range.as_ref();
    // OLM v1 ignores a skip range that it cannot parse.
    let range = range.filter(|range| range.refused_by_olm().is_none());
    let version = installed.version.as_ref();
    replaces.is_some_and(|name| is_it(name.as_str()))
        || entry.skips.iter().any(|name| is_it(name.as_str()))
        || range.is_some_and(|range| version.is_some_and(|it| range.matches(it)))
}

/// Returns the key that sorts bundles by age. A rebuild of a version has a higher release.
fn age(bundle: &Bundle) -> (&Version, Option<Release>) {
    let release = bundle.release.clone();
    let release = release.or_else(|| bundle.version.build_as_release());
    (&bundle.version, release)
}

// === impl OfferedBundle ===

impl<'a> OfferedBundle<'a> {
    pub(super) fn is_deprecated(&self) -> bool {
        let deprecated = &self.package.deprecations.bundles;
        deprecated.contains_key(&self.bundle.name)
    }

    /// Returns true if this bundle is the installed bundle. Compares versions, or names if the
    /// installed version is unknown.
    pub(super) fn is(&self, installed: Option<&InstalledBundle>) -> bool {
        installed.is_some_and(|installed| match &installed.version {
            Some(version) => {
                let own = &self.bundle.version;
                (own, own.build()) == (version, version.build())
            }
            None => self.bundle.name.as_str() == installed.name,
        })
    }

    /// Returns the step from the installed bundle to this bundle.
    pub(super) fn step(&self, installed: Option<&InstalledBundle>) -> ExtensionStep {
        let version = installed.and_then(|it| it.version.as_ref());
        let is_older = |it: &Version| age(self.bundle) < (it, it.build_as_release());
        let change = match installed {
            None => Change::Install,
            Some(_) if version.is_some_and(is_older) => Change::Downgrade,
            Some(_) => Change::Upgrade,
        };
        let deprecations = &self.package.deprecations.bundles;
        let deprecation = deprecations.get(&self.bundle.name);
        ExtensionStep {
            bundle: self.bundle.name.to_string(),
            version: self.bundle.version.clone(),
            catalog: self.catalog.name.clone(),
            change,
            deprecation: deprecation.map(ToString::to_string),
        }
    }

    /// Returns the sort key of bundles in one catalog.
    fn preference(&self) -> (bool, (&'a Version, Option<Release>), Reverse<&'a str>) {
        let name = Reverse(self.bundle.name.as_str());
        (!self.is_deprecated(), age(self.bundle), name)
    }
}
