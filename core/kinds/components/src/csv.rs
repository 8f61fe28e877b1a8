//! Reads from a ClusterServiceVersion what the status of an Operator shows about its operator.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::component::{Component, Facts, text};

/// The maximum length of a description in the status, in characters. The limit is needed because
/// some descriptions are whole manuals.
const DESCRIPTION: usize = 8000;

/// The fields that the controller reads from a ClusterServiceVersion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Csv {
    pub is_succeeded: bool,
    pub display_name: String,
    pub description: String,
    pub version: String,
    pub provides: BTreeSet<ProvidedApi>,
    pub requires: BTreeSet<ProvidedApi>,
    /// The names of the Deployments and APIServices that OLM creates for the ClusterServiceVersion.
    pub deployments: BTreeSet<String>,
    pub api_services: BTreeSet<String>,
}

/// An API that the operator provides or requires.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProvidedApi {
    pub group: String,
    pub kind: String,
    pub version: String,
    pub plural: String,
}

// === impl Csv ===

impl Csv {
    /// Reads a ClusterServiceVersion. It comes from an API server or a bundle.
    pub fn of(object: &Value) -> Self {
        let spec = &object["spec"];
        let apis = |which: &str| {
            let crds = each(&spec["customresourcedefinitions"][which]);
            let services = each(&spec["apiservicedefinitions"][which]);
            let crds = crds.map(ProvidedApi::of_definition);
            crds.chain(services.map(ProvidedApi::of_service)).collect()
        };
        let deployments = each(&spec["install"]["spec"]["deployments"]);
        let services = each(&spec["apiservicedefinitions"]["owned"]).map(ProvidedApi::of_service);
        let description = text(&spec["description"]);
        Self {
            is_succeeded: object["status"]["phase"] == "Succeeded",
            display_name: text(&spec["displayName"]),
            description: portolan_core_names::text::cut(&description, DESCRIPTION),
            version: text(&spec["version"]),
            provides: apis("owned"),
            requires: apis("required"),
            deployments: deployments.map(|it| text(&it["name"])).collect(),
            api_services: services
                .map(|api| format!("{}.{}", api.version, api.group))
                .collect(),
        }
    }

    /// Reads a bundle that the status of an Install lists.
    pub(crate) fn of_resolved(bundle: &Value) -> Self {
        let apis = |which: &str| each(&bundle[which]).map(ProvidedApi::of_resolved).collect();
        Self {
            display_name: text(&bundle["displayName"]),
            description: portolan_core_names::text::cut(&text(&bundle["description"]), DESCRIPTION),
            version: text(&bundle["version"]),
            provides: apis("provides"),
            requires: apis("requires"),
            ..Self::default()
        }
    }
}

fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

// === impl ProvidedApi ===

impl ProvidedApi {
    /// Reads a reference to a CustomResourceDefinition. Its name has the form `PLURAL.GROUP`.
    fn of_definition(crd: &Value) -> Self {
        let name = text(&crd["name"]);
        let (plural, group) = name.split_once('.').unwrap_or((&name, ""));
        Self {
            group: group.to_owned(),
            kind: text(&crd["kind"]),
            version: text(&crd["version"]),
            plural: plural.to_owned(),
        }
    }

    fn of_service(service: &Value) -> Self {
        Self {
            group: text(&service["group"]),
            kind: text(&service["kind"]),
            version: text(&service["version"]),
            plural: text(&service["name"]),
        }
    }

    fn of_resolved(api: &Value) -> Self {
        Self {
            group: text(&api["group"]),
            kind: text(&api["kind"]),
            version: text(&api["version"]),
            plural: text(&api["plural"]),
        }
    }

    fn shown(&self, singulars: &BTreeMap<String, &str>) -> Value {
        let Self {
            group,
            kind,
            version,
            plural,
        } = self;
        let mut shown = json!({
            "group": group, "version": version, "kind": kind, "plural": plural,
        });
        if let Some(singular) = singulars.get(&format!("{plural}.{group}")) {
            shown["singular"] = json!(singular);
        }
        shown
    }
}

/// Returns the newest ClusterServiceVersion among the components that has succeeded.
pub(crate) fn newest(components: &[Component]) -> Option<(&Component, &Csv)> {
    let csvs = components.iter().filter_map(|it| Some((it, it.csv()?)));
    let succeeded = csvs.filter(|(_, csv)| csv.is_succeeded);
    succeeded.max_by_key(|(it, _)| (&it.created, &it.id.name))
}

/// Returns the information about the operator that the status shows as `metadata`.
pub(crate) fn metadata(csv: &Csv, components: &[Component]) -> Value {
    let singulars = components.iter().filter_map(|it| match &it.reading.facts {
        Facts::Definition { singular, .. } if !singular.is_empty() => {
            Some((it.id.name.clone(), singular.as_str()))
        }
        Facts::Definition { .. }
        | Facts::None
        | Facts::Subscription(_)
        | Facts::Plan(_)
        | Facts::Csv(_)
        | Facts::Install(_) => None,
    });
    let singulars: BTreeMap<_, _> = singulars.collect();
    let shown = |apis: &BTreeSet<ProvidedApi>| -> Vec<_> {
        apis.iter().map(|api| api.shown(&singulars)).collect()
    };
    json!({
        "displayName": csv.display_name,
        "description": csv.description,
        "version": csv.version,
        "apis": {"provides": shown(&csv.provides), "requires": shown(&csv.requires)},
    })
}
