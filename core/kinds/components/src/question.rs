//! The questions to catalogs about an installed bundle.

use std::collections::BTreeSet;

use portolan_core_names::{Gvk, ObjectRef};
use serde_json::{Map, Value};

use crate::component::{Component, Subscription};
use crate::csv::{Csv, newest};
use crate::decide::Operator;
use crate::installed::{installed, own_install};
use crate::kind::KINDS;
use crate::source::Bundle;

/// Asks for the updates of an installed bundle, and for the objects that it contains.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Question {
    /// The CatalogSource of the catalog, as `NAMESPACE/NAME`.
    pub catalog: String,
    pub package: String,
    /// The channel of the Operator. Empty for the default channel.
    pub channel: String,
    /// The name of the installed bundle.
    pub bundle: String,
    pub version: String,
    /// The namespace in which the bundle is installed.
    pub namespace: String,
}

/// The answer of a catalog, or the reason why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    Known(CatalogFacts),
    /// The catalog does not respond, or rejects the question. Contains the reason.
    Unknown(String),
}

/// The information that a catalog has about a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CatalogFacts {
    /// The bundles to which the installed bundle can be updated in one hop.
    pub updates: BTreeSet<PermittedUpdate>,
    /// The objects of the installed bundle, of the kinds that OLM labels. None if they are unknown.
    pub brings: Option<BTreeSet<ObjectRef<Gvk>>>,
}

/// An update that a channel allows.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PermittedUpdate {
    pub channel: String,
    pub bundle: String,
    pub version: String,
}

/// The reason why no catalog is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unasked {
    NothingInstalled,
    NoCatalog,
}

/// Returns the question about the bundle that the Operator has installed.
///
/// # Errors
///
/// Returns the reason why no catalog is asked.
pub(crate) fn question(operator: &Operator, components: &[Component]) -> Result<Question, Unasked> {
    let spec = operator.stored.spec.as_ref();
    let Some((component, csv)) = newest(components) else {
        return of_own_install(operator, components);
    };
    let followed = followed(&component.id.name, components);
    let followed = followed.or_else(|| wished(spec));
    let followed = followed.ok_or(Unasked::NoCatalog)?;
    Ok(Question {
        catalog: followed.catalog,
        package: followed.package,
        channel: followed.channel,
        bundle: component.id.name.clone(),
        version: csv.version.clone(),
        namespace: component.id.namespace().to_owned(),
    })
}

/// Returns the question about the bundle in the Operator's Install. The bundle comes from a catalog
/// or an image.
fn of_own_install(operator: &Operator, components: &[Component]) -> Result<Question, Unasked> {
    if let Some(first) = installed(operator, components) {
        return Ok(of_install(first));
    }
    let install = own_install(operator, components).and_then(Component::install);
    let bundle = install.and_then(|it| it.bundle.as_ref());
    let (name, csv) = bundle.ok_or(Unasked::NothingInstalled)?;
    let followed = wished(operator.stored.spec.as_ref()).ok_or(Unasked::NoCatalog)?;
    Ok(Question {
        catalog: followed.catalog,
        package: followed.package,
        channel: followed.channel,
        bundle: name.clone(),
        version: csv.version.clone(),
        namespace: String::new(),
    })
}

/// Returns the question about a bundle of an Install. The namespace is empty, because the bundle is
/// not bound to a namespace.
fn of_install(bundle: &Bundle) -> Question {
    Question {
        catalog: bundle.catalog.clone(),
        package: bundle.package.clone(),
        channel: bundle.channel.clone(),
        bundle: bundle.name.clone(),
        version: bundle.version.clone(),
        namespace: String::new(),
    }
}

/// Returns the Subscription that has installed the ClusterServiceVersion. Without such a
/// Subscription, returns any Subscription among the components.
fn followed(csv: &str, components: &[Component]) -> Option<Subscription> {
    let subscriptions = || components.iter().filter_map(Component::subscription);
    let own = subscriptions().find(|it| it.csvs.contains(csv));
    own.or_else(|| subscriptions().next()).cloned()
}

/// Returns the package, the channel and the catalog that the spec names, in the form of a
/// Subscription.
pub(crate) fn wished(spec: Option<&Map<String, Value>>) -> Option<Subscription> {
    let source = &spec?.get("updates")?["catalogSource"];
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let reference = &source["ref"];
    let [namespace, name] = [&reference["namespace"], &reference["name"]].map(text);
    Some(Subscription {
        package: text(&source["package"])?,
        channel: text(&source["channel"]).unwrap_or_default(),
        catalog: format!("{}/{}", namespace?, name?),
        ..Subscription::default()
    })
}

/// Returns the objects that a bundle with these manifests installs in this namespace. Only kinds
/// that OLM labels are included. RBAC objects are omitted, because OLM generates their names.
/// Returns None if the ClusterServiceVersion is missing.
pub fn brought(manifests: &[Value], namespace: &str) -> Option<BTreeSet<ObjectRef<Gvk>>> {
    let mut all = BTreeSet::new();
    let mut has_csv = false;
    for manifest in manifests {
        let kind = manifest["kind"].as_str().unwrap_or_default();
        let name = manifest["metadata"]["name"].as_str().unwrap_or_default();
        let Some(kind) = KINDS.iter().find(|it| it.kind == kind && it.is_adopted) else {
            continue;
        };
        let is_rbac = kind.api_version.starts_with("rbac.");
        if is_rbac || name.is_empty() {
            continue;
        }
        let is_definition = kind.kind == "CustomResourceDefinition";
        let place = if is_definition { "" } else { namespace };
        all.insert(ObjectRef::new(
            Gvk::new(kind.api_version, kind.kind),
            place,
            name,
        ));
        // Some catalogs contain only the metadata of a ClusterServiceVersion. In this case, the
        // Deployments are unknown.
        let is_whole = manifest["spec"]["install"]["spec"].is_object();
        if kind.kind == "ClusterServiceVersion" && is_whole {
            has_csv = true;
            let csv = Csv::of(manifest);
            let deployments = csv.deployments.iter();
            all.extend(
                deployments
                    .map(|name| ObjectRef::new(Gvk::new("apps/v1", "Deployment"), namespace, name)),
            );
            let services = csv.api_services.iter();
            let version = "apiregistration.k8s.io/v1";
            all.extend(
                services.map(|name| ObjectRef::new(Gvk::new(version, "APIService"), "", name)),
            );
        }
    }
    has_csv.then_some(all)
}
