//! A bundle, read whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_core_catalog::Property;
use portolan_core_names::Version;
use serde_json::Value as Json;

use crate::csv::{CrdDescription, Csv};
use crate::fault::BundleFault;
use crate::folder::{Folder, Limits};
use crate::object::{Object, text};
use crate::read;
use crate::typed::Placed;

/// One installable version of an operator: its manifests, parsed into the types of OLM if OLM has
/// types for them.
#[derive(Debug, Clone)]
pub struct Bundle {
    pub(crate) folder: Folder,
    /// The keys of `metadata/annotations.yaml`.
    pub(crate) labels_of_image: BTreeMap<String, String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) dependencies: Vec<Property>,
    pub(crate) csv: Csv,
    pub(crate) crds: Vec<Crd>,
    pub(crate) others: Vec<Object>,
    pub(crate) warnings: Vec<BundleFault>,
    pub(crate) limits: Limits,
}

/// A CustomResourceDefinition of a bundle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Crd {
    pub(crate) file: Arc<str>,
    pub(crate) line: u64,
    pub(crate) name: String,
    /// The object without fields that its type does not define.
    pub(crate) json: Json,
    /// The whole object, if its API version is no longer served by any server.
    pub(crate) old_form: Option<Json>,
}

/// An API that a CustomResourceDefinition serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api<'b> {
    /// The name of the definition, such as `ships.ferry.example`.
    pub crd: &'b str,
    pub version: &'b str,
    pub kind: &'b str,
}

/// An install mode, by its name in the ClusterServiceVersion.
pub(crate) const ALL_NAMESPACES: &str = "AllNamespaces";
pub(crate) const OWN_NAMESPACE: &str = "OwnNamespace";
pub(crate) const SINGLE_NAMESPACE: &str = "SingleNamespace";
pub(crate) const MULTI_NAMESPACE: &str = "MultiNamespace";

/// The annotation with the Namespace that an author suggests, as JSON.
pub(crate) const NAMESPACE_TEMPLATE: &str = "operatorframework.io/suggested-namespace-template";

/// The annotation of the image, and of `metadata/annotations.yaml`, that names the package.
pub const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// The maximum length of JSON in an annotation. An API server accepts at most 256 KiB for all
/// annotations of an object.
pub(crate) const LONGEST_JSON: usize = 4 << 20;

// === impl Bundle ===

impl Bundle {
    /// Reads the files of a bundle in the same way as OLM v1.
    ///
    /// # Errors
    ///
    /// Returns all errors if OLM v1 could not read the bundle either.
    pub fn read(folder: Folder, limits: &Limits) -> Result<Self, Vec<BundleFault>> {
        read::bundle(folder, limits)
    }

    /// Returns the package. Returns an empty string if the bundle does not name a package.
    pub fn package(&self) -> &str {
        self.labels_of_image.get(PACKAGE).map_or("", String::as_str)
    }

    /// Returns the name of the ClusterServiceVersion, such as `ferry.v1.2.0`.
    pub fn name(&self) -> &str {
        self.csv.name()
    }

    /// Returns the version. Returns None if the version is missing, which OLM v1 treats as 0.0.0.
    pub fn version(&self) -> Option<&Version> {
        self.csv.version.as_ref()
    }

    /// Returns the supported install modes, ordered by name.
    pub fn install_modes(&self) -> Vec<&str> {
        self.csv.modes()
    }

    /// Returns the owned APIs of the ClusterServiceVersion.
    pub fn owned(&self) -> impl Iterator<Item = Api<'_>> {
        self.csv.spec.crds.owned.iter().map(Api::of)
    }

    /// Returns the required APIs of the ClusterServiceVersion.
    pub fn required(&self) -> impl Iterator<Item = Api<'_>> {
        self.csv.spec.crds.required.iter().map(Api::of)
    }

    /// Returns the files, unchanged.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the keys of `metadata/annotations.yaml`.
    pub fn annotations(&self) -> &BTreeMap<String, String> {
        &self.labels_of_image
    }

    /// Returns the properties of the ClusterServiceVersion, followed by those in
    /// `metadata/properties.yaml`.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Returns the dependencies in `metadata/dependencies.yaml`. OLM v1 does not read this file.
    pub fn dependencies(&self) -> &[Property] {
        &self.dependencies
    }

    /// Returns the warnings about the files. [`validate`](crate::validate) returns the errors of
    /// the content.
    pub fn warnings(&self) -> &[BundleFault] {
        &self.warnings
    }

    /// Returns the namespace that the author suggests: the name in the template, or else the
    /// separate name.
    pub fn suggested_namespace(&self) -> Option<String> {
        const SUGGESTED: &str = "operatorframework.io/suggested-namespace";
        let beside = self.csv.annotations().get(SUGGESTED).cloned();
        let template = self.namespace_template().and_then(Result::ok);
        let named = template.map(|template| text(&template["metadata"]["name"]).to_owned());
        named.filter(|name| !name.is_empty()).or(beside)
    }

    /// Returns the Namespace that the author suggests, or the reason why it is invalid.
    pub(crate) fn namespace_template(&self) -> Option<Result<Json, String>> {
        let template = self.csv.annotations().get(NAMESPACE_TEMPLATE)?;
        if template.len() > LONGEST_JSON {
            return Some(Err(format!("it has more than {LONGEST_JSON} bytes")));
        }
        Some(match serde_json::from_str(template) {
            Ok(Json::Object(template)) => Ok(Json::Object(template)),
            Ok(_) => Err("it is no object".to_owned()),
            Err(error) => Err(error.to_string()),
        })
    }
}

// === impl Api ===

impl<'b> Api<'b> {
    fn of(description: &'b Placed<CrdDescription>) -> Self {
        let CrdDescription {
            name,
            version,
            kind,
            ..
        } = &description.value;
        Self {
            crd: name,
            version,
            kind,
        }
    }
}

// === impl Crd ===

impl Crd {
    /// Returns the group and the kind of the CRD.
    pub(crate) fn defines(&self) -> (&str, &str) {
        let spec = &self.json["spec"];
        let group = spec["group"].as_str().unwrap_or_default();
        (group, spec["names"]["kind"].as_str().unwrap_or_default())
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.json["spec"]["scope"] == "Namespaced"
    }
}
