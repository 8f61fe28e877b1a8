//! Explains Operators whose deletion is blocked by other Operators, and Operators that wait for
//! such a deletion.

use std::collections::BTreeSet;

use portolan_api::operator::{FORCE_DELETION, OPERATOR, Operator, Reason};
use portolan_api::plan::ABANDON;
use portolan_api::qualified;
use portolan_core_names::text::{cite, some};
use portolan_core_olm::argo_cd_application;

use super::OperatorCase;
use crate::command::{self, OWN_OPERATORS, OWN_PLANS, Target};
use crate::cure::Cure;
use crate::{Cause, Evidence, Object, Procedure, State, Step, words};

/// The maximum number of Operators in a sentence.
const MOST_NAMED: usize = 5;

impl OperatorCase<'_> {
    /// Adds the cure for a blocked deletion. If the deletion was a mistake, the commands of the
    /// cure end the deletion and keep the software. If not, the other Operators must first remove
    /// their dependency. There is no command for that case, because the owners of these Operators
    /// must decide.
    pub(super) fn unblocked(self, cause: Cause) -> Cause {
        let users = self.status.used_by.iter().filter(|it| !it.terminating);
        let users: Vec<_> = users.map(|it| it.name.as_str()).collect();
        let (users, needs) = match users.as_slice() {
            [] => ("other Operators".to_owned(), "need"),
            [user] => (format!("Operator {user}"), "needs"),
            users => (format!("Operators {}", some(MOST_NAMED, users)), "need"),
        };
        let name = self.name;
        let kept = self.kept();
        let mistake = match kept {
            Some(_) if self.application().is_some() => {
                "If so, first restore the Operator in Git, and then run the steps below. "
            }
            Some(_) => "If so, run the steps below. ",
            None => "",
        };
        let action = format!(
            "Decide if the deletion was a mistake. {mistake}If not, the owners of {users} must \
             first remove the dependency on {name}. Do not delete {users} for this reason: the \
             controller would uninstall {users} and {name}."
        );
        let who = match self.application() {
            Some(name) => format!("a cluster administrator, with the owner of {name}"),
            None => {
                "a cluster administrator, with the owners of the Operators that need it".to_owned()
            }
        };
        let message = match self.operator.metadata.deletion_timestamp.as_ref() {
            Some(time) => format!(
                "Operator {name} was deleted at {}. The controller keeps Operator {name}, because \
                 {users} {needs} it. A deletion cannot be undone.",
                words::time(time)
            ),
            None => cause.message.clone(),
        };
        Cause { message, ..cause }.cured(Cure::advised(&who, &action, kept.into_iter().collect()))
    }

    /// Returns the Argo CD Application that manages the Operator, for sentences. Returns None if
    /// the Operator has no such annotation.
    fn application(self) -> Option<String> {
        let name = argo_cd_application(&self.operator.metadata)?;
        Some(format!("Argo CD Application {}", cite(name)))
    }

    /// Returns the instruction to restore the Operator in Git. Without this step, Argo CD or Flux
    /// may delete the Operator again.
    fn restored(self) -> String {
        let called = self.target().called();
        match self.application() {
            Some(application) => format!(
                "restore {called} in the Git source of {application}. Otherwise, Argo CD may delete \
                 this Operator again."
            ),
            None => format!(
                "restore {called} in Git if Argo CD or Flux has deleted this \
                             Operator."
            ),
        }
    }

    /// Returns the steps that end the deletion, keep all installed objects, and then create the
    /// Operator again. Returns None if the namespace of the InstallPlans is unknown.
    fn kept(self) -> Option<Procedure> {
        let plan = self.status.plan.as_ref()?;
        let target = self.target();
        let label = format!("{}={}", OPERATOR.name(), self.name);
        let abandon = command::labeled("annotate", OWN_PLANS, &plan.namespace, &label);
        let abandon = format!("{abandon} --overwrite {ABANDON}=true");
        let check = command::wait_annotated(
            OWN_PLANS,
            &plan.namespace,
            &label,
            &format!("{ABANDON}=true"),
        );
        let force = format!("{} {FORCE_DELETION}=true", target.annotate_with());
        let [save, _, create] = crate::deletion::recreate(target).try_into().ok()?;
        let steps = vec![
            save,
            Step::new(
                "Keep all objects of its Portolan InstallPlans in the cluster",
                abandon,
            ),
            Step::new(
                "Check that each of these InstallPlans keeps its objects",
                check,
            ),
            Step::new(
                "Let the deletion end although other operators need this Operator",
                force,
            ),
            Step::new("Wait until the Operator is gone", target.wait_deleted()),
            create,
        ];
        let title = format!(
            "If the deletion was a mistake, first {} Then end the deletion without uninstalling \
             the software, and create {} again.",
            self.restored(),
            target.called()
        );
        let risk = "Only the Operator and its InstallPlans are deleted: the software keeps \
                    running, but the controller does not repair it until the last step. Do not \
                    skip a step: without the second and the third step, the software is \
                    uninstalled. If Argo CD or Flux creates the Operator before the last step, the \
                    last step fails with AlreadyExists. You can ignore this error.";
        Some(Procedure::of(&title, steps, risk))
    }

    /// Sets the Operator in deletion that this Operator waits for as the object at fault. Its
    /// deletion must end first.
    pub(super) fn linked(self, cause: Cause) -> Cause {
        let Some(leaving) = self.facts.leaving else {
            return cause;
        };
        let name = leaving.metadata.name.as_deref().unwrap_or_default();
        let target = Target::new(OWN_OPERATORS, "", name);
        let object = Object::new(qualified::OPERATOR, "", name);
        let is_held = is_held(leaving);
        let action = format!(
            "First let the deletion of Operator {name} end: `portolan diagnose operator/{name}` \
             shows the steps. This Operator then continues by itself."
        );
        let who = "a cluster administrator";
        let cause = cause.cured(Cure::external(who, &action));
        let time = leaving.metadata.deletion_timestamp.as_ref();
        let deleted = time.map(|time| {
            let time = time.0.to_string();
            Evidence::at(object.clone(), "metadata.deletionTimestamp", &time)
        });
        let look = Step::new(&format!("Show {}", target.called()), target.get());
        Cause {
            state: if is_held { State::Stuck } else { cause.state },
            at_fault: object.clone(),
            blocked_by: Some(object),
            ..cause.shown(deleted).looked([look])
        }
    }
}

/// Returns true if other Operators still need the Operator, so that its deletion is blocked.
fn is_held(operator: &Operator) -> bool {
    let status = operator.status.iter();
    let mut said = status.flat_map(|status| &status.conditions);
    said.any(|said| Reason::parse(&said.reason) == Some(Reason::DeletionBlocked))
}

/// Returns the Operator in deletion that provides a dependency of this Operator.
pub(crate) fn leaving<'a>(
    operator: &Operator,
    all: impl Iterator<Item = &'a Operator>,
) -> Option<&'a Operator> {
    let status = operator.status.as_ref()?;
    let missing = status.dependencies.iter();
    let missing = missing.filter(|it| it.terminating && it.satisfied != Some(true));
    let missing: BTreeSet<_> = missing.map(|it| it.name.as_str()).collect();
    if missing.is_empty() {
        return None;
    }
    let mut leaving = all.filter(|other| {
        let package = other.spec.as_json()["packageName"].as_str();
        let is_missing = package.is_some_and(|package| missing.contains(package));
        is_missing && other.metadata.deletion_timestamp.is_some()
    });
    leaving.next()
}
