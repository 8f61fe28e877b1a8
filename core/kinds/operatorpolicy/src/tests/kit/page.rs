//! Prints a decision as readable text.

use std::fmt::Write;

use portolan_api::{ConditionType, RelatedObject};

use crate::contribution::Contribution;
use crate::desired::{Action, Condition, ConditionReason, Desired, Step, Target};

pub(crate) fn page(part: &Contribution) -> String {
    let Contribution {
        conditions,
        kept,
        related,
        steps,
        requeue_at,
    } = part;
    let mut page = String::new();
    for conditions in conditions {
        line(&mut page, conditions);
    }
    for (type_, why) in kept {
        writeln!(page, "{type_} stays: {why}").expect("a page");
    }
    for (type_, objects) in related {
        for object in objects {
            writeln!(page, "- {}", entry(*type_, object)).expect("a page");
        }
    }
    for step in steps {
        write_step(&mut page, step);
    }
    if let Some(requeue_at) = requeue_at {
        writeln!(page, "again: {requeue_at}").expect("a page");
    }
    page
}

/// Returns the whole decision as text.
pub(crate) fn whole_page(desired: &Desired) -> String {
    let report = desired.report.clone();
    let mut page = page(&Contribution {
        conditions: report.conditions,
        kept: report.kept,
        related: report.related,
        steps: desired.steps.clone(),
        requeue_at: desired.requeue_at,
    });
    let rest = [
        report.is_partial.then(|| "partial".to_owned()),
        report.label.map(|label| format!("label: {label}")),
        (!report.overlapping.is_empty())
            .then(|| format!("overlapping: {}", report.overlapping.join(", "))),
        report.intervention.map(|at| format!("intervention: {at}")),
        (!report.olm.is_empty()).then(|| format!("of OLM: {:?}", report.olm)),
    ];
    for line in rest.into_iter().flatten() {
        writeln!(page, "{line}").expect("a page");
    }
    page
}

fn line(page: &mut String, conditions: &Condition) {
    let Condition {
        type_,
        status,
        reason,
        message,
        violates,
        since,
    } = conditions;
    let reason = match reason {
        ConditionReason::Ours(reason) => reason.to_string(),
        ConditionReason::Olm(word) => format!("{word} (OLM's)"),
    };
    let violates = if *violates { " !" } else { "" };
    let since = since.map_or(String::new(), |since| format!(" since {since}"));
    writeln!(
        page,
        "{type_} {status:?} {reason}{violates}{since}: {message}"
    )
    .expect("a page");
}

fn entry(type_: ConditionType, related: &RelatedObject) -> String {
    let object = &related.object;
    let properties = related.properties.as_ref().map(|properties| {
        let uid = properties.uid.as_deref().unwrap_or("new");
        match properties.created_by_policy {
            Some(true) => format!(" [{uid}, created]"),
            Some(false) | None => format!(" [{uid}]"),
        }
    });
    format!(
        "{type_}: {} {}/{}{} {}: {}",
        object.kind,
        object.metadata.namespace.as_deref().unwrap_or_default(),
        object.metadata.name,
        properties.unwrap_or_default(),
        related.compliant.as_deref().unwrap_or("(nothing)"),
        related.reason.as_deref().unwrap_or_default()
    )
}

fn write_step(page: &mut String, step: &Step) {
    let at = |target: &Target| {
        format!(
            "{} {} [{} at {}]",
            target.kind, target.name, target.uid, target.resource_version
        )
    };
    let action = match &step.action {
        Action::Create(manifest) => format!("create {manifest}"),
        Action::Apply(manifest) => format!("apply {manifest}"),
        Action::Replace {
            object,
            field,
            value,
        } => match value {
            Some(value) => format!("replace {field} of {} by {value}", at(object)),
            None => format!("remove {field} of {}", at(object)),
        },
        Action::Approve(plan) => format!("approve {}", at(plan)),
        Action::AdoptCsv { subscription, csv } => format!("mend {} with {csv}", at(subscription)),
        Action::Delete {
            object,
            is_orphaning,
        } => format!("delete {} (orphaning: {is_orphaning})", at(object)),
        Action::AddFinalizer => "hold".to_owned(),
        Action::RemoveFinalizer => "release".to_owned(),
        Action::WriteStatus => "record".to_owned(),
    };
    write!(page, "> {action}\n    ").expect("a page");
    line(page, &step.done);
    for related in &step.related {
        writeln!(page, "    - {}", entry(step.type_, related)).expect("a page");
    }
}
