//! Constraints, as far as they name packages and APIs.

use std::fmt;
use std::sync::Arc;

use portolan_names::{PackageName, VersionRange};
use serde_json::Value;

use super::Offers;
use crate::model::Api;

/// What a constraint can be; it is one of them.
const KINDS: [&str; 6] = ["package", "gvk", "all", "any", "not", "cel"];

/// The value of an `olm.constraint`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Constraint {
    /// A package in some versions.
    Package {
        /// The package.
        package: PackageName,
        /// The versions in the words of the author.
        text: Arc<str>,
    },
    /// An API.
    Api(Api),
    /// All of these.
    All(Vec<Constraint>),
    /// Any of these.
    Any(Vec<Constraint>),
    /// What only a solver can judge, such as a rule in CEL or a negation.
    Other,
}

// === impl Constraint ===

impl Constraint {
    /// Reads canonical JSON; None for what is no object.
    pub(super) fn parse(json: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(json).ok()?;
        value.is_object().then(|| Self::of(&value))
    }

    /// Whatever is not plain is left open.
    fn of(value: &Value) -> Self {
        let mut kinds = KINDS
            .iter()
            .filter_map(|kind| Some((*kind, value.get(kind)?)));
        let read = match (kinds.next(), kinds.next()) {
            (Some(("package", value)), None) => Self::package(value),
            (Some(("gvk", value)), None) => Self::api(value),
            (Some(("all", value)), None) => Self::parts(value).map(Self::All),
            (Some(("any", value)), None) => Self::parts(value).map(Self::Any),
            (_, _) => None,
        };
        read.unwrap_or(Self::Other)
    }

    fn parts(value: &Value) -> Option<Vec<Self>> {
        let parts = value.get("constraints")?.as_array()?;
        (!parts.is_empty()).then(|| parts.iter().map(Self::of).collect())
    }

    fn package(value: &Value) -> Option<Self> {
        Some(Self::Package {
            package: PackageName::parse(value.get("packageName")?.as_str()?).ok()?,
            text: value.get("versionRange")?.as_str()?.into(),
        })
    }

    fn api(value: &Value) -> Option<Self> {
        let text = |key| value.get(key)?.as_str().map(Arc::from);
        Some(Self::Api(Api {
            group: text("group").unwrap_or_default(),
            version: text("version")?,
            kind: text("kind")?,
        }))
    }

    /// Whether it could hold with what is offered. OLM wants one bundle to fulfill it whole; here
    /// each part is looked at alone, so that a No is certain and a Yes is not.
    pub(super) fn may_hold(&self, offers: &Offers<'_>) -> bool {
        match self {
            Self::Package { package, text } => {
                let range = VersionRange::parse(text);
                range.is_ok_and(|range| offers.has_version(package, &range))
            }
            Self::Api(api) => offers.has_api(api),
            Self::All(parts) => parts.iter().all(|part| part.may_hold(offers)),
            Self::Any(parts) => parts.iter().any(|part| part.may_hold(offers)),
            Self::Other => true,
        }
    }
}

impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, parts) = match self {
            Self::Package { package, text } => return write!(f, "package {package} {text:?}"),
            Self::Api(api) => return write!(f, "API {api}"),
            Self::Other => return f.write_str("a rule"),
            Self::All(parts) => ("all", parts),
            Self::Any(parts) => ("any", parts),
        };
        write!(f, "{word} of (")?;
        for (at, part) in parts.iter().enumerate() {
            write!(f, "{}{part}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}
