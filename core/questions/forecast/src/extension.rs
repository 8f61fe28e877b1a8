//! Predicts what OLM v1 does for a ClusterExtension.
//!
//! OLM v1 makes each decision in four steps. If a catalog that the ClusterExtension may use is not
//! served, OLM v1 stops:
//!
//! ```text
//! catalogs:   selected by labels, not disabled, all of them served
//! candidates: in a requested channel, in the version range, and the installed bundle or one of its
//!             direct upgrades (replaces, skips, skipRange); SelfCertified needs no upgrade edge
//! choice:     in each catalog, bundles that are not deprecated first, and then the highest version;
//!             among catalogs, those without a deprecation first, and then the highest priority
//! check:      the chosen bundle must not have dependencies, and must support all namespaces, or the
//!             namespace in spec.config.inline.watchNamespace
//! ```
//!
//! OLM v1 never chooses the second-best candidate. OLM v1 upgrades one step at a time, and repeats
//! the decision after each step.

mod answer;
mod candidates;
mod modes;
#[cfg(test)]
mod tests;
mod transition;
mod usage;
mod versions;

use portolan_core_catalog::Package;
use portolan_core_names::Version;
use portolan_core_olm::{
    ClusterCatalog, ClusterExtension, ClusterExtensionSpec, UpgradeConstraint,
};

pub use self::answer::{
    CatalogRole, CatalogUse, Change, Exclusion, ExtensionBlock, ExtensionForecast, ExtensionState,
    ExtensionStep, NewerBundle, WatchFault,
};
use self::candidates::{Catalog, OfferedBundle, Question};
pub use self::transition::{Transition, TransitionNote, TransitionObstacle, transition};
pub use self::usage::{FieldPath, FieldUse};
pub use self::versions::{AllowedVersions, InvalidVersions};

/// The maximum number of predicted installation steps.
const MOST_STEPS: usize = 32;

/// A ClusterCatalog, with the package that the ClusterExtension requests.
#[derive(Debug, Clone)]
pub struct ExtensionCatalog<'a> {
    /// The ClusterCatalog object.
    pub catalog: &'a ClusterCatalog,
    /// The package in this catalog. None if the catalog does not contain the package. The error
    /// contains the reason why the content of the catalog is unknown.
    pub package: Result<Option<&'a Package>, String>,
}

/// The installed bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InstalledBundle {
    name: String,
    /// The version. None if the version in the status is invalid.
    version: Option<Version>,
}

/// Predicts what OLM v1 does for a ClusterExtension. The forecast assumes that the spec and the
/// catalogs do not change, and that each installation succeeds. `catalogs` contains all
/// ClusterCatalogs of the cluster.
///
/// # Guarantees
///
/// If the content of a catalog that OLM v1 may use is unknown, the forecast contains no step.
pub fn forecast_extension(
    extension: &ClusterExtension,
    catalogs: &[ExtensionCatalog<'_>],
) -> ExtensionForecast {
    let mut catalogs: Vec<_> = catalogs.iter().collect();
    catalogs.sort_by_key(|it| name(it.catalog));
    let package = &extension.spec.source.catalog;
    let catalogs: Vec<_> = catalogs
        .into_iter()
        .map(|it| Catalog::of(package, it))
        .collect();
    let installed = extension.status.install.as_ref().map(|it| InstalledBundle {
        name: it.bundle.name.clone(),
        version: Version::parse(&it.bundle.version).ok(),
    });
    let mut forecast = ExtensionForecast {
        catalogs: uses(&catalogs),
        path: Vec::new(),
        stop: None,
        newer: Vec::new(),
    };
    let question = match question(extension, &catalogs) {
        Ok(question) => question,
        Err(block) => {
            forecast.stop = Some(block);
            return forecast;
        }
    };
    forecast.walk(&question, &extension.spec, installed);
    forecast
}

/// Returns the constraints that OLM v1 evaluates on the catalogs. If OLM v1 stops before it
/// evaluates any catalog, returns the reason.
fn question<'a>(
    extension: &'a ClusterExtension,
    catalogs: &'a [Catalog<'a>],
) -> Result<Question<'a>, ExtensionBlock> {
    let package = &extension.spec.source.catalog;
    let allowed = AllowedVersions::parse(&package.version);
    let allowed = allowed.map_err(ExtensionBlock::VersionsInvalid)?;
    if !package.has_valid_selector() {
        return Err(ExtensionBlock::SelectorInvalid);
    }
    let names = |role: fn(&CatalogRole) -> bool| -> Vec<String> {
        let found = catalogs.iter().filter(|it| role(&it.role));
        found.map(|it| it.name.clone()).collect()
    };
    let not_served = names(|role| *role == CatalogRole::NotServed);
    if !not_served.is_empty() {
        return Err(ExtensionBlock::CatalogNotServed {
            catalogs: not_served,
        });
    }
    let unread = catalogs.iter().find_map(|it| match &it.role {
        CatalogRole::Unread(reason) => Some((it.name.clone(), reason.clone())),
        CatalogRole::NotSelected
        | CatalogRole::Disabled
        | CatalogRole::NotServed
        | CatalogRole::WithoutPackage
        | CatalogRole::WithoutBundle
        | CatalogRole::Outranked(_)
        | CatalogRole::Used(_) => None,
    });
    if let Some((catalog, reason)) = unread {
        return Err(ExtensionBlock::CatalogUnread { catalog, reason });
    }
    if catalogs.iter().all(Catalog::is_unused) {
        return Err(ExtensionBlock::NoCatalog {
            has_others: !catalogs.is_empty(),
        });
    }
    Ok(Question {
        catalogs,
        name: &package.package_name,
        range: &package.version,
        allowed,
        channels: package.channels.iter().map(String::as_str).collect(),
        is_self_certified: package.upgrades == UpgradeConstraint::SelfCertified,
    })
}

fn name(catalog: &ClusterCatalog) -> String {
    catalog.metadata.name.clone().unwrap_or_default()
}

fn uses(catalogs: &[Catalog<'_>]) -> Vec<CatalogUse> {
    let uses = catalogs.iter().map(|it| CatalogUse {
        name: it.name.clone(),
        priority: it.priority,
        role: it.role.clone(),
    });
    uses.collect()
}

// === impl ExtensionForecast ===

impl ExtensionForecast {
    /// Repeats the decision of OLM v1 until it changes nothing. A bundle is never chosen twice, because
    /// a chosen bundle remains a candidate.
    fn walk(
        &mut self,
        question: &Question<'_>,
        spec: &ClusterExtensionSpec,
        mut installed: Option<InstalledBundle>,
    ) {
        while self.stop.is_none() {
            let candidates = question.candidates(installed.as_ref());
            let chosen = question.choose(installed.as_ref(), &candidates);
            if self.path.is_empty() {
                self.assign_roles(&candidates, chosen.as_ref().ok());
            }
            let chosen = match chosen {
                Ok(chosen) => chosen,
                Err(block) => {
                    self.stop = Some(block);
                    break;
                }
            };
            if chosen.is(installed.as_ref()) {
                break;
            }
            if let Some(block) = modes::unsupported_modes(chosen.bundle, spec) {
                self.stop = Some(block);
                break;
            }
            let step = chosen.step(installed.as_ref());
            installed = Some(InstalledBundle {
                name: step.bundle.clone(),
                version: Some(step.version.clone()),
            });
            self.path.push(step);
            if self.path.len() == MOST_STEPS {
                self.stop = Some(ExtensionBlock::TooManySteps);
            }
        }
        self.newer = question.newer(installed.as_ref());
    }

    /// Sets the role of each catalog that has an allowed bundle for the first step: used or
    /// outranked.
    fn assign_roles(
        &mut self,
        candidates: &[OfferedBundle<'_>],
        chosen: Option<&OfferedBundle<'_>>,
    ) {
        for catalog in &mut self.catalogs {
            if catalog.role != CatalogRole::WithoutBundle {
                continue;
            }
            let mut own = candidates.iter();
            let Some(own) = own.find(|it| it.catalog.name == catalog.name) else {
                continue;
            };
            let is_chosen = chosen.is_some_and(|it| it.catalog.name == catalog.name);
            let bundle = own.bundle.name.to_string();
            catalog.role = if is_chosen {
                CatalogRole::Used(bundle)
            } else {
                CatalogRole::Outranked(bundle)
            };
        }
    }
}
