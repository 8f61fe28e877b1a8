//! What would become of policies, for people.

use portolan_api::Compliance;
use portolan_controller::{Preview, PreviewedObject, Rehearsed};

use super::answer::{Explained, goes};
use crate::print::words::{NONE, located, or_none};
use crate::print::{Detail, Page, Span};

/// A row for each policy; below them why one is not compliant, and what would be done.
pub(crate) fn render(policies: &[&Explained], detail: Detail) -> Page {
    let mut page = Page::default();
    if !policies.is_empty() {
        let rows = policies.iter().map(|policy| row(policy)).collect();
        let header = [
            "NAMESPACE",
            "POLICY",
            "COMPLIANT",
            "INSTALLED",
            "NEXT",
            "TARGET",
            "CHANGES",
        ];
        page.table(header, rows);
    }
    for policy in policies {
        if detail == Detail::Whole || policy.needs_words() {
            block(&mut page, policy, detail);
        }
    }
    page
}

fn row(policy: &Explained) -> [Span; 7] {
    let upgrades = policy.status.upgrades.clone().unwrap_or_default();
    let name = |name: Option<String>| Span::plain(name.as_deref().unwrap_or(NONE));
    [
        or_none(&policy.namespace).into(),
        (&*policy.name).into(),
        colored(policy),
        name(upgrades.installed.map(|bundle| bundle.name)),
        name(upgrades.next.map(|bundle| bundle.name)),
        name(upgrades.target.map(|bundle| bundle.name)),
        policy.changes.len().to_string().into(),
    ]
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
        if !policy.tells(&condition.type_) && detail == Detail::Usual {
            continue;
        }
        let type_ = format!("{}:", condition.type_);
        let type_ = match is_violating {
            true => Span::error(type_),
            false => Span::plain(type_),
        };
        let words = [&condition.status, &condition.reason].map(Span::from);
        let [status, reason] = words;
        let message = Span::plain(format!("- {}", condition.message));
        page.below([type_, status, reason, message]);
    }
    if !policy.path.is_empty() {
        page.below([Span::heading("Path:"), policy.path.join(" -> ").into()]);
    }
    for change in &policy.changes {
        page.below([Span::heading("Would"), change.title().into()]);
        for line in change.diff.lines() {
            page.indented(2, [line_of_diff(line)]);
        }
    }
    if let Some(why) = &policy.withheld {
        page.below([Span::warning("Nothing is done:"), why.into()]);
    }
    for unknown in &policy.unknown {
        page.below([Span::warning("Not known:"), unknown.into()]);
    }
}

fn line_of_diff(line: &str) -> Span {
    match line.chars().next() {
        Some('+') => Span::good(line),
        Some('-') => Span::error(line),
        _ => Span::plain(line),
    }
}

/// What would go and what would stay if a policy were deleted.
pub(crate) fn removal(policy: &Rehearsed, preview: &Preview) -> Page {
    let mut page = Page::default();
    if let Some(why) = &policy.withheld {
        page.say(why);
    }
    let rows = preview
        .objects
        .iter()
        .map(|PreviewedObject { object, stays }| {
            let fate = match object.state.as_deref() {
                Some("ByOlm") => Span::error("goes, as OLM removes it"),
                _ if goes(object) => Span::error("goes"),
                _ => Span::good("stays"),
            };
            let namespace = object.namespace.as_deref().unwrap_or_default();
            let place = located(namespace, &object.name);
            let why = stays.as_deref().unwrap_or(NONE);
            [object.kind.clone().into(), place.into(), fate, why.into()]
        });
    let rows: Vec<_> = rows.collect();
    let gone = preview.objects.iter().filter(|told| goes(&told.object));
    let count = gone.count();
    let place = located(&policy.namespace, &policy.name);
    page.say(match count {
        0 => format!("Deleting policy {place} would remove nothing but the policy."),
        _ => format!("Deleting policy {place} would remove its operator:"),
    });
    if !rows.is_empty() {
        page.part();
        page.table(["KIND", "OBJECT", "FATE", "WHY"], rows);
    }
    page
}
