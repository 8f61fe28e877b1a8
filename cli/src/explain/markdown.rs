//! Renders the explanation as Markdown, for a comment on a pull request.

use portolan_controller::{Preview, Rehearsed};

use super::answer::{Explained, Explanation, is_removed, place};
use super::operators::ExplainedOperator;
use crate::print::markdown::{fence, prose};
use crate::print::words::located;
use crate::print::{Detail, Table};

/// Renders a table of policies, a table of Operators, and a section for each policy or Operator
/// that needs attention. Renders a section for each ClusterExtension and Subscription.
pub(super) fn render(answer: &Explanation) -> String {
    let mut text = String::new();
    if !answer.policies.is_empty() {
        text += &policies(answer);
    }
    if !answer.operators.is_empty() {
        if !text.is_empty() {
            text.push('\n');
        }
        text += &operators(&answer.operators);
    }
    for extension in &answer.extensions {
        text += &format!(
            "\n## {}: {}\n\n",
            prose(&extension.place()),
            extension.state
        );
        for (label, line) in extension.lines(Detail::Whole) {
            text += &format!("- {} {}\n", label.text(), prose(&line));
        }
    }
    for subscription in &answer.subscriptions {
        text += &format!(
            "\n## {}: {}\n\n",
            prose(&subscription.place()),
            subscription.movable
        );
        for (label, line) in subscription.lines() {
            text += &format!("- {} {}\n", label.text(), prose(&line));
        }
    }
    for unknown in answer.doubts() {
        text += &format!("\nUnknown: {}\n", prose(unknown));
    }
    text
}

fn operators(all: &[ExplainedOperator]) -> String {
    let table = Table::of(all, Detail::Whole)
        .column("Operator", &|it| it.name.as_str().into())
        .text("state", &|it| it.word())
        .text("installed", &|it| {
            it.status.bundle.as_ref().map_or("", |bundle| &bundle.name)
        })
        .text("next", &|it| {
            it.status.path.first().map_or("", |hop| &hop.bundle)
        })
        .column("changes", &|it| it.changes.len().to_string().into());
    let mut text = table.into_markdown(prose);
    for operator in all.iter().filter(|it| !it.is_fine()) {
        text += &format!("\n## {}: {}\n\n", prose(&operator.place()), operator.word());
        for condition in operator.conditions() {
            let (type_, reason) = (condition.type_, prose(condition.reason));
            text += &format!("- **{type_}** ({reason}): {}\n", prose(condition.message));
        }
        if !operator.status.path.is_empty() {
            text += &format!("- Path: {}\n", prose(&operator.path().join(" → ")));
        }
        for unknown in &operator.unknown {
            text += &format!("- Unknown: {}\n", prose(unknown));
        }
        for change in &operator.changes {
            text += &format!("\nWould {}.\n", prose(&change.title));
        }
    }
    text
}

fn policies(answer: &Explanation) -> String {
    let table = Table::of(&answer.policies, Detail::Whole)
        .column("policy", &|policy| policy.place().into())
        .text("compliant", &|policy| policy.word())
        .text("installed", &|policy| policy.bundles()[0])
        .text("next", &|policy| policy.bundles()[1])
        .column("changes", &|policy| policy.changes.len().to_string().into());
    let mut text = table.into_markdown(prose);
    for policy in answer.policies.iter().filter(|each| each.needs_words()) {
        section(&mut text, policy);
    }
    text
}

fn section(text: &mut String, policy: &Explained) {
    *text += &format!("\n## {}: {}\n\n", prose(&policy.place()), policy.word());
    for condition in &policy.status.conditions {
        if policy.shows(&condition.type_) {
            let (type_, reason) = (&condition.type_, prose(&condition.reason));
            *text += &format!("- **{type_}** ({reason}): {}\n", prose(&condition.message));
        }
    }
    if !policy.path.is_empty() {
        *text += &format!("- Path: {}\n", prose(&policy.path.join(" → ")));
    }
    for template in &policy.templates {
        *text += &format!("- Template: {}\n", prose(&template.title()));
    }
    if let Some(why) = &policy.withheld {
        *text += &format!("- No action: {}\n", prose(why));
    }
    for unknown in &policy.unknown {
        *text += &format!("- Unknown: {}\n", prose(unknown));
    }
    for change in &policy.changes {
        *text += &format!("\nWould {}.\n", prose(&change.title()));
        if !change.diff.is_empty() {
            let fence = fence(&change.diff);
            *text += &format!("\n{fence}diff\n{}{fence}\n", change.diff);
        }
    }
}

/// Returns the objects that would be deleted and kept if the policy were deleted.
pub(super) fn removal(policy: &Rehearsed, preview: &Preview) -> String {
    let table = Table::of(&preview.objects, Detail::Whole)
        .text("kind", &|told| &told.object.kind)
        .column("object", &|told| place(&told.object).into())
        .text("result", &|told| {
            if is_removed(&told.object) {
                "deleted"
            } else {
                "kept"
            }
        })
        .text("why", &|told| told.stays.as_deref().unwrap_or_default());
    let name = prose(&located(&policy.namespace, &policy.name));
    format!("Deleting policy {name}:\n\n{}", table.into_markdown(prose))
}
