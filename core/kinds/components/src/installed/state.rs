//! The conditions of an Operator that depend on the conditions of its Installs.

use portolan_api::components::{ConditionType, Reason};
use portolan_api::installs;
use portolan_core_names::text::{cite, some};
use portolan_core_olm::State;
use serde_json::Value;

use super::NAMED;
use crate::component::Component;
use crate::decide::{Judgment, UndatedCondition};

/// Returns a condition of an Install.
pub(crate) fn condition(install: &Component, type_: installs::ConditionType) -> Option<&Value> {
    let mut conditions = install.reading.conditions.iter();
    conditions.find(|it| it["type"] == type_.as_str())
}

fn is(condition: Option<&Value>, status: &str) -> bool {
    condition.is_some_and(|it| it["status"] == status)
}

fn message(condition: Option<&Value>) -> Option<String> {
    Some(cite(condition?["message"].as_str()?))
}

/// Returns the condition that shows if the objects in the cluster differ from the content of the
/// Install.
pub(crate) fn diverged_from_content(install: &Component) -> Judgment {
    let ready = condition(install, installs::ConditionType::Ready);
    // Conditions about earlier content do not count.
    let is_ready = install.install().is_some_and(|it| it.held.is_settled);
    let name = &install.id.name;
    let (state, reason, message) = if is_ready {
        let sentence = format!("all objects of Install {name} exist");
        (State::No, Reason::ComponentsAsInstalled, sentence)
    } else if is(
        condition(install, installs::ConditionType::PendingApproval),
        "True",
    ) {
        let sentence = format!(
            "Install {name} waits for an approval; the components are compared after the Install \
             has installed its content"
        );
        (State::NotYet, Reason::InstallNotApproved, sentence)
    } else if is(
        condition(install, installs::ConditionType::ContentImportError),
        "True",
    ) {
        let sentence = format!("the content of Install {name} cannot be read");
        (State::NotYet, Reason::ContentInvalid, sentence)
    } else {
        let sentence = match message(ready) {
            Some(_) if is(ready, "True") => {
                format!("the current content of Install {name} has not been checked yet")
            }
            Some(why) => format!("not all objects of Install {name} are ready: {why}"),
            None => format!("Install {name} has installed nothing yet"),
        };
        let reason = Reason::ComponentsDivergeFromResolvedContent;
        (State::Yes, reason, sentence)
    };
    (
        ConditionType::ComponentsDiverge,
        UndatedCondition::of(state, reason, message),
    )
}

/// Returns the condition that the content of the Install cannot be read. Returns None if it can be
/// read.
pub(crate) fn unread(install: &Component) -> Option<Judgment> {
    let error = condition(install, installs::ConditionType::ContentImportError)
        .filter(|it| is(Some(it), "True"))?;
    let reason = [
        Reason::ManifestImagePullFailed,
        Reason::ManifestImageInvalid,
    ];
    let mut reasons = reason.into_iter();
    let reason = reasons.find(|it| error["reason"] == it.as_str());
    Some((
        ConditionType::ContentImportError,
        UndatedCondition::yes(
            reason.unwrap_or(Reason::ContentInvalid),
            format!(
                "Install {}: {}",
                install.id.name,
                message(Some(error)).unwrap_or_default()
            ),
        ),
    ))
}

/// Returns the condition that shows if an Install among the components waits for an approval.
/// Returns None if there is no Install.
pub(crate) fn pending(components: &[Component]) -> Option<Judgment> {
    let installs = components.iter().filter(|it| it.install().is_some());
    let installs: Vec<_> = installs.collect();
    let first = installs.first()?;
    let named = |status: &str| {
        let of_status = installs.iter();
        let of_status = of_status.filter(|it| {
            is(
                condition(it, installs::ConditionType::PendingApproval),
                status,
            )
        });
        of_status.copied().collect::<Vec<_>>()
    };
    let (waiting, approved) = (named("True"), named("False"));
    let names = |of: &[&Component]| some(NAMED, of.iter().map(|it| &it.id.name));
    let lacking = waiting.iter().find(|it| {
        let pending = condition(it, installs::ConditionType::PendingApproval);
        pending.is_some_and(|it| it["reason"] == installs::Reason::UnsatisfiedPermissions.as_str())
    });
    let (state, reason, message) = if let Some(lacking) = lacking {
        let sentence = format!(
            "Install {} needs more permissions; a user with these permissions can grant them with: \
             kubectl \
             operator approve install/{}",
            names(&waiting),
            lacking.id.name
        );
        (State::Yes, Reason::PrivilegeEscalationRequired, sentence)
    } else if !waiting.is_empty() {
        let sentence = format!(
            "Install {} waits until its spec.approval is Approved",
            names(&waiting)
        );
        (State::Yes, Reason::InstallNotApproved, sentence)
    } else if approved.len() == installs.len() {
        let sentence = "no Install waits for approval".to_owned();
        (State::No, Reason::InstallsApproved, sentence)
    } else {
        let mut others = installs.iter();
        let other = others.find(|it| {
            !is(
                condition(it, installs::ConditionType::PendingApproval),
                "False",
            )
        });
        let sentence = format!(
            "the permissions of Install {} have not been checked yet",
            other.unwrap_or(first).id.name
        );
        (State::NotYet, Reason::InstallNotChecked, sentence)
    };
    Some((
        ConditionType::InstallPendingApproval,
        UndatedCondition::of(state, reason, message),
    ))
}
