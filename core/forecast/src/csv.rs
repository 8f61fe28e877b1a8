//! What is installed, and what OLM takes it for.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use portolan_core_catalog::{Api, Constraint, PackageRequirement, Property, Requirements};
use portolan_core_names::{BundleName, PackageName, Version, VersionRange};
use serde_json::Value;

/// A ClusterServiceVersion of the namespace that is not copied from another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csv {
    /// Its name, which is that of its bundle.
    pub name: BundleName,
    /// `spec.version`. OLM takes none for 0.0.0.
    pub version: Option<Version>,
    /// `spec.replaces`.
    pub replaces: Option<BundleName>,
    /// `status.phase`.
    pub phase: Phase,
    /// What it has and needs.
    pub traits: Traits,
}

/// What an installed operator has and needs, as OLM reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traits {
    /// Its package. Where there is no annotation, the Subscription that installed it tells.
    pub package: Option<PackageName>,
    /// The APIs that it provides.
    pub provides: BTreeSet<Api>,
    /// What it needs.
    pub requires: Requirements,
    /// Whether it carries `olm.deprecated`.
    pub is_prohibited: bool,
    /// All that rules can ask for.
    pub properties: Box<[Property]>,
    /// Whether all this comes from the annotation `operatorframework.io/properties`, and not from
    /// the spec.
    pub is_annotated: bool,
}

/// How far the installation of a ClusterServiceVersion has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Phase {
    /// None yet, or one that OLM does not have.
    #[default]
    Unknown,
    Pending,
    InstallReady,
    Installing,
    Succeeded,
    Failed,
    /// Another one is about to take its place.
    Replacing,
    Deleting,
}

/// An annotation that OLM cannot read either.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the annotation of properties is not a list of types and values")]
pub struct Unreadable;

// === impl Traits ===

impl Traits {
    /// What the spec of a ClusterServiceVersion tells: the APIs that it owns and requires.
    pub fn of_spec(provides: BTreeSet<Api>, requires: BTreeSet<Api>) -> Self {
        let property = |kind: &str, api: &Api| Property {
            kind: kind.into(),
            value: serde_json::json!({
                "group": api.group.as_ref(),
                "kind": api.kind.as_ref(),
                "version": api.version.as_ref(),
            })
            .to_string()
            .into(),
        };
        let provided = provides.iter().map(|api| property("olm.gvk", api));
        let required = requires.iter().map(|api| property("olm.gvk.required", api));
        Self {
            properties: provided.chain(required).collect(),
            provides,
            requires: Requirements {
                apis: requires,
                ..Requirements::default()
            },
            ..Self::default()
        }
    }

    /// What the annotation `operatorframework.io/properties` tells, which is all that counts where
    /// it is there. Of a property that cannot be read, OLM knows nothing.
    ///
    /// # Errors
    ///
    /// A text that is no such annotation.
    pub fn of_annotation(json: &str) -> Result<Self, Unreadable> {
        let whole: Value = serde_json::from_str(json).map_err(|_| Unreadable)?;
        let mut traits = Self {
            is_annotated: true,
            ..Self::default()
        };
        let mut properties = Vec::new();
        let listed = match whole.as_object().ok_or(Unreadable)?.get("properties") {
            None | Some(Value::Null) => &Vec::new(),
            Some(listed) => listed.as_array().ok_or(Unreadable)?,
        };
        for property in listed {
            let kind = property.get("type").and_then(Value::as_str);
            let kind = kind.ok_or(Unreadable)?;
            let value = property.get("value").unwrap_or(&Value::Null);
            traits.take(kind, value);
            properties.push(Property {
                kind: kind.into(),
                value: value.to_string().into(),
            });
        }
        traits.properties = properties.into();
        Ok(traits)
    }

    fn take(&mut self, kind: &str, value: &Value) {
        match kind {
            "olm.package" => self.package = package(value).or(self.package.take()),
            "olm.gvk" => self.provides.extend(api(value)),
            "olm.gvk.required" => self.requires.apis.extend(api(value)),
            "olm.package.required" => self.requires.packages.extend(required(value)),
            "olm.constraint" => {
                let constraint = Constraint::parse(&value.to_string());
                self.requires.constraints.push(Arc::new(constraint));
            }
            "olm.deprecated" => self.is_prohibited = true,
            _ => {}
        }
    }
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn package(value: &Value) -> Option<PackageName> {
    PackageName::parse(text(value, "packageName")?).ok()
}

fn api(value: &Value) -> Option<Api> {
    Some(Api {
        group: text(value, "group").unwrap_or_default().into(),
        version: text(value, "version")?.into(),
        kind: text(value, "kind")?.into(),
    })
}

fn required(value: &Value) -> Option<PackageRequirement> {
    let range = text(value, "versionRange")?;
    Some(PackageRequirement {
        package: package(value)?,
        text: range.into(),
        range: VersionRange::parse(range).ok(),
    })
}

// === impl Phase ===

impl Phase {
    const ALL: [Self; 8] = [
        Self::Unknown,
        Self::Pending,
        Self::InstallReady,
        Self::Installing,
        Self::Succeeded,
        Self::Failed,
        Self::Replacing,
        Self::Deleting,
    ];

    /// Reads `status.phase`.
    pub fn parse(text: &str) -> Self {
        let known = Self::ALL.into_iter().find(|phase| phase.as_str() == text);
        known.unwrap_or_default()
    }

    /// The word of OLM.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unknown => "Unknown",
            Self::Pending => "Pending",
            Self::InstallReady => "InstallReady",
            Self::Installing => "Installing",
            Self::Succeeded => "Succeeded",
            Self::Failed => "Failed",
            Self::Replacing => "Replacing",
            Self::Deleting => "Deleting",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
