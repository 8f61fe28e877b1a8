//! The pages of plans, policies and Installs.

use super::operator::{definitions, root_cause};
use crate::frame::Frame;
use crate::markup::{Element, Markup};
use crate::part::{
    MOST_ROWS, link, long, note, or_none, part_or_reason, section, sentences, state, table,
};
use crate::place::{ConsolePage, Filter};
use crate::view::{ObjectCell, ObjectKind, ObjectPage, ObjectTable, ShownObject};

/// Renders the page of a plan, a policy or an Install.
pub fn object(frame: &Frame, page: &ObjectPage) -> String {
    let ObjectPage {
        id,
        state: is,
        why,
        facts,
        cause,
        tables,
    } = page;
    let ShownObject {
        kind,
        namespace,
        name,
    } = id;
    let how = Markup::of([
        Markup::of(state(*is)),
        Markup::of(" "),
        Markup::of(long(why)),
    ]);
    let first = [
        ("State", how),
        ("Kind", Markup::of(kind.title())),
        ("Namespace", Markup::of(or_none(namespace))),
    ];
    let facts = facts.iter().map(|(name, value)| (*name, cell(value)));
    let content = Element::new("div")
        .with(definitions(first.into_iter().chain(facts)))
        .with(section("What is wrong", part_or_reason(cause, root_cause)))
        .each(tables.iter().map(object_table));
    frame.page(&section_of(*kind), name, content)
}

/// Returns the list page for objects of this kind.
fn section_of(kind: ObjectKind) -> ConsolePage {
    match kind {
        ObjectKind::OlmPlan | ObjectKind::Plan => ConsolePage::Plans(Filter::NONE),
        ObjectKind::OperatorPolicy | ObjectKind::Policy | ObjectKind::PolicyBinding => {
            ConsolePage::Policies(Filter::NONE)
        }
        ObjectKind::Install => ConsolePage::Installs(Filter::NONE),
    }
}

/// Renders a table as a section of a page.
pub(super) fn object_table(it: &ObjectTable) -> Element {
    let ObjectTable {
        title,
        caption,
        columns,
        rows,
        none,
    } = it;
    if rows.is_empty() {
        return section(title, note(none));
    }
    let columns: Vec<_> = columns.iter().map(String::as_str).collect();
    let rows = rows.iter().map(|cells| cells.iter().map(cell).collect());
    section(title, table(&long(caption), &columns, rows))
}

fn cell(value: &ObjectCell) -> Markup {
    match value {
        ObjectCell::Text(text) => Markup::of(long(or_none(text))),
        ObjectCell::Lines(lines) if lines.is_empty() => Markup::of(or_none("")),
        ObjectCell::Lines(lines) => sentences(lines),
        ObjectCell::State(is) => Markup::of(state(*is)),
        ObjectCell::Links(links) if links.is_empty() => Markup::of(or_none("")),
        ObjectCell::Links(links) => {
            let links = links.iter().take(MOST_ROWS).enumerate();
            let links = links.map(|(at, (place, text))| {
                let comma = (at > 0).then_some(", ");
                Markup::of([comma.map(Markup::of), Some(Markup::of(link(place, text)))])
            });
            Markup::of(links.collect::<Vec<_>>())
        }
    }
}
