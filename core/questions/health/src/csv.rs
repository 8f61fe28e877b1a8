//! Judges ClusterServiceVersions: the progress of OLM, and its effect on the health of the
//! operator.

use portolan_core_names::trouble;
use portolan_core_olm::ClusterServiceVersion;

use crate::case::Case;
use crate::words::{because, with_word};
use crate::{
    CsvPhase, Fact, HealthCode, Item, Object, State, condition, crd, deployment, requirement,
    served,
};

/// A ClusterServiceVersion, which is an operator of OLM v0.
pub type Csv = Item<ClusterServiceVersion>;

/// The reason with which OLM reports that a requirement is missing.
pub(crate) const REQUIREMENTS_NOT_MET: &str = "RequirementsNotMet";
/// The reason with which OLM reports that the previous version of the operator forbids upgrades.
pub(crate) const NOT_UPGRADEABLE: &str = "OperatorConditionNotUpgradeable";

impl Csv {
    /// Judges the ClusterServiceVersion of the operator and all objects that it depends on.
    pub(crate) fn judge(&self, case: &Case<'_>) -> Fact {
        let successor = case.chain.successor_of(self);
        let is_newest = case.chain.is_newest(self);
        let fact = match successor {
            Some(successor) if !is_newest => self.as_older(successor, case),
            Some(_) | None => self.as_newest(),
        };
        let told = requirement::reported_kinds(self);
        let fact = fact.with_below(requirement::judge(self, case));
        let fact = if case.chain.is_bearer(self) {
            fact.with_below(crd::judge(self, &told, case))
                .with_below(served::judge(self, &told, case))
        } else {
            fact
        };
        fact.with_below(deployment::judge(self, case))
            .with_below(condition::judge(self, case))
    }

    /// Judges the phase of a ClusterServiceVersion that no other ClusterServiceVersion replaces.
    fn as_newest(&self) -> Fact {
        let csv = &self.observed.object;
        let fact = |state, code, claim: String| {
            let claim = with_word(claim, &self.status.reason);
            Fact::new(
                &self.observed,
                state,
                code,
                &because(claim, &self.status.message),
            )
        };
        let not_yet = |code, claim| fact(State::NotYet, code, claim);
        match &self.status.phase {
            CsvPhase::Failed => fact(State::No, HealthCode::CsvFailed, failed(csv)),
            _ if self.is_deleting() => {
                let message = format!("{csv} is being deleted.");
                Fact::new(
                    &self.observed,
                    State::NotYet,
                    HealthCode::CsvDeleting,
                    &message,
                )
            }
            CsvPhase::Succeeded => Fact::fine(&self.observed, &format!("{csv} has succeeded.")),
            CsvPhase::Pending if self.status.reason == NOT_UPGRADEABLE => not_yet(
                HealthCode::NotUpgradeable,
                format!("{csv} waits, because the previous version reports Upgradeable=False"),
            ),
            CsvPhase::Pending => {
                let claim = trouble::operator_waits(&csv.namespace, &csv.name);
                not_yet(HealthCode::CsvPending, claim)
            }
            CsvPhase::InstallReady | CsvPhase::Installing => not_yet(
                HealthCode::CsvInstalling,
                format!("{csv} is being installed"),
            ),
            CsvPhase::Replacing => not_yet(
                HealthCode::CsvReplacing,
                format!(
                    "{csv} is being replaced, but the ClusterServiceVersion that replaces it \
                         is missing"
                ),
            ),
            CsvPhase::Deleting => not_yet(HealthCode::CsvDeleting, format!("OLM deletes {csv}")),
            CsvPhase::Other(word) if word.is_empty() => not_yet(
                HealthCode::CsvPhaseUnknown,
                format!("OLM has not reconciled {csv} yet"),
            ),
            CsvPhase::Unknown => not_yet(
                HealthCode::CsvPhaseUnknown,
                format!("OLM does not know the state of {csv}"),
            ),
            CsvPhase::Other(word) => not_yet(
                HealthCode::CsvPhaseUnknown,
                format!("{csv} is in phase {word}, which this version of Portolan does not know"),
            ),
        }
    }

    /// Judges the phase of a ClusterServiceVersion that another ClusterServiceVersion replaces.
    /// Does not report work in progress, because the newer ClusterServiceVersion reports it.
    fn as_older(&self, successor: &Csv, case: &Case<'_>) -> Fact {
        let csv = &self.observed.object;
        let next = successor.name();
        let arrived = case
            .chain
            .newest()
            .is_some_and(|newest| newest.status.phase == CsvPhase::Succeeded);
        match self.status.phase {
            CsvPhase::Failed => {
                let (state, what) = if arrived {
                    (State::Yes, "has taken")
                } else {
                    (State::No, "is to take")
                };
                let claim = format!("{}, and {next} {what} its place", failed(csv));
                let message = because(with_word(claim, &self.status.reason), &self.status.message);
                Fact::judged(&self.observed, state, HealthCode::CsvFailed, &message)
            }
            CsvPhase::Deleting => {
                let message = format!("OLM deletes {csv}, because {next} has replaced it.");
                Fact::remark(&self.observed, HealthCode::CsvDeleting, &message)
            }
            CsvPhase::Pending
            | CsvPhase::InstallReady
            | CsvPhase::Installing
            | CsvPhase::Succeeded
            | CsvPhase::Replacing
            | CsvPhase::Unknown
            | CsvPhase::Other(_) => {
                let message = format!("{csv} is kept until {next} has replaced it.");
                Fact::remark(&self.observed, HealthCode::CsvReplacing, &message)
            }
        }
    }
}

fn failed(csv: &Object) -> String {
    trouble::operator_failed(&csv.namespace, &csv.name)
}

#[cfg(test)]
pub(crate) mod tests;
