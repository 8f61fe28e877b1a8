//! Changes all Deployments of a bundle, as `spec.config` of a Subscription does in OLM v0.

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{
    Affinity, EnvFromSource, EnvVar, ResourceRequirements, Toleration, Volume, VolumeMount,
};
use portolan_core_catalog::node;
use serde::Deserialize;
use serde_json::{Map, Value as Json};

use super::certificate::push;
use crate::object::text;
use crate::typed::{self, Checked, Unread};

/// The changes to the Pod template and to each of its containers. Init containers do not change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Config {
    fields: Map<String, Json>,
}

/// The supported fields. The field `selector` has never had an effect.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Fields {
    #[serde(rename = "affinity")]
    _affinity: Option<Checked<Affinity>>,
    #[serde(rename = "annotations")]
    _annotations: BTreeMap<String, String>,
    #[serde(rename = "env")]
    _env: Vec<Checked<EnvVar>>,
    #[serde(rename = "envFrom")]
    _env_from: Vec<Checked<EnvFromSource>>,
    #[serde(rename = "nodeSelector")]
    _node_selector: BTreeMap<String, String>,
    #[serde(rename = "resources")]
    _resources: Option<Checked<ResourceRequirements>>,
    #[serde(rename = "selector")]
    _selector: Unread,
    #[serde(rename = "tolerations")]
    _tolerations: Vec<Checked<Toleration>>,
    #[serde(rename = "volumeMounts")]
    _volume_mounts: Vec<Checked<VolumeMount>>,
    #[serde(rename = "volumes")]
    _volumes: Vec<Checked<Volume>>,
}

// === impl Config ===

impl Config {
    /// Parses a config in the format of `spec.config` in a Subscription.
    ///
    /// # Errors
    ///
    /// Returns a sentence for each field that is unknown or has a wrong type.
    pub fn parse(config: &Json) -> Result<Self, Vec<String>> {
        let Json::Object(fields) = config else {
            return Err(vec!["a config is an object".to_owned()]);
        };
        let refused = refused(&config.to_string());
        if refused.is_empty() {
            let fields = fields.clone();
            Ok(Self { fields })
        } else {
            Err(refused)
        }
    }

    fn list(&self, key: &str) -> &[Json] {
        self.fields
            .get(key)
            .and_then(Json::as_array)
            .map_or(&[], Vec::as_slice)
    }

    fn object(&self, key: &str) -> Option<&Map<String, Json>> {
        self.fields.get(key).and_then(Json::as_object)
    }

    /// Returns true if the config sets an environment variable with this name.
    pub(super) fn sets(&self, variable: &str) -> bool {
        self.list("env").iter().any(|env| env["name"] == variable)
    }

    /// Applies the config to a Deployment.
    pub(super) fn change(&self, deployment: &mut Json) {
        for annotations in [
            "/metadata/annotations",
            "/spec/template/metadata/annotations",
        ] {
            self.annotate(deployment, annotations);
        }
        let pod = &mut deployment["spec"]["template"]["spec"];
        for container in pod["containers"].as_array_mut().into_iter().flatten() {
            put_all(&mut container["env"], self.list("env"));
            add_all(&mut container["envFrom"], self.list("envFrom"));
            put_all(&mut container["volumeMounts"], self.list("volumeMounts"));
            if let Some(resources) = self
                .fields
                .get("resources")
                .filter(|value| !value.is_null())
            {
                container["resources"] = resources.clone();
            }
            without_null(container);
        }
        put_all(&mut pod["volumes"], self.list("volumes"));
        add_all(&mut pod["tolerations"], self.list("tolerations"));
        if let Some(selector) = self.object("nodeSelector") {
            pod["nodeSelector"] = Json::Object(selector.clone());
        }
        if let Some(affinity) = self.object("affinity") {
            pod["affinity"] = changed_affinity(pod["affinity"].take(), affinity);
        }
        without_null(pod);
    }

    fn annotate(&self, deployment: &mut Json, pointer: &str) {
        let Some(annotations) = self.object("annotations") else {
            return;
        };
        let mut place = deployment;
        for key in pointer.split('/').skip(1) {
            place = &mut place[key];
        }
        for (key, value) in annotations {
            if place.get(key).is_none() {
                place[key.as_str()] = value.clone();
            }
        }
    }
}

/// Returns a sentence for each invalid value and each unknown field. OLM v0 also rejects them.
fn refused(config: &str) -> Vec<String> {
    let limits = Default::default();
    let Some(Ok(mut config)) = node::documents(config.as_bytes(), &limits).next() else {
        return vec!["a config is an object that can be read".to_owned()];
    };
    match typed::read_whole::<Fields>(&mut config, "") {
        Ok((_, lost)) => {
            let fields = lost.fields.into_iter();
            fields
                .map(|(_, field)| format!("there is no field `{field}`"))
                .collect()
        }
        Err(misfits) => misfits.iter().map(ToString::to_string).collect(),
    }
}

/// Adds items to a list. An item replaces the existing item with the same name.
fn put_all(list: &mut Json, items: &[Json]) {
    for item in items {
        let name = text(&item["name"]);
        let known = list.as_array_mut().into_iter().flatten();
        match known.into_iter().find(|known| text(&known["name"]) == name) {
            Some(known) => *known = item.clone(),
            None => push(list, item.clone()),
        }
    }
}

/// Adds items to a list, except items that the list already contains.
fn add_all(list: &mut Json, items: &[Json]) {
    for item in items {
        if !list.as_array().is_some_and(|list| list.contains(item)) {
            push(list, item.clone());
        }
    }
}

/// Returns the affinity after the change. An empty node or Pod affinity removes this part of the
/// affinity. An empty object removes the whole affinity.
fn changed_affinity(old: Json, new: &Map<String, Json>) -> Json {
    let is_empty = |part: &Json| part.as_object().is_none_or(Map::is_empty);
    let mut parts = Map::new();
    if let Json::Object(old) = old
        && !new.is_empty()
    {
        parts = old;
    }
    for (key, part) in new {
        if part.is_null() {
            continue;
        }
        if is_empty(part) {
            parts.remove(key);
        } else {
            parts.insert(key.clone(), part.clone());
        }
    }
    if parts.is_empty() {
        Json::Null
    } else {
        Json::Object(parts)
    }
}

/// Removes null values, which indexing creates for missing fields.
fn without_null(object: &mut Json) {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
}
