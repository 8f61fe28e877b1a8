//! Prints a watch: as a table that grows with each event, or as one line of JSON for each event.

use portolan_proto::health::v1::WatchResponse;
use portolan_proto::health::v1::watch_response::Event;

use super::rows::{RowChange, ShownRows, WatchRow};
use crate::failure::Failure;
use crate::health::judged;
use crate::print::{self, Detail, Format, Page, Span, Table, Widths};

/// The form in which a watch is printed.
pub(super) enum Screen {
    Table(Box<Growing>),
    Json,
}

/// A table that grows with each event.
pub(super) struct Growing {
    seen: ShownRows,
    detail: Detail,
    widths: Widths,
    is_begun: bool,
    /// The message if no objects exist at the start.
    empty: String,
}

// === impl Screen ===

impl Screen {
    pub(super) fn new(format: Format, empty: String) -> Self {
        match format.detail() {
            Some(detail) => Self::Table(Box::new(Growing {
                seen: ShownRows::default(),
                detail,
                widths: Widths::default(),
                is_begun: false,
                empty,
            })),
            None => Self::Json,
        }
    }

    /// Prints an event. Returns false if the output is closed. Prints nothing for a heartbeat.
    pub(super) fn show(&mut self, told: &WatchResponse) -> Result<bool, Failure> {
        match (self, &told.event) {
            (_, None | Some(Event::Heartbeat(_))) => Ok(true),
            (Self::Json, Some(_)) => print::json_line(told),
            (Self::Table(table), Some(event)) => table.show(event),
        }
    }
}

// === impl Growing ===

impl Growing {
    fn show(&mut self, event: &Event) -> Result<bool, Failure> {
        let rows = match self.seen.take(event) {
            RowChange::None => return Ok(true),
            RowChange::All(rows) => rows,
            RowChange::One(row) => vec![row],
        };
        if rows.is_empty() {
            if !self.is_begun {
                print::note(&self.empty);
            }
            return Ok(true);
        }
        let lines = lines(&rows, self.detail);
        let header = usize::from(std::mem::replace(&mut self.is_begun, true));
        let mut page = Page::default();
        self.widths.rows(&mut page, &lines[header..]);
        print::page(page)
    }
}

/// Returns one line for each row, with a header before the first line.
fn lines(rows: &[WatchRow], detail: Detail) -> Vec<Vec<Span>> {
    let table = Table::of(rows, detail)
        .text("NAMESPACE", &|row| &row.namespace)
        .text("NAME", &|row| &row.name)
        .wide_text("PACKAGE", &|row| &row.package)
        .text("BUNDLE", &|row| &row.csv)
        .wide_text("PHASE", &|row| &row.phase)
        .wide_text("CATALOG", &|row| &row.catalog)
        .column("HEALTH", &|row| match row.state {
            Some(state) => judged::state(state),
            None => "gone".into(),
        })
        .text("REASON", &|row| &row.code)
        .text("MESSAGE", &|row| &row.message);
    table.into_lines()
}
