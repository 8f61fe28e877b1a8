//! An index of the objects with OLM's component labels. Such a label assigns an object to an
//! operator.

use std::collections::{BTreeMap, BTreeSet};

use portolan_api::plan::LINEAGE;
use portolan_core_components::{Component, Reading, by_kind, suffixes};
use portolan_core_names::{Gvk, ObjectRef};
use portolan_world::RawObject;
use serde_json::Value;

/// The objects with component labels, by object and by label.
#[derive(Debug, Default)]
pub(crate) struct Index {
    objects: BTreeMap<ObjectRef<Gvk>, Labeled>,
    by_label: BTreeMap<String, BTreeSet<ObjectRef<Gvk>>>,
}

/// The metadata of an object that may be a component.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Labeled {
    uid: String,
    resource_version: String,
    created: String,
    /// The operators that the labels of the object name. This is the part of each label after the
    /// slash.
    labels: BTreeSet<String>,
    /// True if the object has the label of an InstallPlan of Portolan.
    is_planned: bool,
}

// === impl Index ===

impl Index {
    /// Adds, updates or removes an object. Returns the labels whose Operators must be reconciled.
    /// If the content of objects of this kind is read, every new version is a change. Otherwise,
    /// only a new uid or new labels are a change.
    pub(crate) fn put(
        &mut self,
        id: ObjectRef<Gvk>,
        now: Option<Labeled>,
        is_read: bool,
    ) -> BTreeSet<String> {
        let now = now.filter(|it| !it.labels.is_empty());
        let before = self.objects.get(&id);
        let is_same = match (before, &now) {
            (Some(before), Some(now)) if is_read => before == now,
            (Some(before), Some(now)) => (&before.uid, &before.labels) == (&now.uid, &now.labels),
            (before, now) => before.is_none() && now.is_none(),
        };
        let labels = |of: Option<&Labeled>| of.map(|it| it.labels.clone()).unwrap_or_default();
        let mut touched = labels(before);
        for label in &touched {
            if let Some(ids) = self.by_label.get_mut(label) {
                ids.remove(&id);
            }
        }
        let new = labels(now.as_ref());
        for label in &new {
            self.by_label
                .entry(label.clone())
                .or_default()
                .insert(id.clone());
        }
        self.by_label.retain(|_, ids| !ids.is_empty());
        touched.extend(new);
        match now {
            Some(now) => self.objects.insert(id, now),
            None => self.objects.remove(&id),
        };
        if is_same { BTreeSet::new() } else { touched }
    }

    /// Returns the objects of a kind.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Vec<ObjectRef<Gvk>> {
        let ids = self.objects.keys();
        let ids = ids.filter(|id| id.kind.is(api_version, kind));
        ids.cloned().collect()
    }

    /// Returns the objects with a label. Their content has not been read yet.
    pub(crate) fn components(&self, label: &str) -> Vec<Component> {
        let ids = self.by_label.get(label).into_iter().flatten();
        let components = ids.filter_map(|id| {
            let Labeled {
                uid,
                resource_version,
                created,
                labels: _,
                is_planned,
            } = self.objects.get(id)?.clone();
            Some(Component {
                id: id.clone(),
                uid,
                resource_version,
                created,
                is_planned,
                reading: Reading::default(),
            })
        });
        let mut components: Vec<_> = components.collect();
        components.sort_by(|one, other| by_kind(&one.id, &other.id));
        components
    }
}

// === impl Labeled ===

impl Labeled {
    /// Returns the facts about an object. Returns None if the object has no component labels.
    pub(crate) fn of(object: &RawObject) -> Option<Self> {
        // Most objects have no component label. This check is faster than parsing their metadata.
        if !object.json.contains(portolan_core_olm::COMPONENT.name()) {
            return None;
        }
        let json: Value = serde_json::from_str(&object.json).ok()?;
        let metadata = &json["metadata"];
        let text = |field: &str| metadata[field].as_str().unwrap_or_default().to_owned();
        let labels = metadata["labels"].as_object()?;
        Some(Self {
            uid: text("uid"),
            resource_version: text("resourceVersion"),
            created: text("creationTimestamp"),
            labels: suffixes(labels.keys().map(String::as_str)),
            is_planned: labels.contains_key(LINEAGE.name()),
        })
    }
}

#[cfg(test)]
mod tests {
    use similar_asserts::assert_eq;

    use super::*;

    fn id(name: &str) -> ObjectRef<Gvk> {
        ObjectRef::new(Gvk::new("v1", "ConfigMap"), "harbor", name)
    }

    fn labeled(version: &str, labels: &[&str]) -> Option<Labeled> {
        Some(Labeled {
            uid: "1".to_owned(),
            resource_version: version.to_owned(),
            created: String::new(),
            labels: labels.iter().map(|it| (*it).to_owned()).collect(),
            is_planned: false,
        })
    }

    fn names(index: &Index, label: &str) -> Vec<String> {
        let components = index.components(label).into_iter();
        components.map(|it| it.id.name).collect()
    }

    fn set(labels: &[&str]) -> BTreeSet<String> {
        labels.iter().map(|it| (*it).to_owned()).collect()
    }

    #[test]
    fn object_belongs_to_each_operator_in_its_labels() {
        let mut index = Index::default();
        assert_eq!(
            index.put(id("a"), labeled("1", &["x", "y"]), false),
            set(&["x", "y"])
        );
        assert_eq!(index.put(id("b"), labeled("2", &["y"]), false), set(&["y"]));
        assert_eq!(
            (names(&index, "x"), names(&index, "y")),
            (vec!["a".to_owned()], vec!["a".to_owned(), "b".to_owned()])
        );

        // An object that loses a label affects the Operator of this label.
        assert_eq!(
            index.put(id("a"), labeled("3", &["x"]), false),
            set(&["x", "y"])
        );
        assert_eq!(names(&index, "y"), ["b"]);
        assert_eq!(index.put(id("a"), labeled("4", &[]), false), set(&["x"]));
        assert_eq!(index.put(id("b"), None, false), set(&["y"]));
        assert_eq!(index.of_kind("v1", "ConfigMap"), []);
    }

    #[test]
    fn new_version_is_a_change_only_for_kinds_that_are_read() {
        let mut index = Index::default();
        index.put(id("a"), labeled("1", &["x"]), false);
        assert_eq!(index.put(id("a"), labeled("2", &["x"]), false), set(&[]));
        assert_eq!(index.components("x")[0].resource_version, "2");
        assert_eq!(index.put(id("a"), labeled("3", &["x"]), true), set(&["x"]));
        assert_eq!(index.put(id("a"), labeled("3", &["x"]), true), set(&[]));
    }
}
