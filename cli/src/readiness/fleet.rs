//! A report about the operators of several clusters. The operators with the worst verdict come
//! first.
//!
//! If a dump cannot be read, its cluster has one row with the error, and the other clusters are
//! still shown.

use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};

use portolan_core_route::readiness::ReadinessVerdict;
use portolan_world::Dump;
use serde::Serialize;

use super::operator::word;
use super::report::Report;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::markdown::prose;
use crate::print::{Detail, Format, Page, Render, Span, Table, words};

/// The report about several clusters.
#[derive(Debug, Serialize)]
pub(super) struct FleetReport {
    /// The target release, as the user wrote it.
    to: String,
    clusters: Vec<FleetCluster>,
    /// The operators of all clusters. The worst verdict comes first.
    operators: Vec<FleetOperator>,
}

/// A cluster of the report.
#[derive(Debug, Serialize)]
struct FleetCluster {
    /// The folder or file with the objects of the cluster.
    cluster: String,
    /// The current release of the cluster. Empty if the cluster could not be checked.
    from: String,
    ready: bool,
    /// True if a fact about the cluster is unknown.
    in_doubt: bool,
    /// The reason why the cluster could not be checked. Empty if the check succeeded.
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
    /// The objects that could not be read. Operators may be missing from the report.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unread: Vec<String>,
}

/// An operator of a cluster. In the table, a row can also be a cluster that could not be read
/// completely.
#[derive(Debug, Clone, Serialize)]
struct FleetOperator {
    cluster: String,
    operator: String,
    installed: String,
    #[serde(serialize_with = "word")]
    verdict: ReadinessVerdict,
    /// The first step that is required. Empty if no step is required.
    step: String,
}

/// The text for a missing name in the table.
const NONE: &str = "-";

/// Returns the dumps in a folder, sorted by name. The folder itself is not a dump. Returns no dumps
/// if the folder contains manifests.
pub(super) fn dumps_in(folder: &Path) -> Vec<PathBuf> {
    if Dump::file(folder).exists() {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let dumps = entries.map(|entry| entry.path());
    let mut dumps: Vec<_> = dumps.filter(|path| Dump::file(path).exists()).collect();
    dumps.sort();
    dumps
}

/// Sorts operators. The worst verdict comes first.
fn sort(operators: &mut [FleetOperator]) {
    operators.sort_by(|a, b| {
        let key = |it: &FleetOperator| Reverse(it.verdict.severity());
        (key(a), &a.cluster, &a.operator).cmp(&(key(b), &b.cluster, &b.operator))
    });
}

// === impl FleetReport ===

impl FleetReport {
    /// Creates the report from the reports of the clusters. A cluster that could not be checked has
    /// an error instead.
    pub(super) fn of(to: String, reports: Vec<(String, Result<Report, Failure>)>) -> Self {
        let mut fleet = Self {
            to,
            clusters: Vec::new(),
            operators: Vec::new(),
        };
        for (cluster, report) in reports {
            match report {
                Ok(report) => fleet.add(cluster, &report),
                Err(failure) => fleet.clusters.push(FleetCluster {
                    cluster,
                    from: String::new(),
                    ready: false,
                    in_doubt: true,
                    error: failure.message().to_owned(),
                    unread: Vec::new(),
                }),
            }
        }
        sort(&mut fleet.operators);
        fleet
    }

    fn add(&mut self, cluster: String, report: &Report) {
        let operators = report.verdicts().map(|it| FleetOperator {
            cluster: cluster.clone(),
            step: report.first_step(&it.operator),
            operator: it.operator,
            installed: it.installed.to_owned(),
            verdict: it.verdict,
        });
        self.operators.extend(operators);
        let exit = report.exit();
        self.clusters.push(FleetCluster {
            cluster,
            from: report.from().to_owned(),
            ready: exit == Exit::Answered,
            in_doubt: exit == Exit::Unknown,
            error: String::new(),
            unread: report.unread().to_vec(),
        });
    }

    fn headline(&self) -> String {
        let ready = self.clusters.iter().filter(|it| it.ready).count();
        let clusters = words::count(self.clusters.len(), "cluster");
        format!("{ready} of {clusters} ready for {}.", self.to)
    }

    /// Returns the errors of clusters and the unreadable objects. Each text contains the name of
    /// its cluster.
    fn errors(&self) -> impl Iterator<Item = String> {
        self.clusters.iter().flat_map(|it| {
            let errors = std::iter::once(&it.error).chain(&it.unread);
            let errors = errors.filter(|error| !error.is_empty());
            errors.map(move |error| format!("{}: {error}", it.cluster))
        })
    }

    /// Returns the rows of the table: the operators, and the clusters that could not be read
    /// completely.
    fn rows(&self) -> Vec<FleetOperator> {
        let unread = self.clusters.iter().filter_map(|it| {
            let mut errors = std::iter::once(&it.error).chain(&it.unread);
            let error = errors.find(|error| !error.is_empty())?;
            Some(FleetOperator {
                cluster: it.cluster.clone(),
                operator: NONE.to_owned(),
                installed: NONE.to_owned(),
                verdict: ReadinessVerdict::NotChecked,
                step: error.clone(),
            })
        });
        let mut rows: Vec<_> = self.operators.iter().cloned().chain(unread).collect();
        sort(&mut rows);
        rows
    }

    fn table(rows: &[FleetOperator], detail: Detail) -> Table<'_, FleetOperator> {
        Table::of(rows, detail)
            .text("CLUSTER", &|it| &it.cluster)
            .text("OPERATOR", &|it| &it.operator)
            .text("INSTALLED", &|it| &it.installed)
            .column("VERDICT", &|it| match it.verdict {
                ReadinessVerdict::Ready => Span::good(it.verdict.as_str()),
                ReadinessVerdict::Blocked => Span::error(it.verdict.as_str()),
                ReadinessVerdict::UpdateFirst
                | ReadinessVerdict::UpdateBetween
                | ReadinessVerdict::SwitchChannelFirst
                | ReadinessVerdict::SwitchChannelAfter
                | ReadinessVerdict::NotReinstallable
                | ReadinessVerdict::Stranded
                | ReadinessVerdict::PackageGone
                | ReadinessVerdict::NotChecked => Span::warning(it.verdict.as_str()),
            })
            .wide_text("STEP", &|it| &it.step)
    }
}

impl Render for FleetReport {
    fn page(&self, detail: Detail) -> Page {
        let mut page = Page::default();
        let headline = self.headline();
        page.line([match self.exit() {
            Exit::Answered => Span::good(headline),
            Exit::No | Exit::BadInput => Span::error(headline),
            Exit::Unknown => Span::warning(headline),
        }]);
        let rows = self.rows();
        if !rows.is_empty() {
            page.part();
            page.table(Self::table(&rows, detail));
        }
        for (at, error) in self.errors().enumerate() {
            if at == 0 {
                page.part();
            }
            page.text_line(error);
        }
        page
    }

    fn text(&self, _: Format) -> Result<String, Failure> {
        let mut text = format!("# {}\n\n", prose(&self.headline()));
        text += &Self::table(&self.rows(), Detail::Whole).into_markdown(prose);
        for error in self.errors() {
            text += &format!("\n{}\n", prose(&error));
        }
        Ok(text)
    }

    fn exit(&self) -> Exit {
        let mut clusters = self.clusters.iter();
        let is_unready = clusters.any(|it| !it.ready && !it.in_doubt);
        let is_in_doubt = self.clusters.iter().any(|it| it.in_doubt);
        Exit::no_if(is_unready).unless_in_doubt(is_in_doubt)
    }
}
