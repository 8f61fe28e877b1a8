//! The judgments from the conditions of the Installs among the components.

use portolan_api::components::{ConditionType, Reason};
use portolan_core_names::text::{cite, some};
use serde_json::Value;

use super::NAMED;
use crate::component::Component;
use crate::decide::Judgment;

/// Returns a condition of an Install.
fn condition<'c>(install: &'c Component, type_: &str) -> Option<&'c Value> {
    let mut conditions = install.reading.conditions.iter();
    conditions.find(|it| it["type"] == type_)
}

fn is(condition: Option<&Value>, status: &str) -> bool {
    condition.is_some_and(|it| it["status"] == status)
}

fn message(condition: Option<&Value>) -> Option<String> {
    Some(cite(condition?["message"].as_str()?))
}

/// Judges whether the objects in the cluster differ from the content of the Install.
pub(crate) fn diverged_from_content(install: &Component) -> Judgment {
    let ready = condition(install, "Ready");
    // Conditions about earlier content do not count.
    let is_ready = install.install().is_some_and(|it| it.held.is_settled);
    let name = &install.id.name;
    let (status, reason, message) = if is_ready {
        let sentence = format!("all that Install {name} has is there");
        ("False", Reason::ComponentsAsInstalled, sentence)
    } else if is(condition(install, "PendingApproval"), "True") {
        let sentence = format!(
            "Install {name} waits for an approval; the components are compared after it has installed its content"
        );
        ("Unknown", Reason::InstallNotApproved, sentence)
    } else if is(condition(install, "ContentImportError"), "True") {
        let sentence = format!("the content of Install {name} cannot be read");
        ("Unknown", Reason::ContentInvalid, sentence)
    } else {
        let sentence = match message(ready) {
            Some(_) if is(ready, "True") => {
                format!("nobody has looked yet at the content that Install {name} has now")
            }
            Some(why) => format!("not all that Install {name} has is there: {why}"),
            None => format!("nothing of Install {name} is there yet"),
        };
        let reason = Reason::ComponentsDivergeFromResolvedContent;
        ("True", reason, sentence)
    };
    Judgment {
        about: ConditionType::ComponentsDiverge,
        status,
        reason,
        message,
    }
}

/// Returns the judgment that the content of its Install cannot be read; None if it can.
pub(crate) fn unread(install: &Component) -> Option<Judgment> {
    let error = condition(install, "ContentImportError").filter(|it| is(Some(it), "True"))?;
    let reason = [
        Reason::ManifestImagePullFailed,
        Reason::ManifestImageInvalid,
    ];
    let mut reasons = reason.into_iter();
    let reason = reasons.find(|it| error["reason"] == it.as_str());
    Some(Judgment {
        about: ConditionType::ContentImportError,
        status: "True",
        reason: reason.unwrap_or(Reason::ContentInvalid),
        message: format!(
            "Install {}: {}",
            install.id.name,
            message(Some(error)).unwrap_or_default()
        ),
    })
}

/// Judges whether an Install among the components waits for approval; None if there is no Install.
pub(crate) fn pending(components: &[Component]) -> Option<Judgment> {
    let installs = components.iter().filter(|it| it.install().is_some());
    let installs: Vec<_> = installs.collect();
    let first = installs.first()?;
    let named = |status: &str| {
        let of_status = installs.iter();
        let of_status = of_status.filter(|it| is(condition(it, "PendingApproval"), status));
        of_status.copied().collect::<Vec<_>>()
    };
    let (waiting, approved) = (named("True"), named("False"));
    let names = |of: &[&Component]| some(NAMED, of.iter().map(|it| &it.id.name));
    let lacking = waiting.iter().find(|it| {
        let pending = condition(it, "PendingApproval");
        pending.is_some_and(|it| it["reason"] == "UnsatisfiedPermissions")
    });
    let (status, reason, message) = if let Some(lacking) = lacking {
        let sentence = format!(
            "Install {} takes permissions that somebody who has them is to give: kubectl operator approve install/{}",
            names(&waiting),
            lacking.id.name
        );
        ("True", Reason::PrivilegeEscalationRequired, sentence)
    } else if !waiting.is_empty() {
        let sentence = format!(
            "Install {} waits until its spec.approval is Approved",
            names(&waiting)
        );
        ("True", Reason::InstallNotApproved, sentence)
    } else if approved.len() == installs.len() {
        let sentence = "no Install waits for approval".to_owned();
        ("False", Reason::InstallsApproved, sentence)
    } else {
        let mut others = installs.iter();
        let other = others.find(|it| !is(condition(it, "PendingApproval"), "False"));
        let sentence = format!(
            "the permissions of Install {} have not been checked yet",
            other.unwrap_or(first).id.name
        );
        ("Unknown", Reason::InstallNotChecked, sentence)
    };
    Some(Judgment {
        about: ConditionType::InstallPendingApproval,
        status,
        reason,
        message,
    })
}
