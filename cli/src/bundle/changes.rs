//! Prints the changes between two bundles.

use std::collections::BTreeMap;

use portolan_core_bundle::{Extent, Migration, Permission, Rule, Title, Versions};
use portolan_core_names::{GroupKind, ObjectRef};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::diff_bundles_response as diff;
use serde::Serialize;

/// The changes between two bundles.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Changes {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) breaks: Vec<BreakingChange>,
    /// The instruction to migrate stored objects, for each CRD that drops a version in which
    /// objects are stored.
    pub(crate) migrations: BTreeMap<String, String>,
    /// The added and removed versions of each CRD.
    pub(crate) versions: BTreeMap<String, String>,
    pub(crate) permissions_grown: Vec<String>,
    pub(crate) objects_added: Vec<String>,
    pub(crate) objects_removed: Vec<String>,
    pub(crate) objects_changed: Vec<String>,
    pub(crate) images_added: Vec<String>,
    pub(crate) images_removed: Vec<String>,
    pub(crate) not_compared: Vec<String>,
}

/// A change of a CRD that breaks its clients.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BreakingChange {
    pub(crate) file: String,
    pub(crate) definition: String,
    pub(crate) version: String,
    pub(crate) path: String,
    pub(crate) check: String,
    pub(crate) message: String,
}

// === impl Changes ===

impl Changes {
    pub(crate) fn of_answer(from: String, to: String, answer: pb::DiffBundlesResponse) -> Self {
        let breaks = answer.breaks.into_iter().map(|it| BreakingChange {
            file: it.file,
            definition: it.definition,
            version: it.version,
            path: it.path,
            check: it.check,
            message: it.message,
        });
        let migrations = answer.migrations.into_iter().map(|it| {
            let migration = Migration {
                drops: it.drops,
                to: Some(it.to).filter(|to| !to.is_empty()),
            };
            (it.definition, migration.to_string())
        });
        let versions = answer.versions.into_iter().map(|it| {
            let versions = Versions {
                added: it.added,
                removed: it.removed,
                stored: Some(it.stored).filter(|stored| !stored.is_empty()),
            };
            (it.definition, versions.to_string())
        });
        let grown = answer
            .grown
            .into_iter()
            .map(|it| permission(it).to_string());
        let names = |objects: Vec<diff::Object>| {
            let objects = objects.into_iter().map(|it| {
                let kind = GroupKind::new(&it.group, &it.kind);
                Title(&ObjectRef::new(kind, &*it.namespace, &it.name)).to_string()
            });
            objects.collect()
        };
        Self {
            from,
            to,
            breaks: breaks.collect(),
            migrations: migrations.collect(),
            versions: versions.collect(),
            permissions_grown: grown.collect(),
            objects_added: names(answer.added),
            objects_removed: names(answer.removed),
            objects_changed: names(answer.changed),
            images_added: answer.images_added,
            images_removed: answer.images_removed,
            not_compared: answer.coarse,
        }
    }
}

// === impl BreakingChange ===

impl BreakingChange {
    /// Returns the change as text: the CRD version, the field, the failed check, and the message.
    pub(crate) fn what(&self) -> String {
        let place = [&*self.version, &*self.path, &*self.check];
        let place: Vec<_> = place.into_iter().filter(|part| !part.is_empty()).collect();
        format!("{}: {}", place.join(": "), self.message)
    }
}

fn permission(it: diff::Permission) -> Permission {
    Permission {
        extent: match it.namespace.as_str() {
            "" => Extent::Cluster,
            _ => Extent::Namespace(it.namespace),
        },
        rule: Rule {
            verbs: it.verbs.into_iter().collect(),
            api_groups: it.api_groups.into_iter().collect(),
            resources: it.resources.into_iter().collect(),
            resource_names: it.resource_names.into_iter().collect(),
            non_resource_urls: it.non_resource_urls.into_iter().collect(),
        },
    }
}
