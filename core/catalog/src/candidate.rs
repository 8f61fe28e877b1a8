//! What may fulfill a requirement.

use std::borrow::Cow;
use std::collections::BTreeSet;

use portolan_core_names::{PackageName, Version};
use serde_json::{Value, json};

use crate::model::{Api, Bundle, PackageRequirement, Property};

/// What a requirement is held against: a bundle of a catalog, or an operator that is installed and
/// need not be in any catalog.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    /// Its package, if it is known.
    pub package: Option<&'a PackageName>,
    /// Its version, if it has one.
    pub version: Option<&'a Version>,
    /// The APIs that it brings.
    pub provides: &'a BTreeSet<Api>,
    /// What rules can ask for.
    pub properties: Properties<'a>,
}

/// Where the properties of a candidate are.
#[derive(Debug, Clone, Copy)]
pub enum Properties<'a> {
    /// In the parts of a bundle, put together when a rule asks.
    Of(&'a Bundle),
    /// In a list of all of them.
    Listed(&'a [Property]),
}

// === impl Candidate ===

impl<'a> Candidate<'a> {
    /// A bundle of a package.
    pub fn of(package: &'a PackageName, bundle: &'a Bundle) -> Self {
        Self {
            package: Some(package),
            version: Some(&bundle.version),
            provides: &bundle.provides,
            properties: Properties::Of(bundle),
        }
    }

    /// All its properties: the type, and the value as JSON.
    pub(crate) fn properties(&self) -> Vec<(&'a str, Cow<'a, str>)> {
        match self.properties {
            Properties::Of(bundle) => told(self.package, bundle),
            Properties::Listed(properties) => properties.iter().map(stated).collect(),
        }
    }
}

fn stated(property: &Property) -> (&str, Cow<'_, str>) {
    let Property { kind, value } = property;
    (kind, Cow::Borrowed(value))
}

/// What a bundle says of itself, as its document said it, but for keys that mean nothing to OLM.
fn told<'a>(package: Option<&PackageName>, bundle: &'a Bundle) -> Vec<(&'a str, Cow<'a, str>)> {
    let requires = &bundle.requires;
    let written = |value: Value| Cow::Owned(value.to_string());
    let api = |kind| move |api: &Api| (kind, Cow::Owned(api_value(api).to_string()));
    let package = package.map(|package| ("olm.package", written(package_value(package, bundle))));
    let provided = bundle.provides.iter().map(api("olm.gvk"));
    let apis = requires.apis.iter().map(api("olm.gvk.required"));
    let packages = requires.packages.iter();
    let packages = packages.map(|required| {
        let PackageRequirement { package, text, .. } = required;
        let value = json!({"packageName": package.as_str(), "versionRange": text.as_ref()});
        ("olm.package.required", written(value))
    });
    let constraints = requires.constraints.iter();
    let constraints =
        constraints.map(|constraint| ("olm.constraint", Cow::Borrowed(constraint.text())));
    let openshift = bundle.max_openshift_version.iter();
    let openshift =
        openshift.map(|version| ("olm.maxOpenShiftVersion", written(version.as_ref().into())));
    let prohibition = bundle
        .is_prohibited
        .then(|| ("olm.deprecated", written(json!({}))));
    package
        .into_iter()
        .chain(provided)
        .chain(apis)
        .chain(packages)
        .chain(constraints)
        .chain(openshift)
        .chain(prohibition)
        .chain(bundle.properties.iter().map(stated))
        .collect()
}

fn package_value(package: &PackageName, bundle: &Bundle) -> Value {
    let mut value = json!({
        "packageName": package.as_str(),
        "version": bundle.version.to_string(),
    });
    // A version with build metadata has its release from there; it was not written down.
    if let Some(release) = &bundle.release
        && bundle.version.build().is_empty()
    {
        value["release"] = release.as_str().into();
    }
    value
}

fn api_value(api: &Api) -> Value {
    let Api {
        group,
        version,
        kind,
    } = api;
    json!({"group": group.as_ref(), "version": version.as_ref(), "kind": kind.as_ref()})
}
