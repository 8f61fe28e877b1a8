//! Describes requirements in OLM's wording.

use std::fmt;

use portolan_core_catalog::{Api, Clause, PackageRequirement, Requirement, Rule};

/// The text of a requirement that follows "requires an operator".
///
/// OLM joins the constraints without parentheses, and never writes "not" before the first
/// constraint. This type does the same, so that this text can be compared with messages in a
/// cluster.
pub(crate) struct Words<'a>(pub(crate) Requirement<'a>);

/// Returns the reason why OLM cannot parse the requirement. Returns None if OLM can parse it.
pub(crate) fn unreadable(requirement: Requirement<'_>) -> Option<String> {
    match requirement {
        Requirement::Package(package) => {
            let is_broken = package.range.is_none();
            is_broken.then(|| format!("Could not parse Range {:?}", package.text))
        }
        Requirement::Api(_) => None,
        Requirement::Constraint(constraint) => {
            let why = constraint.clause().err()?;
            Some(format!("parse olm.constraint: {why}"))
        }
    }
}

/// Returns a key for a requirement. If two keys are equal, the same candidates satisfy the two
/// requirements.
pub(crate) fn key(requirement: Requirement<'_>) -> String {
    match requirement {
        Requirement::Constraint(constraint) => format!("olm.constraint {}", constraint.text()),
        Requirement::Package(_) | Requirement::Api(_) => Words(requirement).to_string(),
    }
}

// === impl Words ===

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Requirement::Package(package) => f.write_str(&package_words(package)),
            Requirement::Api(api) => f.write_str(&api_words(api)),
            Requirement::Constraint(constraint) => match constraint.clause() {
                Ok(clause) => f.write_str(&clause_words(clause)),
                Err(why) => f.write_str(why),
            },
        }
    }
}

fn package_words(requirement: &PackageRequirement) -> String {
    let PackageRequirement { package, text, .. } = requirement;
    format!("with package: {package} and with version in range: {text}")
}

fn api_words(api: &Api) -> String {
    let Api {
        group,
        version,
        kind,
    } = api;
    format!("providing an API with group: {group}, version: {version}, kind: {kind}")
}

fn clause_words(clause: &Clause) -> String {
    let joined = |parts: &[Clause], word: &str| {
        let parts: Vec<_> = parts.iter().map(clause_words).collect();
        parts.join(word)
    };
    match &clause.rule {
        Rule::Package(package) => package_words(package),
        Rule::Api(api) => api_words(api),
        Rule::All(parts) => joined(parts, " and "),
        Rule::Any(parts) => joined(parts, " or "),
        Rule::Not(parts) => joined(parts, " and not "),
        Rule::Cel(cel) => {
            let message = clause.message.as_deref().unwrap_or_default();
            format!("with constraint: {:?} and message: {message:?}", cel.rule())
        }
    }
}
