//! The properties of a bundle, as OLM keeps them in annotations and in InstallPlans.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::operator::{Api, Property, RequiredPackage, Requires};
use crate::{Annotation, Fault};

/// The annotation.
pub(crate) const PROPERTIES: Annotation = Annotation::new("operatorframework.io/properties");

/// What properties say of a bundle, as far as it means something here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Properties {
    /// Its package; empty if they do not tell.
    pub package: String,
    /// Its version; empty if they do not tell.
    pub version: String,
    /// The APIs that it brings.
    pub provides: BTreeSet<Api>,
    /// What it needs beside itself.
    pub requires: Requires,
}

/// A list of properties, each read by itself.
#[derive(Deserialize)]
struct List<P> {
    #[serde(default = "Vec::new")]
    properties: Vec<P>,
}

/// A property whose value was not looked at yet.
#[derive(Deserialize)]
struct Sealed<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OfPackage {
    package_name: String,
    version: String,
}

// === impl Properties ===

impl Properties {
    /// Reads `{"properties": [{"type": …, "value": …}, …]}`. Of a type that means nothing here not
    /// even the value is read: it may be a description of many pages.
    ///
    /// # Errors
    /// The text is no list of properties, or the value of one is none of its type.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let mut read = Self::default();
        for (at, property) in list::<Sealed<'_>>(text)?.iter().enumerate() {
            let value = property.value.map_or("null", RawValue::get);
            let place = || format!("properties[{at}].value");
            read.take(&property.kind, value)
                .map_err(|error| fault(place(), &error))?;
        }
        Ok(read)
    }

    fn take(&mut self, kind: &str, value: &str) -> Result<(), serde_json::Error> {
        match kind {
            "olm.package" => {
                let OfPackage {
                    package_name,
                    version,
                } = typed(value)?;
                let known = (self.package.as_str(), self.version.as_str());
                if known != ("", "") && known != (package_name.as_str(), version.as_str()) {
                    return Err(serde::de::Error::custom(
                        "it is of two packages or versions",
                    ));
                }
                (self.package, self.version) = (package_name, version);
            }
            "olm.gvk" => self.provides.extend(api(value)?),
            "olm.gvk.required" => self.requires.apis.extend(api(value)?),
            "olm.package.required" => {
                let package: RequiredPackage = typed(value)?;
                self.requires.packages.push(package);
            }
            "olm.constraint" => {
                let constraint: Value = typed(value)?;
                self.requires.constraints.push(constraint.to_string());
            }
            _ => {}
        }
        Ok(())
    }
}

/// The properties of a text, of whatever types.
pub(crate) fn all(text: &str) -> Result<Vec<Property>, Fault> {
    list(text)
}

fn list<'a, P: Deserialize<'a>>(text: &'a str) -> Result<Vec<P>, Fault> {
    let list = serde_json::from_str::<List<P>>(text);
    let list = list.map_err(|error| fault(".".to_owned(), &error))?;
    Ok(list.properties)
}

fn api(value: &str) -> Result<Option<Api>, serde_json::Error> {
    Ok(Some(typed(value)?).filter(Api::is_whole))
}

fn typed<T: DeserializeOwned>(value: &str) -> Result<T, serde_json::Error> {
    serde_json::from_str(value)
}

fn fault(field: String, error: &serde_json::Error) -> Fault {
    let why = error.to_string();
    Fault { field, why }
}
