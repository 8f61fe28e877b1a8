//! The tool that applies the object at fault, and the contacts of its owner.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portolan_core_names::text::cite;
use portolan_core_olm::{applying_tool, contacts};

use crate::case::Case;
use crate::cure::administrator;
use crate::deletion::RETRY;
use crate::words::sentence;
use crate::{Cause, Object};

/// Names the tool that applies the object at fault, and the contacts of its owner. A change in the
/// cluster lasts only if the tool does not undo it.
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

fn apply(cause: &mut Cause, tool: &str) {
    let at_fault = &cause.at_fault;
    let responsible = &mut cause.responsible;
    let change = if responsible.who == administrator(at_fault) {
        responsible.who = format!("the owner of {tool}, which applies {at_fault}");
        format!("Change it in {tool}, too.")
    } else {
        format!("{tool} applies {at_fault}: change it there, too.")
    };
    // A tool does not undo an annotation of others.
    let mut texts = cause.remedy.changes().flat_map(|one| one.texts());
    if cause.remedy.is_actionable() && texts.all(|text| text.contains(RETRY)) {
        return;
    }
    let note = format!("{change} Otherwise the change in the cluster may be undone.");
    responsible.action = match responsible.action.as_str() {
        "" => note,
        action => format!("{} {note}", sentence(action)),
    };
}

/// Returns the metadata of an object that people or their tools apply.
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
