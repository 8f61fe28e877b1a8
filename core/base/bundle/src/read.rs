//! Parses the files of a bundle into a [`Bundle`].

mod faults;
mod metadata;

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinitionSpec;
use portolan_core_catalog::node::{self, Node, Value};
use portolan_core_names::Version;
use serde::Deserialize;

use crate::bundle::{Bundle, Crd};
use crate::csv::{Csv, CsvObject, Metadata};
use crate::fault::{BundleFault, Code};
use crate::folder::{Folder, Limits};
use crate::json;
use crate::object::Object;
use crate::typed::{self, Checked, LostFields, Misfit, Unread};
use faults::Faults;

/// Parses all files. Returns all errors if there are any.
pub(crate) fn bundle(folder: Folder, limits: &Limits) -> Result<Bundle, Vec<BundleFault>> {
    let mut read = Contents::default();
    let mut faults = Faults::within(*limits);
    let annotations = metadata::annotations(&folder, &mut faults);
    for (path, bytes) in folder.files() {
        match path.strip_prefix("manifests/") {
            Some(name) if name.contains('/') => {
                let sentence = "a bundle has no folders below `manifests`".to_owned();
                faults.add(BundleFault::error(path, 0, Code::FileUnexpected, sentence));
            }
            Some(_) => read.take(path, bytes, &mut faults),
            None => {}
        }
    }
    let Contents {
        csv,
        has_csv,
        crds,
        others,
    } = read;
    let properties = metadata::list(&folder, "properties", &mut faults);
    let dependencies = faults.aside(|faults| metadata::list(&folder, "dependencies", faults));
    let csv = match csv {
        Some(mut csv) => metadata::merge_properties(&mut csv, &properties, &mut faults)
            .map(|properties| (csv, properties)),
        // A document that could not be read may contain the ClusterServiceVersion. So its absence
        // is not reported as another error.
        None if has_csv || faults.are_unread => None,
        None => {
            faults.miss("manifests", Code::CsvMissing, "no ClusterServiceVersion");
            None
        }
    };
    let (Some((csv, properties)), false) = (csv, faults.are_fatal()) else {
        return Err(faults.all.into_faults());
    };
    Ok(Bundle {
        labels_of_image: annotations,
        properties,
        dependencies: dependencies.map_or_else(Vec::new, |(listed, _)| listed),
        csv,
        crds,
        others,
        warnings: faults.all.into_faults(),
        limits: *limits,
        folder,
    })
}

/// The objects of a bundle that were found so far.
#[derive(Default)]
struct Contents {
    csv: Option<Csv>,
    /// True if the bundle contains a ClusterServiceVersion, valid or not.
    has_csv: bool,
    crds: Vec<Crd>,
    others: Vec<Object>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CrdObject {
    #[serde(rename = "apiVersion")]
    _api_version: Unread,
    #[serde(rename = "kind")]
    _kind: Unread,
    metadata: Metadata,
    #[serde(rename = "spec")]
    _spec: Checked<CustomResourceDefinitionSpec>,
    #[serde(rename = "status")]
    _status: Unread,
}

/// An object of any kind without its own type. Only its labels and annotations are checked: their
/// values must be texts.
#[derive(Default, Deserialize)]
#[serde(default)]
struct OtherObject {
    #[serde(rename = "metadata")]
    _metadata: OtherMetadata,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OtherMetadata {
    #[serde(rename = "labels")]
    _labels: BTreeMap<String, String>,
    #[serde(rename = "annotations")]
    _annotations: BTreeMap<String, String>,
}

// === impl Contents ===

impl Contents {
    fn take(&mut self, file: &Arc<str>, bytes: &[u8], faults: &mut Faults) {
        let documents = faults.documents(file, bytes);
        if let Some(second) = documents.get(1) {
            let sentence = "the file has a second document: OLM v1 reads it, OLM v0 does not";
            let code = Code::SeveralDocuments;
            faults.add(BundleFault::warning(
                file,
                second.line,
                code,
                sentence.to_owned(),
            ));
        }
        for document in documents {
            self.take_document(file, document, faults);
        }
    }

    fn take_document(&mut self, file: &Arc<str>, mut document: Node<'_>, faults: &mut Faults) {
        let kind = kind_of(&document);
        if kind.as_deref().is_some_and(|kind| kind.ends_with("List"))
            && let Some(items) = items_of(&mut document, kind.as_deref().unwrap_or_default())
        {
            for item in items {
                self.take_document(file, item, faults);
            }
            return;
        }
        let Some(kind) = kind else {
            let sentence = if matches!(document.value, Value::Map(_)) {
                "an object without `kind`".to_owned()
            } else {
                let found = document.value.describe();
                format!("{found}; expected an object with `kind`")
            };
            faults.add(BundleFault::error(
                file,
                document.line,
                Code::NoKind,
                sentence,
            ));
            return;
        };
        let taken = match kind.as_str() {
            "ClusterServiceVersion" => self.take_csv(file, &mut document, faults),
            "CustomResourceDefinition" => self.take_crd(file, &mut document, faults),
            _ => self.take_other(file, &mut document),
        };
        for misfit in taken.err().into_iter().flatten() {
            faults.misfit(file, misfit);
        }
    }

    fn take_csv(
        &mut self,
        file: &Arc<str>,
        node: &mut Node<'_>,
        faults: &mut Faults,
    ) -> Result<(), Vec<Misfit>> {
        self.has_csv = true;
        let (CsvObject { metadata, spec, .. }, lost) = typed::read_whole(node, "")?;
        let json = json::known(node, &lost).map_err(|misfit| vec![misfit])?;
        faults.lost(file, "a ClusterServiceVersion", &lost);
        if let Some(earlier) = &self.csv {
            let sentence = format!(
                "a second ClusterServiceVersion replaces the one in {}:{}",
                earlier.file, earlier.line
            );
            faults.add(BundleFault::warning(
                file,
                node.line,
                Code::CsvTwice,
                sentence,
            ));
        }
        self.csv = Some(Csv {
            file: Arc::clone(file),
            line: node.line,
            version: version(file, &spec.version, faults),
            json,
            metadata,
            spec,
        });
        Ok(())
    }

    fn take_crd(
        &mut self,
        file: &Arc<str>,
        node: &mut Node<'_>,
        faults: &mut Faults,
    ) -> Result<(), Vec<Misfit>> {
        let (object, lost): (CrdObject, LostFields) = typed::read_whole(node, "")?;
        let json = json::known(node, &lost).map_err(|misfit| vec![misfit])?;
        // No current API server serves other API versions. Such a CRD is not checked field by
        // field, and is kept with all fields.
        let old_form = if json["apiVersion"] == "apiextensions.k8s.io/v1" {
            faults.lost(file, "a CustomResourceDefinition", &lost);
            None
        } else {
            Some(json::whole(node).map_err(|misfit| vec![misfit])?)
        };
        self.crds.push(Crd {
            file: Arc::clone(file),
            line: node.line,
            name: object.metadata.name.value,
            json,
            old_form,
        });
        Ok(())
    }

    fn take_other(&mut self, file: &Arc<str>, node: &mut Node<'_>) -> Result<(), Vec<Misfit>> {
        let json = json::whole(node).map_err(|misfit| vec![misfit])?;
        let _: (OtherObject, LostFields) = typed::read_whole(node, "")?;
        self.others.push(Object {
            file: Arc::clone(file),
            line: node.line,
            json,
        });
        Ok(())
    }
}

/// Parses the version of an operator, which may have a leading `v`.
fn version(
    file: &Arc<str>,
    written: &typed::Placed<String>,
    faults: &mut Faults,
) -> Option<Version> {
    let text = written.value.strip_prefix('v').unwrap_or(&written.value);
    if text.is_empty() {
        return None;
    }
    match Version::parse(text) {
        Ok(version) => Some(version),
        Err(refusal) => {
            let sentence = format!("`spec.version`: {refusal}");
            faults.add(BundleFault::error(
                file,
                written.line,
                Code::Version,
                sentence,
            ));
            None
        }
    }
}

fn find<'n, 'a>(node: &'n Node<'a>, key: &str) -> Option<&'n Node<'a>> {
    match &node.value {
        Value::Map(entries) => {
            let found = entries.iter().find(|(name, _)| name == key);
            found.map(|(_, value)| value)
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Skipped => None,
    }
}

fn kind_of(node: &Node<'_>) -> Option<String> {
    match &find(node, "kind")?.value {
        Value::Text(kind) if !kind.is_empty() => Some(kind.to_string()),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::Text(_)
        | Value::List(_)
        | Value::Map(_)
        | Value::Skipped => None,
    }
}

/// Returns the items of a list object. An item without kind or API version gets them from the list.
fn items_of<'a>(list: &mut Node<'a>, kind: &str) -> Option<Vec<Node<'a>>> {
    let of_items = kind.strip_suffix("List").unwrap_or(kind).to_owned();
    // Only a text is copied to the items. Another value could be large, and would be copied many
    // times.
    let version = find(list, "apiVersion").filter(|it| matches!(it.value, Value::Text(_)));
    let version = version.cloned();
    let Value::Map(entries) = &mut list.value else {
        return None;
    };
    let (_, items) = entries.iter_mut().find(|(key, _)| key == "items")?;
    let Value::List(items) = std::mem::replace(&mut items.value, Value::Null) else {
        return Some(Vec::new());
    };
    let whole = items.into_iter().map(|mut item| {
        if kind_of(&item).is_none()
            && !of_items.is_empty()
            && let Value::Map(entries) = &mut item.value
        {
            let kind = Node {
                line: item.line,
                value: Value::Text(of_items.clone().into()),
            };
            let has_version = entries.iter().any(|(key, _)| key == "apiVersion");
            entries.retain(|(key, _)| key != "kind");
            entries.push(("kind".into(), kind));
            let version = version.clone().filter(|_| !has_version);
            entries.extend(version.map(|version| ("apiVersion".into(), version)));
        }
        item
    });
    Some(whole.collect())
}

/// Returns the text of a scalar. Also accepts an unquoted number or boolean.
pub(super) fn scalar_text(node: &Node<'_>) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(text) => node::number(text).map(|number| number.to_string()),
        Value::Null | Value::List(_) | Value::Map(_) | Value::Skipped => None,
    }
}
