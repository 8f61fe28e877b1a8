//! Prints a complete decision as text.

use std::fmt::Write;

use portolan_api::{RelatedObject, RemovalRecord};

use crate::desired::{Action, Condition, ConditionReason, Desired, Report, Step};

pub(super) fn printed(desired: &Desired) -> String {
    let Desired {
        report,
        steps,
        requeue_at,
    } = desired;
    let Report {
        conditions,
        kept,
        olm,
        related,
        upgrades,
        removal,
        label,
        overlapping,
        intervention,
        lacking,
        is_partial,
    } = report;
    let nothing = (
        olm,
        upgrades,
        overlapping,
        intervention,
        lacking,
        is_partial,
    );
    assert_eq!(
        format!("{nothing:?}"),
        "([], None, [], None, None, false)",
        "removals leave these fields empty"
    );
    let mut text = String::new();
    for condition in conditions {
        line(&mut text, &printed_condition(condition));
        for (_, objects) in related
            .iter()
            .filter(|(type_, _)| *type_ == condition.type_)
        {
            objects
                .iter()
                .for_each(|object| line(&mut text, &format!("    {}", entry(object))));
        }
    }
    for (type_, why) in kept {
        line(&mut text, &format!("{type_} as before: {why}"));
    }
    if let Some(record) = removal {
        write_record(&mut text, record);
    }
    if let Some(label) = label {
        line(&mut text, &format!("label {label}"));
    }
    steps.iter().for_each(|step| write_step(&mut text, step));
    if let Some(requeue_at) = requeue_at {
        line(&mut text, &format!("look again at {requeue_at}"));
    }
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a text");
}

fn printed_condition(condition: &Condition) -> String {
    let Condition {
        type_,
        status,
        reason,
        message,
        violates,
        since,
    } = condition;
    assert_eq!(*since, None, "removals set no time");
    let reason = match reason {
        ConditionReason::Ours(reason) => reason.as_str(),
        ConditionReason::Olm(reason) => reason,
    };
    let mark = if *violates { "!" } else { " " };
    format!("{mark} {type_} {status:?} {reason}: {message}")
}

fn entry(object: &RelatedObject) -> String {
    let metadata = &object.object.metadata;
    let namespace = metadata.namespace.as_deref().unwrap_or("");
    let properties = object.properties.as_ref();
    format!(
        "{} {namespace}/{} {}: {} {:?}",
        object.object.kind,
        metadata.name,
        object.compliant.as_deref().unwrap_or("-"),
        object.reason.as_deref().unwrap_or("-"),
        properties.map(|it| (it.created_by_policy, it.uid.as_deref().unwrap_or("-"))),
    )
}

fn write_record(text: &mut String, record: &RemovalRecord) {
    let RemovalRecord {
        objects,
        phase,
        remaining,
        started,
    } = record;
    let started = started.as_ref().map(|started| started.0);
    line(text, &format!("removal {phase:?} since {started:?}"));
    for object in objects {
        let namespace = object.namespace.as_deref().unwrap_or("");
        let state = object.state.as_deref().unwrap_or("-");
        let uid = object.uid.as_deref().unwrap_or("-");
        line(
            text,
            &format!(
                "    {state} {} {namespace}/{} {uid}",
                object.kind, object.name
            ),
        );
    }
    for object in remaining {
        line(text, &format!("    remaining {object:?}"));
    }
}

fn write_step(text: &mut String, step: &Step) {
    let action = match &step.action {
        Action::Delete {
            object,
            is_orphaning,
        } => format!(
            "Delete {} {} {} orphaning: {is_orphaning}",
            object.kind, object.name, object.uid
        ),
        action @ (Action::Create(_)
        | Action::Apply(_)
        | Action::Replace { .. }
        | Action::Approve(_)
        | Action::AdoptCsv { .. }
        | Action::AddFinalizer) => format!("{action:?}"),
        Action::RemoveFinalizer => "Release".to_owned(),
        Action::WriteStatus => "Record".to_owned(),
    };
    assert_eq!(
        step.type_, step.done.type_,
        "a step reports the condition of its own type"
    );
    line(text, &format!("step {action}"));
    line(text, &format!("  {}", printed_condition(&step.done)));
    let related = step.related.iter();
    related.for_each(|object| line(text, &format!("      {}", entry(object))));
}
