//! An object from the API server. The parser keeps only the needed fields.

use kube::core::ObjectMeta;
use serde::Deserialize;

use crate::key::key_of;
use crate::projection::KeptFields;
use crate::{FaultPlace, Key, Kind, WorldFault};

/// An object, or the reason why the object is invalid.
#[derive(Debug, Clone)]
pub(super) struct Item<K> {
    pub(super) key: Key,
    /// The resource version.
    pub(super) version: Option<String>,
    pub(super) object: Option<K>,
    pub(super) faults: Vec<WorldFault>,
}

/// The metadata of an object. It can be parsed even if the spec of the object is invalid.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    metadata: ObjectMeta,
}

portolan_core_olm::from_json!(Head);

impl<K: Kind> Item<K> {
    pub(super) fn of(json: &str, kept: &KeptFields) -> Self {
        match portolan_core_olm::read::<K>(json) {
            Ok((mut object, faults)) => {
                kept.prune(&mut object);
                let key = key_of(object.meta());
                let faults = faults.iter().map(|fault| at(&key, fault)).collect();
                Self {
                    version: object.meta().resource_version.clone(),
                    object: Some(object),
                    faults,
                    key,
                }
            }
            Err(error) => {
                let named = portolan_core_olm::read::<Head>(json);
                let metadata = named.map(|(named, _)| named.metadata).unwrap_or_default();
                let key = key_of(&metadata);
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

fn at(key: &Key, why: &impl ToString) -> WorldFault {
    WorldFault {
        place: FaultPlace::Object(key.clone()),
        why: why.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::CatalogSource;
    use serde_json::{Value, json};

    use super::*;
    use crate::Projection;

    fn item(object: &Value) -> Item<CatalogSource> {
        let kept = Projection::default().of::<CatalogSource>();
        Item::of(&object.to_string(), &kept)
    }

    #[test]
    fn malformed_object_drops_only_itself() {
        let objects = [
            json!({"metadata": {"name": "good", "namespace": "olm"}}),
            json!({"metadata": {"name": "odd", "namespace": "olm"}, "spec": {"priority": "high"}}),
            json!({"metadata": {"name": 7}, "spec": {"address": "a:1"}}),
            json!("none"),
        ];
        let items = objects.map(|object| item(&object));
        let read: Vec<_> = items
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
        let faults: Vec<_> = items.iter().flat_map(|item| &item.faults).collect();
        let told = r#"olm/odd: spec.priority: invalid type: string "high", expected i32"#;
        assert_eq!(faults[0].to_string(), told);
        assert_eq!(faults.len(), 3);
    }

    #[test]
    fn only_needed_metadata_is_kept() {
        let object = json!({"metadata": {
            "name": "shop",
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
            "managedFields": [{"manager": "kubectl", "operation": "Apply"}],
        }});
        let item = item(&object);
        let kept = ObjectMeta {
            name: Some("shop".into()),
            ..ObjectMeta::default()
        };
        let mut metadata = item.object.expect("an object").metadata;
        let fields = metadata.managed_fields.take();
        assert_eq!(
            json!(fields),
            json!([{"manager": "kubectl", "operation": "Apply"}])
        );
        assert_eq!(metadata, kept);
    }
}
