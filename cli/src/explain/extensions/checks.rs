//! The checks that OLM v1 makes before it installs a bundle: CRD upgrade safety, and existing
//! objects with another owner.

use std::collections::{BTreeMap, BTreeSet};

use portolan_core_bundle::manifest_images;
use portolan_core_names::ObjectRef;
use portolan_core_olm::{ClusterExtension, CrdEnforcement, EXTENSION};
use portolan_operators::{
    Acceptance, BundleManifests, CrdComparison, UnsafeUpdate, UpgradePath, compared_crds,
};
use portolan_proto::resolver::v1 as pb;
use portolan_resolver::extensions::{ExtensionBlock, ExtensionForecast};
use portolan_world::AnyWorld;
use serde_json::Value;

use super::account::{self, AccountCheck, Permissions};
use super::usage::{self, ChangeUse};
use crate::bundle_manifests::RenderedBundles;
use crate::facts::ResolverConnection;
use crate::print::words::located;

/// CRD checks of Portolan that OLM v1 does not make.
const NOT_OF_OLM_V1: [&str; 2] = ["preserveUnknownFields", "conversion"];
/// The maximum number of bundles of a path that are read and checked.
const MOST_BUNDLES: usize = 5;
/// The label with which OLM v0 marks the objects of a ClusterServiceVersion.
const CSV: &str = "olm.owner";

/// The manifests of the bundles of a path. Each bundle comes from the catalog that OLM v1 uses.
struct PathBundles<'r> {
    rendered: RenderedBundles<'r>,
    /// The catalog of each bundle of the path.
    catalogs: BTreeMap<String, String>,
    /// The manifests that were already read, by bundle.
    read: BTreeMap<String, Vec<Value>>,
}

/// The results of the checks.
#[derive(Debug, Default)]
pub(super) struct Checked {
    /// The incompatible changes of CRDs.
    pub(super) crds: CrdComparison,
    /// The custom resources that these changes affect.
    pub(super) uses: Vec<ChangeUse>,
    /// The missing permissions for the next bundle.
    pub(super) permissions: Vec<String>,
    /// The images of the next bundle that the installed bundle does not have.
    pub(super) images: BTreeSet<String>,
    /// The facts that are unknown.
    pub(super) unknown: Vec<String>,
}

/// Ends the path of a forecast where OLM v1 refuses a bundle.
pub(super) async fn check(
    forecast: &mut ExtensionForecast,
    extension: &ClusterExtension,
    (world, permissions): (&AnyWorld, &Permissions<'_>),
    resolver: &mut ResolverConnection,
) -> Checked {
    let Some(next) = bundles_of(forecast).next() else {
        return Checked::default();
    };
    let steps = forecast.path.iter();
    let catalogs = steps.map(|step| (step.bundle.clone(), step.catalog.clone()));
    let mut silence = None;
    let spec = &extension.spec;
    let mut bundles = PathBundles {
        catalogs: catalogs.collect(),
        rendered: RenderedBundles {
            resolver,
            catalog: String::new(),
            package: spec.source.catalog.package_name.clone(),
            options: Some(pb::InstallOptions {
                namespace: spec.namespace.clone(),
                watch_namespaces: spec.config.inline.watch_namespace.iter().cloned().collect(),
                like_olm_v1: true,
                ..pb::InstallOptions::default()
            }),
            silence: &mut silence,
        },
        read: BTreeMap::new(),
    };
    let mut checked = Checked::default();
    check_crds(forecast, extension, (world, &mut bundles), &mut checked).await;
    match bundles.manifests(&next).await {
        Ok(manifests) => {
            let next = (next.as_str(), manifests.as_slice());
            check_next(
                forecast,
                extension,
                next,
                (world, permissions, &mut bundles),
                &mut checked,
            )
            .await;
        }
        Err(why) if checked.crds.not_compared.is_none() => checked.unknown.push(not_compared(&why)),
        Err(_) => {}
    }
    checked
}

/// Checks the changes of CRDs on the path.
async fn check_crds(
    forecast: &mut ExtensionForecast,
    extension: &ClusterExtension,
    (world, bundles): (&AnyWorld, &mut PathBundles<'_>),
    checked: &mut Checked,
) {
    let safety = &extension.spec.install.preflight.crd_upgrade_safety;
    let is_checked = safety.enforcement != CrdEnforcement::None;
    let mut crds = compared(forecast, extension, world, bundles).await;
    let not_read = crds.not_compared.iter();
    checked
        .unknown
        .extend(not_read.map(|why| not_compared(why)));
    if let Some(unread) = bundles_of(forecast).nth(MOST_BUNDLES) {
        let why = format!("at most {MOST_BUNDLES} bundles are read, so {unread} was not read");
        checked.unknown.push(not_compared(&why));
    }
    crds.unsafe_updates.retain_mut(is_refused);
    if let Some(update) = crds.unsafe_updates.first().filter(|_| is_checked) {
        let block = ExtensionBlock::CrdUpgradeUnsafe {
            bundle: update.bundle.clone(),
            changes: update.lines(),
        };
        forecast.stop_before(&update.bundle, block);
    }
    checked.uses = usage::of_changes(&crds.unsafe_updates, world).await;
    checked.crds = crds;
}

/// Checks the objects of the next bundle, and the permissions to install it.
async fn check_next(
    forecast: &mut ExtensionForecast,
    extension: &ClusterExtension,
    (bundle, manifests): (&str, &[Value]),
    (world, permissions, bundles): (&AnyWorld, &Permissions<'_>, &mut PathBundles<'_>),
    checked: &mut Checked,
) {
    let owner = extension.metadata.name.as_deref().unwrap_or_default();
    let objects = foreign(manifests, world, owner).await;
    if !objects.is_empty() {
        let block = ExtensionBlock::ObjectNotOwned {
            bundle: bundle.to_owned(),
            objects,
        };
        forecast.stop_before(bundle, block);
    }
    let installed = match &extension.status.install {
        Some(install) => bundles.manifests(&install.bundle.name).await,
        None => Ok(Vec::new()),
    };
    let installed = installed.map_err(|why| format!("the installed bundle was not read: {why}"));
    if let Ok(installed) = &installed {
        let before = manifest_images(installed);
        checked.images = manifest_images(manifests);
        checked.images.retain(|image| !before.contains(image));
    }
    let installed = installed.as_deref().map_err(String::as_str);
    let AccountCheck {
        block,
        missing,
        unknown,
    } = account::check(extension, permissions, (bundle, manifests), installed).await;
    if let Some(block) = block {
        forecast.stop_before(bundle, block);
    }
    checked.permissions = missing;
    checked.unknown.extend(unknown);
}

fn bundles_of(forecast: &ExtensionForecast) -> impl Iterator<Item = String> {
    forecast.path.iter().map(|step| step.bundle.clone())
}

fn not_compared(why: &str) -> String {
    format!("the content of the next bundles was not checked: {why}")
}

async fn compared(
    forecast: &ExtensionForecast,
    extension: &ClusterExtension,
    world: &AnyWorld,
    bundles: &mut PathBundles<'_>,
) -> CrdComparison {
    let install = extension.status.install.as_ref();
    let path = UpgradePath {
        installed: install.map(|it| it.bundle.name.clone()),
        bundles: bundles_of(forecast).take(MOST_BUNDLES).collect(),
        acceptance: Acceptance::default(),
    };
    compared_crds(&path, Some(world), bundles).await
}

/// Keeps only the changes that OLM v1 rejects. Returns true if there is such a change.
fn is_refused(update: &mut UnsafeUpdate) -> bool {
    let is_check = |check: &str| !NOT_OF_OLM_V1.contains(&check);
    update.changes.retain(|change| is_check(&change.check));
    !update.changes.is_empty()
}

/// Returns the existing objects of a bundle that belong to another owner, as sentences that name
/// the owner.
async fn foreign(manifests: &[Value], world: &AnyWorld, extension: &str) -> Vec<String> {
    let names = manifests.iter().map(ObjectRef::versioned);
    let existing = world.written(names.collect()).await;
    let foreign = existing.iter().filter_map(|(object, found)| {
        let labels = &found["metadata"]["labels"];
        let label = |name: &str| labels[name].as_str();
        let owner = match (label(EXTENSION.name()), label(CSV)) {
            (Some(owner), _) if owner == extension => return None,
            (Some(owner), _) => format!("of ClusterExtension {owner}"),
            (None, Some(csv)) => format!("of ClusterServiceVersion {csv}"),
            (None, None) => "not created by OLM v1".to_owned(),
        };
        let namespace = object.namespace.as_deref().unwrap_or_default();
        let object = format!("{} {}", object.kind.kind, located(namespace, &object.name));
        Some(format!("{object} ({owner})"))
    });
    foreign.collect()
}

// === impl PathBundles ===

impl BundleManifests for PathBundles<'_> {
    async fn manifests(&mut self, bundle: &str) -> Result<Vec<Value>, String> {
        if let Some(read) = self.read.get(bundle) {
            return Ok(read.clone());
        }
        // An empty name selects any catalog, because the catalog of the installed bundle is
        // unknown.
        self.rendered.catalog = self.catalogs.get(bundle).cloned().unwrap_or_default();
        let manifests = self.rendered.manifests(bundle).await?;
        self.read.insert(bundle.to_owned(), manifests.clone());
        Ok(manifests)
    }
}
