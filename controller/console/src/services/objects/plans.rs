//! The pages of the InstallPlans of Portolan.

use kube::ResourceExt as _;
use portolan_api::operator::{OPERATOR, Operator};
use portolan_api::plan::{ConditionType, InstallPlan, Intent, JobState, Status};
use portolan_core_console::ConsolePage;
use portolan_core_console::view::{
    ObjectCell, ObjectKind, ObjectPage, ObjectTable, Origin, ShownObject, State,
};

use super::{OperatorLink, conditions, page_of, table, unless_empty};
use crate::services::plans::of_ours as row_of_ours;
use crate::shown_time;

/// Returns the page of an InstallPlan of Portolan, and its operators.
pub(super) fn plan(
    id: &ShownObject,
    it: &InstallPlan,
    others: &[&InstallPlan],
    operators: &[&Operator],
) -> (ObjectPage, Vec<OperatorLink>) {
    let row = row_of_ours(it);
    let status = it.status.clone().unwrap_or_default();
    let operators: Vec<_> = operators
        .iter()
        .map(|operator| operator.name_any())
        .filter(|name| is_of(it, name))
        .map(|name| (page_of(Origin::Portolan, "", &name), name))
        .collect();
    let intent = Intent::parse(it);
    let account = it.spec.as_json()["serviceAccountName"].as_str();
    let facts = vec![
        ("Operator", ObjectCell::Links(operators.clone())),
        ("Phase", ObjectCell::text(&row.phase)),
        ("Stage", ObjectCell::text(stage(&status))),
        ("Objects", ObjectCell::text(counts(&status))),
        (
            "ServiceAccount",
            ObjectCell::text(account.unwrap_or_default()),
        ),
        ("Created", ObjectCell::text(created(it))),
        ("Lineage", ObjectCell::Links(lineage(it, &status, others))),
    ];
    let tables = [
        Some(stage_table(intent.as_ref().ok(), &status)),
        Some(member_table(&status)),
        unless_empty(started_jobs(&status)),
        unless_empty(repairs(intent.as_ref().ok(), &status)),
        unless_empty(missing_rules(&status)),
        Some(conditions(&status.conditions)),
    ];
    let page = ObjectPage {
        id: id.clone(),
        state: row.state,
        why: row.why.first().cloned().unwrap_or_default(),
        facts,
        cause: Ok(None),
        tables: tables.into_iter().flatten().collect(),
    };
    (page, operators)
}

/// Returns the creation time of an object. Empty if the time is missing.
pub(super) fn created<K: kube::ResourceExt>(it: &K) -> String {
    let at = it.creation_timestamp();
    at.map(|at| shown_time(at.0)).unwrap_or_default()
}

/// Returns true if a plan belongs to the Operator with this name.
pub(in crate::services) fn is_of(plan: &InstallPlan, operator: &str) -> bool {
    OPERATOR.of(&plan.metadata) == Some(operator)
}

fn stage(status: &Status) -> String {
    let Some(stage) = &status.stage else {
        return String::new();
    };
    let since = stage.since.as_ref();
    let since = since.map(|at| format!(", since {}", shown_time(at.0)));
    format!("{}{}", stage.name, since.unwrap_or_default())
}

fn counts(status: &Status) -> String {
    status.counts.map_or_else(String::new, |it| {
        let (members, applied, ready) = (it.members, it.applied, it.ready);
        format!("{applied} of {members} applied, {ready} ready")
    })
}

/// Returns a table of the other plans with the same lineage.
fn lineage(
    it: &InstallPlan,
    status: &Status,
    others: &[&InstallPlan],
) -> Vec<(ConsolePage, String)> {
    let Some(lineage) = &status.lineage else {
        return Vec::new();
    };
    let is_same = |other: &&InstallPlan| {
        let lineages = other.status.iter().flat_map(Status::lineages);
        other.metadata.uid != it.metadata.uid && lineages.into_iter().any(|it| it == lineage)
    };
    let same = others.iter().copied().filter(is_same);
    let ids = same.map(|it| {
        let namespace = it.namespace().unwrap_or_default();
        ShownObject::of(ObjectKind::Plan, &namespace, &it.name_any())
    });
    ids.map(ShownObject::link).collect()
}

fn stage_table(intent: Option<&Intent>, status: &Status) -> ObjectTable {
    let stages = intent.map_or(&[] as &[_], |it| &it.stages);
    let current = status.stage.as_ref().map(|it| it.index as usize);
    let is_applied = status.is_true(ConditionType::Applied);
    let rows = stages.iter().enumerate().map(|(at, it)| {
        let progress = match current {
            _ if is_applied => "applied",
            Some(current) if at < current => "applied",
            Some(current) if at == current => "in progress",
            Some(_) | None => "not started",
        };
        let jobs = it.jobs.iter().map(|job| job.name.clone());
        vec![
            ObjectCell::text(&it.name),
            ObjectCell::text(it.resources.len().to_string()),
            ObjectCell::Lines(jobs.collect()),
            ObjectCell::text(progress),
        ]
    });
    ObjectTable {
        none: "The spec is invalid, so the stages are unknown.",
        ..table(
            "Stages",
            "Stages, in order",
            &["Stage", "Objects", "Jobs", "Progress"],
            rows.collect(),
        )
    }
}

/// Returns an enum value of the status, spelled as in the status.
fn word(value: impl serde::Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

fn member_table(status: &Status) -> ObjectTable {
    let rows = status.members.iter().map(|it| {
        vec![
            ObjectCell::text(&it.object),
            ObjectCell::text(&it.stage),
            ObjectCell::text(word(it.state)),
            ObjectCell::text(&it.message),
        ]
    });
    ObjectTable {
        none: "No object differs from the plan.",
        ..table(
            "Objects that differ",
            "Objects that are not in the desired state",
            &["Object", "Stage", "State", "Message"],
            rows.collect(),
        )
    }
}

fn started_jobs(status: &Status) -> ObjectTable {
    let rows = status.jobs.iter().map(|it| {
        let state = match it.state {
            JobState::Running => State::Working,
            JobState::Succeeded => State::Well,
            JobState::Failed => State::Broken,
            JobState::Unknown => State::Unknown,
        };
        let ended = it.ended.as_ref().map(|at| shown_time(at.0));
        vec![
            ObjectCell::text(format!("{} of stage {}", it.name, it.stage)),
            ObjectCell::text(format!("{} ({} failed)", it.run, it.failures)),
            ObjectCell::State(state),
            ObjectCell::text(ended.unwrap_or_default()),
            ObjectCell::text(&it.message),
        ]
    });
    table(
        "Jobs",
        "Jobs that have started",
        &["Job", "Run", "State", "Ended", "Message"],
        rows.collect(),
    )
}

/// Returns a table of the objects that other clients changed, and how often the controller repaired
/// them.
fn repairs(intent: Option<&Intent>, status: &Status) -> ObjectTable {
    let stages = intent.map_or(&[] as &[_], |it| &it.stages);
    let of_stages = stages.iter();
    let members: Vec<_> = of_stages
        .flat_map(|stage| (1..=stage.resources.len()).map(|at| format!("{} {at}", stage.name)))
        .collect();
    let rows = status.repairs.iter().map(|(index, it)| {
        let member = index.parse::<usize>().ok();
        let member = member.and_then(|at| members.get(at).cloned());
        vec![
            ObjectCell::text(member.unwrap_or_else(|| index.clone())),
            ObjectCell::text(it.times.to_string()),
            ObjectCell::text(shown_time(it.since.0)),
        ]
    });
    table(
        "Drift",
        "Objects that others changed, by stage and number, and that were repaired",
        &["Object", "Repairs", "Since"],
        rows.collect(),
    )
}

fn missing_rules(status: &Status) -> ObjectTable {
    let rows = status.missing_rules.iter().map(|it| {
        let scope = it.namespace.clone();
        vec![
            ObjectCell::text(scope.unwrap_or_else(|| "the cluster".to_owned())),
            ObjectCell::text(it.api_groups.join(", ")),
            ObjectCell::text(
                [&it.resources[..], &it.non_resource_urls]
                    .concat()
                    .join(", "),
            ),
            ObjectCell::text(it.resource_names.join(", ")),
            ObjectCell::text(it.verbs.join(", ")),
        ]
    });
    table(
        "Missing permissions",
        "Rules that the ServiceAccount lacks",
        &["Where", "Groups", "Resources", "Names", "Verbs"],
        rows.collect(),
    )
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn a_plan(name: &str, uid: &str, status: Value) -> InstallPlan {
        let manifest = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        let stage = |name: &str| json!({"name": name, "resources": [{"manifest": manifest}]});
        let plan = json!({
            "apiVersion": "plans.portolan.dev/v1alpha1", "kind": "InstallPlan",
            "metadata": {
                "name": name, "namespace": "harbor", "uid": uid,
                "labels": {"operators.portolan.dev/operator": "ferry"},
            },
            "spec": {"serviceAccountName": "ferry", "stages": [stage("crds"), stage("rest")]},
            "status": status,
        });
        serde_json::from_value(plan).expect("a plan")
    }

    fn table<'a>(page: &'a ObjectPage, title: &str) -> &'a ObjectTable {
        let mut tables = page.tables.iter();
        tables.find(|it| it.title == title).expect("the table")
    }

    fn fact(page: &ObjectPage, name: &str) -> ObjectCell {
        let mut facts = page.facts.iter();
        let fact = facts.find(|(it, _)| *it == name).expect("the fact");
        fact.1.clone()
    }

    fn id(kind: ObjectKind, name: &str) -> ShownObject {
        ShownObject::of(kind, "harbor", name)
    }

    /// The second stage of the plan is in progress, and another client has changed an object.
    #[test]
    fn page_of_a_plan_shows_stages_drift_and_lineage() {
        let status = json!({
            "phase": "Applying", "lineage": "u1",
            "stage": {"name": "rest", "index": 1},
            "counts": {"members": 2, "applied": 1, "ready": 1},
            "members": [{
                "stage": "crds", "index": 0, "object": "ConfigMap harbor/a", "state": "Drifted",
                "message": "data has changed",
            }],
            "repairs": {"1": {"times": 3, "since": "2026-01-01T00:00:00Z"}},
        });
        let older = a_plan("ferry-1", "u1", json!({"lineage": "u1"}));
        let newer = a_plan("ferry-2", "u2", status);
        let other = a_plan("buoy-1", "u3", json!({"lineage": "u3"}));
        let operator = json!({
            "apiVersion": "operators.operatorframework.io/v1alpha1", "kind": "Operator",
            "metadata": {"name": "ferry"}, "spec": {"packageName": "ferry"},
        });
        let operator = serde_json::from_value(operator).expect("an Operator");
        let (page, operators) = plan(
            &id(ObjectKind::Plan, "ferry-2"),
            &newer,
            &[&older, &newer, &other],
            &[&operator],
        );
        let ferry = (page_of(Origin::Portolan, "", "ferry"), "ferry".to_owned());
        assert_eq!(operators, [ferry]);
        let progress = table(&page, "Stages").rows.iter();
        let progress: Vec<_> = progress.map(|row| row[3].clone()).collect();
        assert_eq!(progress, ["applied", "in progress"].map(ObjectCell::text));
        assert_eq!(
            fact(&page, "Objects"),
            ObjectCell::text("1 of 2 applied, 1 ready")
        );
        let older = id(ObjectKind::Plan, "ferry-1").link();
        assert_eq!(fact(&page, "Lineage"), ObjectCell::Links(vec![older]));
        let drifted = &table(&page, "Objects that differ").rows[0];
        assert_eq!(drifted[2], ObjectCell::text("Drifted"));
        let repaired = &table(&page, "Drift").rows[0];
        assert_eq!(repaired[0], ObjectCell::text("rest 1"));
    }
}
