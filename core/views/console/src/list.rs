//! Lists with a search field and filters.

use std::collections::BTreeSet;

use crate::markup::Element;
use crate::part::{note, search_field};
use crate::place::{ConsolePage, Filter};
use crate::view::State;

/// The maximum number of options in a selection field. The limit keeps the page small.
const MOST_OPTIONS: usize = 100;

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

/// Renders a list: the filter form, the number of rows, and the table. `page` is the URL of the
/// list without a filter. `plural` is the name of the objects, such as `catalogs`.
pub(crate) fn shown<T: Row>(
    (page, plural): (&ConsolePage, &str),
    filter: &Filter,
    all: &[T],
    table: impl FnOnce(&[&T]) -> Element,
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
    (page, plural): (&ConsolePage, &str),
    filter: &Filter,
    more: Vec<Choice>,
    (found, all): (usize, usize),
    rows: &[&T],
    table: impl FnOnce(&[&T]) -> Element,
) -> Element {
    let count = note(&format!("{found} of {all} {plural}."));
    let table = (!rows.is_empty()).then(|| table(rows));
    let results = Element::new("div")
        .attr("id", "results")
        .attr("aria-live", "polite")
        .with(count)
        .with(table);
    Element::new("div")
        .with(form(page, filter, more))
        .with(results)
}

fn form(page: &ConsolePage, filter: &Filter, more: Vec<Choice>) -> Element {
    let states = State::ALL.map(|it| (it.as_str().to_owned(), it.as_str().to_owned()));
    let state = Choice {
        name: "state",
        label: "State",
        all: Some("all states"),
        options: states.into(),
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
        let texts: BTreeSet<&str> = texts.filter(|text| !text.is_empty()).collect();
        let more = texts.into_iter().filter(|text| *text != chosen);
        let first = Some(chosen).filter(|chosen| !chosen.is_empty());
        let mut options: Vec<&str> = first.into_iter().chain(more.take(MOST_OPTIONS)).collect();
        options.sort_unstable();
        let options = options.into_iter();
        Self {
            name,
            label,
            all: Some(all),
            options: options
                .map(|text| (text.to_owned(), text.to_owned()))
                .collect(),
            chosen: chosen.to_owned(),
        }
    }

    fn into_field(self) -> Element {
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
        let label = Element::new("label").attr("for", self.name);
        // The shared element keeps the label beside its field.
        Element::new("div")
            .with(label.with(self.label))
            .with(select)
    }
}
