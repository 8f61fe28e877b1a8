//! What is to be done and to be said, as people read it.

use std::fmt::Write;

use portolan_api::{ConditionType, RelatedObject};

use crate::desired::{Action, Desired, Said, Step, Target, Word};
use crate::part::Part;

pub(crate) fn page(part: &Part) -> String {
    let Part {
        said,
        kept,
        related,
        steps,
        again,
    } = part;
    let mut page = String::new();
    for said in said {
        line(&mut page, said);
    }
    for (of, why) in kept {
        writeln!(page, "{of} stays: {why}").expect("a page");
    }
    for (of, objects) in related {
        for object in objects {
            writeln!(page, "- {}", entry(*of, object)).expect("a page");
        }
    }
    for step in steps {
        write_step(&mut page, step);
    }
    if let Some(again) = again {
        writeln!(page, "again: {again}").expect("a page");
    }
    page
}

/// The same of everything.
pub(crate) fn whole_page(desired: &Desired) -> String {
    let report = desired.report.clone();
    let mut page = page(&Part {
        said: report.conditions,
        kept: report.kept,
        related: report.related,
        steps: desired.steps.clone(),
        again: desired.again,
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

fn line(page: &mut String, said: &Said) {
    let Said {
        of,
        status,
        reason,
        message,
        violates,
        since,
    } = said;
    let reason = match reason {
        Word::Ours(reason) => reason.to_string(),
        Word::Olm(word) => format!("{word} (OLM's)"),
    };
    let violates = match violates {
        true => " !",
        false => "",
    };
    let since = since.map_or(String::new(), |since| format!(" since {since}"));
    writeln!(page, "{of} {status:?} {reason}{violates}{since}: {message}").expect("a page");
}

fn entry(of: ConditionType, related: &RelatedObject) -> String {
    let object = &related.object;
    let properties = related.properties.as_ref().map(|properties| {
        let uid = properties.uid.as_deref().unwrap_or("new");
        match properties.created_by_policy {
            Some(true) => format!(" [{uid}, created]"),
            Some(false) | None => format!(" [{uid}]"),
        }
    });
    format!(
        "{of}: {} {}/{}{} {}: {}",
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
        Action::Mend { subscription, csv } => format!("mend {} with {csv}", at(subscription)),
        Action::Delete {
            object,
            is_orphaning,
        } => format!("delete {} (orphaning: {is_orphaning})", at(object)),
        Action::Hold => "hold".to_owned(),
        Action::Release => "release".to_owned(),
        Action::Record => "record".to_owned(),
    };
    write!(page, "> {action}\n    ").expect("a page");
    line(page, &step.done);
    for related in &step.related {
        writeln!(page, "    - {}", entry(step.of, related)).expect("a page");
    }
}
