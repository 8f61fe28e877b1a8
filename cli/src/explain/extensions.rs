//! The explanation of ClusterExtensions: the next actions of OLM v1, and the reasons for them.

mod account;
mod checks;
mod govern;
mod page;
mod usage;

use std::collections::BTreeSet;

use portolan_core_olm::{ClusterExtension, UpgradeConstraint};
use portolan_operators::CrdComparison;
use portolan_resolver::extensions::{CatalogRole, ExtensionForecast, ExtensionState};
use serde::Serialize;

use self::account::Permissions;
use self::checks::Checked;
pub(crate) use self::govern::ClusterPolicies;
pub(super) use self::govern::PolicyTerms;
use self::govern::{Pin, PolicyDecision};
pub(super) use self::page::render;
use self::usage::ChangeUse;
use super::answer::Explanation;
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
    /// The custom resources that these changes affect.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    crd_uses: Vec<ChangeUse>,
    /// The permissions that the ServiceAccount lacks for the next bundle.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing_permissions: Vec<String>,
    /// The images of the next bundle that the installed bundle does not have.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    new_images: BTreeSet<String>,
    /// The decision of the Policies about the next bundle. None if no Policy restricts the package.
    #[serde(skip_serializing_if = "Option::is_none")]
    policies: Option<PolicyDecision>,
    /// The version that holds the installed bundle. None if OLM v1 does not leave it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pin: Option<Pin>,
    /// The unknown facts.
    pub(super) unknown: Vec<String>,
    /// True if a user requested exactly this ClusterExtension.
    #[serde(skip)]
    is_named: bool,
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
    (services, terms): (&LocalServices, PolicyTerms),
    resolver: ResolverConnection,
) -> Result<Vec<ExplainedExtension>, Failure> {
    let all = Extensions::read(services.world()).await?;
    for name in names {
        if all.named(name).is_none() {
            let known = all.names().into_iter();
            let known: Vec<_> = known.map(|name| (String::new(), name)).collect();
            let near = words::near_or_existing(name, "ClusterExtensions", &known);
            return Err(Failure::usage(format!(
                "ClusterExtension {name} not found{near}"
            )));
        }
    }
    let mut explained = explain_among(&all, names, (services, terms), resolver).await;
    for each in &mut explained {
        each.is_named = true;
    }
    Ok(explained)
}

/// Adds all ClusterExtensions to an explanation. If they cannot be read, adds the reason.
pub(super) async fn explain_all(
    (services, terms): (&LocalServices, PolicyTerms),
    resolver: ResolverConnection,
    answer: &mut Explanation,
) {
    match Extensions::read(services.world()).await {
        Ok(all) => {
            answer.extensions =
                explain_among(&all, &all.names(), (services, terms), resolver).await;
        }
        Err(failure) => answer.unknown.push(failure.message().to_owned()),
    }
}

async fn explain_among(
    all: &Extensions,
    names: &[String],
    (services, terms): (&LocalServices, PolicyTerms),
    mut resolver: ResolverConnection,
) -> Vec<ExplainedExtension> {
    let world = services.world();
    let snapshot = services.catalogs().watch().borrow().clone();
    let policies = ClusterPolicies::read(world).await;
    let permissions = Permissions::of(world);
    let mut explained = Vec::new();
    for name in names {
        let Some(extension) = all.named(name) else {
            continue;
        };
        let Some(mut forecast) = all.forecast(extension, &snapshot) else {
            explained.push(ExplainedExtension::without_forecast(name, extension));
            continue;
        };
        let checked = checks::check(
            &mut forecast,
            extension,
            (world, &permissions),
            &mut resolver,
        )
        .await;
        let decision = policies.decide(extension, &forecast, terms);
        let pin = Pin::of(extension, &forecast);
        let mut each = ExplainedExtension::of(name, extension, forecast, checked);
        (each.policies, each.pin) = (decision, pin);
        each.unknown.extend(policies.unread());
        explained.push(each);
    }
    explained
}

// === impl ExplainedExtension ===

impl ExplainedExtension {
    fn of(
        name: &str,
        extension: &ClusterExtension,
        forecast: ExtensionForecast,
        checked: Checked,
    ) -> Self {
        let action = forecast.state();
        let ExtensionForecast {
            catalogs,
            path,
            stop,
            newer,
        } = forecast;
        let Checked {
            crds,
            uses,
            permissions,
            images,
            unknown,
        } = checked;
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
            crd_uses: uses,
            missing_permissions: permissions,
            new_images: images,
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
            crd_uses: Vec::new(),
            missing_permissions: Vec::new(),
            new_images: BTreeSet::new(),
            policies: None,
            pin: None,
            unknown: vec![NO_CATALOGS.to_owned()],
            is_named: false,
        }
    }

    /// Returns true if it needs details below its row.
    pub(super) fn needs_words(&self) -> bool {
        self.is_named || !self.is_fine() || !self.unknown.is_empty()
    }

    /// Returns true if OLM v1 changes nothing and reports no error.
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
