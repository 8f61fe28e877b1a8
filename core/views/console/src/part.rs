//! Elements that several pages use.

mod graph;
mod operators;

pub(crate) use self::graph::{graph_of_operator, graph_of_package};
pub(crate) use self::operators::{compare, operators};

use crate::markup::{Content, Element, Markup};
use crate::paging::{PageRows, Room, Span};
use crate::place::{ConsolePage, FirstRow};
use crate::view::{
    Cause, CheckedObject, ObjectKind, Operator, Origin, Plan, Quote, Remedy, Seen, ShownObject,
    State, Unseen,
};

/// The maximum number of rows of a table without pages.
pub(crate) const MOST_ROWS: usize = 150;
/// The limits of a table without pages. A page has several of them.
const TABLE: Room = Room {
    rows: MOST_ROWS,
    bytes: 16_000,
};
/// The maximum number of characters of a text from catalogs or objects.
const MOST_LETTERS: usize = 2_000;
/// The maximum depth of nested facts and causes.
const DEEPEST: usize = 8;

/// The placeholder for an empty text.
pub(crate) const NONE: &str = "–";

/// Renders a section of a page with its heading.
pub(crate) fn section(title: &str, content: impl Content) -> Element {
    Element::new("section")
        .with(Element::new("h2").with(title))
        .with(content)
}

/// Renders a part of a page. If the part is unavailable, renders the reason.
pub(crate) fn part_or_reason<T, C: Content>(what: &Seen<T>, show: impl FnOnce(&T) -> C) -> Markup {
    match what {
        Ok(what) => Markup::of(show(what)),
        Err(Unseen(why)) => Markup::of(Element::new("p").class("unseen").with(long(why))),
    }
}

pub(crate) fn note(text: &str) -> Element {
    Element::new("p").class("note").with(text)
}

pub(crate) fn state(state: State) -> Element {
    Element::new("span")
        .class(state.class())
        .with(state.as_str())
}

pub(crate) fn link(place: &ConsolePage, text: &str) -> Element {
    Element::new("a").href(place.href()).with(or_none(text))
}

/// Renders the name of an operator as a link to its page.
pub(crate) fn operator_link(operator: &Operator) -> Element {
    let place = ConsolePage::Operator {
        origin: operator.origin,
        namespace: operator.namespace.clone(),
        name: operator.name.clone(),
    };
    link(&place, &operator.name)
}

/// Renders a search field. The script submits the search while the user types.
pub(crate) fn search_field(id: &'static str, label: &'static str, text: &str) -> [Element; 2] {
    let field = Element::new("input")
        .attr("type", "search")
        .attr("id", id)
        .attr("name", "q")
        .attr("autocomplete", "off")
        .attr("value", text);
    [Element::new("label").attr("for", id).with(label), field]
}

/// Renders a field of a form below its label.
pub(crate) fn labeled_field(id: &'static str, label: &'static str, field: Element) -> Element {
    let label = Element::new("label").attr("for", id).with(label);
    Element::new("div").with(label).with(field)
}

/// Renders the optional selection field for a channel.
pub(crate) fn channel_field(all: &[String], chosen: &str) -> Element {
    let all = all.iter().map(String::as_str).take(MOST_ROWS);
    // Offer the chosen channel even if the package does not contain it.
    let is_listed = all.clone().any(|it| it == chosen);
    let other = (!is_listed && !chosen.is_empty()).then_some(chosen);
    let options = all.chain(other).map(|it| {
        let option = Element::new("option").attr("value", it);
        option.attr_if(it == chosen, "selected", "").with(long(it))
    });
    let every = Element::new("option").attr("value", "");
    let select = Element::new("select")
        .attr("id", "channel")
        .attr("name", "channel")
        .with(every.with("All channels"))
        .each(options);
    labeled_field("channel", "Channel", select)
}

pub(crate) fn or_none(text: &str) -> &str {
    if text.is_empty() { NONE } else { text }
}

/// Returns a text, truncated to the maximum length.
pub(crate) fn long(text: &str) -> String {
    match text.char_indices().nth(MOST_LETTERS) {
        None => text.to_owned(),
        Some((end, _)) => format!("{} …", &text[..end]),
    }
}

/// Returns the names, separated by commas. If there are many names, returns the first names and the
/// number of omitted names.
pub(crate) fn names(names: &[String]) -> String {
    const MOST: usize = 12;
    let first = names[..names.len().min(MOST)].join(", ");
    let text = match names.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first} and {more} more"),
    };
    or_none(&long(&text)).to_owned()
}

/// Renders a table with the given columns. Each row has one cell for each column. The first cell is
/// the header of its row. A long table has only its first rows.
pub(crate) fn table(
    caption: &str,
    columns: &[&str],
    rows: impl ExactSizeIterator<Item = Vec<Markup>>,
) -> Element {
    let count = rows.len();
    let rows = TABLE.fitting(rows.map(|cells| row(columns, cells)));
    let more = count - rows.len();
    let table = table_of_rows(caption, heads(columns), rows);
    let more = (more > 0).then(|| note(&format!("And {more} more rows.")));
    Element::new("div").with(table).with(more)
}

/// Renders the table of the rows of one page, and returns its place in the list.
pub(crate) fn paged_table<T>(
    caption: &str,
    columns: &[&str],
    (all, first, room): (&[T], FirstRow, Room),
    cells: impl Fn(&T) -> Vec<Markup>,
) -> (Element, Span) {
    let render = |it: &T| row(columns, cells(it));
    let PageRows { rows, span } = PageRows::of(all, first, room, render);
    (table_of_rows(caption, heads(columns), rows), span)
}

/// Renders the titles of columns.
pub(crate) fn heads(columns: &[&str]) -> Vec<Element> {
    let heads = columns.iter().map(|name| {
        let head = Element::new("th").attr("scope", "col");
        head.with(*name)
    });
    heads.collect()
}

/// Renders a row of a table with these columns.
pub(crate) fn row(columns: &[&str], cells: Vec<Markup>) -> Markup {
    let cells = cells.into_iter().zip(columns).enumerate();
    let cells = cells.map(|(place, (cell, column))| {
        let element = match place {
            0 => Element::new("th").attr("scope", "row"),
            _ => Element::new("td").attr("data-of", column),
        };
        element.with(cell)
    });
    Markup::of(Element::new("tr").each(cells))
}

/// Renders a table of rendered rows.
pub(crate) fn table_of_rows(caption: &str, heads: Vec<Element>, rows: Vec<Markup>) -> Element {
    let table = Element::new("table")
        .with(Element::new("caption").with(caption))
        .with(Element::new("thead").with(Element::new("tr").each(heads)))
        .with(Element::new("tbody").each(rows));
    Element::new("div").class("scroll").with(table)
}

/// Renders the number of rows that a table does not show, with a link to the complete list. Returns
/// None if the table is complete.
pub(crate) fn more_rows(span: Span, list: &ConsolePage) -> Option<Element> {
    let more = span.after();
    let text = format!("And {more} more: ");
    (more > 0).then(|| note(&text).with(link(list, "Show all")))
}

/// Renders the plans of one page, and returns its place in the list.
pub(crate) fn plans(
    caption: &str,
    plans: &[&Plan],
    (first, room): (FirstRow, Room),
) -> (Element, Span) {
    let columns = [
        "Plan",
        "Namespace",
        "Of",
        "Phase",
        "Bundles",
        "State",
        "Why",
        "How to unblock it",
    ];
    paged_table(caption, &columns, (plans, first, room), |it| {
        vec![
            plan_link(it),
            Markup::of(or_none(&it.namespace)),
            Markup::of(it.origin.title()),
            Markup::of(or_none(&it.phase)),
            Markup::of(names(&it.bundles)),
            Markup::of(state(it.state)),
            sentences(&it.why),
            sentences(&it.fixes),
        ]
    })
}

/// Renders the name of a plan. The name is a link if the plan has a page.
fn plan_link(plan: &Plan) -> Markup {
    let kind = match plan.origin {
        Origin::Olm => ObjectKind::OlmPlan,
        Origin::Portolan => ObjectKind::Plan,
        // OLM v1 has no plans.
        Origin::OlmV1 => return Markup::of(plan.name.as_str()),
    };
    let id = ShownObject::of(kind, &plan.namespace, &plan.name);
    Markup::of(link(&ConsolePage::Object(id), &plan.name))
}

/// Renders sentences below each other.
pub(crate) fn sentences(sentences: &[String]) -> Markup {
    let mut shown = Vec::new();
    for (place, sentence) in sentences.iter().take(MOST_ROWS).enumerate() {
        if place > 0 {
            shown.push(Markup::of(Element::new("br")));
        }
        shown.push(Markup::of(long(sentence)));
    }
    Markup::of(shown)
}

/// Renders the checked facts. Below each fact are the facts on which it depends.
pub(crate) fn facts(facts: &[CheckedObject]) -> Element {
    facts_down_to(DEEPEST, facts)
}

fn facts_down_to(depth: usize, facts: &[CheckedObject]) -> Element {
    let items = facts.iter().take(MOST_ROWS).map(|fact| {
        let below = depth.checked_sub(1).filter(|_| !fact.below.is_empty());
        Element::new("li")
            .with(state(fact.state))
            .with(" ")
            .with(Element::new("b").with(long(&fact.object)))
            .with(" ")
            .with(long(&fact.message))
            .with(" ")
            .with(Element::new("code").with(long(&fact.code)))
            .with(below.map(|depth| facts_down_to(depth, &fact.below)))
    });
    Element::new("ul").class("facts").each(items)
}

/// Renders a cause and its remedies. Below the cause are the causes that follow from it.
pub(crate) fn cause(cause: &Cause) -> Element {
    cause_down_to(DEEPEST, cause)
}

fn cause_down_to(depth: usize, cause: &Cause) -> Element {
    let below = depth.checked_sub(1).into_iter().flat_map(|depth| {
        let below = cause.below.iter().take(MOST_ROWS);
        below.map(move |below| Element::new("li").with(cause_down_to(depth, below)))
    });
    let below: Vec<_> = below.collect();
    let below = (!below.is_empty()).then(|| Element::new("ul").each(below));
    let headline = (!cause.headline.is_empty()).then(|| {
        let headline = Element::new("b").with(long(&cause.headline));
        Element::new("p").with(headline)
    });
    Element::new("div")
        .with(headline)
        .with(
            Element::new("p")
                .with(state(cause.state))
                .with(" ")
                .with(long(&cause.message))
                .with(" ")
                .with(Element::new("code").with(long(&cause.code))),
        )
        .each(cause.quotes.iter().take(MOST_ROWS).map(quote))
        .each(facts_of(cause))
        .each(
            cause
                .look
                .iter()
                .take(MOST_ROWS)
                .map(|it| remedy("Look", it)),
        )
        .with(cause.fix.as_ref().map(|it| remedy("Fix", it)))
        .each(decide(&cause.decide))
        .each(
            cause
                .later
                .iter()
                .take(MOST_ROWS)
                .map(|it| remedy("Later", it)),
        )
        .with(below)
}

/// Renders the message of a program, such as OLM, that shows the cause.
fn quote(quote: &Quote) -> Element {
    let label = format!("Message from {}", quote.source);
    labeled("p", &label, &quote.text)
}

/// Renders the object at fault, the responsible person or program, the action, and the confidence.
fn facts_of(cause: &Cause) -> impl Iterator<Item = Element> {
    let facts = [
        ("At fault", &cause.at_fault),
        ("Responsible", &cause.who),
        ("Action", &cause.action),
        ("Confidence", &cause.confidence),
    ];
    let facts = facts.into_iter().filter(|(_, text)| !text.is_empty());
    facts.map(|(label, text)| labeled("p", label, text))
}

/// Renders alternative remedies. Each alternative is collapsed, so that the visitor sees all
/// summaries at once.
fn decide(alternatives: &[Remedy]) -> impl Iterator<Item = Element> {
    let alternatives = alternatives.iter().take(MOST_ROWS).enumerate();
    alternatives.map(|(at, it)| {
        let label = if at == 0 { "Decide" } else { "Or" };
        let summary = labeled("summary", label, &it.message);
        Element::new("details").with(summary).with(commands(it))
    })
}

fn remedy(label: &str, remedy: &Remedy) -> Element {
    Element::new("div")
        .with(labeled("p", label, &remedy.message))
        .with(commands(remedy))
}

fn labeled(tag: &'static str, label: &str, text: &str) -> Element {
    let label = Element::new("b").with(format!("{label}: ").as_str());
    Element::new(tag).with(label).with(long(text))
}

/// Renders commands with their notes. The script adds a copy button to each command.
fn commands(remedy: &Remedy) -> Markup {
    let scripts = remedy.scripts.iter().take(MOST_ROWS);
    let scripts = scripts.filter(|script| !script.is_empty());
    let scripts = scripts.map(|script| command(script));
    let notes = remedy.notes.iter().map(|it| note(&long(it)));
    Markup::of(scripts.chain(notes).collect::<Vec<_>>())
}

/// Renders a command. The CSS class of a truncated command differs, because an incomplete command
/// must not be copied.
pub(crate) fn command(script: &str) -> Element {
    let lines = Element::new("pre").with(long(script));
    let is_whole = script.chars().count() <= MOST_LETTERS;
    let class = if is_whole { "command" } else { "truncated" };
    Element::new("div").class(class).with(lines)
}
