//! One object as the API server sends it, cut down as it is read.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use kube::core::ObjectMeta;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::kind::prune;
use crate::{Fault, Key, Kind, Place};

/// An object, or the reason why it is none.
#[derive(Debug, Clone)]
pub(super) struct Item<K> {
    pub(super) key: Key,
    /// The resource version.
    pub(super) version: Option<String>,
    pub(super) object: Option<K>,
    pub(super) faults: Vec<Fault>,
}

/// A part of a list.
#[derive(Debug, Deserialize)]
#[serde(bound = "K: Kind")]
pub(super) struct Page<K> {
    #[serde(default)]
    pub(super) metadata: ListMeta,
    /// Null where there are none: so API servers list metadata.
    #[serde(default, deserialize_with = "items")]
    pub(super) items: Vec<Item<K>>,
}

fn items<'de, K: Kind, D: Deserializer<'de>>(list: D) -> Result<Vec<Item<K>>, D::Error> {
    Ok(Option::deserialize(list)?.unwrap_or_default())
}

/// What every object has, also one whose spec makes no sense.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named {
    metadata: ObjectMeta,
}

impl<K: Kind> Item<K> {
    fn of(json: &str) -> Self {
        match portolan_core_olm::read::<K>(json) {
            Ok((mut object, faults)) => {
                prune(&mut object);
                let key = Key::of(object.meta());
                let faults = faults.iter().map(|fault| at(&key, fault)).collect();
                Self {
                    version: object.meta().resource_version.clone(),
                    object: Some(object),
                    faults,
                    key,
                }
            }
            Err(error) => {
                let named = portolan_core_olm::read::<Named>(json);
                let metadata = named.map(|(named, _)| named.metadata).unwrap_or_default();
                let key = Key::of(&metadata);
                Self {
                    version: metadata.resource_version,
                    object: None,
                    faults: vec![at(&key, &error)],
                    key,
                }
            }
        }
    }
}

fn at(key: &Key, why: &impl ToString) -> Fault {
    Fault {
        place: Place::Object(key.clone()),
        why: why.to_string(),
    }
}

/// Reads the object by itself, so that one that does not fit does not cost the list.
impl<'de, K: Kind> Deserialize<'de> for Item<K> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = Box::<RawValue>::deserialize(from)?;
        Ok(Self::of(json.get()))
    }
}

#[cfg(test)]
mod tests {
    use kube::core::WatchEvent;
    use portolan_core_olm::CatalogSource;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_that_does_not_fit_costs_itself() {
        let list = json!({
            "kind": "CatalogSourceList",
            "metadata": {"resourceVersion": "7"},
            "items": [
                {"metadata": {"name": "good", "namespace": "olm"}},
                {"metadata": {"name": "odd", "namespace": "olm"}, "spec": {"priority": "high"}},
                {"metadata": {"name": 7}, "spec": {"address": "a:1"}},
                "none",
            ],
        });
        let page: Page<CatalogSource> = serde_json::from_str(&list.to_string()).expect("a page");
        assert_eq!(page.metadata.resource_version.as_deref(), Some("7"));
        let read: Vec<_> = page
            .items
            .iter()
            .map(|item| (item.key.to_string(), item.object.is_some()))
            .collect();
        let expected = [
            ("olm/good", true),
            ("olm/odd", true),
            ("", true),
            ("", false),
        ];
        assert_eq!(read, expected.map(|(key, is)| (key.to_owned(), is)));
        let faults: Vec<_> = page.items.iter().flat_map(|item| &item.faults).collect();
        let told = r#"olm/odd: spec.priority: invalid type: string "high", expected i32"#;
        assert_eq!(faults[0].to_string(), told);
        assert_eq!(faults.len(), 3);
    }

    #[test]
    fn what_nobody_reads_is_dropped() {
        let object = json!({"metadata": {
            "name": "shop",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "labels": {"kept": "yes"},
            "managedFields": [{"manager": "kubectl"}],
        }});
        // The type of an event comes first, as a Go server writes it.
        let event = format!(r#"{{"type": "ADDED", "object": {object}}}"#);
        let event = serde_json::from_str(&event).expect("an event");
        let WatchEvent::<Item<CatalogSource>>::Added(item) = event else {
            panic!("not an addition: {event:?}");
        };
        let kept = ObjectMeta {
            name: Some("shop".into()),
            labels: Some([("kept".into(), "yes".into())].into()),
            ..ObjectMeta::default()
        };
        assert_eq!(item.object.expect("an object").metadata, kept);
    }
}
