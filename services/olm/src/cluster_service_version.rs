//! `ClusterServiceVersion`: an operator that is installed, or is about to be.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use kube_core::ObjectMeta;
use serde::Deserialize;

use crate::Fault;
use crate::operator::{Api, Operator, Property, Requires};
use crate::properties::{self, Properties};
use crate::resource::resource;

/// What OLM writes on a copy in a namespace that an operator of another one watches.
const COPIED_FROM: &str = "olm.copiedFrom";

/// An operator of OLM v0.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterServiceVersion {
    /// Its name, namespace and versions.
    pub metadata: ObjectMeta,
    /// What its author says of it.
    pub spec: ClusterServiceVersionSpec,
    /// What OLM found.
    pub status: ClusterServiceVersionStatus,
}

resource!(
    ClusterServiceVersion,
    "clusterserviceversions",
    "operators.coreos.com",
    "v1alpha1",
    NamespaceResourceScope
);

/// What its author says of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterServiceVersionSpec {
    /// Its version, a semantic one.
    pub version: String,
    /// The one whose place it took.
    pub replaces: String,
    /// Kinds that are custom resources.
    #[serde(rename = "customresourcedefinitions")]
    pub custom_resources: Described<CustomResource>,
    /// Kinds that an API server of its own serves.
    #[serde(rename = "apiservicedefinitions")]
    pub served: Described<ServedApi>,
}

/// APIs that an operator brings, and others that it needs.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default)]
pub struct Described<A> {
    /// What it brings.
    pub owned: Vec<A>,
    /// What it needs.
    pub required: Vec<A>,
}

/// A kind that is a custom resource.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct CustomResource {
    /// The name of its definition: the plural and the group, such as `ferries.demo.example`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its kind.
    pub kind: String,
}

/// A kind that an API server serves.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ServedApi {
    /// Its group.
    pub group: String,
    /// Its version.
    pub version: String,
    /// Its kind.
    pub kind: String,
}

/// What OLM found.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct ClusterServiceVersionStatus {
    /// How far it has come, such as `Succeeded`.
    pub phase: String,
    /// Why, in a word.
    pub reason: String,
}

// === impl ClusterServiceVersion ===

impl ClusterServiceVersion {
    /// Whether it only tells a namespace that an operator of another one watches it.
    pub fn is_copied(&self) -> bool {
        let labels = self.metadata.labels.as_ref();
        self.status.reason == "Copied"
            || labels.is_some_and(|labels| labels.contains_key(COPIED_FROM))
    }

    /// The operator that it stands for, as OLM takes it for one (v0.46): what it needs is what the
    /// properties of its bundle say, and only without these what the object itself says.
    ///
    /// # Errors
    /// The annotation with the properties is none.
    pub fn operator(&self) -> Result<Operator, Fault> {
        let Properties {
            package,
            version,
            mut provides,
            requires,
            all,
        } = match self.properties()? {
            Some(properties) => properties,
            None => self.stated(),
        };
        provides.extend(self.owned());
        Ok(Operator {
            name: self.metadata.name.clone().unwrap_or_default(),
            version: match self.spec.version.as_str() {
                "" => version,
                stated => stated.to_owned(),
            },
            package,
            provides,
            requires,
            properties: all,
        })
    }

    /// The properties of an operator whose bundle left none.
    fn stated(&self) -> Properties {
        let required: BTreeSet<_> = self.required().collect();
        let owned = self.owned().map(|api| Property::of("olm.gvk", &api));
        let needed = required
            .iter()
            .map(|api| Property::of("olm.gvk.required", api));
        Properties {
            all: owned.chain(needed).collect(),
            requires: Requires {
                apis: required,
                ..Requires::default()
            },
            ..Properties::default()
        }
    }

    /// The APIs that its spec says it brings.
    pub fn owned(&self) -> impl Iterator<Item = Api> + use<> {
        let spec = &self.spec;
        apis(&spec.custom_resources.owned, &spec.served.owned)
    }

    /// The APIs that its spec says it needs.
    pub fn required(&self) -> impl Iterator<Item = Api> + use<> {
        let spec = &self.spec;
        apis(&spec.custom_resources.required, &spec.served.required)
    }

    /// The annotation with the properties of its bundle, as it stands there.
    pub fn properties_text(&self) -> Option<&str> {
        let annotations = self.metadata.annotations.as_ref();
        let text = annotations.and_then(|all| all.get(properties::ANNOTATION));
        text.map(String::as_str)
    }

    fn properties(&self) -> Result<Option<Properties>, Fault> {
        self.properties_text().map(Properties::parse).transpose()
    }
}

fn apis(custom: &[CustomResource], served: &[ServedApi]) -> impl Iterator<Item = Api> + use<> {
    let custom = custom.iter().map(|resource| {
        // Without a plural before it, nobody can tell what the group is.
        let group = resource.name.split_once('.').map(|(_, group)| group);
        Api::new(group.unwrap_or_default(), &resource.version, &resource.kind)
    });
    let served = served
        .iter()
        .map(|api| Api::new(&api.group, &api.version, &api.kind));
    let all: BTreeSet<_> = custom.chain(served).collect();
    all.into_iter().filter(Api::is_whole)
}

// === impl Described ===

impl<A> Default for Described<A> {
    fn default() -> Self {
        Self {
            owned: Vec::new(),
            required: Vec::new(),
        }
    }
}
