//! The catalogs that objects of a cluster describe, and the locations of their content.

use std::collections::BTreeMap;
use std::fmt::Display;

use portolan_core_names::CatalogName;
use portolan_core_olm::{Availability, CatalogSource, ClusterCatalog, ObjectIdentity};
use portolan_world::{NotRead, View};

use super::super::secrets::{NamedImage, Puller};
use super::super::{CatalogAt, Location, READ_CATALOGD, READ_REGISTRY};
use crate::snapshot::{Rank, SourceFailure, SourceObject};

const NO_ADDRESS: &str = "NoAddress";
const NOT_GIVEN: &str = "NotGiven";

/// A catalog as its object describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NamedCatalog {
    pub(super) observed: SourceObject,
    pub(super) rank: Rank,
    pub(super) source: ContentAt,
    /// The image with the same content.
    pub(super) image: NamedImage,
}

/// The location of the content of a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ContentAt {
    /// The content is at this location.
    At {
        location: Location,
        /// A text that changes if the content at the same location changes.
        edition: String,
    },
    /// The location is unknown, for this reason.
    Nowhere(SourceFailure),
    /// The catalog is disabled. Earlier content is not used either.
    Off(SourceFailure),
}

// === impl ContentAt ===

impl ContentAt {
    /// Returns true if the catalog is read from a folder of files.
    pub(super) fn is_in_folder(&self) -> bool {
        matches!(self, Self::At { location, .. } if matches!(location, Location::Folder(_) | Location::Listing(_)))
    }

    /// Returns the state of a catalog that must not be read, with the reason.
    pub(super) fn unread(name: &CatalogName) -> Self {
        Self::Nowhere(SourceFailure {
            code: NOT_GIVEN,
            message: format!(
                "its content is not available; use --catalog {name}=PLACE to read the \
                content from another place"
            ),
        })
    }
}

/// Returns the catalogs that the objects describe.
pub(super) fn named(
    sources: &View<CatalogSource>,
    clusters: &View<ClusterCatalog>,
) -> BTreeMap<CatalogName, NamedCatalog> {
    let sources = sources.objects.values().map(|source| of_source(source));
    let clusters = clusters.objects.values().map(|cluster| of_cluster(cluster));
    sources.chain(clusters).flatten().collect()
}

/// Adds the catalogs whose content is stored in the folder of the objects. A catalog may have
/// content without an object.
pub(super) fn brought(
    mut wanted: BTreeMap<CatalogName, NamedCatalog>,
    brought: &[CatalogAt],
) -> BTreeMap<CatalogName, NamedCatalog> {
    for CatalogAt { name, location } in brought {
        let known = wanted.remove(name);
        let (observed, rank) = match known {
            Some(known) => (known.observed, known.rank),
            None => (location.observed(), Rank::default()),
        };
        let image = NamedImage::default();
        let source = ContentAt::At {
            location: location.clone(),
            edition: String::new(),
        };
        let known = NamedCatalog {
            observed,
            rank,
            source,
            image,
        };
        wanted.insert(name.clone(), known);
    }
    wanted
}

/// Returns the reason why a dump does not contain the content of a catalog.
pub(super) fn failure(unread: &NotRead) -> SourceFailure {
    let known = [READ_REGISTRY, READ_CATALOGD, NO_ADDRESS];
    SourceFailure {
        code: known
            .into_iter()
            .find(|code| *code == unread.code)
            .unwrap_or(NOT_GIVEN),
        message: unread.why.clone(),
    }
}

/// Returns the catalog of a CatalogSource. Returns None for a name that no API server accepts.
fn of_source(source: &CatalogSource) -> Option<(CatalogName, NamedCatalog)> {
    let located = located(source.address(), |address| {
        address.parse().map(Location::Registry)
    });
    let wanted = NamedCatalog {
        observed: observed("CatalogSource", source.identity()),
        rank: rank(source.spec.priority, source.metadata.labels.as_ref()),
        source: match located {
            Ok(location) => ContentAt::At {
                location,
                edition: String::new(),
            },
            Err(why) => ContentAt::Nowhere(why),
        },
        image: NamedImage {
            name: source.spec.image.clone(),
            puller: puller(source),
        },
    };
    Some((name(&wanted.observed)?, wanted))
}

fn of_cluster(cluster: &ClusterCatalog) -> Option<(CatalogName, NamedCatalog)> {
    let resolved = cluster.status.resolved_source.as_ref();
    let is_off = cluster.spec.availability == Availability::Unavailable;
    let located = located(cluster.all_url(), |url| url.parse::<Location>());
    let wanted = NamedCatalog {
        observed: observed("ClusterCatalog", cluster.identity()),
        rank: Rank {
            is_of_olm_v1: true,
            ..rank(cluster.spec.priority, cluster.metadata.labels.as_ref())
        },
        source: match located {
            Ok(location) => ContentAt::At {
                location,
                edition: resolved
                    .map(|source| source.image.r#ref.clone())
                    .unwrap_or_default(),
            },
            Err(why) if is_off => ContentAt::Off(why),
            Err(why) => ContentAt::Nowhere(why),
        },
        image: NamedImage {
            name: match resolved {
                _ if is_off => String::new(),
                Some(source) => source.image.r#ref.clone(),
                None => cluster.spec.source.image.r#ref.clone(),
            },
            puller: Puller::default(),
        },
    };
    Some((name(&wanted.observed)?, wanted))
}

/// Returns the credentials for the image of a catalog. OLM runs the Pod of the catalog with a
/// ServiceAccount of the catalog's name and with the Secrets in the CatalogSource. The default
/// ServiceAccount of the namespace also supplies Secrets.
fn puller(source: &CatalogSource) -> Puller {
    let ObjectIdentity {
        namespace, name, ..
    } = source.identity();
    Puller {
        namespace: namespace.unwrap_or_default(),
        secrets: source.spec.secrets.clone(),
        accounts: vec![name, "default".to_owned()],
    }
}

fn rank(priority: i32, labels: Option<&BTreeMap<String, String>>) -> Rank {
    let labels = labels.cloned().unwrap_or_default();
    Rank {
        priority,
        labels,
        is_of_olm_v1: false,
    }
}

fn located<E: Display, P: Display>(
    told: Result<String, E>,
    parse: impl FnOnce(&str) -> Result<Location, P>,
) -> Result<Location, SourceFailure> {
    let failure = |message: String| SourceFailure {
        code: NO_ADDRESS,
        message,
    };
    let told = told.map_err(|why| failure(why.to_string()))?;
    parse(&told).map_err(|why| failure(why.to_string()))
}

fn name(observed: &SourceObject) -> Option<CatalogName> {
    let name = &observed.name;
    match &observed.namespace {
        Some(namespace) => CatalogName::parse(&format!("{namespace}/{name}")).ok(),
        None => CatalogName::parse(name).ok(),
    }
}

fn observed(kind: &'static str, identity: ObjectIdentity) -> SourceObject {
    let ObjectIdentity {
        namespace,
        name,
        uid,
        resource_version,
    } = identity;
    SourceObject {
        kind,
        namespace,
        name,
        uid,
        resource_version,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use portolan_world::Key;
    use serde_json::json;

    use super::*;

    fn source(object: serde_json::Value) -> View<CatalogSource> {
        let (object, _) =
            portolan_core_olm::read_value::<CatalogSource>(object).expect("an object");
        one(object)
    }

    fn cluster(object: serde_json::Value) -> View<ClusterCatalog> {
        let (object, _) =
            portolan_core_olm::read_value::<ClusterCatalog>(object).expect("an object");
        one(object)
    }

    fn one<K>(object: K) -> View<K> {
        View {
            objects: Arc::new([(Key::new("any", "one"), Arc::new(object))].into()),
            ..View::default()
        }
    }

    fn source_lines(wanted: &BTreeMap<CatalogName, NamedCatalog>) -> Vec<String> {
        let said = wanted.iter().map(|(name, wanted)| match &wanted.source {
            ContentAt::At { location, edition } => {
                format!("{name} {} {location:?} {edition}", wanted.rank.priority)
            }
            ContentAt::Nowhere(why) | ContentAt::Off(why) => {
                format!("{name} {} {why}", wanted.rank.priority)
            }
        });
        said.collect()
    }

    #[test]
    fn catalog_source_is_a_registry() {
        let view = source(json!({
            "metadata": {"name": "fleet", "namespace": "olm", "uid": "u"},
            "spec": {"sourceType": "grpc", "address": "10.0.0.1:50051", "priority": -7},
        }));
        let wanted = named(&view, &View::default());
        let name: CatalogName = "olm/fleet".parse().expect("a name");
        assert_eq!(
            wanted[&name].source,
            ContentAt::At {
                location: "grpc://10.0.0.1:50051".parse().expect("a location"),
                edition: String::new(),
            }
        );
        assert_eq!(
            (wanted[&name].rank.priority, &wanted[&name].observed.uid),
            (-7, &Some("u".into()))
        );
    }

    #[test]
    fn catalogs_have_their_labels() {
        let labels = || json!({"tier": "gold"});
        let source = source(json!({
            "metadata": {"name": "fleet", "namespace": "olm", "labels": labels()},
        }));
        let cluster = cluster(json!({"metadata": {"name": "hub", "labels": labels()}}));
        let wanted = named(&source, &cluster);
        for known in wanted.values() {
            assert_eq!(json!(known.rank.labels), labels());
        }
        assert_eq!(wanted.len(), 2);
    }

    #[test]
    fn catalog_source_without_a_service_has_its_reason() {
        let view = source(json!({
            "metadata": {"name": "fleet", "namespace": "olm"},
            "spec": {"sourceType": "grpc", "image": "registry.example/catalog:v1"},
        }));
        assert_eq!(
            source_lines(&named(&view, &View::default())),
            ["olm/fleet 0 spec.address is empty, and OLM has made no registry service for it yet"]
        );
    }

    #[test]
    fn invalid_address_is_reported_as_written() {
        let view = source(json!({
            "metadata": {"name": "fleet", "namespace": "olm"},
            "spec": {"sourceType": "grpc", "address": "unix:///run/catalog"},
        }));
        let said = source_lines(&named(&view, &View::default()));
        assert!(
            said[0].starts_with("olm/fleet 0 `unix:///run/catalog`: `unix` is not"),
            "{said:?}"
        );
    }

    #[test]
    fn cluster_catalog_is_served_by_catalogd_in_the_edition_of_its_image() {
        let view = cluster(json!({
            "metadata": {"name": "hub"},
            "spec": {"priority": 3},
            "status": {
                "urls": {"base": "https://catalogd.test/catalogs/hub"},
                "resolvedSource": {"image": {"ref": "registry.example/hub@sha256:1"}},
            },
        }));
        assert_eq!(
            source_lines(&named(&View::default(), &view)),
            [
                "hub 3 Catalogd(\"https://catalogd.test/catalogs/hub/api/v1/all\") \
              registry.example/hub@sha256:1"
            ]
        );
    }

    #[test]
    fn unavailable_cluster_catalog_has_its_reason() {
        let view = cluster(json!({
            "metadata": {"name": "hub"},
            "spec": {"availabilityMode": "Unavailable"},
            "status": {"urls": {"base": "https://catalogd.test/catalogs/hub"}},
        }));
        assert_eq!(
            source_lines(&named(&View::default(), &view)),
            ["hub 0 spec.availabilityMode is Unavailable"]
        );
    }
}
