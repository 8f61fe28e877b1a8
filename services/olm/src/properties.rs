//! The properties of a bundle, as OLM keeps them in an annotation.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Fault;
use crate::operator::{Api, Property, RequiredPackage, Requires};

/// The annotation.
pub(crate) const ANNOTATION: &str = "operatorframework.io/properties";

/// What properties say of a bundle.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Properties {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) provides: BTreeSet<Api>,
    pub(crate) requires: Requires,
    pub(crate) all: Vec<Property>,
}

#[derive(Deserialize)]
struct All {
    #[serde(default)]
    properties: Vec<Property>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct OfPackage {
    package_name: String,
    version: String,
}

// === impl Properties ===

impl Properties {
    /// Reads `{"properties": [{"type": …, "value": …}, …]}`. Types that mean
    /// nothing here are kept as they are.
    pub(crate) fn parse(text: &str) -> Result<Self, Fault> {
        let All { properties } = serde_json::from_str(text).map_err(|error| fault("", error))?;
        let mut read = Self::default();
        for (at, Property { kind, value }) in properties.iter().enumerate() {
            read.take(kind, value)
                .map_err(|error| fault(&format!(".properties[{at}].value"), error))?;
        }
        read.all = properties;
        Ok(read)
    }

    fn take(&mut self, kind: &str, value: &Value) -> Result<(), serde_json::Error> {
        match kind {
            "olm.package" => {
                let OfPackage {
                    package_name,
                    version,
                } = typed(value)?;
                (self.package, self.version) = (package_name, version);
            }
            "olm.gvk" => self.provides.extend(api(value)?),
            "olm.gvk.required" => self.requires.apis.extend(api(value)?),
            "olm.package.required" => {
                let package: RequiredPackage = typed(value)?;
                self.requires.packages.push(package);
            }
            "olm.constraint" => self.requires.constraints.push(value.to_string()),
            _ => {}
        }
        Ok(())
    }
}

fn api(value: &Value) -> Result<Option<Api>, serde_json::Error> {
    Ok(Some(typed(value)?).filter(Api::is_whole))
}

fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, serde_json::Error> {
    T::deserialize(value)
}

fn fault(place: &str, error: serde_json::Error) -> Fault {
    Fault {
        field: format!("metadata.annotations[{ANNOTATION}]{place}"),
        why: error.to_string(),
    }
}
