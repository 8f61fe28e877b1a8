//! The history of an operator, built from timestamps in the statuses of its objects.

use jiff::Timestamp;
use kube::ResourceExt as _;
use portolan_api::OperatorPolicy;
use portolan_api::operator::Operator;
use portolan_api::plan::{InstallPlan, JobState};
use portolan_core_console::view::{ObjectCell, ObjectKind, ObjectTable, ShownObject};
use portolan_core_olm::InstallPlan as OlmPlan;

use super::objects::table;
use crate::shown_time;

/// The maximum number of entries in the history. Older entries rarely explain current problems.
const MOST: usize = 30;

/// An entry in the history of an operator: what happened at a time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moment {
    at: Timestamp,
    object: ObjectCell,
    what: String,
}

/// Returns the history as a table, the newest entry first.
pub(super) fn history(mut moments: Vec<Moment>) -> ObjectTable {
    moments.sort_by_key(|it| std::cmp::Reverse(it.at));
    let rows = moments.into_iter().take(MOST).map(|it| {
        let at = ObjectCell::Text(shown_time(it.at));
        vec![at, it.object, ObjectCell::Text(it.what)]
    });
    table(
        "History",
        "The newest first",
        &["Time", "Object", "What happened"],
        rows.collect(),
    )
}

/// Returns the entries from the status of an Operator.
pub(super) fn of_operator(it: &Operator) -> Vec<Moment> {
    let object = ObjectCell::text(format!("Operator {}", it.name_any()));
    let created = created(it, &object);
    let conditions = it.status.iter().flat_map(|it| &it.conditions);
    let conditions = conditions.map(|it| {
        let at = it.last_transition_time.0;
        changed(at, &object, (&it.type_, &it.status, &it.message))
    });
    created.into_iter().chain(conditions).collect()
}

/// Returns the entries from an InstallPlan of Portolan.
pub(super) fn of_plan(it: &InstallPlan) -> Vec<Moment> {
    let id = identity(ObjectKind::Plan, it);
    let object = ObjectCell::object(id);
    let conditions = it.status.iter().flat_map(|it| &it.conditions);
    let conditions = conditions.map(|it| {
        let at = it.last_transition_time.0;
        changed(at, &object, (&it.type_, &it.status, &it.message))
    });
    let jobs = it.status.iter().flat_map(|it| &it.jobs);
    let jobs = jobs.filter_map(|it| {
        let what = match it.state {
            JobState::Succeeded => format!("Job {} succeeded.", it.name),
            JobState::Failed => format!("Job {} failed: {}", it.name, it.message),
            JobState::Running | JobState::Unknown => return None,
        };
        Some(Moment {
            at: it.ended.as_ref()?.0,
            object: object.clone(),
            what,
        })
    });
    let created = created(it, &object).into_iter();
    created.chain(conditions).chain(jobs).collect()
}

/// Returns the entries from an InstallPlan of OLM.
pub(super) fn of_olm_plan(it: &OlmPlan) -> Vec<Moment> {
    let object = ObjectCell::object(identity(ObjectKind::OlmPlan, it));
    let conditions = it.status.conditions.iter().filter_map(|it| {
        let at = it.last_transition_time.as_ref()?.0;
        Some(changed(at, &object, (&it.r#type, &it.status, &it.message)))
    });
    created(it, &object).into_iter().chain(conditions).collect()
}

/// Returns the entries from an OperatorPolicy.
pub(super) fn of_policy(it: &OperatorPolicy) -> Vec<Moment> {
    let object = ObjectCell::object(identity(ObjectKind::OperatorPolicy, it));
    let history = it.status.iter().flat_map(|it| &it.history);
    let history = history.filter_map(|it| {
        Some(Moment {
            at: it.last_timestamp.as_ref()?.0,
            object: object.clone(),
            what: it.message.clone().unwrap_or_default(),
        })
    });
    history.collect()
}

fn identity<K: kube::ResourceExt>(kind: ObjectKind, it: &K) -> ShownObject {
    let namespace = it.namespace().unwrap_or_default();
    ShownObject::of(kind, &namespace, &it.name_any())
}

fn created<K: kube::ResourceExt>(it: &K, object: &ObjectCell) -> Option<Moment> {
    Some(Moment {
        at: it.creation_timestamp()?.0,
        object: object.clone(),
        what: "Created.".to_owned(),
    })
}

fn changed(
    at: Timestamp,
    object: &ObjectCell,
    (type_, status, message): (&str, &str, &str),
) -> Moment {
    Moment {
        at,
        object: object.clone(),
        what: format!("{type_} is {status}: {message}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn newest_moment_is_first() {
        let plan = json!({
            "metadata": {
                "name": "ferry-1", "namespace": "harbor", "creationTimestamp": "2026-01-01T00:00:00Z",
            },
            "status": {"conditions": [{
                "type": "Drifted", "status": "True", "reason": "MembersDrifted",
                "message": "ConfigMap a has changed", "lastTransitionTime": "2026-01-02T00:00:00Z",
            }]},
        });
        let plan: InstallPlan = serde_json::from_value(plan).expect("a plan");
        let shown = history(of_plan(&plan));
        let texts = shown.rows.iter().map(|row| row[2].clone());
        let expected = ["Drifted is True: ConfigMap a has changed", "Created."];
        assert_eq!(texts.collect::<Vec<_>>(), expected.map(ObjectCell::text));
    }
}
