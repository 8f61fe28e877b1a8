//! The dry runs whose results `portolan up` prints: policies, Operators, and automatic upgrades.

use std::fmt::Display;

use portolan_controller::{ChangePreview, OperatorRehearsal, Rehearsal, Terms, controllers};
use portolan_core_names::text::listed;
use portolan_updater::{OperatorLine, RoundResult, UpdaterRehearsal};
use serde::Serialize;

use super::UpArgs;
use crate::exit::Exit;
use crate::explain;
use crate::explain::answer::Explanation;
use crate::facts::{LocalServices, PolicyArgs, decide_policies};
use crate::failure::Failure;

/// The dry runs of the controllers and of the updater.
pub(super) struct Rehearsals {
    policies: Rehearsal,
    /// The dry run for Operators. None if the user selected a namespace, because Operators are
    /// cluster-scoped.
    operators: Option<OperatorRehearsal>,
    /// The dry run of the updater. None if the user did not request it, or if the updater really
    /// writes.
    updater: Option<UpdaterRehearsal>,
}

/// The changes that the controllers would make.
#[derive(Serialize)]
pub(super) struct Shown {
    #[serde(flatten)]
    pub(super) explanation: Explanation,
    /// The automatic upgrades. None if the updater makes no dry run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) upgrades: Option<Vec<AutomaticUpgrade>>,
}

/// The next automatic upgrade of an Operator, or the reason why it is blocked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct AutomaticUpgrade {
    pub(super) operator: String,
    pub(super) reason: String,
    pub(super) message: String,
    #[serde(skip)]
    is_fine: bool,
}

// === impl Rehearsals ===

impl Rehearsals {
    /// Starts the dry runs. The updater makes no dry run if it really writes.
    pub(super) async fn of(
        args: &UpArgs,
        (facts, services): (&PolicyArgs, &LocalServices),
        terms: &Terms,
    ) -> Result<Self, Failure> {
        let operators = match terms.only_namespace {
            Some(_) => None,
            None => Some(args.operators.rehearse(facts, services)?),
        };
        let wanted = args.updater && !args.enforce && operators.is_some();
        let updater = match facts.cluster().filter(|_| wanted) {
            Some(access) => {
                let resolver = services.connections().resolver;
                Some(UpdaterRehearsal::of(args.updater_config(access), resolver).await?)
            }
            None => None,
        };
        Ok(Self {
            policies: services.rehearse(terms),
            operators,
            updater,
        })
    }

    /// Waits for the results of all dry runs, and returns them.
    pub(super) async fn answer(&mut self, services: &LocalServices) -> Result<Shown, Failure> {
        let all = decide_policies(&mut self.policies).await?;
        let mut explanation = explain::answer(services, all).await;
        if let Some(rehearsal) = &mut self.operators {
            let operators = explain::explain_operators(rehearsal, &mut explanation).await?;
            explanation.operators = operators;
        }
        let upgrades = match &self.updater {
            Some(updater) => Some(upgrades(updater.result().await, &mut explanation.unknown)),
            None => None,
        };
        Ok(Shown {
            explanation,
            upgrades,
        })
    }

    /// Waits until the results may have changed.
    pub(super) async fn changed(&mut self) -> Result<(), Failure> {
        let operators = async {
            match &mut self.operators {
                Some(rehearsal) => rehearsal.changed().await,
                None => std::future::pending().await,
            }
        };
        let updater = async {
            match &mut self.updater {
                Some(updater) => updater.changed().await,
                None => std::future::pending().await,
            }
        };
        let changed = tokio::select! {
            changed = self.policies.changed() => changed,
            changed = operators => changed,
            () = updater => Ok(()),
        };
        changed.map_err(Failure::failed)
    }
}

/// Returns the automatic upgrades of a round of the updater. Appends unknown facts to `unknown`.
fn upgrades(result: RoundResult, unknown: &mut Vec<String>) -> Vec<AutomaticUpgrade> {
    match result {
        RoundResult::Off => {
            unknown.push(
                "no Operator is upgraded automatically, because ConfigMap portolan-updater does not exist"
                    .to_owned(),
            );
            Vec::new()
        }
        RoundResult::Invalid(faults) => {
            unknown.extend(faults);
            Vec::new()
        }
        RoundResult::Failed(why) => {
            unknown.push(format!("automatic upgrades are unknown: {why}"));
            Vec::new()
        }
        RoundResult::Reported { lines, absent } => {
            let not_found = |name: &dyn Display| {
                format!("Operator {name} of ConfigMap portolan-updater not found")
            };
            unknown.extend(absent.iter().map(|name| not_found(name)));
            lines.into_iter().map(AutomaticUpgrade::of).collect()
        }
    }
}

/// Returns a sentence about the controllers whose changes are not shown.
pub(super) fn not_shown() -> String {
    let of = |wanted: fn(ChangePreview) -> bool| controllers().filter(move |it| wanted(it.preview));
    let commands =
        of(|it| matches!(it, ChangePreview::Command(_))).filter_map(|it| match it.preview {
            ChangePreview::Command(command) => Some(format!("{} (see `{command}`)", it.objects)),
            ChangePreview::Rehearsed | ChangePreview::OnlyStatuses | ChangePreview::Nowhere => None,
        });
    let others = of(|it| it == ChangePreview::Nowhere).map(|it| it.objects.to_owned());
    format!(
        "The changes of these controllers are not shown: {}",
        listed(commands.chain(others))
    )
}

// === impl Shown ===

impl Shown {
    /// Returns the exit code. Returns `No` also if the updater would upgrade an Operator or is
    /// blocked.
    pub(super) fn exit_code(&self) -> Exit {
        let mut upgrades = self.upgrades.iter().flatten();
        match self.explanation.exit_code() {
            Exit::Answered => Exit::no_if(!upgrades.all(AutomaticUpgrade::is_fine)),
            exit => exit,
        }
    }
}

// === impl AutomaticUpgrade ===

impl AutomaticUpgrade {
    fn of(line: OperatorLine) -> Self {
        let OperatorLine {
            name,
            reason,
            message,
        } = line;
        Self {
            operator: name,
            is_fine: reason.is_fine(),
            reason: reason.to_string(),
            message,
        }
    }

    /// Returns true if the Operator has the version that its rule selects, or is being upgraded to
    /// this version.
    pub(super) fn is_fine(&self) -> bool {
        self.is_fine
    }

    /// Returns the name that is shown in the row.
    pub(super) fn place(&self) -> String {
        format!("automatic upgrade of {}", self.operator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_controllers_without_rehearsal() {
        let expected = "The changes of these controllers are not shown: InstallPlans (see `portolan plan diff`), \
                        Installs (see `portolan approve`), Operators v2alpha1 and certificates of webhooks";
        assert_eq!(not_shown(), expected);
    }
}
