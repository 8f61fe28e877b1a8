//! Judges the requirements of an operator that OLM reports as missing.

use std::collections::BTreeSet;

use portolan_core_olm::Requirement;
use portolan_core_olm::messages::awaits_plan;

use crate::case::Case;
use crate::crd::{Bond, Expected};
use crate::csv::REQUIREMENTS_NOT_MET;
use crate::objects::LookupResult;
use crate::rule::in_words;
use crate::words::because;
use crate::{Csv, Fact, HealthCode, Kind, Object, ObjectVersion, State};

/// A requirement that OLM reports as missing, with the objects that show if it is satisfied.
struct Judge<'a> {
    requirement: &'a Requirement,
    csv: &'a Csv,
    case: &'a Case<'a>,
}

/// The statuses that OLM uses for a satisfied requirement.
const MET: &[&str] = &["Present", "DeploymentFound", "Satisfied"];

// === impl Judge ===

impl Judge<'_> {
    /// Returns the facts about a missing requirement. Checks CustomResourceDefinitions and
    /// APIServices again, because OLM's report may be outdated.
    fn facts(&self) -> Vec<Fact> {
        let Self {
            requirement,
            csv,
            case,
        } = self;
        let name = requirement.name.as_str();
        let bond = if csv.definitions_owned().any(|owned| owned == name) {
            Bond::Brings
        } else {
            Bond::Needs
        };
        let gap = case.gap();
        let missing = |observed, code| vec![csv.misses(&observed, bond, gap, code)];
        if requirement.kind == Kind::CustomResourceDefinition.as_str() {
            match case.objects.crds.find(name) {
                LookupResult::There(crd) => {
                    let facts = crd.troubles(&Expected {
                        bond,
                        versions: versions_of(csv, name),
                        gap,
                    });
                    if awaits_plan(&requirement.message) {
                        or_unassigned(csv, &crd.observed, facts)
                    } else {
                        or_unseen(&crd.observed, facts)
                    }
                }
                LookupResult::Missing(observed) => missing(observed, HealthCode::CrdMissing),
                LookupResult::Unseen => vec![self.as_it_stands(gap)],
            }
        } else if requirement.kind == Kind::ApiService.as_str() {
            match case.objects.served.find(name) {
                LookupResult::There(served) => {
                    or_unseen(&served.observed, served.trouble().into_iter().collect())
                }
                LookupResult::Missing(observed) => missing(observed, HealthCode::ApiServiceMissing),
                LookupResult::Unseen => vec![self.as_it_stands(gap)],
            }
        } else {
            vec![self.as_it_stands(gap)]
        }
    }

    /// Returns the fact that OLM reports the requirement as missing. Does not check the requirement
    /// again.
    fn as_it_stands(&self, gap: State) -> Fact {
        let Self {
            requirement, csv, ..
        } = self;
        let observed = self.object().absent();
        if awaits_plan(&requirement.message) {
            return unassigned(csv, &observed);
        }
        let object = &observed.object;
        let lacking = self.lacking();
        if lacking.is_empty() {
            let what = if object.kind == Kind::Other {
                format!("{} {}", requirement.kind, requirement.name)
            } else {
                object.to_string()
            };
            let claim = if object.kind == Kind::ClusterServiceVersion {
                format!("OLM reports that {what} is not compatible with the cluster")
            } else {
                format!(
                    "{} needs {what}, which OLM reports as {}",
                    csv.name(),
                    self.status_word()
                )
            };
            let message = because(claim, &requirement.message);
            return Fact::new(&observed, gap, HealthCode::RequirementNotMet, &message);
        }
        let message = format!(
            "{object} lacks the permission to {}, which {} needs.",
            lacking.join("; nor "),
            csv.name()
        );
        Fact::new(&observed, gap, HealthCode::PermissionMissing, &message)
    }

    fn status_word(&self) -> &str {
        match self.requirement.status.as_str() {
            "" => "not met",
            "NotPresent" => "missing",
            word => word,
        }
    }

    /// Returns texts about the missing permissions. If there are many, the last text only has the
    /// number of the remaining permissions.
    fn lacking(&self) -> Vec<String> {
        let rules = self.requirement.dependents.iter();
        let rules = rules.filter(|rule| !is_met(&rule.status));
        let mut rules: Vec<String> = rules.map(|rule| in_words(&rule.message)).collect();
        if rules.len() > 4 {
            let others = rules.len() - 3;
            rules.truncate(3);
            rules.push(format!("act by {others} other rules"));
        }
        rules
    }

    fn object(&self) -> Object {
        let Requirement { kind, name, .. } = self.requirement;
        let namespace = self.csv.namespace();
        let known = [
            (Kind::ServiceAccount, namespace),
            (Kind::Deployment, namespace),
            (Kind::CustomResourceDefinition, ""),
            (Kind::ApiService, ""),
        ];
        if kind == Kind::ClusterServiceVersion.as_str() {
            return self.csv.observed.object.clone();
        }
        let mut known = known.into_iter();
        let known = known.find(|(known, _)| known.as_str() == kind);
        let (kind, namespace) = known.unwrap_or((Kind::Other, ""));
        Object::new(kind, namespace, name)
    }
}

/// Returns the facts. If no fact reports a problem, adds the fact that the InstallPlan of the
/// ClusterServiceVersion has not updated the CRD yet.
fn or_unassigned(csv: &Csv, observed: &ObjectVersion, mut facts: Vec<Fact>) -> Vec<Fact> {
    if facts.iter().all(|fact| fact.state == State::Yes) {
        facts.insert(0, unassigned(csv, observed));
    }
    facts
}

fn unassigned(csv: &Csv, observed: &ObjectVersion) -> Fact {
    let message = format!(
        "The InstallPlan of {} has not updated {} yet, so OLM does not accept this requirement.",
        csv.name(),
        observed.object
    );
    Fact::new(
        observed,
        State::NotYet,
        HealthCode::RequirementNotMet,
        &message,
    )
}

/// Returns the facts. If no fact reports a problem, adds the fact that OLM has not noticed yet that
/// the requirement is satisfied.
fn or_unseen(observed: &ObjectVersion, mut facts: Vec<Fact>) -> Vec<Fact> {
    if facts.iter().all(|fact| fact.state == State::Yes) {
        let message = format!(
            "{} exists, but OLM has not checked the requirement again. OLM checks the requirement \
             within 15 minutes, or when the ClusterServiceVersion changes.",
            observed.object
        );
        let fact = Fact::new(
            observed,
            State::NotYet,
            HealthCode::RequirementNotRechecked,
            &message,
        );
        facts.insert(0, fact);
    }
    facts
}

fn is_met(status: &str) -> bool {
    MET.contains(&status)
}

/// Returns true if OLM reports a missing requirement.
fn lacks_something(csv: &Csv) -> bool {
    csv.status.reason == REQUIREMENTS_NOT_MET
}

/// Returns the versions of a kind that the operator owns or requires.
fn versions_of<'a>(csv: &'a Csv, name: &str) -> BTreeSet<&'a str> {
    let custom = &csv.spec.custom_resources;
    let apis = custom.owned.iter().chain(&custom.required);
    let apis = apis.filter(|api| api.name == name);
    apis.map(|api| api.version.as_str()).collect()
}

/// Returns the unsatisfied requirements, sorted and without duplicates. Empty if OLM reports no
/// missing requirement.
fn unmet(csv: &Csv) -> Vec<&Requirement> {
    if !lacks_something(csv) {
        return Vec::new();
    }
    let all = csv.status.requirements.iter();
    let mut unmet: Vec<_> = all.filter(|row| !is_met(&row.status)).collect();
    unmet.sort();
    unmet.dedup();
    unmet
}

/// Returns the facts about missing requirements. Empty if OLM reports no missing requirement.
pub(crate) fn judge(csv: &Csv, case: &Case<'_>) -> Vec<Fact> {
    if !lacks_something(csv) {
        return Vec::new();
    }
    let judge = |requirement| Judge {
        requirement,
        csv,
        case,
    };
    let unmet = unmet(csv).into_iter().map(judge);
    let facts: Vec<Fact> = unmet.flat_map(|row| row.facts()).collect();
    if !facts.is_empty() {
        return facts;
    }
    let claim = format!(
        "OLM reports that {} lacks a requirement, but does not name the requirement",
        csv.observed.object
    );
    let message = because(claim, &csv.status.message);
    let code = HealthCode::RequirementNotMet;
    vec![Fact::new(&csv.observed, case.gap(), code, &message)]
}

/// Returns the names of the requirements for which [`judge`] returns facts.
pub(crate) fn reported_kinds(csv: &Csv) -> BTreeSet<&str> {
    let unmet = unmet(csv).into_iter();
    unmet.map(|row| row.name.as_str()).collect()
}

#[cfg(test)]
pub(crate) mod tests;
