//! The properties of a bundle, which OLM stores in annotations and in InstallPlans.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use portolan_core_catalog::{Api, Constraint, PackageRequirement, Property, Requirements};
use portolan_core_names::{PackageName, VersionRange};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::{Annotation, ReadFault, operator};

/// The annotation on a ClusterServiceVersion that contains the properties of the bundle.
pub const PROPERTIES: Annotation = Annotation::new("operatorframework.io/properties");

/// The properties of a bundle that Portolan reads.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    /// The package. Empty if unknown.
    pub package: String,
    /// The version. Empty if unknown.
    pub version: String,
    /// The APIs that the bundle provides.
    pub provides: BTreeSet<Api>,
    /// The requirements of the bundle, in the order of the properties.
    pub requires: Requirements,
    /// True if the property `olm.deprecated` is set.
    pub is_prohibited: bool,
    /// The invalid properties. The other fields do not contain them. OLM ignores invalid
    /// properties. A caller that must not miss a property uses [`whole`](Self::whole), which
    /// rejects invalid properties.
    pub faults: Vec<ReadFault>,
}

/// The type of a property, with its unparsed value.
struct Sealed<'a> {
    kind: String,
    value: &'a str,
}

#[derive(Deserialize)]
struct List<'a> {
    #[serde(borrow, default)]
    properties: Option<Vec<Fields<'a>>>,
}

/// The fields of a JSON object, with unparsed values.
type Fields<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OfPackage {
    package_name: String,
    version: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OfApi {
    group: String,
    version: String,
    kind: String,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OfRequiredPackage {
    package_name: String,
    version_range: String,
}

// === impl Properties ===

impl Properties {
    /// Parses a text in the form `{"properties": [{"type": …, "value": …}, …]}`. Skips values of
    /// unknown types without parsing, because a value may be a description of many pages.
    ///
    /// # Errors
    /// Returns an error if the text is not a list of properties.
    pub fn parse(text: &str) -> Result<Self, ReadFault> {
        let mut read = Self::default();
        for (at, Sealed { kind, value }) in list(text)?.iter().enumerate() {
            if let Err(error) = read.take(kind, value) {
                let place = format!("properties[{at}].value");
                read.faults.push(fault(place, &error));
            }
        }
        Ok(read)
    }

    /// Returns the properties if all of them are valid.
    ///
    /// # Errors
    /// Returns the error of the first invalid property.
    pub fn whole(mut self) -> Result<Self, ReadFault> {
        if self.faults.is_empty() {
            Ok(self)
        } else {
            Err(self.faults.swap_remove(0))
        }
    }

    fn take(&mut self, kind: &str, value: &str) -> Result<(), serde_json::Error> {
        match kind {
            "olm.package" => self.take_package(typed(value)?)?,
            "olm.gvk" => self.provides.extend(api(value)?),
            "olm.gvk.required" => self.requires.apis.extend(api(value)?),
            "olm.package.required" => self.requires.packages.push(required(value)?),
            "olm.constraint" => {
                let constraint: Value = typed(value)?;
                let constraint = Constraint::parse(&constraint.to_string());
                self.requires.constraints.push(Arc::new(constraint));
            }
            "olm.deprecated" => self.is_prohibited = true,
            _ => {}
        }
        Ok(())
    }

    /// Sets the package and version. If several properties differ, returns an error and keeps the
    /// last one.
    fn take_package(&mut self, told: OfPackage) -> Result<(), serde_json::Error> {
        let OfPackage {
            package_name,
            version,
        } = told;
        let is_first = self.package.is_empty() && self.version.is_empty();
        let is_same = self.package == package_name && self.version == version;
        (self.package, self.version) = (package_name, version);
        if is_first || is_same {
            Ok(())
        } else {
            Err(Error::custom("it belongs to two packages or versions"))
        }
    }
}

/// Returns the properties in a text, including properties of unknown types.
///
/// # Errors
/// Returns an error if the text is not a list of properties, or if a value is not JSON.
pub fn all_properties(text: &str) -> Result<Vec<Property>, ReadFault> {
    let list = list(text)?;
    let all = list.iter().enumerate().map(|(at, Sealed { kind, value })| {
        let place = || format!("properties[{at}].value");
        let value: Value = typed(value).map_err(|error| fault(place(), &error))?;
        Ok(Property {
            kind: kind.as_str().into(),
            value: value.to_string().into(),
        })
    });
    all.collect()
}

fn list(text: &str) -> Result<Vec<Sealed<'_>>, ReadFault> {
    sealed(text).map_err(|error| fault(".".to_owned(), &error))
}

/// Parses a list of properties in the same way as OLM: a missing list is empty, and a property
/// without a type is an error.
fn sealed(text: &str) -> Result<Vec<Sealed<'_>>, serde_json::Error> {
    // Serde would also accept a list instead of an object.
    if text.trim_start().starts_with('[') {
        return Err(Error::custom("invalid type: sequence, expected an object"));
    }
    let List { properties } = serde_json::from_str(text)?;
    let sealed = properties.into_iter().flatten().map(|fields| {
        let kind = fields.get("type").map(|kind| typed(kind.get()));
        Ok(Sealed {
            kind: kind.ok_or_else(|| Error::missing_field("type"))??,
            value: fields.get("value").map_or("null", |value| value.get()),
        })
    });
    sealed.collect()
}

fn api(value: &str) -> Result<Option<Api>, serde_json::Error> {
    let OfApi {
        group,
        version,
        kind,
    } = typed(value)?;
    Ok(operator::api(&group, &version, &kind))
}

/// Parses a required package. An invalid range, or a range that OLM rejects, becomes None, so that
/// no version meets the requirement.
fn required(value: &str) -> Result<PackageRequirement, serde_json::Error> {
    let OfRequiredPackage {
        package_name,
        version_range,
    } = typed(value)?;
    Ok(PackageRequirement {
        package: PackageName::parse(&package_name).map_err(Error::custom)?,
        range: VersionRange::parse(&version_range)
            .ok()
            .filter(|range| range.refused_by_olm().is_none()),
        text: version_range.into(),
    })
}

fn typed<T: DeserializeOwned>(value: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(value)
}

fn fault(field: String, error: &serde_json::Error) -> ReadFault {
    let why = error.to_string();
    ReadFault { field, why }
}
