//! Prints the table, and formats its values.

use std::fmt;

/// A table with sections. The lines of a section are aligned.
#[derive(Debug)]
pub(crate) struct Table {
    /// The description of the measured programs and of the machine.
    about: Vec<String>,
    sections: Vec<Section>,
}

#[derive(Debug)]
struct Section {
    title: String,
    lines: Vec<Vec<String>>,
}

/// A value of both programs.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) what: String,
    pub(crate) ours: f64,
    pub(crate) theirs: f64,
    pub(crate) shown: fn(f64) -> String,
    pub(crate) better: Better,
    /// The factor by which our value must be better. None if there is no goal.
    pub(crate) goal: Option<f64>,
}

/// The values that count as better.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Better {
    /// A lower figure is better, as for times and sizes.
    Less,
    /// A higher figure is better, as for rates.
    More,
}

// === impl Table ===

impl Table {
    pub(crate) fn new(about: Vec<String>) -> Self {
        Self {
            about,
            sections: Vec::new(),
        }
    }

    /// Adds lines to the description of the measurement.
    pub(crate) fn about(&mut self, lines: Vec<String>) {
        self.about.extend(lines);
    }

    /// Begins a section. The rows below have the columns in `head`.
    pub(crate) fn section(&mut self, title: impl Into<String>, head: Vec<String>) {
        self.sections.push(Section {
            title: title.into(),
            lines: vec![head],
        });
    }

    /// Begins a section of [`Row`]s. The section compares our program with `peer`.
    pub(crate) fn comparison(&mut self, title: impl Into<String>, peer: &str) {
        let head = ["", "ours", peer, "ratio", "goal", ""];
        self.section(title, head.map(str::to_owned).to_vec());
    }

    pub(crate) fn line(&mut self, cells: Vec<String>) {
        if let Some(section) = self.sections.last_mut() {
            section.lines.push(cells);
        }
    }

    pub(crate) fn row(&mut self, row: Row) {
        let Row {
            what,
            ours,
            theirs,
            shown,
            better,
            goal,
        } = row;
        let ratio = match better {
            Better::Less => theirs / ours,
            Better::More => ours / theirs,
        };
        let verdict = goal.map(|goal| if ratio >= goal { "reached" } else { "MISSED" });
        let goal = goal.map(|goal| format!(">= {goal}x"));
        self.line(vec![
            what,
            shown(ours),
            shown(theirs),
            format!("{ratio:.2}x"),
            goal.unwrap_or_default(),
            verdict.unwrap_or_default().to_owned(),
        ]);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.about
            .iter()
            .try_for_each(|line| writeln!(f, "{line}"))?;
        self.sections.iter().try_for_each(|section| section.fmt(f))
    }
}

impl fmt::Display for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { title, lines } = self;
        writeln!(f, "\n{title}")?;
        let columns = lines.iter().map(Vec::len).max().unwrap_or_default();
        let width = |at: usize| {
            lines
                .iter()
                .filter_map(|line| line.get(at))
                .map(|c| c.len())
                .max()
        };
        let widths: Vec<_> = (0..columns)
            .map(|at| width(at).unwrap_or_default())
            .collect();
        for line in lines {
            let mut text = String::new();
            for (at, (cell, width)) in line.iter().zip(&widths).enumerate() {
                text += &match at {
                    0 => format!("  {cell:<width$}"),
                    _ => format!("  {cell:>width$}"),
                };
            }
            writeln!(f, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Returns the median. If the number of values is even, returns the larger of the two middle
/// values.
pub(crate) fn median(figures: impl IntoIterator<Item = f64>) -> f64 {
    let mut figures: Vec<f64> = figures.into_iter().collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Returns a percentile: the smallest value such that `share` of all values do not exceed it.
pub(crate) fn percentile(figures: &[f64], share: f64) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    let rank = (figures.len() as f64 * share).ceil() as usize;
    figures
        .get(rank.saturating_sub(1))
        .copied()
        .unwrap_or(f64::NAN)
}

pub(crate) fn milliseconds(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1e3)
}

pub(crate) fn microseconds(seconds: f64) -> String {
    format!("{:.1} us", seconds * 1e6)
}

pub(crate) fn megabytes(bytes: f64) -> String {
    format!("{:.1} MB", bytes / 1e6)
}

pub(crate) fn bytes(bytes: f64) -> String {
    format!("{bytes:.0} B")
}

pub(crate) fn rate(per_second: f64) -> String {
    format!("{per_second:.0} /s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goal_for_a_ratio_is_compared_in_the_direction_of_the_goal() {
        let row = |ours, theirs, better, goal| Row {
            what: "w".to_owned(),
            ours,
            theirs,
            shown: bytes,
            better,
            goal: Some(goal),
        };
        let mut table = Table::new(vec!["about".to_owned()]);
        table.comparison("section", "opm");
        table.row(row(1.0, 8.0, Better::Less, 8.0));
        table.row(row(1.0, 7.0, Better::Less, 8.0));
        table.row(row(30.0, 10.0, Better::More, 3.0));
        table.row(row(29.0, 10.0, Better::More, 3.0));
        let printed = "about

section
     ours   opm  ratio   goal
  w   1 B   8 B  8.00x  >= 8x  reached
  w   1 B   7 B  7.00x  >= 8x   MISSED
  w  30 B  10 B  3.00x  >= 3x  reached
  w  29 B  10 B  2.90x  >= 3x   MISSED
";
        assert_eq!(table.to_string(), printed);
    }

    #[test]
    fn median_ignores_a_single_slow_turn() {
        assert_eq!(median([1.0, 900.0, 2.0]), 2.0);
    }

    #[test]
    fn percentile_is_one_of_the_measured_figures() {
        let figures: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        assert_eq!(percentile(&figures, 0.5), 100.0);
        assert_eq!(percentile(&figures, 0.99), 198.0);
        assert_eq!(percentile(&figures[..50], 0.99), 200.0);
    }
}
