//! Lists with a search field and filters.

use std::collections::BTreeSet;

use crate::markup::{Element, Markup};
use crate::paging::{Room, Span};
use crate::part::{note, search_field};
use crate::place::{ConsolePage, Filter};
use crate::view::State;

/// The limits of the options of a field. If there are more values, the visitor can also type one.
const OPTIONS: Room = Room {
    rows: 60,
    bytes: 2_500,
};

/// A row of a list.
pub(crate) trait Row {
    /// Returns the state of the object.
    fn state(&self) -> State;

    /// Returns the namespace and the name. Rows with the same state are sorted by this key.
    fn key(&self) -> (&str, &str);

    /// Returns the texts in which the search looks for the words of the filter.
    fn texts(&self) -> Vec<&str>;
}

/// A selection field of the filter form.
pub(crate) struct Choice {
    /// The name of the URL parameter.
    pub(crate) name: &'static str,
    /// The label of the field.
    pub(crate) label: &'static str,
    /// The label of the option that selects all rows. None if the field has no such option.
    pub(crate) all: Option<&'static str>,
    /// The options: each value with its label.
    pub(crate) options: Vec<(String, String)>,
    /// True if there are other values, which the visitor can type.
    pub(crate) has_more: bool,
    /// The selected value. Empty if all rows are selected.
    pub(crate) chosen: String,
}

/// Returns the rows that match the words and the state of the filter. Rows with the worst state
/// come first.
pub(crate) fn found<'a, T: Row>(filter: &Filter, all: &'a [T]) -> Vec<&'a T> {
    let found = all.iter();
    let mut found: Vec<_> = found
        .filter(|it| filter.matches(it.state(), &it.texts()))
        .collect();
    found.sort_by_key(|it| (it.state(), it.key()));
    found
}

/// Renders a list: the form of the filter, the number of rows, and a page of the table. `page` is
/// the list with a filter, and `plural` names its objects.
pub(crate) fn shown<T: Row>(
    (page, plural): (fn(Filter) -> ConsolePage, &str),
    filter: &Filter,
    all: &[T],
    table: impl FnOnce(&[&T]) -> (Element, Span),
) -> Element {
    if all.is_empty() {
        return note(&format!("There are no {plural}."));
    }
    let found = found(filter, all);
    let count = (found.len(), all.len());
    results((page, plural), filter, Vec::new(), count, &found, table)
}

/// Renders a list whose rows are already filtered and sorted. `more` contains additional fields of
/// the filter form.
pub(crate) fn results<T>(
    (page, plural): (fn(Filter) -> ConsolePage, &str),
    filter: &Filter,
    more: Vec<Choice>,
    (found, all): (usize, usize),
    rows: &[&T],
    table: impl FnOnce(&[&T]) -> (Element, Span),
) -> Element {
    let count = note(&format!("{found} of {all} {plural}."));
    let (table, span) = (!rows.is_empty()).then(|| table(rows)).unzip();
    let pages = span.and_then(|it: Span| it.navigation(|first| page(filter.beginning_at(first))));
    let results = Element::new("div")
        .attr("id", "results")
        .attr("aria-live", "polite")
        .with(count)
        .with(table)
        .with(pages);
    Element::new("div")
        .with(form(&page(Filter::NONE), filter, more))
        .with(results)
}

fn form(page: &ConsolePage, filter: &Filter, more: Vec<Choice>) -> Element {
    let states = State::ALL.map(|it| (it.as_str().to_owned(), it.as_str().to_owned()));
    let state = Choice {
        name: "state",
        label: "State",
        all: Some("all states"),
        options: states.into(),
        has_more: false,
        chosen: filter.state.map_or("", State::as_str).to_owned(),
    };
    let choices = std::iter::once(state).chain(more);
    Element::new("form")
        .class("search")
        .action(page.href())
        .attr("role", "search")
        .attr("aria-label", "Filter of this list")
        .with(Element::new("div").each(search_field("q", "Find", &filter.text)))
        .each(choices.map(Choice::into_field))
        .with(Element::new("button").with("Filter"))
}

// === impl Choice ===

impl Choice {
    /// Creates a field with one option for each different text of the rows. The selected value is
    /// always an option, even if no row has it.
    pub(crate) fn of_texts<'a>(
        (name, label, all): (&'static str, &'static str, &'static str),
        texts: impl Iterator<Item = &'a str>,
        chosen: &str,
    ) -> Self {
        let mut texts: BTreeSet<&str> = texts.filter(|text| !text.is_empty()).collect();
        if !chosen.is_empty() {
            texts.insert(chosen);
        }
        let fitting = OPTIONS.fitting(texts.iter().map(|text| Markup::of(*text)));
        let has_more = fitting.len() < texts.len();
        let options = texts.into_iter().take(fitting.len());
        Self {
            name,
            label,
            all: Some(all),
            options: options
                .map(|text| (text.to_owned(), text.to_owned()))
                .collect(),
            has_more,
            chosen: chosen.to_owned(),
        }
    }

    fn into_field(self) -> Element {
        let field = if self.has_more {
            self.text_field()
        } else {
            self.select()
        };
        let label = Element::new("label").attr("for", self.name);
        // The label stays beside its field.
        Element::new("div").with(label.with(self.label)).with(field)
    }

    /// Returns a text field that offers the first values.
    fn text_field(&self) -> Markup {
        let list = format!("{}-values", self.name);
        let input = Element::new("input")
            .attr("id", self.name)
            .attr("name", self.name)
            .attr("list", &list)
            .attr("autocomplete", "off")
            .attr("placeholder", self.all.unwrap_or_default())
            .attr("value", &self.chosen);
        let options = self.options.iter();
        let options = options.map(|(value, _)| Element::new("option").attr("value", value));
        let list = Element::new("datalist").attr("id", list);
        Markup::of([input, list.each(options)])
    }

    fn select(&self) -> Markup {
        let option = |value: &str, text: &str| {
            Element::new("option")
                .attr("value", value)
                .attr_if(value == self.chosen, "selected", "")
                .with(text)
        };
        let select = Element::new("select")
            .attr("id", self.name)
            .attr("name", self.name)
            .with(self.all.map(|text| option("", text)))
            .each(self.options.iter().map(|(value, text)| option(value, text)));
        Markup::of(select)
    }
}
