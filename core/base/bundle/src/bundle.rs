//! A bundle with all its files parsed.

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

/// One version of an operator that can be installed. Its manifests are parsed into the types of
/// OLM, if OLM has types for them.
#[derive(Debug, Clone)]
pub struct Bundle {
    pub(crate) folder: Folder,
    /// The annotations in `metadata/annotations.yaml`.
    pub(crate) labels_of_image: BTreeMap<String, String>,
    pub(crate) properties: Vec<Property>,
    pub(crate) dependencies: Vec<Property>,
    pub(crate) csv: Csv,
    pub(crate) crds: Vec<Crd>,
    pub(crate) others: Vec<Object>,
    pub(crate) warnings: Vec<BundleFault>,
    pub(crate) limits: Limits,
}

/// A CRD of a bundle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Crd {
    pub(crate) file: Arc<str>,
    pub(crate) line: u64,
    pub(crate) name: String,
    /// The CRD as JSON, without unknown fields.
    pub(crate) json: Json,
    /// The CRD as JSON with all fields, if no current API server serves its API version.
    pub(crate) old_form: Option<Json>,
}

/// An API that a CRD defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Api<'b> {
    /// The name of the CRD, such as `ships.ferry.example`.
    pub crd: &'b str,
    pub version: &'b str,
    pub kind: &'b str,
}

/// The names of the install modes in a ClusterServiceVersion.
pub(crate) const ALL_NAMESPACES: &str = "AllNamespaces";
pub(crate) const OWN_NAMESPACE: &str = "OwnNamespace";
pub(crate) const SINGLE_NAMESPACE: &str = "SingleNamespace";
pub(crate) const MULTI_NAMESPACE: &str = "MultiNamespace";

/// The annotation with a suggested Namespace as JSON, which the author of the bundle writes.
pub(crate) const NAMESPACE_TEMPLATE: &str = "operatorframework.io/suggested-namespace-template";

/// The annotation that names the package. An image and `metadata/annotations.yaml` have it.
pub const PACKAGE: &str = "operators.operatorframework.io.bundle.package.v1";

/// The maximum length of JSON text in an annotation, in bytes. An API server accepts at most 256
/// KiB for all annotations of an object.
pub(crate) const LONGEST_JSON: usize = 4 << 20;

// === impl Bundle ===

impl Bundle {
    /// Parses the files of a bundle in the same way as OLM v1.
    ///
    /// # Errors
    ///
    /// Returns all errors for which OLM v1 could not parse the bundle.
    pub fn read(folder: Folder, limits: &Limits) -> Result<Self, Vec<BundleFault>> {
        read::bundle(folder, limits)
    }

    /// Returns the name of the package, or an empty string if the bundle names no package.
    pub fn package(&self) -> &str {
        self.labels_of_image.get(PACKAGE).map_or("", String::as_str)
    }

    /// Returns the name of the ClusterServiceVersion, such as `ferry.v1.2.0`.
    pub fn name(&self) -> &str {
        self.csv.name()
    }

    /// Returns the version. Returns None if the version is missing, which OLM v1 reads as 0.0.0.
    pub fn version(&self) -> Option<&Version> {
        self.csv.version.as_ref()
    }

    /// Returns the names of the supported install modes, sorted.
    pub fn install_modes(&self) -> Vec<&str> {
        self.csv.modes()
    }

    /// Returns the owned APIs in the ClusterServiceVersion.
    pub fn owned(&self) -> impl Iterator<Item = Api<'_>> {
        self.csv.spec.crds.owned.iter().map(Api::of)
    }

    /// Returns the required APIs in the ClusterServiceVersion.
    pub fn required(&self) -> impl Iterator<Item = Api<'_>> {
        self.csv.spec.crds.required.iter().map(Api::of)
    }

    /// Returns the unchanged files of the bundle.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Returns the annotations in `metadata/annotations.yaml`.
    pub fn annotations(&self) -> &BTreeMap<String, String> {
        &self.labels_of_image
    }

    /// Returns the properties: first the properties of the ClusterServiceVersion, then the
    /// properties in `metadata/properties.yaml`.
    pub fn properties(&self) -> &[Property] {
        &self.properties
    }

    /// Returns the dependencies in `metadata/dependencies.yaml`. OLM v1 does not read this file.
    pub fn dependencies(&self) -> &[Property] {
        &self.dependencies
    }

    /// Returns the warnings that were found while the files were parsed.
    /// [`validate`](crate::validate) returns the faults of the content.
    pub fn warnings(&self) -> &[BundleFault] {
        &self.warnings
    }

    /// Returns the namespace that the author suggests: the name in the suggested Namespace, or else
    /// the name in a separate annotation.
    pub fn suggested_namespace(&self) -> Option<String> {
        const SUGGESTED: &str = "operatorframework.io/suggested-namespace";
        let beside = self.csv.annotations().get(SUGGESTED).cloned();
        let template = self.namespace_template().and_then(Result::ok);
        let named = template.map(|template| text(&template["metadata"]["name"]).to_owned());
        named.filter(|name| !name.is_empty()).or(beside)
    }

    /// Returns the Namespace that the author suggests, or the reason why it is invalid. Returns
    /// None if the author suggests no Namespace.
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
    /// Returns the group and the kind that the CRD defines.
    pub(crate) fn defines(&self) -> (&str, &str) {
        let spec = &self.json["spec"];
        let group = spec["group"].as_str().unwrap_or_default();
        (group, spec["names"]["kind"].as_str().unwrap_or_default())
    }

    pub(crate) fn is_namespaced(&self) -> bool {
        self.json["spec"]["scope"] == "Namespaced"
    }
}
