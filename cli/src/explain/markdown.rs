//! What would become of policies, for a pull request.

use std::fmt::Write as _;

use portolan_controller::{Preview, PreviewedObject, Rehearsed};

use super::answer::{Answer, Explained, goes};
use crate::print::one_line;
use crate::print::words::{NONE, located};

/// A table, and a section for each policy that is not as it should be.
pub(super) fn render(answer: &Answer) -> String {
    let mut text = String::from("| policy | compliant | installed | next | changes |\n");
    text.push_str("|---|---|---|---|---|\n");
    for policy in &answer.policies {
        let upgrades = policy.status.upgrades.clone().unwrap_or_default();
        let name = |name: Option<String>| name.unwrap_or_else(|| NONE.to_owned());
        let cells = [
            policy.place(),
            policy.word().to_owned(),
            name(upgrades.installed.map(|bundle| bundle.name)),
            name(upgrades.next.map(|bundle| bundle.name)),
            policy.changes.len().to_string(),
        ];
        let cells = cells.map(|cell| prose(&cell));
        line(&mut text, &format!("| {} |", cells.join(" | ")));
    }
    let told = answer.policies.iter();
    for policy in told.filter(|each| each.needs_words()) {
        section(&mut text, policy);
    }
    for unknown in answer.doubts() {
        line(&mut text, &format!("\nNot known: {}", prose(unknown)));
    }
    text
}

fn section(text: &mut String, policy: &Explained) {
    line(
        text,
        &format!("\n## {}: {}\n", prose(&policy.place()), policy.word()),
    );
    for condition in &policy.status.conditions {
        if policy.tells(&condition.type_) {
            let (type_, reason) = (&condition.type_, &condition.reason);
            line(
                text,
                &format!(
                    "- **{type_}** ({}): {}",
                    prose(reason),
                    prose(&condition.message)
                ),
            );
        }
    }
    if !policy.path.is_empty() {
        line(
            text,
            &format!("- Path: {}", prose(&policy.path.join(" → "))),
        );
    }
    if let Some(why) = &policy.withheld {
        line(text, &format!("- Nothing is done: {}", prose(why)));
    }
    for unknown in &policy.unknown {
        line(text, &format!("- Not known: {}", prose(unknown)));
    }
    for change in &policy.changes {
        line(text, &format!("\nWould {}.", prose(&change.title())));
        if !change.diff.is_empty() {
            let fence = fence(&change.diff);
            line(text, &format!("\n{fence}diff\n{}{fence}", change.diff));
        }
    }
}

/// What would go and what would stay if a policy were deleted.
pub(super) fn removal(policy: &Rehearsed, preview: &Preview) -> String {
    let place = prose(&located(&policy.namespace, &policy.name));
    let mut text =
        format!("Deleting policy {place}:\n\n| kind | object | fate | why |\n|---|---|---|---|\n");
    for PreviewedObject { object, stays } in &preview.objects {
        let namespace = object.namespace.as_deref().unwrap_or_default();
        let name = prose(&located(namespace, &object.name));
        let fate = if goes(object) { "goes" } else { "stays" };
        let why = stays.as_deref().map_or_else(|| NONE.to_owned(), prose);
        line(
            &mut text,
            &format!("| {} | {name} | {fate} | {why} |", object.kind),
        );
    }
    text
}

/// A text that is nothing but itself: no picture, no heading, nobody who is called.
fn prose(text: &str) -> String {
    let mut prose = String::with_capacity(text.len());
    for letter in one_line(text).chars() {
        if matches!(letter, '|' | '`' | '<' | '[' | ']' | '*' | '#' | '@' | '\\') {
            prose.push('\\');
        }
        prose.push(letter);
    }
    prose
}

/// More of them than anything in the text has in a row.
fn fence(text: &str) -> String {
    let mut fence = String::from("```");
    while text.contains(&fence) {
        fence.push('`');
    }
    fence
}

fn line(text: &mut String, line: &str) {
    // Nothing refuses to be written to memory.
    let _ = writeln!(text, "{line}");
}
