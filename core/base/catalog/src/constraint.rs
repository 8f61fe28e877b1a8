//! `olm.constraint`: a requirement of a bundle on one other bundle. A constraint can contain other
//! constraints.
//!
//! ```
//! use portolan_core_catalog::{Constraint, Rule};
//!
//! let needs = Constraint::parse(
//!     r#"{"failureMessage": "needs a harbor", "any": {"constraints": [
//!         {"package": {"packageName": "harbor", "versionRange": ">=2.0.0"}},
//!         {"cel": {"rule": "properties.exists(p, p.type == 'harbor')"}}]}}"#,
//! );
//! let Ok(clause) = needs.clause() else { panic!("it must be one that can be read") };
//! assert_eq!(clause.message.as_deref(), Some("needs a harbor"));
//! assert!(matches!(&clause.rule, Rule::Any(parts) if parts.len() == 2));
//!
//! let broken = Constraint::parse(r#"{"cel": {"rule": "true"}, "gvk": {"kind": "Harbor"}}"#);
//! assert_eq!(broken.clause().unwrap_err(), "it has both `cel` and `gvk`; only one is allowed");
//! ```

mod cel;
mod parse;

use std::cmp::Ordering;
use std::fmt;

use crate::Candidate;
use crate::model::{Api, PackageRequirement};
use crate::node::excerpt;

pub use self::cel::Cel;

/// The value of an `olm.constraint` property. It is parsed only once.
///
/// # Guarantees
///
/// Equality and order compare the text, which contains the whole constraint.
#[derive(Debug)]
pub struct Constraint {
    text: Box<str>,
    clause: Result<Clause, Box<str>>,
}

/// A rule, and the message that OLM shows if no bundle satisfies the rule.
#[derive(Debug)]
pub struct Clause {
    /// The `failureMessage` that the author of the bundle wrote. Never empty.
    pub message: Option<Box<str>>,
    pub rule: Rule,
}

/// The condition that a constraint puts on a single candidate.
#[derive(Debug)]
pub enum Rule {
    /// The candidate must be a version of this package in this range.
    Package(PackageRequirement),
    /// The candidate must provide this API.
    Api(Api),
    /// The candidate must satisfy all these constraints. An empty list is always satisfied.
    All(Vec<Clause>),
    /// The candidate must satisfy at least one of these constraints. An empty list is never
    /// satisfied.
    Any(Vec<Clause>),
    /// The candidate must satisfy none of these constraints.
    Not(Vec<Clause>),
    /// The CEL expression must be true for the candidate.
    Cel(Cel),
}

// === impl Constraint ===

impl Constraint {
    /// Parses the value of the property, which should be canonical JSON. An invalid value becomes a
    /// constraint that no bundle satisfies, because OLM rejects a bundle with an invalid
    /// constraint. This also applies if the invalid constraint is inside another constraint.
    pub fn parse(text: &str) -> Self {
        Self {
            text: text.into(),
            clause: parse::constraint(text).map_err(Into::into),
        }
    }

    /// Returns the value of the property, as JSON.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the clause of the constraint.
    ///
    /// # Errors
    ///
    /// Returns the error as a sentence if the constraint is invalid.
    pub fn clause(&self) -> Result<&Clause, &str> {
        self.clause.as_ref().map_err(AsRef::as_ref)
    }

    /// Returns the maximum time to check one candidate, in steps of about fifty nanoseconds. A
    /// caller that checks many constraints against many candidates uses this to limit the total
    /// time.
    pub fn steps(&self) -> u64 {
        self.clause.as_ref().map_or(1, |clause| clause.rule.steps())
    }

    /// Returns true if the candidate satisfies the whole constraint.
    pub fn is_met_by(&self, candidate: &Candidate<'_>) -> bool {
        let clause = self.clause.as_ref();
        clause.is_ok_and(|clause| clause.rule.is_met_by(candidate))
    }
}

/// Formats the constraint in one line.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.clause {
            Ok(clause) => write!(f, "{clause}"),
            Err(why) => write!(f, "a constraint that cannot be read ({why})"),
        }
    }
}

impl PartialEq for Constraint {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Constraint {}

impl PartialOrd for Constraint {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Constraint {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

// === impl Clause ===

/// Formats the message of the author, or the rule if there is no message.
impl fmt::Display for Clause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.message {
            Some(message) => write!(f, "what its author puts as {:?}", excerpt(message)),
            None => write!(f, "{}", self.rule),
        }
    }
}

// === impl Rule ===

impl Rule {
    fn steps(&self) -> u64 {
        match self {
            Self::Package(_) | Self::Api(_) => 1,
            Self::All(parts) | Self::Any(parts) | Self::Not(parts) => {
                let steps = parts.iter().map(|part| part.rule.steps());
                steps.fold(1, u64::saturating_add)
            }
            Self::Cel(cel) => cel.steps(),
        }
    }

    /// Returns true if the candidate satisfies the rule.
    pub fn is_met_by(&self, candidate: &Candidate<'_>) -> bool {
        let holds = |part: &Clause| part.rule.is_met_by(candidate);
        match self {
            Self::Package(requirement) => requirement.is_met_by(candidate),
            Self::Api(api) => candidate.provides.contains(api),
            Self::All(parts) => parts.iter().all(holds),
            Self::Any(parts) => parts.iter().any(holds),
            Self::Not(parts) => !parts.iter().any(holds),
            Self::Cel(cel) => cel.holds_for(candidate),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, parts) = match self {
            Self::Package(requirement) => return write!(f, "{requirement}"),
            Self::Api(api) => return write!(f, "API {api}"),
            Self::Cel(cel) => return write!(f, "the rule {:?}", excerpt(cel.rule())),
            Self::All(parts) => ("all", parts),
            Self::Any(parts) => ("any", parts),
            Self::Not(parts) => ("none", parts),
        };
        if parts.is_empty() {
            return write!(f, "{word} of nothing");
        }
        write!(f, "{word} of (")?;
        for (at, part) in parts.iter().enumerate() {
            write!(f, "{}{part}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(")")
    }
}
