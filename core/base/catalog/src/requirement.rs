//! A requirement of a bundle, and the check whether a candidate satisfies it.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_names::{PackageName, Version};
use serde_json::{Value, json};

use crate::Constraint;
use crate::model::{Api, Bundle, PackageRequirement, Property};

/// A single requirement of a bundle. As in OLM, one candidate must satisfy the whole requirement.
/// Two candidates cannot satisfy it together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement<'a> {
    Package(&'a PackageRequirement),
    Api(&'a Api),
    Constraint(&'a Arc<Constraint>),
}

// === impl Requirement ===

impl Requirement<'_> {
    /// Returns true if the candidate satisfies the requirement.
    pub fn is_met_by(&self, candidate: &Candidate<'_>) -> bool {
        match self {
            Self::Package(requirement) => requirement.is_met_by(candidate),
            Self::Api(api) => candidate.provides.contains(*api),
            Self::Constraint(constraint) => constraint.is_met_by(candidate),
        }
    }
}

/// Formats the requirement on one line: `package ferry ">=4.0.0"`, `API g.test/v1/Kind`, or the
/// text of the constraint.
impl fmt::Display for Requirement<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Package(requirement) => write!(f, "{requirement}"),
            Self::Api(api) => write!(f, "API {api}"),
            Self::Constraint(constraint) => write!(f, "{constraint}"),
        }
    }
}

// === impl PackageRequirement ===

impl PackageRequirement {
    pub(crate) fn is_met_by(&self, candidate: &Candidate<'_>) -> bool {
        let Self {
            package,
            text: _,
            range,
        } = self;
        candidate.package == Some(package)
            && range.as_ref().is_some_and(|range| {
                let version = candidate.version;
                version.is_some_and(|version| range.matches(version))
            })
    }
}

impl fmt::Display for PackageRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            package,
            text,
            range: _,
        } = self;
        write!(f, "package {package} {text:?}")
    }
}

/// A bundle of a catalog, or an installed operator. An installed operator may be in no catalog.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'a> {
    pub package: Option<&'a PackageName>,
    pub version: Option<&'a Version>,
    pub provides: &'a BTreeSet<Api>,
    pub properties: Properties<'a>,
}

/// The properties of a candidate.
#[derive(Debug, Clone, Copy)]
pub enum Properties<'a> {
    /// The bundle itself. Its properties are collected only when a CEL rule needs them.
    Of(&'a Bundle),
    /// A list of all properties.
    Listed(&'a [Property]),
}

// === impl Candidate ===

impl<'a> Candidate<'a> {
    pub fn of(package: &'a PackageName, bundle: &'a Bundle) -> Self {
        Self {
            package: Some(package),
            version: Some(&bundle.version),
            provides: &bundle.provides,
            properties: Properties::Of(bundle),
        }
    }

    /// Returns the properties of the candidate, each with its type and its value as JSON.
    pub(crate) fn properties(&self) -> Vec<(&'a str, Cow<'a, str>)> {
        match self.properties {
            Properties::Of(bundle) => stated_properties(self.package, bundle),
            Properties::Listed(properties) => properties.iter().map(stated).collect(),
        }
    }
}

fn stated(property: &Property) -> (&str, Cow<'_, str>) {
    let Property { kind, value } = property;
    (kind, Cow::Borrowed(value))
}

/// Returns the properties of a bundle as in its document, without the keys that OLM ignores.
fn stated_properties<'a>(
    package: Option<&PackageName>,
    bundle: &'a Bundle,
) -> Vec<(&'a str, Cow<'a, str>)> {
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
    // A version with build metadata contains the release, so there is no field for it.
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
