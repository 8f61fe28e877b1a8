//! Explains Operators that wait for their dependencies.

#[cfg(test)]
mod tests;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition;
use portolan_api::operator::{DependencyStatus, Operator, Reason};

use super::{OperatorCase, beginning};
use crate::cure::Cure;
use crate::{Cause, Code, Diagnosis, Evidence, Object, State, words};

/// The other Operators that an Operator waits for, directly or through a chain.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Awaited<'a> {
    /// The Operator that provides the dependency.
    pub(crate) provider: &'a Operator,
    /// The diagnosis of the last Operator in the chain of waiting Operators. The last Operator
    /// waits for no other Operator.
    pub(crate) last: &'a Diagnosis,
}

/// For each Operator, returns the index of the Operator that it waits for. An Operator that waits
/// for no Operator in the list has no index.
pub(crate) fn awaited(all: &[&Operator]) -> Vec<Option<usize>> {
    let provider = |operator: &&Operator| {
        let package = &unmet(operator)?.name;
        all.iter().position(|other| {
            let is_provided = other.spec.as_json()["packageName"] == **package;
            is_provided && other.metadata.name != operator.metadata.name
        })
    };
    all.iter().map(provider).collect()
}

/// Follows the chain that begins at index `first`, and returns the index of the last Operator.
/// Returns None if the chain has a cycle.
pub(crate) fn last(awaited: &[Option<usize>], first: usize) -> Option<usize> {
    let mut at = first;
    for _ in awaited {
        match awaited.get(at).copied().flatten() {
            Some(next) => at = next,
            None => return Some(at),
        }
    }
    None
}

/// Returns a dependency that an Operator waits for. Prefers a dependency of the next bundle.
fn unmet(operator: &Operator) -> Option<&DependencyStatus> {
    let status = operator.status.as_ref()?;
    let mut conditions = status.conditions.iter();
    conditions.find(|said| {
        let reason = Reason::parse(&said.reason);
        reason == Some(Reason::WaitingForDependencies)
    })?;
    let next = status.path.first().map_or("", |hop| &hop.bundle);
    let unmet = status.dependencies.iter();
    let unmet = unmet.filter(|it| it.satisfied == Some(false) && !it.terminating);
    unmet.min_by_key(|it| it.bundle != next)
}

impl<'a> OperatorCase<'a> {
    /// Returns the cause of an Operator that waits for its dependencies.
    pub(super) fn waiting(self, said: &Condition) -> Cause {
        let evidence = Evidence::reported(self.object(), said);
        if self.facts.leaving.is_some() {
            let cause = self.lacking(self.message(said)).shown([evidence]);
            return self.linked(cause);
        }
        let cause = match (unmet(self.operator), self.facts.awaited) {
            (Some(needed), Some(awaited)) => self.behind(needed, awaited),
            (Some(needed), None) if needed.installed.is_some() => self.out_of_range(needed),
            (Some(_) | None, _) => self.lacking(self.message(said)),
        };
        cause.shown([evidence])
    }

    /// Returns the cause if a dependency is not installed.
    fn lacking(self, said: &str) -> Cause {
        let code = Code::DependencyMissing;
        let message = words::sentence(&format!("{}: {said}", beginning(code)));
        let status = self.status.dependencies.iter();
        let mut missing = status.filter(|it| it.satisfied == Some(false) && it.installed.is_none());
        let Some(missing) = missing.next() else {
            let cause = Cause::new(code, State::Waiting, self.object(), &message);
            let action = "Find out why the operators that the message names wait: `portolan diagnose` \
                          without a name shows the cause. This Operator then continues by itself.";
            return cause.cured(Cure::external("a cluster administrator", action));
        };
        let package = Object::new("Package", "", &missing.name);
        let action = format!(
            "Install {}, which is not installed. The Operator then continues by itself.",
            required(missing)
        );
        let cause = Cause::new(code, State::Waiting, package.clone(), &message);
        let cure = Cure::external("a user who can install the dependencies", &action);
        cause.cured(cure).shown([Evidence::absent(package)])
    }

    /// Returns the cause if a dependency is installed in another version, and no Operator upgrades
    /// it.
    fn out_of_range(self, needed: &DependencyStatus) -> Cause {
        let package = Object::new("Package", "", &needed.name);
        let message = self.requirement(needed);
        let cause = Cause::new(Code::DependencyOutOfRange, State::Stuck, package, &message);
        let action = format!(
            "Upgrade {} with the tool that manages it. The Operator then continues by itself.",
            required(needed)
        );
        let who = format!("the administrator of package {}", needed.name);
        cause.cured(Cure::external(&who, &action))
    }

    /// Returns the cause of the last Operator in the chain as the cause of this Operator.
    fn behind(self, needed: &DependencyStatus, awaited: Awaited<'_>) -> Cause {
        let Awaited { provider, last } = awaited;
        let provider = provider.metadata.name.as_deref().unwrap_or_default();
        let is_direct = last.subject.object.name == provider;
        let chain = if is_direct {
            String::new()
        } else {
            format!(
                " Operator {provider} in turn waits for Operator {}.",
                last.subject.object.name
            )
        };
        let requirement = format!("{}{chain}", self.requirement(needed));
        let Some(root) = &last.cause else {
            return self.behind_healthy(needed, &requirement, last);
        };
        let name = &last.subject.object.name;
        let (state, why) = match last.state {
            State::Broken => (
                State::Stuck,
                match &needed.installed {
                    Some(version) if is_direct => format!(
                        "The controller of Portolan does not upgrade an Operator that does not work. So Operator {name} stays at version {version}."
                    ),
                    _ => format!(
                        "The controller of Portolan does not upgrade Operator {name}, because this Operator does not work."
                    ),
                },
            ),
            State::Stuck => (State::Stuck, format!("Operator {name} is stuck.")),
            State::Waiting => (State::Waiting, format!("Operator {name} waits.")),
            State::Working | State::Well => {
                (State::Working, format!("Operator {name} is in progress."))
            }
        };
        // The sentence about a broken dependency contains the installed version.
        let needs = if last.state == State::Broken && is_direct {
            self.need(needed)
        } else {
            requirement
        };
        let message = format!("{} {why} {needs}", root.message);
        let mut responsible = root.responsible.clone();
        if !responsible.who.is_empty() {
            let follows = format!(
                "Portolan then upgrades Operator {name} and, some minutes later, Operator {}, by itself.",
                self.name
            );
            responsible.action = format!("{} {follows}", responsible.action)
                .trim()
                .to_owned();
        }
        Cause {
            code: root.code,
            state,
            message,
            responsible,
            blocked_by: Some(last.subject.object.clone()),
            below: Vec::new(),
            ..root.clone()
        }
    }

    /// Returns the cause if the Operator that provides the dependency is healthy, but is not being
    /// upgraded to a required version.
    fn behind_healthy(
        self,
        needed: &DependencyStatus,
        requirement: &str,
        last: &Diagnosis,
    ) -> Cause {
        let object = last.subject.object.clone();
        let message = format!(
            "{requirement} Operator {} is healthy, and is not being upgraded to such a version.",
            object.name
        );
        let action = format!(
            "Let Operator {} reach a version of {}: change its spec.version or its catalog. Operator \
             {} needs no change: it follows by itself.",
            object.name,
            required(needed),
            self.name
        );
        let code = Code::DependencyOutOfRange;
        let cause = Cause::new(code, State::Stuck, object.clone(), &message);
        let cause = cause.cured(Cure::external("a cluster administrator", &action));
        Cause {
            blocked_by: Some(object),
            ..cause
        }
    }

    /// Returns sentences about the requirement of the next bundle and about the installed version.
    fn requirement(self, needed: &DependencyStatus) -> String {
        let installed = match &needed.installed {
            Some(version) => format!("Version {version} of {} is installed.", needed.name),
            None => format!("{} is not installed.", needed.name),
        };
        format!("{} {installed}", self.need(needed))
    }

    /// Returns the requirement of the next bundle as a sentence.
    fn need(self, needed: &DependencyStatus) -> String {
        let bundle = match needed.bundle.as_str() {
            "" => self.next_bundle().unwrap_or("The next version"),
            bundle => bundle,
        };
        format!("{bundle} requires {}.", required(needed))
    }
}

/// Formats a package with the required versions, such as `ferry >=1.2.0`.
fn required(needed: &DependencyStatus) -> String {
    match (&needed.range, &needed.minimum_version) {
        (Some(range), _) => format!("{} {range}", needed.name),
        (None, Some(version)) => format!("{} >={version}", needed.name),
        (None, None) => needed.name.clone(),
    }
}
