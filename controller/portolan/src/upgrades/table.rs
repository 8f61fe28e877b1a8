//! The answer for people.

use portolan_proto::resolver::v1::{ListUpgradesResponse, Update, edge};

use crate::print::columns;

const NONE: &str = "-";

pub(super) fn render(answer: &ListUpgradesResponse) -> String {
    let mut text = String::new();
    if answer.updates.is_empty() {
        text.push_str(&format!("No update from {}.\n", answer.installed));
    } else {
        let rows: Vec<_> = answer.updates.iter().map(row).collect();
        text.push_str(&columns(
            ["UPDATE", "VERSION", "CHANNEL", "BY", "NOTE"],
            &rows,
        ));
    }
    if !answer.reasons.is_empty() {
        text.push('\n');
        for reason in &answer.reasons {
            text.push_str(&format!("{}: {}\n", reason.code, reason.message));
        }
    }
    text
}

fn row(update: &Update) -> [String; 5] {
    let version = match update.version.as_str() {
        "" => NONE,
        version => version,
    };
    let edges: Vec<_> = update.edges().map(edge_name).collect();
    let notes = [
        (update.recommended, "recommended"),
        (update.downgrade, "downgrade"),
    ];
    let notes: Vec<_> = notes
        .iter()
        .filter(|(holds, _)| *holds)
        .map(|(_, note)| *note)
        .collect();
    [
        update.bundle.clone(),
        version.to_owned(),
        update.channel.clone(),
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
