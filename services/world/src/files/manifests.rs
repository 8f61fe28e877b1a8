//! The objects in one text that is read only once.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use portolan_core_olm::Reads;

use super::documents::{Object, objects};
use super::gather::{Gathered, is_of};
use crate::{Area, FaultPlace, Kind, Projection, State, View, WorldFault};

/// The objects in one text, such as the output of `kubectl get -o yaml`. The text is parsed with
/// the same rules as [`Files`](super::Files).
#[derive(Debug)]
pub struct Manifests {
    file: PathBuf,
    projection: Projection,
    /// The objects, each with the first line of its document.
    objects: Vec<(u64, Object)>,
    /// The faults of documents whose kind is unknown.
    faults: Vec<WorldFault>,
}

// === impl Manifests ===

impl Manifests {
    /// Parses a text. Faults name this file.
    pub fn read(file: &Path, bytes: &[u8]) -> Self {
        let mut manifests = Self {
            file: file.to_owned(),
            projection: Projection::default(),
            objects: Vec::new(),
            faults: Vec::new(),
        };
        objects(bytes, &mut |line, object| match object {
            Ok(object) => manifests.objects.push((line, object)),
            Err(why) => manifests.faults.push(WorldFault {
                place: FaultPlace::File {
                    file: file.to_owned(),
                    line,
                    object: None,
                },
                why,
            }),
        });
        manifests
    }

    /// Also keeps the metadata in `reads`.
    #[must_use]
    pub fn reading(self, reads: &[Reads]) -> Self {
        Self {
            projection: self.projection.with(reads),
            ..self
        }
    }

    /// Returns the kinds of the objects.
    pub fn kinds(&self) -> BTreeSet<&str> {
        let kinds = self.objects.iter();
        kinds.map(|(_, object)| object.kind.as_str()).collect()
    }

    /// Returns the objects of a kind in all namespaces, and all faults that may concern these
    /// objects.
    pub fn view<K: Kind>(&self) -> View<K> {
        let mut gathered = Gathered::of(self.projection.of::<K>());
        let everywhere = Area::everywhere();
        let objects = self.objects.iter();
        for (line, object) in objects.filter(|(_, object)| is_of::<K>(object, &everywhere)) {
            gathered.take(&self.file, *line, object.clone());
        }
        let batch = gathered.with(&self.faults);
        View {
            state: State::Synced,
            objects: Arc::new(batch.objects),
            faults: Arc::new(batch.faults),
        }
    }
}

#[cfg(test)]
mod tests {
    use portolan_core_olm::CatalogSource;
    use portolan_kit::world;

    use super::*;

    fn content_lines(manifests: &Manifests) -> Vec<String> {
        let view = manifests.view::<CatalogSource>();
        let objects = view.objects.keys().map(ToString::to_string);
        let faults = view.faults.iter().map(ToString::to_string);
        objects.chain(faults).collect()
    }

    #[test]
    fn returns_objects_with_faults_that_may_hide_further_objects() {
        let text = world()
            .namespace("olm")
            .catalog_source("shop", "a:1")
            .catalog_source("shop", "b:2")
            .to_yaml();
        let text = format!("{text}---\nkind: [\n---\nkind: Nothing\n");
        let manifests = Manifests::read(Path::new("dump.yaml"), text.as_bytes());
        assert_eq!(
            manifests.kinds(),
            BTreeSet::from(["CatalogSource", "Namespace"])
        );
        let lines = content_lines(&manifests);
        assert_eq!(lines[0], "olm/shop");
        assert!(lines[1].starts_with("dump.yaml:"), "{lines:?}");
        assert!(
            lines[1].contains("olm/shop: the object is already in dump.yaml:"),
            "{lines:?}"
        );
        assert!(lines[2].starts_with("dump.yaml:"), "{lines:?}");
        assert!(
            lines[3].ends_with("it has no apiVersion and kind, which every object must have"),
            "{lines:?}"
        );
        assert_eq!(lines.len(), 4);
    }

    #[test]
    fn empty_list_has_no_objects_and_no_faults() {
        let list = br#"{"apiVersion": "v1", "kind": "List", "items": []}"#;
        let manifests = Manifests::read(Path::new("-"), list);
        assert_eq!(content_lines(&manifests), [""; 0]);
        assert_eq!(manifests.kinds(), BTreeSet::new());
    }
}
