//! The table of operators.

use std::cmp::Ordering;

use portolan_core_names::Version;

use super::{long, operator_link, or_none, row, state, table_of_rows};
use crate::markup::{Element, Markup};
use crate::paging::{PageRows, Room, Span};
use crate::place::{Column, ConsolePage, Filter, FirstRow, Sort};
use crate::view::{Operator, State};

/// A column: its title, the sort column if the table can be sorted by it, and the function that
/// renders a cell.
type OperatorColumn = (&'static str, Option<Column>, fn(&Operator) -> Markup);

/// Renders a table of the operators of one page, and returns its place in the list. If `filter` is set, the titles
/// of the columns are links that sort
/// the table.
pub(crate) fn operators(
    caption: &str,
    filter: Option<&Filter>,
    all: &[&Operator],
    room: Room,
) -> (Element, Span) {
    let columns = columns(all);
    let heads = columns.iter().map(|(title, column, _)| {
        let head = Element::new("th").attr("scope", "col");
        match filter.zip(*column) {
            Some((filter, column)) => sorting(head, title, filter, column),
            None => head.with(*title),
        }
    });
    let titles: Vec<_> = columns.iter().map(|(title, ..)| *title).collect();
    let first = filter.map_or(FirstRow::TOP, |it| it.first);
    let PageRows { rows, span } = PageRows::of(all, first, room, |it| {
        row(&titles, columns.iter().map(|(.., cell)| cell(it)).collect())
    });
    (table_of_rows(caption, heads.collect(), rows), span)
}

/// Returns the columns. Some optional columns are omitted if no operator has a value for them.
fn columns(all: &[&Operator]) -> Vec<OperatorColumn> {
    let any = |text: fn(&Operator) -> &str| all.iter().any(|it| !text(it).is_empty());
    let columns: [(bool, OperatorColumn); 10] = [
        (
            true,
            ("Operator", Some(Column::Operator), |it| {
                Markup::of(operator_link(it))
            }),
        ),
        (
            true,
            ("Namespace", Some(Column::Namespace), |it| {
                Markup::of(or_none(&it.namespace))
            }),
        ),
        (
            true,
            ("Package", Some(Column::Package), |it| {
                Markup::of(or_none(&it.package))
            }),
        ),
        (
            true,
            ("Manager", Some(Column::Manager), |it| {
                Markup::of(it.origin.title())
            }),
        ),
        (
            true,
            ("Installed", Some(Column::Installed), |it| {
                Markup::of(or_none(&it.version))
            }),
        ),
        (
            any(|it| &it.next),
            ("Next", None, |it| Markup::of(long(or_none(&it.next)))),
        ),
        (
            any(|it| &it.wanted),
            ("Wanted", None, |it| Markup::of(long(or_none(&it.wanted)))),
        ),
        (
            any(|it| &it.window),
            ("Window", None, |it| Markup::of(long(or_none(&it.window)))),
        ),
        (
            true,
            ("State", Some(Column::State), |it| {
                Markup::of(state(it.state))
            }),
        ),
        (true, ("Why", None, |it| Markup::of(long(&it.why)))),
    ];
    let columns = columns.into_iter();
    columns
        .filter_map(|(is_shown, column)| is_shown.then_some(column))
        .collect()
}

/// Adds the link that sorts the rows by a column. If the rows are already sorted by this column,
/// the link reverses the order.
fn sorting(head: Element, title: &str, filter: &Filter, column: Column) -> Element {
    let is_sorted = filter.sort.column == column;
    let direction = if filter.sort.is_descending {
        "descending"
    } else {
        "ascending"
    };
    let next = ConsolePage::Operators(Filter {
        sort: Sort {
            column,
            is_descending: is_sorted && !filter.sort.is_descending,
        },
        ..filter.beginning_at(FirstRow::TOP)
    });
    head.attr_if(is_sorted, "aria-sort", direction)
        .with(Element::new("a").href(next.href()).with(title))
}

/// Compares two operators by the selected column. If the values are equal, the operator with the
/// worse state comes first.
pub(crate) fn compare(sort: Sort, one: &Operator, other: &Operator) -> Ordering {
    let of_column = match sort.column {
        Column::State => one.state.cmp(&other.state),
        Column::Operator => one.name.cmp(&other.name),
        Column::Namespace => one.namespace.cmp(&other.namespace),
        Column::Package => one.package.cmp(&other.package),
        Column::Manager => one.origin.title().cmp(other.origin.title()),
        Column::Installed => {
            let [one, other] =
                [one, other].map(|it| (Version::parse(&it.version).ok(), &it.version));
            one.cmp(&other)
        }
    };
    let of_column = if sort.is_descending {
        of_column.reverse()
    } else {
        of_column
    };
    of_column.then_with(|| rest(one).cmp(&rest(other)))
}

/// Returns the order of operators that are equal in the selected column.
fn rest(operator: &Operator) -> (State, &str, &str) {
    (operator.state, &operator.namespace, &operator.name)
}
