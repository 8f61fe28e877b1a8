//! The explanation of ClusterExtensions: the next actions of OLM v1, and the reasons for them.

mod checks;
mod page;

use portolan_core_olm::{ClusterExtension, UpgradeConstraint};
use portolan_operators::CrdComparison;
use portolan_resolver::extensions::{CatalogRole, ExtensionForecast, ExtensionState};
use serde::Serialize;

pub(super) use self::page::render;
use crate::extensions::{Extensions, NO_CATALOGS};
use crate::facts::{LocalServices, ResolverConnection};
use crate::failure::Failure;
use crate::print::words;

/// A ClusterExtension, with a prediction of the actions of OLM v1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExplainedExtension {
    pub(super) name: String,
    pub(super) package: String,
    /// The next action of OLM v1, as one word.
    pub(super) state: &'static str,
    #[serde(skip)]
    action: ExtensionState,
    /// The installed bundle. None if nothing is installed.
    pub(super) installed: Option<String>,
    allowed: Allowed,
    catalogs: Vec<Catalog>,
    /// The bundles that OLM v1 will install, in this order.
    pub(super) path: Vec<Step>,
    /// The error that stops OLM v1 after the last bundle of the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    stop: Option<Stop>,
    /// The bundles that are newer than the last bundle of the path. The newest bundle comes first.
    newer: Vec<Newer>,
    /// The incompatible changes of CRDs on the path.
    crds: CrdComparison,
    /// The facts that are unknown for this ClusterExtension.
    pub(super) unknown: Vec<String>,
}

/// The bundles that the spec of the ClusterExtension allows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Allowed {
    /// The allowed range of versions. Empty if all versions are allowed.
    versions: String,
    /// The allowed channels. Empty if all channels are allowed.
    channels: Vec<String>,
    /// True if OLM v1 ignores the upgrade edges of the catalogs.
    any_upgrade: bool,
}

/// A ClusterCatalog, and its role for the ClusterExtension.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Catalog {
    name: String,
    priority: i32,
    role: &'static str,
    /// The best bundle in this catalog that the ClusterExtension allows. Empty if there is no
    /// allowed bundle.
    #[serde(skip_serializing_if = "String::is_empty")]
    bundle: String,
    #[serde(skip)]
    text: String,
}

/// A bundle that OLM v1 will install.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Step {
    pub(super) bundle: String,
    version: String,
    catalog: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    deprecation: Option<String>,
}

/// The error that stops OLM v1.
#[derive(Debug, Serialize)]
struct Stop {
    code: &'static str,
    message: String,
}

/// A newer bundle that OLM v1 will not install.
#[derive(Debug, Serialize)]
struct Newer {
    bundle: String,
    version: String,
    catalog: String,
    reasons: Vec<String>,
}

/// Explains the ClusterExtensions with these names.
pub(super) async fn explain(
    names: &[String],
    services: &LocalServices,
    mut resolver: ResolverConnection,
) -> Result<Vec<ExplainedExtension>, Failure> {
    let world = services.world();
    let all = Extensions::read(world).await?;
    let snapshot = services.catalogs().watch().borrow().clone();
    let mut explained = Vec::new();
    for name in names {
        let Some(extension) = all.named(name) else {
            let known = all.names();
            let near = words::did_you_mean(portolan_core_names::nearest(name, known.iter()));
            return Err(Failure::usage(format!(
                "ClusterExtension {name} not found{near}"
            )));
        };
        let Some(mut forecast) = all.forecast(extension, &snapshot) else {
            explained.push(ExplainedExtension::without_forecast(name, extension));
            continue;
        };
        let checked = checks::check(&mut forecast, extension, world, &mut resolver).await;
        explained.push(ExplainedExtension::of(name, extension, forecast, checked));
    }
    Ok(explained)
}

// === impl ExplainedExtension ===

impl ExplainedExtension {
    fn of(
        name: &str,
        extension: &ClusterExtension,
        forecast: ExtensionForecast,
        (crds, unknown): (CrdComparison, Vec<String>),
    ) -> Self {
        let action = forecast.state();
        let ExtensionForecast {
            catalogs,
            path,
            stop,
            newer,
        } = forecast;
        let path = path.into_iter().map(|it| Step {
            bundle: it.bundle,
            version: it.version.to_string(),
            catalog: it.catalog,
            deprecation: it.deprecation,
        });
        let newer = newer.into_iter().map(|it| Newer {
            bundle: it.bundle,
            version: it.version.to_string(),
            catalog: it.catalog,
            reasons: it.exclusions.iter().map(ToString::to_string).collect(),
        });
        Self {
            state: action.as_str(),
            action,
            catalogs: catalogs
                .into_iter()
                .map(|it| Catalog::of(it.name, it.priority, &it.role))
                .collect(),
            path: path.collect(),
            stop: stop.map(|stop| Stop {
                code: stop.code(),
                message: stop.to_string(),
            }),
            newer: newer.collect(),
            crds,
            unknown,
            ..Self::without_forecast(name, extension)
        }
    }

    /// Returns an explanation without a prediction, because the ClusterCatalogs could not be read.
    fn without_forecast(name: &str, extension: &ClusterExtension) -> Self {
        let package = &extension.spec.source.catalog;
        let install = extension.status.install.as_ref();
        let action = ExtensionState::Unknown;
        Self {
            name: name.to_owned(),
            package: package.package_name.clone(),
            state: action.as_str(),
            action,
            installed: install.map(|it| it.bundle.name.clone()),
            allowed: Allowed {
                versions: package.version.clone(),
                channels: package.channels.clone(),
                any_upgrade: package.upgrades == UpgradeConstraint::SelfCertified,
            },
            catalogs: Vec::new(),
            path: Vec::new(),
            stop: None,
            newer: Vec::new(),
            crds: CrdComparison::default(),
            unknown: vec![NO_CATALOGS.to_owned()],
        }
    }

    /// Returns true if OLM v1 will change nothing and reports no error.
    pub(super) fn is_fine(&self) -> bool {
        match self.action {
            ExtensionState::UpToDate | ExtensionState::Held => true,
            ExtensionState::Install
            | ExtensionState::Upgrade
            | ExtensionState::Downgrade
            | ExtensionState::Blocked
            | ExtensionState::Unknown => false,
        }
    }

    /// Returns true if the next action is unknown.
    pub(super) fn is_unknown(&self) -> bool {
        self.action == ExtensionState::Unknown
    }

    /// Returns the name of the ClusterExtension, with its kind.
    pub(super) fn place(&self) -> String {
        format!("extension/{}", self.name)
    }

    /// Returns the names of the installed bundle and of the bundles of the path.
    fn way(&self) -> Vec<String> {
        let steps = self.path.iter().map(|step| step.bundle.clone());
        self.installed.iter().cloned().chain(steps).collect()
    }
}

// === impl Catalog ===

impl Catalog {
    fn of(name: String, priority: i32, role: &CatalogRole) -> Self {
        let (word, bundle) = match role {
            CatalogRole::NotSelected => ("NotSelected", ""),
            CatalogRole::Disabled => ("Disabled", ""),
            CatalogRole::NotServed => ("NotServed", ""),
            CatalogRole::Unread(_) => ("Unread", ""),
            CatalogRole::WithoutPackage => ("WithoutPackage", ""),
            CatalogRole::WithoutBundle => ("WithoutBundle", ""),
            CatalogRole::Outranked(bundle) => ("NotUsed", bundle.as_str()),
            CatalogRole::Used(bundle) => ("Used", bundle.as_str()),
        };
        Self {
            text: format!("{name}, priority {priority}, {role}"),
            name,
            priority,
            role: word,
            bundle: bundle.to_owned(),
        }
    }
}
