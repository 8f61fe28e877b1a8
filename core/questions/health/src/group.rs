//! Judges OperatorGroups, which select the namespaces that operators watch.

use std::collections::BTreeSet;

use portolan_core_names::text::listed;
use portolan_core_names::trouble;
use portolan_core_olm::{Condition, InstallModeType, OperatorGroup, Targets};

use crate::case::Case;
use crate::words::because;
use crate::{Csv, Fact, HealthCode, Item, State};

/// The type of the condition that reports a problem with the ServiceAccount of an OperatorGroup.
const SERVICE_ACCOUNT: &str = "OperatorGroupServiceAccount";

impl Item<OperatorGroup> {
    /// Judges an OperatorGroup for an operator. It is the only OperatorGroup of the namespace.
    fn judge(&self, case: &Case<'_>) -> Vec<Fact> {
        // OLM does not remove this condition after the ServiceAccount is removed from the spec.
        // Therefore the condition is ignored in this case.
        let has_account = !self.spec.service_account_name.is_empty();
        let said = self.status.conditions.iter();
        let said = said.filter(|said| has_account || said.r#type != SERVICE_ACCOUNT);
        let mut facts: Vec<Fact> = said.filter_map(|said| self.condition_fact(said)).collect();
        let object = &self.observed.object;
        if self.is_deleting() {
            let message = format!(
                "{object} is being deleted. OLM installs nothing in a namespace without an \
                 OperatorGroup."
            );
            facts.push(self.fact(State::NotYet, HealthCode::OperatorGroupMissing, &message));
        }
        facts.extend(case.chain.newest().and_then(|csv| self.admits(csv)));
        if facts.is_empty() {
            let message = format!("{object} is the only OperatorGroup of its namespace.");
            facts.push(Fact::fine(&self.observed, &message));
        }
        facts
    }

    /// Returns the problem that a condition of OLM reports. Returns None if the condition reports
    /// no problem.
    fn condition_fact(&self, said: &Condition) -> Option<Fact> {
        let object = &self.observed.object;
        if !said.is_true() {
            return None;
        }
        match (said.r#type.as_str(), said.reason.as_str()) {
            (_, "ServiceAccountNotFound") => {
                let claim = format!(
                    "{object} names a missing ServiceAccount, so OLM cannot install or upgrade \
                     operators"
                );
                let message = because(claim, &said.message);
                Some(self.fact(State::No, HealthCode::GroupServiceAccountMissing, &message))
            }
            ("MultipleOperatorGroup", _) => {
                let message = format!(
                    "OLM still treats {object} as one of several OperatorGroups of its namespace."
                );
                Some(self.fact(State::NotYet, HealthCode::OperatorGroupsConflict, &message))
            }
            _ => None,
        }
    }

    /// Returns the problem that the operator does not support the namespaces that the OperatorGroup
    /// selects. Returns None if the operator supports them.
    fn admits(&self, csv: &Csv) -> Option<Fact> {
        let object = &self.observed.object;
        let targets = self.targets();
        let Some(wanted) = modes(&targets, &object.namespace) else {
            let message = format!(
                "{object} selects namespaces by labels, and OLM has not recorded these namespaces \
                 yet."
            );
            return Some(self.fact(State::NotYet, HealthCode::InstallModeUnsupported, &message));
        };
        let supported = csv.supported_modes();
        let lacking = wanted.iter().filter(|mode| !supported.contains(*mode));
        let lacking: Vec<&str> = lacking.map(|mode| mode.as_str()).collect();
        if lacking.is_empty() {
            return None;
        }
        let claim = trouble::mode_missing(
            csv.name(),
            &listed(lacking),
            &format!("{}/{}", object.namespace, object.name),
            &in_words(&targets),
        );
        let message = format!("{claim}. {}", in_words_of_modes(&supported));
        Some(self.fact(State::No, HealthCode::InstallModeUnsupported, &message))
    }

    fn fact(&self, state: State, code: HealthCode, message: &str) -> Fact {
        Fact::new(&self.observed, state, code, message)
    }
}

/// Returns the install modes that an operator needs for these target namespaces. Returns None if
/// the target namespaces are unknown. If an operator watches several namespaces and its own
/// namespace is one of them, the operator also needs OwnNamespace, as in OLM.
fn modes(targets: &Targets<'_>, own: &str) -> Option<Vec<InstallModeType>> {
    let names = match targets {
        Targets::All => return Some(vec![InstallModeType::AllNamespaces]),
        Targets::Selected => return None,
        Targets::These(names) => names,
    };
    Some(match (names.len(), names.contains(own)) {
        (1, true) => vec![InstallModeType::OwnNamespace],
        (1, false) => vec![InstallModeType::SingleNamespace],
        (_, true) => vec![
            InstallModeType::OwnNamespace,
            InstallModeType::MultiNamespace,
        ],
        (_, false) => vec![InstallModeType::MultiNamespace],
    })
}

fn in_words(targets: &Targets<'_>) -> String {
    match targets {
        Targets::These(names) if names.len() == 1 => format!("the namespace {}", listed(names)),
        Targets::These(names) => format!("the namespaces {}", listed(names)),
        Targets::All => "all namespaces".to_owned(),
        Targets::Selected => "namespaces by labels".to_owned(),
    }
}

fn in_words_of_modes(supported: &BTreeSet<&InstallModeType>) -> String {
    if supported.is_empty() {
        "The operator supports no install mode.".to_owned()
    } else {
        format!("The operator supports {}.", listed(supported))
    }
}

/// Judges the OperatorGroups of the namespace for an operator.
pub(crate) fn judge(case: &Case<'_>) -> Vec<Fact> {
    let groups = &case.objects.groups;
    match groups.all() {
        [] if !groups.is_clear() => Vec::new(),
        [] => {
            let claim = trouble::no_group(case.objects.name);
            let message = format!("{claim}. Create exactly one OperatorGroup.");
            vec![Fact::new(
                &groups.whole(),
                State::No,
                HealthCode::OperatorGroupMissing,
                &message,
            )]
        }
        [only] => only.judge(case),
        [first, ..] => {
            let names = groups.all().iter().map(|group| group.name());
            let (count, listed) = (groups.all().len(), listed(names));
            let claim = trouble::several_groups(case.objects.name, count, &listed);
            let message = format!("{claim}.");
            vec![Fact::new(
                &first.observed,
                State::No,
                HealthCode::OperatorGroupsConflict,
                &message,
            )]
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
