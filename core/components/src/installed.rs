//! The Install by which an Operator is installed whose author names an image, and what is said of those that wait.

use portolan_api::components::{ConditionType, GROUP, Reason, STORAGE, VERSION};
use portolan_core_names::text::some;
use serde_json::{Map, Value, json};

use crate::component::{Component, Install};
use crate::decide::{Judgment, Observation, Operator};
use crate::label::label_key;

/// The most names of a sentence.
const NAMED: usize = 6;

/// What is to be done about the Install of an Operator.
#[derive(Debug, Clone, PartialEq)]
pub enum Installation {
    /// It is made.
    Make(Value),
    /// This is its content from now on.
    Change { name: String, content: Value },
}

/// What is to be done about the Install of an Operator. One that is not its own is left alone.
pub(crate) fn installation(observation: &Observation) -> Option<Installation> {
    let Observation {
        operator,
        components,
        are_installs_made,
        ..
    } = observation;
    let content = are_installs_made
        .then(|| content(operator.stored.spec.as_ref()))
        .flatten()?;
    let mut installs = components.iter();
    let there =
        installs.find_map(|it| Some((it, it.install()?)).filter(|_| it.id.name == operator.name));
    match there {
        None => Some(Installation::Make(made(operator, &content))),
        Some((_, install)) if is_own(operator, install) && install.content != content => {
            Some(Installation::Change {
                name: operator.name.clone(),
                content,
            })
        }
        Some(_) => None,
    }
}

fn is_own(operator: &Operator, install: &Install) -> bool {
    install.owners.contains(&operator.uid)
}

/// The content of the Install, if the spec names an image.
fn content(spec: Option<&Map<String, Value>>) -> Option<Value> {
    let updates = spec?.get("updates")?;
    let image = updates["manifestImage"].as_str();
    let image = image.filter(|it| updates["type"] == "ManifestImage" && !it.is_empty())?;
    Some(json!([{"type": "ManifestImage", "manifestImage": image}]))
}

/// The Install as it is made: it goes with the Operator, and is a component of it.
fn made(operator: &Operator, content: &Value) -> Value {
    let Operator { name, uid, .. } = operator;
    let owner = json!({
        "apiVersion": format!("{GROUP}/{STORAGE}"), "kind": "Operator", "name": name, "uid": uid,
    });
    json!({
        "apiVersion": format!("{GROUP}/{VERSION}"),
        "kind": "Install",
        "metadata": {"name": name, "labels": {label_key(name): ""}, "ownerReferences": [owner]},
        "spec": {"content": content},
    })
}

/// Whether an Install among the components waits for approval; None if there is no Install.
pub(crate) fn pending(components: &[Component]) -> Option<Judgment> {
    let installs = components.iter().filter(|it| it.install().is_some());
    let installs: Vec<_> = installs.collect();
    if installs.is_empty() {
        return None;
    }
    let reason = |it: &Component| {
        let mut conditions = it.reading.conditions.iter();
        let pending = conditions.find(|it| it["type"] == "PendingApproval")?;
        let is_pending = pending["status"] == "True";
        is_pending.then(|| pending["reason"].as_str().unwrap_or_default().to_owned())
    };
    let waiting = installs
        .into_iter()
        .filter_map(|it| Some((&it.id.name, reason(it)?)));
    let waiting: Vec<_> = waiting.collect();
    let names = || some(NAMED, waiting.iter().map(|(name, _)| name));
    let (status, reason, message) = if waiting.is_empty() {
        let sentence = "no Install waits for approval".to_owned();
        ("False", Reason::InstallsApproved, sentence)
    } else if waiting.iter().any(|(_, it)| it == "UnsatisfiedPermissions") {
        let sentence = format!(
            "Install {} takes permissions that somebody who has them is to give: kubectl operator approve \
             install/NAME",
            names()
        );
        ("True", Reason::PrivilegeEscalationRequired, sentence)
    } else {
        let sentence = format!(
            "Install {} waits until its spec.approval is Approved",
            names()
        );
        ("True", Reason::InstallNotApproved, sentence)
    };
    Some(Judgment {
        about: ConditionType::InstallPendingApproval,
        status,
        reason,
        message,
    })
}
