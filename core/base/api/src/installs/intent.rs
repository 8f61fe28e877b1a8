//! Parses the spec of an Install.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Install;
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, Refusals};
use crate::words::Words;

const SPEC_FIELDS: &[&str] = &["approval", "content", "namespaces"];
const MAPPING_FIELDS: &[&str] = &["from", "to"];
const CONTENT_FIELDS: &[&str] = &["manifestImage", "raw", "type"];
/// The maximum length of an image reference.
pub(super) const LONGEST_IMAGE: usize = 600;

/// The maximum number of entries of `content`.
pub(super) const MOST_CONTENT: usize = 20;
/// The maximum number of entries of `namespaces`.
pub(super) const MOST_NAMESPACES: usize = 50;

pub(super) const APPROVALS: &Words<bool> = &[("Approved", true), ("Unapproved", false)];
/// The values of `type` in an entry of `content`. The entry has its content in the field with the
/// same name as the type.
pub(super) const TYPES: &Words<Type> =
    &[("ManifestImage", Type::ManifestImage), ("Raw", Type::Raw)];

/// The type of an entry of `content`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    ManifestImage,
    Raw,
}

/// The parsed spec of an Install.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// The content to install. It has at least one entry.
    pub content: Vec<Content>,
    pub mapping: Mapping,
    pub is_approved: bool,
}

/// One entry of `content`.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// A bundle image. Contains the image reference as the author wrote it, with its registry and a
    /// tag or a digest.
    ManifestImage(String),
    /// Manifests, as the author wrote them: YAML or JSON text, or one manifest as an object.
    Raw(Value),
}

/// Maps namespaces in the content to namespaces in the cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mapping(BTreeMap<String, String>);

impl Intent {
    /// Parses an Install. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors at once.
    pub fn parse(install: &Install) -> Result<Self, Refusals> {
        let mut refused = Vec::new();
        let spec = ManifestPlace::new("spec", install.spec.as_json());
        let draft = draft(&spec, &mut refused);
        Refusals::unless(refused, draft)
    }
}

impl Mapping {
    /// Returns the namespace in the cluster for objects in a namespace of the content.
    pub fn of<'a>(&'a self, namespace: &'a str) -> &'a str {
        self.0.get(namespace).map_or(namespace, String::as_str)
    }

    /// Returns the namespace in the cluster for a namespace of the content. Returns None if the
    /// mapping does not contain this namespace.
    pub fn given(&self, namespace: &str) -> Option<&str> {
        self.0.get(namespace).map(String::as_str)
    }

    /// Returns the namespace to which all namespaces are mapped. Returns None if there are several
    /// such namespaces, or no mapping.
    pub fn target(&self) -> Option<&str> {
        let mut targets = self.0.values();
        let first = targets.next()?;
        targets.all(|it| it == first).then_some(first)
    }
}

impl FromIterator<(String, String)> for Mapping {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(pairs: I) -> Self {
        Self(pairs.into_iter().collect())
    }
}

/// Parses the spec. Returns None only if a field is invalid.
fn draft(spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Intent> {
    spec.require("list the content to install", refused);
    spec.only(SPEC_FIELDS, refused)?;
    let approval = spec.field("approval").word(APPROVALS, refused);
    let mapping = mapping(&spec.field("namespaces"), refused);
    let content = content(&spec.field("content"), refused);
    Some(Intent {
        content: content?,
        mapping,
        is_approved: approval == Some(true),
    })
}

fn mapping(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Mapping {
    let items = place.list(refused).unwrap_or_default();
    place.exceeds(MOST_NAMESPACES, (items.len(), "entries"), refused);
    let mut mapping = BTreeMap::new();
    for item in &items {
        if item.only(MAPPING_FIELDS, refused).is_none() {
            continue;
        }
        let [from, to] = ["from", "to"].map(|name| {
            let field = item.field(name);
            field.require("write the name of a namespace", refused);
            field.label("the name of a namespace", refused)
        });
        let (Some(from), Some(to)) = (from, to) else {
            continue;
        };
        if mapping.insert(from, to).is_some() {
            let sentence =
                "names a namespace that another entry already maps; remove one of the entries";
            item.field("from").refuse_value(sentence, refused);
        }
    }
    Mapping(mapping)
}

fn content(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Vec<Content>> {
    place.require("write at least one entry", refused);
    let items = place.list(refused)?;
    if items.is_empty() {
        place.refuse_value("is empty; list at least one entry", refused);
    }
    place.exceeds(MOST_CONTENT, (items.len(), "entries"), refused);
    let entries = items.iter().filter_map(|item| entry(item, refused));
    Some(entries.collect())
}

fn entry(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Content> {
    let fields = place.only(CONTENT_FIELDS, refused)?;
    let type_ = place.field("type");
    type_.require("write ManifestImage or Raw", refused);
    let type_ = type_.word(TYPES, refused)?;
    let [image, raw] = ["manifestImage", "raw"].map(|name| place.field(name));
    let other = match type_ {
        Type::ManifestImage => &raw,
        Type::Raw => &image,
    };
    if other.is_given() {
        other.refuse_value(
            "belongs to another type of content; remove this field",
            refused,
        );
    }
    match type_ {
        Type::ManifestImage => {
            image.require(
                "write an image, such as registry.example/bundle:v1",
                refused,
            );
            let written = image.text(refused)?;
            image.exceeds(LONGEST_IMAGE, (written.len(), "letters"), refused);
            Some(Content::ManifestImage(written.to_owned()))
        }
        Type::Raw => {
            raw.require(
                "write several manifests as a string, or one manifest as an object",
                refused,
            );
            let written = fields.get("raw").filter(|raw| !raw.is_null())?;
            if !written.is_string() && !written.is_object() {
                let sentence = "is neither a string nor an object; write several manifests as a \
                                string, or one manifest as an object";
                raw.refuse_value(sentence, refused);
            }
            Some(Content::Raw(written.clone()))
        }
    }
}
