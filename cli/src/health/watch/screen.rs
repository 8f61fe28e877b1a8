//! What a watcher reads: a table that grows, or a line of JSON for each event.

use portolan_proto::health::v1::WatchResponse;
use portolan_proto::health::v1::watch_response::Event;

use super::rows::{News, Row, Told};
use crate::failure::Failure;
use crate::health::judged;
use crate::health::table::WIDE;
use crate::print::{self, Columns, Detail, Form, Page, Span};

/// Where news is shown.
pub(super) enum Screen {
    Table(Box<Table>),
    Json,
}

/// Rows for people.
pub(super) struct Table {
    told: Told,
    columns: Shown,
    is_begun: bool,
    /// What is said where there is nothing to begin with.
    empty: String,
}

/// Which columns are shown.
enum Shown {
    Usual(Columns<6>),
    Whole(Columns<9>),
}

// === impl Screen ===

impl Screen {
    pub(super) fn new(form: Form, empty: String) -> Self {
        match form.detail() {
            Some(detail) => Self::Table(Box::new(Table {
                told: Told::default(),
                columns: Shown::for_detail(detail),
                is_begun: false,
                empty,
            })),
            None => Self::Json,
        }
    }

    /// Shows an event; whether somebody still reads. A heartbeat is no news.
    pub(super) fn show(&mut self, told: &WatchResponse) -> Result<bool, Failure> {
        match (self, &told.event) {
            (_, None | Some(Event::Heartbeat(_))) => Ok(true),
            (Self::Json, Some(_)) => print::json_line(told),
            (Self::Table(table), Some(event)) => table.show(event),
        }
    }
}

// === impl Table ===

impl Table {
    fn show(&mut self, event: &Event) -> Result<bool, Failure> {
        let rows = match self.told.take(event) {
            News::Nothing => return Ok(true),
            News::All(rows) => rows,
            News::One(row) => vec![row],
        };
        if rows.is_empty() {
            if !self.is_begun {
                print::note(&self.empty);
            }
            return Ok(true);
        }
        let is_first = !std::mem::replace(&mut self.is_begun, true);
        let mut page = Page::default();
        self.columns.add(&mut page, is_first, &rows);
        print::page(page)
    }
}

// === impl Shown ===

impl Shown {
    fn for_detail(detail: Detail) -> Self {
        match detail {
            Detail::Usual => Self::Usual(Columns::default()),
            Detail::Whole => Self::Whole(Columns::default()),
        }
    }

    fn add(&mut self, page: &mut Page, is_first: bool, rows: &[Row]) {
        match self {
            Self::Usual(columns) => {
                let header = ["NAMESPACE", "NAME", "CSV", "HEALTH", "REASON", "MESSAGE"];
                let header = is_first.then(|| header.map(Span::heading));
                let rows: Vec<_> = header.into_iter().chain(rows.iter().map(cells)).collect();
                columns.rows(page, &rows);
            }
            Self::Whole(columns) => {
                let header = is_first.then(|| WIDE.map(Span::heading));
                let rows = rows.iter().map(wide_cells);
                columns.rows(page, &header.into_iter().chain(rows).collect::<Vec<_>>());
            }
        }
    }
}

fn cells(row: &Row) -> [Span; 6] {
    let [
        namespace,
        name,
        _package,
        csv,
        _phase,
        _catalog,
        health,
        code,
        message,
    ] = wide_cells(row);
    [namespace, name, csv, health, code, message]
}

fn wide_cells(row: &Row) -> [Span; 9] {
    let Row {
        namespace,
        name,
        package,
        csv,
        phase,
        catalog,
        state,
        code,
        message,
    } = row;
    [
        namespace.into(),
        name.into(),
        package.into(),
        csv.into(),
        phase.into(),
        catalog.into(),
        state.map_or_else(|| "gone".into(), judged::state),
        code.into(),
        message.into(),
    ]
}
