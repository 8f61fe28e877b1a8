//! Finds the tool that applies the object at fault, and the contacts of the owner of this object.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_core_names::text::cite;
use portolan_core_olm::{applying_tool, contacts};

use crate::case::Case;
use crate::catalog::catalog_of;
use crate::command::Target;
use crate::cure::administrator;
use crate::deletion::RETRY;
use crate::words::sentence;
use crate::{Cause, Object, Procedure, Remedy};

/// Adds the tool that applies the object at fault, and the contacts of its owner. A user must make
/// the change in this tool, because the tool may undo a change in the cluster.
pub(crate) fn named(cause: Cause, metadata: Option<&ObjectMeta>) -> Cause {
    let Some(metadata) = metadata.filter(|_| !cause.responsible.who.is_empty()) else {
        return cause;
    };
    let mut cause = cause;
    if let Some(tool) = applying_tool(metadata) {
        let tool = cite(&tool);
        let is_told = cause.responsible.who.contains(&tool);
        if !is_told {
            apply(&mut cause, &tool);
        }
    }
    if let Some(contacts) = contacts(metadata) {
        cause.responsible.who += &format!(" ({})", cite(&contacts));
    }
    cause
}

/// Adds the contacts in this metadata to the responsible person, unless the responsible person
/// already has contacts.
pub(crate) fn contacted(cause: Cause, metadata: Option<&ObjectMeta>) -> Cause {
    let contacts = metadata.and_then(contacts);
    let is_named = !cause.responsible.who.is_empty() && !cause.responsible.who.contains(": ");
    let Some(contacts) = contacts.filter(|_| is_named) else {
        return cause;
    };
    let mut cause = cause;
    cause.responsible.who += &format!(" ({})", cite(&contacts));
    cause
}

/// Returns the metadata of the object that uses the object at fault. For an InstallPlan, this is
/// the Subscription. For a pull secret, this is the CatalogSource.
pub(crate) fn user<'a>(case: Case<'a>, cause: &Cause) -> Option<&'a ObjectMeta> {
    match &*cause.at_fault.kind {
        "InstallPlan" => case.subscription.map(|it| &it.metadata),
        "Secret" => catalog_of(case, cause).map(|it| &it.registry.source.metadata),
        _ => None,
    }
}

fn apply(cause: &mut Cause, tool: &str) {
    let at_fault = &cause.at_fault;
    let responsible = &mut cause.responsible;
    let subject = if responsible.who == administrator(at_fault) {
        responsible.who = format!("the owner of {tool}, which applies {at_fault}");
        format!("Make this change in the source of {tool}, because it")
    } else {
        format!("Make this change in the source of {tool}, because it applies {at_fault} and")
    };
    // If the remedy only sets an annotation that makes a controller retry, no tool undoes it.
    if cause.remedy.is_actionable() && is_only_retry(&cause.remedy) {
        return;
    }
    let note = format!("{subject} may undo a change that is made only in the cluster.");
    responsible.action = match responsible.action.as_str() {
        "" => note,
        action => format!("{} {note}", sentence(action)),
    };
    let target = Target::named(at_fault).map(Target::operand);
    let note = format!("The command changes only the cluster: {tool} may undo it.");
    let remedy = &mut cause.remedy;
    let changes = remedy.fix.iter_mut().chain(&mut remedy.decide);
    let edits = |one: &Procedure| one.texts().any(|text| is_edit(text, target.as_deref()));
    for change in changes.filter(|one| edits(one)) {
        change.risk = format!("{note} {}", change.risk).trim_end().to_owned();
        if let Some(rest) = change.title.strip_prefix("Set ") {
            let title = format!("In the source of {tool}, set {rest}");
            let old = std::mem::replace(&mut change.title, title);
            // The only step repeats the title.
            let only = change.steps.iter_mut();
            let only = only.filter(|step| step.comment == old.trim_end_matches('.'));
            let comment =
                format!("Only if you cannot wait for {tool}: make the same change in the cluster");
            only.for_each(|step| comment.clone_into(&mut step.comment));
        }
    }
}

fn is_only_retry(remedy: &Remedy) -> bool {
    let mut texts = remedy.changes().flat_map(|one| one.texts());
    texts.all(|text| text.contains(RETRY))
}

/// Returns true if a command changes this object. The annotation for a retry does not count as a
/// change.
fn is_edit(command: &str, target: Option<&str>) -> bool {
    let verbs = ["annotate", "delete", "label", "patch", "scale", "set"];
    let mut words = command.split(' ');
    let is_kubectl = words.next() == Some("kubectl");
    let is_change = words.next().is_some_and(|verb| verbs.contains(&verb));
    let is_meant = target.is_some_and(|target| words.any(|word| word == target));
    is_kubectl && is_change && is_meant && !command.contains(RETRY)
}

/// Returns the metadata of an object that users or their tools apply.
pub(crate) fn metadata<'a>(case: Case<'a>, object: &Object) -> Option<&'a ObjectMeta> {
    let Object {
        kind,
        namespace,
        name,
    } = object;
    let situation = case.situation();
    let is_here = *namespace == situation.namespace.name;
    match &**kind {
        "Subscription" if is_here => situation.subscription(name).map(|it| &it.metadata),
        "Deployment" if is_here => situation.deployment(name).map(|it| &it.metadata),
        "CatalogSource" => {
            let offer = situation.offer(namespace, name);
            offer.map(|it| &it.registry.source.metadata)
        }
        "OperatorGroup" => {
            let here = situation.namespace.groups.objects.iter();
            let mut all = here.chain(&situation.around.groups.objects);
            let group = all.find(|it| Object::from(&it.observed.object) == *object);
            group.map(|it| &it.metadata)
        }
        _ => None,
    }
}
