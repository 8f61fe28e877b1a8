//! OperatorGroups: which namespaces the operators of one watch.

use std::collections::BTreeSet;

use portolan_core_names::text::listed;
use portolan_core_names::trouble;

use crate::case::Case;
use crate::words::because;
use crate::{Code, Condition, Csv, Fact, InstallMode, Observed, State};

/// What makes a namespace one that OLM installs operators into.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OperatorGroup {
    /// Which object.
    pub observed: Observed,
    /// The namespaces that its operators shall watch.
    pub targets: Targets,
    /// The ServiceAccount as which OLM shall act; empty for its own.
    pub account: String,
    /// What OLM says of it.
    pub conditions: Vec<Condition>,
    /// Whether it is being deleted.
    pub is_deleting: bool,
}

/// Which namespaces operators watch.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Targets {
    /// All of them.
    All,
    /// These. What a selector selects is what OLM writes into the status.
    These(BTreeSet<String>),
    /// Those that a selector selects, which OLM has not written down yet.
    Selected,
}

// === impl OperatorGroup ===

impl OperatorGroup {
    /// What the only OperatorGroup of a namespace means for an operator.
    fn judge(&self, case: &Case<'_>) -> Vec<Fact> {
        let mut facts: Vec<Fact> = self
            .conditions
            .iter()
            .filter_map(|said| self.said(said))
            .collect();
        let object = &self.observed.object;
        if self.is_deleting {
            let message = format!("{object} is being deleted, and OLM does nothing without one.");
            facts.push(self.fact(State::NotYet, Code::OperatorGroupMissing, &message));
        }
        facts.extend(case.chain.newest().and_then(|csv| self.admits(csv)));
        if facts.is_empty() {
            let message = format!("{object} is the only one of its namespace.");
            facts.push(Fact::fine(&self.observed, &message));
        }
        facts
    }

    /// What OLM says of it.
    fn said(&self, said: &Condition) -> Option<Fact> {
        let object = &self.observed.object;
        if !said.is_true() {
            return None;
        }
        match (said.kind.as_str(), said.reason.as_str()) {
            (_, "ServiceAccountNotFound") => {
                let claim =
                    format!("{object} names a ServiceAccount that is not there, so OLM cannot act");
                let message = because(claim, &said.message);
                Some(self.fact(State::No, Code::GroupServiceAccountMissing, &message))
            }
            ("MultipleOperatorGroup", _) => {
                let message =
                    format!("OLM still takes {object} for one of several in its namespace.");
                Some(self.fact(State::NotYet, Code::OperatorGroupsConflict, &message))
            }
            _ => None,
        }
    }

    /// What is wrong if the operator cannot watch the namespaces that are selected.
    fn admits(&self, csv: &Csv) -> Option<Fact> {
        let object = &self.observed.object;
        let wanted = match self.targets.modes(&object.namespace) {
            Wanted::Modes(modes) => modes,
            Wanted::Never(why) => {
                let message = format!("{object} {why}.");
                return Some(self.fact(State::No, Code::InstallModeUnsupported, &message));
            }
            Wanted::Unknown => {
                let message = format!(
                    "{object} selects namespaces by labels, and OLM has not written down which."
                );
                return Some(self.fact(State::NotYet, Code::InstallModeUnsupported, &message));
            }
        };
        let lacking: Vec<&str> = wanted
            .difference(&csv.modes)
            .map(|mode| mode.as_str())
            .collect();
        if lacking.is_empty() {
            return None;
        }
        let claim = trouble::mode_missing(
            &csv.observed.object.name,
            &listed(lacking),
            &format!("{}/{}", object.namespace, object.name),
            &self.targets.in_words(),
        );
        let message = format!("{claim}. {}", supported(csv));
        Some(self.fact(State::No, Code::InstallModeUnsupported, &message))
    }

    fn fact(&self, state: State, code: Code, message: &str) -> Fact {
        Fact::new(&self.observed, state, code, message)
    }
}

/// What an operator must be able to for some targets.
enum Wanted {
    /// All of these ways.
    Modes(BTreeSet<InstallMode>),
    /// No way is enough. Holds why.
    Never(&'static str),
    /// Nobody knows.
    Unknown,
}

// === impl Targets ===

impl Targets {
    /// The ways that an operator in a namespace needs to watch these. These are the rules of OLM: its own among several
    /// others is a way of its own.
    fn modes(&self, own: &str) -> Wanted {
        let names = match self {
            Self::All => return Wanted::Modes(BTreeSet::from([InstallMode::AllNamespaces])),
            Self::Selected => return Wanted::Unknown,
            Self::These(names) => names,
        };
        let has_own = names.contains(own);
        match (names.len(), names.contains("")) {
            (0, _) => Wanted::Never("selects no namespace at all"),
            (1, true) => Wanted::Modes(BTreeSet::from([InstallMode::AllNamespaces])),
            (_, true) => Wanted::Never("selects all namespaces and some by name as well"),
            (1, false) if has_own => Wanted::Modes(BTreeSet::from([InstallMode::OwnNamespace])),
            (1, false) => Wanted::Modes(BTreeSet::from([InstallMode::SingleNamespace])),
            (_, false) if has_own => Wanted::Modes(BTreeSet::from([
                InstallMode::OwnNamespace,
                InstallMode::MultiNamespace,
            ])),
            (_, false) => Wanted::Modes(BTreeSet::from([InstallMode::MultiNamespace])),
        }
    }

    fn in_words(&self) -> String {
        match self {
            Self::These(names) if !names.contains("") => match names.len() {
                1 => format!("the namespace {}", listed(names)),
                _ => format!("the namespaces {}", listed(names)),
            },
            Self::All | Self::These(_) => "all namespaces".to_owned(),
            Self::Selected => "namespaces by labels".to_owned(),
        }
    }
}

fn supported(csv: &Csv) -> String {
    match csv.modes.len() {
        0 => "It supports no install mode at all.".to_owned(),
        _ => format!(
            "It supports {}.",
            listed(csv.modes.iter().map(|mode| mode.as_str()))
        ),
    }
}

/// What the OperatorGroups of the namespace mean for an operator.
pub(crate) fn judge(case: &Case<'_>) -> Vec<Fact> {
    let groups = &case.ground.groups;
    match groups.all() {
        [] if !groups.is_clear() => Vec::new(),
        [] => {
            let claim = trouble::no_group(case.ground.name);
            let message = format!("{claim}. Create exactly one.");
            vec![Fact::new(
                &groups.whole(),
                State::No,
                Code::OperatorGroupMissing,
                &message,
            )]
        }
        [only] => only.judge(case),
        [first, ..] => {
            let names = groups.all().iter().map(|group| &group.observed.object.name);
            let (count, listed) = (groups.all().len(), listed(names));
            let claim = trouble::several_groups(case.ground.name, count, &listed);
            let message = format!("{claim}.");
            vec![Fact::new(
                &first.observed,
                State::No,
                Code::OperatorGroupsConflict,
                &message,
            )]
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
