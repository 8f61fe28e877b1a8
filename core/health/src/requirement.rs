//! Requirements: what an operator needs, as OLM has found it.

use std::collections::BTreeSet;

use crate::case::Case;
use crate::csv::REQUIREMENTS_NOT_MET;
use crate::definition::{Bond, Expected};
use crate::ground::Found;
use crate::rule::in_words;
use crate::words::because;
use crate::{Code, Csv, Dependent, Fact, Kind, Object, Observed, State};

/// What OLM found of one thing that an operator needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Requirement {
    /// The kind of the thing.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// What OLM found, in its word: `Present`, `NotPresent`, `PresentNotSatisfied`, ...
    pub status: String,
    /// What OLM found, in its sentence.
    pub message: String,
    /// What the thing in turn needs, such as the permissions of a ServiceAccount.
    pub dependents: Vec<Dependent>,
}

/// What OLM says of what is as it should be.
const MET: &[&str] = &["Present", "DeploymentFound", "Satisfied"];

// === impl Requirement ===

impl Requirement {
    /// Whether OLM has found what it takes.
    pub(crate) fn is_met(&self) -> bool {
        MET.contains(&self.status.as_str())
    }

    /// What is missing. Kinds are looked up, as OLM may have looked long ago.
    fn judge(&self, csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
        let bond = match csv.brings(&self.name) {
            true => Bond::Brings,
            false => Bond::Needs,
        };
        let gap = case.gap();
        if self.kind == Kind::CustomResourceDefinition.as_str() {
            match case.ground.definitions.find(&self.name) {
                Found::There(definition) => {
                    let versions = csv.versions_of(&self.name);
                    let facts = definition.troubles(&Expected {
                        bond,
                        versions,
                        gap,
                    });
                    self.or_unseen(&definition.observed, facts)
                }
                Found::Missing(observed) => {
                    vec![csv.misses(&observed, bond, gap, Code::DefinitionMissing)]
                }
                Found::Unseen => vec![self.as_it_stands(csv, gap)],
            }
        } else if self.kind == Kind::ApiService.as_str() {
            match case.ground.served.find(&self.name) {
                Found::There(served) => {
                    self.or_unseen(&served.observed, served.trouble().into_iter().collect())
                }
                Found::Missing(observed) => {
                    vec![csv.misses(&observed, bond, gap, Code::ApiServiceMissing)]
                }
                Found::Unseen => vec![self.as_it_stands(csv, gap)],
            }
        } else {
            vec![self.as_it_stands(csv, gap)]
        }
    }

    /// The facts, or if they find nothing wrong that OLM has not seen that.
    fn or_unseen(&self, observed: &Observed, mut facts: Vec<Fact>) -> Vec<Fact> {
        if facts.iter().all(|fact| fact.state == State::Yes) {
            let message = format!(
                "{} is there, and OLM has not looked again. It does within 15 minutes, or when the ClusterServiceVersion is touched.",
                observed.object
            );
            let fact = Fact::new(
                observed,
                State::NotYet,
                Code::RequirementMetUnseen,
                &message,
            );
            facts.insert(0, fact);
        }
        facts
    }

    /// What OLM says.
    fn as_it_stands(&self, csv: &Csv, gap: State) -> Fact {
        let observed = self.object(csv).absent();
        let object = &observed.object;
        let lacking = self.lacking();
        if lacking.is_empty() {
            let what = match object.kind == Kind::Other {
                true => format!("{} {}", self.kind, self.name),
                false => object.to_string(),
            };
            let claim = match object.kind == Kind::ClusterServiceVersion {
                true => format!("OLM finds that {what} does not fit the cluster"),
                false => format!(
                    "{} needs {what}, which OLM finds {}",
                    csv.name(),
                    self.found()
                ),
            };
            let message = because(claim, &self.message);
            return Fact::new(&observed, gap, Code::RequirementNotMet, &message);
        }
        let message = format!(
            "{object} may not {}, which {} needs.",
            lacking.join("; nor "),
            csv.name()
        );
        Fact::new(&observed, gap, Code::PermissionMissing, &message)
    }

    fn found(&self) -> &str {
        match self.status.as_str() {
            "" => "not to be met",
            "NotPresent" => "missing",
            word => word,
        }
    }

    /// The permissions that are missing, in words, and no more than one reads.
    fn lacking(&self) -> Vec<String> {
        let rules = self
            .dependents
            .iter()
            .filter(|rule| !MET.contains(&rule.status.as_str()));
        let mut rules: Vec<String> = rules.map(|rule| in_words(&rule.message)).collect();
        if rules.len() > 4 {
            let others = rules.len() - 3;
            rules.truncate(3);
            rules.push(format!("act by {others} other rules"));
        }
        rules
    }

    fn object(&self, csv: &Csv) -> Object {
        let namespace = &csv.observed.object.namespace;
        match self.kind.as_str() {
            "ServiceAccount" => Object::new(Kind::ServiceAccount, namespace, &self.name),
            "Deployment" => Object::new(Kind::Deployment, namespace, &self.name),
            "ClusterServiceVersion" => csv.observed.object.clone(),
            "CustomResourceDefinition" => {
                Object::new(Kind::CustomResourceDefinition, "", &self.name)
            }
            "APIService" => Object::new(Kind::ApiService, "", &self.name),
            _ => Object::new(Kind::Other, "", &self.name),
        }
    }
}

// === impl Csv ===

impl Csv {
    /// Whether OLM says that something it needs is not there.
    pub(crate) fn lacks_something(&self) -> bool {
        self.reason == REQUIREMENTS_NOT_MET
    }

    fn brings(&self, name: &str) -> bool {
        self.owned
            .iter()
            .chain(&self.serves)
            .any(|api| api.name == name)
    }

    fn versions_of(&self, name: &str) -> BTreeSet<&str> {
        let apis = self.owned.iter().chain(&self.required);
        apis.filter(|api| api.name == name)
            .map(|api| api.version.as_str())
            .collect()
    }
}

/// What OLM has found missing, if that is what it says.
pub(crate) fn judge(csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    if !csv.lacks_something() {
        return Vec::new();
    }
    let unmet: BTreeSet<&Requirement> = csv
        .requirements
        .iter()
        .filter(|row| !row.is_met())
        .collect();
    let facts: Vec<Fact> = unmet
        .into_iter()
        .flat_map(|row| row.judge(csv, case))
        .collect();
    if !facts.is_empty() {
        return facts;
    }
    let claim = format!(
        "OLM says that {} lacks something, and not what",
        csv.observed.object
    );
    let message = because(claim, &csv.message);
    vec![Fact::new(
        &csv.observed,
        case.gap(),
        Code::RequirementNotMet,
        &message,
    )]
}

/// The names of kinds about which [`judge`] tells.
pub(crate) fn told(csv: &Csv) -> BTreeSet<&str> {
    let unmet = csv
        .requirements
        .iter()
        .filter(|row| csv.lacks_something() && !row.is_met());
    unmet.map(|row| row.name.as_str()).collect()
}

#[cfg(test)]
pub(crate) mod tests;
