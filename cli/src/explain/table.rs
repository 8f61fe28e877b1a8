//! Renders the explanation of policies as tables.

use portolan_api::{Compliance, RemovedState};
use portolan_controller::{Preview, Rehearsed};

use super::answer::{Explained, Explanation, is_removed, place};
use super::extensions;
use super::operators::{self, ExplainedOperator};
use super::subscriptions;
use crate::print::words::located;
use crate::print::{Detail, Page, Span, Table};

/// Renders the policies, followed by the Operators, the ClusterExtensions and the Subscriptions.
pub(super) fn whole(answer: &Explanation, detail: Detail) -> Page {
    let policies: Vec<_> = answer.policies.iter().collect();
    let operators: Vec<_> = answer.operators.iter().collect();
    let mut page = both((&policies, &operators), detail);
    if !answer.extensions.is_empty() {
        page.part();
        page.append(extensions::render(&answer.extensions, detail));
    }
    if !answer.subscriptions.is_empty() {
        page.part();
        page.append(subscriptions::render(&answer.subscriptions, detail));
    }
    page
}

/// Renders the policies, and then the Operators.
pub(crate) fn both(
    (policies, operators): (&[&Explained], &[&ExplainedOperator]),
    detail: Detail,
) -> Page {
    let mut page = render(policies, detail);
    if !operators.is_empty() {
        page.part();
        page.append(operators::render(operators, detail));
    }
    page
}

/// Renders one row for each policy. Below all rows, renders the reasons why policies are not
/// compliant, and the changes that would be made.
fn render(policies: &[&Explained], detail: Detail) -> Page {
    let mut page = Page::default();
    if !policies.is_empty() {
        let table = Table::of(policies, detail)
            .text("NAMESPACE", &|policy| &policy.namespace)
            .text("POLICY", &|policy| &policy.name)
            .column("COMPLIANT", &|policy| colored(policy))
            .text("INSTALLED", &|policy| policy.bundles()[0])
            .text("NEXT", &|policy| policy.bundles()[1])
            .text("TARGET", &|policy| policy.bundles()[2])
            .column("CHANGES", &|policy| policy.changes.len().to_string().into());
        page.table(table);
    }
    for policy in policies {
        if detail == Detail::Whole || policy.needs_words() {
            block(&mut page, policy, detail);
        }
    }
    page
}

fn colored(policy: &Explained) -> Span {
    match policy.compliant {
        Some(Compliance::Compliant) => Span::good(policy.word()),
        Some(Compliance::NonCompliant) => Span::error(policy.word()),
        Some(Compliance::Pending | Compliance::Terminating) | None => Span::warning(policy.word()),
    }
}

fn block(page: &mut Page, policy: &Explained, detail: Detail) {
    page.part();
    page.line([Span::heading(policy.place() + ":"), colored(policy)]);
    for condition in &policy.status.conditions {
        let is_violating = policy.blames(&condition.type_);
        if !policy.shows(&condition.type_) && detail == Detail::Usual {
            continue;
        }
        let type_ = format!("{}:", condition.type_);
        let type_ = if is_violating {
            Span::error(type_)
        } else {
            Span::plain(type_)
        };
        let [status, reason] = [&condition.status, &condition.reason].map(Span::from);
        let message = Span::plain(format!("- {}", condition.message));
        page.below([type_, status, reason, message]);
    }
    if !policy.path.is_empty() {
        page.below([Span::heading("Path:"), policy.path.join(" -> ").into()]);
    }
    for template in &policy.templates {
        page.below([Span::heading("Template:"), template.title().into()]);
    }
    for change in &policy.changes {
        page.below([Span::heading("Would"), change.title().into()]);
        for line in change.diff.lines() {
            page.indented(2, [line_of_diff(line)]);
        }
    }
    if let Some(why) = &policy.withheld {
        page.below([Span::warning("No action:"), why.into()]);
    }
    for unknown in &policy.unknown {
        page.below([Span::warning("Unknown:"), unknown.into()]);
    }
}

fn line_of_diff(line: &str) -> Span {
    match line.chars().next() {
        Some('+') => Span::good(line),
        Some('-') => Span::error(line),
        _ => Span::plain(line),
    }
}

/// Returns the objects that would be deleted and kept if the policy were deleted.
pub(crate) fn removal(policy: &Rehearsed, preview: &Preview) -> Page {
    let mut page = Page::default();
    if let Some(why) = &policy.withheld {
        page.text_line(why);
    }
    let goes_away = preview.objects.iter().any(|told| is_removed(&told.object));
    let name = located(&policy.namespace, &policy.name);
    page.text_line(if goes_away {
        format!("Deleting policy {name} would remove its operator:")
    } else {
        format!("Deleting policy {name} would remove only the policy.")
    });
    if !preview.objects.is_empty() {
        page.part();
        let table = Table::of(&preview.objects, Detail::Usual)
            .text("KIND", &|told| &told.object.kind)
            .column("OBJECT", &|told| place(&told.object).into())
            .column("RESULT", &|told| match told.object.parsed_state() {
                Some(RemovedState::ByOlm) => Span::error("deleted by OLM"),
                _ if is_removed(&told.object) => Span::error("deleted"),
                _ => Span::good("kept"),
            })
            .text("WHY", &|told| told.stays.as_deref().unwrap_or_default());
        page.table(table);
    }
    page
}
