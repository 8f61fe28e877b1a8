//! The installed operators, as OLM interprets them.

use std::collections::BTreeSet;

use portolan_core_catalog::{Api, Property, Requirements};
use portolan_core_names::{BundleName, PackageName, Version};
use portolan_core_olm::{CsvPhase, Properties, all_properties};

/// A ClusterServiceVersion of the namespace. Copies from other namespaces are excluded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csv {
    /// The name of the ClusterServiceVersion, which is also the name of its bundle.
    pub name: BundleName,
    /// The field `spec.version`. OLM reads a missing version as 0.0.0.
    pub version: Option<Version>,
    /// The bundle that this bundle replaces, from `spec.replaces`.
    pub replaces: Option<BundleName>,
    /// The phase of the installation, from `status.phase`.
    pub phase: CsvPhase,
    /// The properties and requirements of the operator.
    pub traits: Traits,
}

/// The properties and requirements of an installed operator, interpreted as OLM does.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traits {
    /// The package of the operator. If the annotation is missing, this is the package of the
    /// Subscription that installed the operator.
    pub package: Option<PackageName>,
    /// The APIs that the operator provides.
    pub provides: BTreeSet<Api>,
    /// The requirements of the operator.
    pub requires: Requirements,
    /// True if the operator has the property `olm.deprecated`.
    pub is_prohibited: bool,
    /// The properties that constraints can refer to.
    pub properties: Box<[Property]>,
    /// True if the traits come from the annotation `operatorframework.io/properties`. False if they
    /// come from the spec.
    pub is_annotated: bool,
}

/// The error for an annotation that OLM cannot parse.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the annotation of properties is not a list of types and values")]
pub struct Unreadable;

// === impl Traits ===

impl Traits {
    /// Returns the traits from the spec of a ClusterServiceVersion: the APIs that it owns and
    /// requires.
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

    /// Returns the traits from the annotation `operatorframework.io/properties`, which overrides
    /// the spec. OLM ignores single properties that it cannot parse.
    ///
    /// # Errors
    ///
    /// Returns an error if OLM cannot parse the annotation as a whole.
    pub fn of_annotation(json: &str) -> Result<Self, Unreadable> {
        let Properties {
            package,
            version: _,
            provides,
            requires,
            is_prohibited,
            faults: _,
        } = Properties::parse(json).map_err(|_| Unreadable)?;
        Ok(Self {
            package: PackageName::parse(&package).ok(),
            provides,
            requires,
            is_prohibited,
            properties: all_properties(json).map_err(|_| Unreadable)?.into(),
            is_annotated: true,
        })
    }
}
