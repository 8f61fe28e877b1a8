//! A decision as people would read it, with nothing left out.

use std::fmt::Write;

use portolan_api::{RelatedObject, RemovalRecord};

use crate::desired::{Action, Desired, Report, Said, Step, Word};

pub(super) fn printed(desired: &Desired) -> String {
    let Desired {
        report,
        steps,
        again,
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
        is_partial,
    } = report;
    let nothing = (olm, upgrades, overlapping, intervention, is_partial);
    assert_eq!(
        format!("{nothing:?}"),
        "([], None, [], None, false)",
        "removals say nothing of these"
    );
    let mut text = String::new();
    for said in conditions {
        line(&mut text, &condition(said));
        for (_, objects) in related.iter().filter(|(of, _)| *of == said.of) {
            objects
                .iter()
                .for_each(|object| line(&mut text, &format!("    {}", entry(object))));
        }
    }
    for (of, why) in kept {
        line(&mut text, &format!("{of} as before: {why}"));
    }
    if let Some(record) = removal {
        write_record(&mut text, record);
    }
    if let Some(label) = label {
        line(&mut text, &format!("label {label}"));
    }
    steps.iter().for_each(|step| write_step(&mut text, step));
    if let Some(again) = again {
        line(&mut text, &format!("look again at {again}"));
    }
    text
}

fn line(text: &mut String, line: &str) {
    writeln!(text, "{line}").expect("a text");
}

fn condition(said: &Said) -> String {
    let Said {
        of,
        status,
        reason,
        message,
        violates,
        since,
    } = said;
    assert_eq!(*since, None, "nobody knows better since when");
    let reason = match reason {
        Word::Ours(reason) => reason.as_str(),
        Word::Olm(reason) => reason,
    };
    let mark = if *violates { "!" } else { " " };
    format!("{mark} {of} {status:?} {reason}: {message}")
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
        | Action::Mend { .. }
        | Action::Hold
        | Action::Release
        | Action::Record) => format!("{action:?}"),
    };
    assert_eq!(step.of, step.done.of, "a step says of its own matter");
    line(text, &format!("step {action}"));
    line(text, &format!("  {}", condition(&step.done)));
    let related = step.related.iter();
    related.for_each(|object| line(text, &format!("      {}", entry(object))));
}
