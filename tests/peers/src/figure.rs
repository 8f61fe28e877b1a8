//! Measured values. A value is printed alone or with its limit.

use crate::table::Table;

/// A measured value, and its limit if the value has a goal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    what: &'static str,
    value: f64,
    shown: fn(f64) -> String,
    most: Option<f64>,
}

/// Creates a value without a limit.
pub(crate) const fn figure(what: &'static str, value: f64, shown: fn(f64) -> String) -> Figure {
    Figure {
        what,
        value,
        shown,
        most: None,
    }
}

/// Begins a section with values.
pub(crate) fn begin(title: impl Into<String>, table: &mut Table) {
    let head = ["", "measured", "goal", ""];
    table.section(title, head.map(str::to_owned).to_vec());
}

/// Formats a count.
pub(crate) fn count(value: f64) -> String {
    format!("{value:.0}")
}

// === impl Figure ===

impl Figure {
    /// Sets the limit of the value.
    pub(crate) const fn below(self, most: f64) -> Self {
        Self {
            most: Some(most),
            ..self
        }
    }

    pub(crate) fn report(self, table: &mut Table) {
        let Self {
            what,
            value,
            shown,
            most,
        } = self;
        let mut cells = vec![what.to_owned(), shown(value)];
        if let Some(most) = most {
            let verdict = if value <= most { "reached" } else { "MISSED" };
            cells.extend([format!("<= {}", shown(most)), verdict.to_owned()]);
        }
        table.line(cells);
    }
}
