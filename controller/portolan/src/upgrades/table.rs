//! The answer for people.

use portolan_proto::resolver::v1::list_upgrades_response::Successor;
use portolan_proto::resolver::v1::{ListUpgradesResponse, edge};

use crate::print::columns;

const NONE: &str = "-";

pub(super) fn render(answer: &ListUpgradesResponse) -> String {
    let installed = answer.installed.clone().unwrap_or_default();
    let mut text = String::new();
    if answer.successors.is_empty() {
        text.push_str(&format!("No update from {}.\n", installed.name));
    } else {
        let recommended = &answer.recommended;
        let rows: Vec<_> = answer
            .successors
            .iter()
            .map(|successor| row(successor, recommended))
            .collect();
        text.push_str(&columns(
            ["UPDATE", "VERSION", "CHANNELS", "BY", "NOTE"],
            &rows,
        ));
    }
    let reasons = answer.reasons.iter();
    let reasons = reasons.map(|reason| (&reason.code, &reason.message));
    let faults = answer.faults.iter();
    let faults = faults.map(|fault| (&fault.code, &fault.message));
    let lines: Vec<_> = reasons.chain(faults).collect();
    if !lines.is_empty() {
        text.push('\n');
        for (code, message) in lines {
            text.push_str(&format!("{code}: {message}\n"));
        }
    }
    text
}

fn row(successor: &Successor, recommended: &str) -> [String; 5] {
    let version = match successor.version.as_str() {
        "" => NONE,
        version => version,
    };
    let edges: Vec<_> = successor.via().map(edge_name).collect();
    let notes = [
        (successor.name == recommended, "recommended"),
        (successor.downgrade, "downgrade"),
        (!successor.deprecation.is_empty(), "deprecated"),
    ];
    let notes: Vec<_> = notes
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, note)| *note)
        .collect();
    [
        successor.name.clone(),
        version.to_owned(),
        successor.channels.join(", "),
        edges.join(", "),
        notes.join(", "),
    ]
}

fn edge_name(edge: edge::Kind) -> &'static str {
    match edge {
        edge::Kind::Unspecified => NONE,
        edge::Kind::Replaces => "replaces",
        edge::Kind::Skips => "skips",
        edge::Kind::SkipRange => "skip range",
    }
}
