//! The settings in which two plans differ: the ServiceAccount, the stages, the Jobs, and the
//! lifecycles. Another module compares manifests.
//!
//! Settings with the same effect are equal. For example, an explicit default equals an omitted
//! field. `replaces` is omitted, because it always differs.

use std::collections::BTreeSet;
use std::fmt::Debug;

use portolan_api::plan::{
    Intent, Job, Lifecycle, ReadyRule, Selection, Selector, Stage, Target, Transformation,
};
use serde_json::{Map, Value, json};

use super::values::{self, FieldChange};
use crate::manifest::Member;
use crate::version::PlanVersion;

/// Returns the settings in which two plans differ. Ignores manifests, and objects that only one of
/// the plans contains.
pub(super) fn changes(old: &PlanVersion, new: &PlanVersion) -> Vec<FieldChange> {
    let shared = |member: &&Member| {
        let is_in = |plan: &PlanVersion| plan.member(&member.identity).is_some();
        is_in(old) && is_in(new)
    };
    let settings = |plan: &PlanVersion| {
        let resources = plan.members.iter().filter(shared);
        let resources = resources.map(|member| {
            let resource = resource(&plan.intent, member);
            (member.identity.to_string(), resource)
        });
        let other = if std::ptr::eq(plan, old) { new } else { old };
        let mut settings = of_plan(&plan.intent, &other.intent);
        settings["resources"] = Value::Object(resources.collect());
        settings
    };
    let order_of_stages = order(".stages", stages(&old.intent), stages(&new.intent));
    let mut changes: Vec<_> = order_of_stages.into_iter().collect();
    for after in &new.intent.stages {
        let mut before = old.intent.stages.iter();
        if let Some(before) = before.find(|before| before.name == after.name) {
            let at = format!(".stages[name={:?}].jobs", after.name);
            changes.extend(order(&at, jobs(before), jobs(after)));
        }
    }
    changes.extend(values::between(&settings(old), &settings(new)));
    changes
}

/// Returns the change of the order of a list. Only items that both lists contain are compared.
/// Returns None if the order is the same.
fn order<'n>(
    path: &str,
    before: impl Iterator<Item = &'n str>,
    after: impl Iterator<Item = &'n str>,
) -> Option<FieldChange> {
    let (before, after): (Vec<_>, Vec<_>) = (before.collect(), after.collect());
    let shared: BTreeSet<_> = before.iter().filter(|name| after.contains(name)).collect();
    let of = |all: &[&'n str]| {
        let names = all.iter().filter(|name| shared.contains(name));
        names.copied().collect::<Vec<_>>()
    };
    let (before, after) = (of(&before), of(&after));
    let text = |names: Vec<&str>| Some(json!(names).to_string());
    (before != after).then(|| FieldChange {
        path: path.to_owned(),
        before: text(before),
        after: text(after),
    })
}

fn stages(intent: &Intent) -> impl Iterator<Item = &str> {
    intent.stages.iter().map(|stage| stage.name.as_str())
}

fn jobs(stage: &Stage) -> impl Iterator<Item = &str> {
    stage.jobs.iter().map(|job| job.name.as_str())
}

/// Returns the settings of a plan. `other` is the plan that it is compared with.
fn of_plan(intent: &Intent, other: &Intent) -> Value {
    let Intent {
        service_account,
        is_suspended,
        collisions,
        on_plan_deletion,
        on_drift,
        on_deletion,
        on_found,
        abandon_after_seconds,
        replaces: _,
        stages,
        transformations,
    } = intent;
    let stage = |stage: &Stage| of_stage(stage, self::stages(other).any(|name| name == stage.name));
    fields([
        (
            "abandonAfterSeconds",
            abandon_after_seconds.map(Value::from),
        ),
        ("collisions", word(collisions)),
        (
            "lifecycle",
            Some(fields([
                ("onDeletion", word(on_deletion)),
                ("onDrift", word(on_drift)),
                ("onFound", word(on_found)),
                ("onPlanDeletion", word(on_plan_deletion)),
            ])),
        ),
        ("serviceAccountName", Some(json!(service_account))),
        ("stages", Some(stages.iter().map(stage).collect())),
        ("suspend", Some(json!(is_suspended))),
        (
            "transformations",
            Some(transformations.iter().map(transformation).collect()),
        ),
    ])
}

/// Returns the settings of a stage. If the other plan does not contain the stage, empty fields are
/// omitted.
fn of_stage(stage: &Stage, is_shared: bool) -> Value {
    let Stage {
        name,
        order,
        resources: _,
        wait_for,
        ready,
        jobs,
        deadline_seconds,
    } = stage;
    let some = |is_empty: bool, value: Value| (is_shared || !is_empty).then_some(value);
    let rules = Value::Object(ready.iter().map(rule).collect());
    fields([
        ("deadlineSeconds", Some(json!(deadline_seconds))),
        (
            "jobs",
            some(jobs.is_empty(), jobs.iter().map(job).collect()),
        ),
        ("name", Some(json!(name))),
        ("order", word(order)),
        ("ready", some(ready.is_empty(), rules)),
        ("waitFor", word(wait_for)),
    ])
}

/// Returns a rule as an entry of a JSON object. The key is the kind, and the value is the text of
/// the rule.
fn rule(rule: &ReadyRule) -> (String, Value) {
    let ReadyRule { kind, group, rule } = rule;
    (format!("{kind}.{group}"), json!(rule.text()))
}

fn job(job: &Job) -> Value {
    let Job {
        name,
        template,
        retries,
    } = job;
    json!({"name": name, "retries": retries, "template": template})
}

/// Returns the settings of an object outside of its manifest.
fn resource(intent: &Intent, member: &Member) -> Value {
    let Lifecycle {
        on_plan_deletion,
        on_removal,
        on_drift,
        on_deletion,
        on_immutable,
        ignore,
    } = &member.lifecycle;
    let lifecycle = fields([
        ("ignore", (!ignore.is_empty()).then(|| json!(ignore))),
        ("onDeletion", on_deletion.as_ref().and_then(word)),
        ("onDrift", on_drift.as_ref().and_then(word)),
        ("onImmutable", word(on_immutable)),
        ("onPlanDeletion", on_plan_deletion.as_ref().and_then(word)),
        ("onRemoval", on_removal.as_ref().and_then(word)),
    ]);
    let stage = &intent.stages[member.place.stage].name;
    json!({"stage": stage, "lifecycle": lifecycle})
}

fn transformation(transformation: &Transformation) -> Value {
    let Transformation {
        from,
        to,
        order,
        max,
    } = transformation;
    let from: Value = from.iter().map(selection).collect();
    let to: Value = to.iter().map(target).collect();
    fields([
        ("from", Some(from)),
        ("max", Some(json!(max))),
        ("order", word(order)),
        ("to", Some(to)),
    ])
}

fn selection(selection: &Selection) -> Value {
    let Selection {
        api_version,
        kind,
        by,
        namespace,
    } = selection;
    let (name, labels) = match by {
        Selector::Name(name) => (Some(json!(name)), None),
        Selector::Labels(labels) => (None, Some(json!(labels))),
    };
    fields([
        ("apiVersion", Some(json!(api_version))),
        ("kind", Some(json!(kind))),
        ("labelSelector", labels),
        ("name", name),
        ("namespace", namespace.as_ref().map(|name| json!(name))),
    ])
}

fn target(target: &Target) -> Value {
    let Target {
        api_version,
        kind,
        namespace,
        name,
    } = target;
    fields([
        ("apiVersion", Some(json!(api_version))),
        ("kind", Some(json!(kind))),
        ("name", Some(json!(name))),
        ("namespace", namespace.as_ref().map(|name| json!(name))),
    ])
}

/// Returns an enum value as a plan writes it: the name of the variant.
fn word(word: &impl Debug) -> Option<Value> {
    Some(json!(format!("{word:?}")))
}

/// Returns a JSON object with the fields that have a value.
fn fields<const N: usize>(fields: [(&str, Option<Value>); N]) -> Value {
    let fields = fields.into_iter();
    let fields = fields.filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}
