//! Parses transformations: existing objects that are replaced by objects of a plan.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;

use super::some_selector;
use crate::place::{LONGEST_SUBDOMAIN, ManifestPlace};
use crate::refusal::Refusal;
use crate::selector::is_match;
use crate::words::Words;

const TRANSFORMATION_FIELDS: &[&str] = &["from", "max", "order", "to"];
const FROM_FIELDS: &[&str] = &[
    "allNamespaces",
    "apiVersion",
    "kind",
    "labelSelector",
    "name",
    "namespace",
];
const TO_FIELDS: &[&str] = &["apiVersion", "kind", "name", "namespace"];
pub(in crate::plan) const MOMENTS: &Words<Moment> =
    &[("After", Moment::After), ("Before", Moment::Before)];
/// The maximum number of transformations in a plan. Also the maximum number of entries in `from` or
/// `to` of a transformation.
pub(in crate::plan) const MOST_TRANSFORMATIONS: usize = 20;
/// The maximum value of `max`, the number of objects that a transformation can delete. Its default
/// is [`TAKEN`].
pub(in crate::plan) const MOST_TAKEN: u32 = 1_000;
const TAKEN: u32 = 20;
pub(in crate::plan) const ONE_SELECTION: &str = "must have either a name or a labelSelector";
pub(in crate::plan) const ONE_SCOPE: &str = "must have either a namespace or allNamespaces: true";
pub(in crate::plan) const ALL_OBJECTS: &str =
    "selects all objects; write matchLabels or matchExpressions";

/// Objects that are deleted because objects of the plan replace them.
#[derive(Debug, Clone, PartialEq)]
pub struct Transformation {
    /// The objects to delete. There is at least one selection.
    pub from: Vec<Selection>,
    /// The objects of the plan that replace them. There is at least one.
    pub to: Vec<Target>,
    pub order: Moment,
    /// The maximum number of objects to delete. If more objects are selected, none is deleted.
    pub max: u32,
}

/// A selection of objects. It may select no object.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    pub api_version: String,
    pub kind: String,
    pub by: Selector,
    /// The namespace. None for all namespaces and for cluster-scoped objects.
    pub namespace: Option<String>,
}

/// Selects objects by name or by labels.
#[derive(Debug, Clone, PartialEq)]
pub enum Selector {
    Name(String),
    /// A selector with at least one requirement.
    Labels(LabelSelector),
}

/// An object of the plan that replaces other objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub api_version: String,
    pub kind: String,
    pub namespace: Option<String>,
    pub name: String,
}

/// The time at which the replaced objects are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// After all replacements meet the requirement of their stage.
    After,
    /// Before the first replacement is applied.
    Before,
}

impl Selector {
    /// Returns true if this selects an object with this name and these labels.
    pub fn matches(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        match self {
            Self::Name(own) => own == name,
            Self::Labels(selector) => is_match(selector, labels),
        }
    }
}

pub(super) fn transformations(
    place: &ManifestPlace<'_>,
    refused: &mut Vec<Refusal>,
) -> Vec<Transformation> {
    let places = few(place, "transformations", refused);
    let all = places.iter();
    all.filter_map(|place| transformation(place, refused))
        .collect()
}

fn transformation(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Transformation> {
    place.only(TRANSFORMATION_FIELDS, refused)?;
    let [from, to] = ["from", "to"].map(|name| place.field(name));
    from.require("write the objects to remove", refused);
    to.require(
        "write the objects of the plan that replace the removed objects",
        refused,
    );
    for list in [&from, &to] {
        if list.is_empty_list() {
            list.refuse_value("is empty; write at least one entry", refused);
        }
    }
    let order = place.field("order").word(MOMENTS, refused);
    let at_most = place.field("max");
    let max = at_most.count(refused).unwrap_or(TAKEN);
    if max > MOST_TAKEN {
        at_most.refuse_value(
            format!("is {max}; at most {MOST_TAKEN} are allowed"),
            refused,
        );
    }
    let from = few(&from, "entries", refused);
    let to = few(&to, "entries", refused);
    Some(Transformation {
        from: from
            .iter()
            .filter_map(|place| selection(place, refused))
            .collect(),
        to: to
            .iter()
            .filter_map(|place| target(place, refused))
            .collect(),
        order: order.unwrap_or(Moment::After),
        max,
    })
}

/// Returns the items of a list. Adds a refusal if the list is too long.
fn few<'a>(
    place: &ManifestPlace<'a>,
    what: &str,
    refused: &mut Vec<Refusal>,
) -> Vec<ManifestPlace<'a>> {
    let places = place.list(refused).unwrap_or_default();
    if place.exceeds(MOST_TRANSFORMATIONS, (places.len(), what), refused) {
        return Vec::new();
    }
    places
}

fn selection(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Selection> {
    place.only(FROM_FIELDS, refused)?;
    let kind = kind(place, refused);
    let (namespace, all) = (place.field("namespace"), place.field("allNamespaces"));
    let is_everywhere = all.flag(refused).unwrap_or(false);
    if namespace.is_given() == is_everywhere {
        place.refuse_value(ONE_SCOPE, refused);
    }
    let within = namespace
        .is_given()
        .then(|| namespace.label("a Namespace", refused));
    let (name, labels) = (place.field("name"), place.field("labelSelector"));
    let by = match (name.is_given(), labels.is_given()) {
        (true, false) => Selector::Name(segment(&name, refused)?),
        (false, true) => Selector::Labels(some_selector(&labels, ALL_OBJECTS, refused)?),
        (true, true) | (false, false) => {
            place.refuse_value(ONE_SELECTION, refused);
            return None;
        }
    };
    let (api_version, kind) = kind?;
    Some(Selection {
        api_version,
        kind,
        by,
        namespace: within.flatten(),
    })
}

fn target(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Target> {
    place.only(TO_FIELDS, refused)?;
    let kind = kind(place, refused);
    let name = place.field("name");
    name.require("write the name of an object of the plan", refused);
    let name = segment(&name, refused);
    let namespace = place.field("namespace");
    let namespace = namespace
        .is_given()
        .then(|| namespace.label("a Namespace", refused));
    let (api_version, kind) = kind?;
    Some(Target {
        api_version,
        kind,
        namespace: namespace.flatten(),
        name: name?,
    })
}

fn kind(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<(String, String)> {
    let [version, kind] = ["apiVersion", "kind"].map(|name| place.field(name));
    version.require("write an API group and version, such as apps/v1", refused);
    kind.require("write a kind, such as Deployment", refused);
    Some((segment(&version, refused)?, segment(&kind, refused)?))
}

/// Returns the text if it is not empty and not longer than a name. Otherwise, adds a refusal.
fn segment(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<String> {
    let text = place.text(refused)?;
    if text.is_empty() || text.len() > LONGEST_SUBDOMAIN {
        place.refuse_value(
            format!("must have 1 to {LONGEST_SUBDOMAIN} characters"),
            refused,
        );
        return None;
    }
    Some(text.to_owned())
}
