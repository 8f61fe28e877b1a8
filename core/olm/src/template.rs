//! What Pods are made from.

use serde::Deserialize;

/// What Pods are made from, as far as it is read: which images they run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct PodTemplate {
    /// What they shall be.
    pub spec: PodTemplateSpec,
}

/// What Pods shall be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PodTemplateSpec {
    /// Containers that begin before the others.
    pub init_containers: Vec<TemplateContainer>,
    /// The other containers.
    pub containers: Vec<TemplateContainer>,
}

/// A container as it shall be.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct TemplateContainer {
    /// Its name.
    pub name: String,
    /// Its image.
    pub image: String,
}

// === impl PodTemplate ===

impl PodTemplate {
    /// The images of all containers, in order.
    pub fn images(&self) -> impl Iterator<Item = &str> {
        let PodTemplateSpec {
            init_containers,
            containers,
        } = &self.spec;
        let all = init_containers.iter().chain(containers);
        all.map(|container| container.image.as_str())
    }
}
