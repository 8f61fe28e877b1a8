//! The operators of several clusters, worst first.

use std::cmp::Reverse;

use portolan_core_route::readiness::ReadinessVerdict;
use serde::Serialize;

use super::report::Report;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::print::markdown::prose;
use crate::print::{Detail, Format, Page, Render, Span, Table, words};

/// The reports of several clusters.
#[derive(Debug, Serialize)]
pub(super) struct FleetReport {
    /// The target release, as the user wrote it.
    to: String,
    clusters: Vec<FleetCluster>,
    /// The operators of all clusters, worst first.
    operators: Vec<FleetOperator>,
}

/// One cluster.
#[derive(Debug, Serialize)]
struct FleetCluster {
    /// The folder or file of its objects.
    cluster: String,
    /// The current release. Empty if the cluster cannot be judged.
    from: String,
    ready: bool,
    /// True if a fact is unknown.
    in_doubt: bool,
    /// The reason why the cluster cannot be judged. Empty if it was.
    #[serde(skip_serializing_if = "String::is_empty")]
    error: String,
}

/// One operator of one cluster.
#[derive(Debug, Serialize)]
struct FleetOperator {
    cluster: String,
    operator: String,
    installed: String,
    verdict: &'static str,
    /// The first step. Empty if nothing must be done.
    step: String,
    #[serde(skip)]
    verdict_value: ReadinessVerdict,
}

// === impl FleetReport ===

impl FleetReport {
    /// Returns the report about these clusters, each with its own report or with its error.
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
                }),
            }
        }
        fleet.operators.sort_by(|a, b| {
            let key = |it: &FleetOperator| Reverse(it.verdict_value.severity());
            (key(a), &a.cluster, &a.operator).cmp(&(key(b), &b.cluster, &b.operator))
        });
        fleet
    }

    fn add(&mut self, cluster: String, report: &Report) {
        let operators = report.verdicts().map(|it| FleetOperator {
            cluster: cluster.clone(),
            step: report.first_step(&it.operator),
            operator: it.operator,
            installed: it.installed.to_owned(),
            verdict: it.verdict.as_str(),
            verdict_value: it.verdict,
        });
        self.operators.extend(operators);
        let exit = report.exit();
        self.clusters.push(FleetCluster {
            cluster,
            from: report.from().to_owned(),
            ready: exit == Exit::Answered,
            in_doubt: exit == Exit::Unknown,
            error: String::new(),
        });
    }

    fn headline(&self) -> String {
        let ready = self.clusters.iter().filter(|it| it.ready).count();
        let clusters = words::count(self.clusters.len(), "cluster");
        format!("{ready} of {clusters} ready for {}.", self.to)
    }

    /// Returns the clusters that cannot be judged, each with its error.
    fn errors(&self) -> impl Iterator<Item = String> {
        let failed = self.clusters.iter().filter(|it| !it.error.is_empty());
        failed.map(|it| format!("{}: {}", it.cluster, it.error))
    }

    fn table(&self, detail: Detail) -> Table<'_, FleetOperator> {
        Table::of(&self.operators, detail)
            .text("CLUSTER", &|it| &it.cluster)
            .text("OPERATOR", &|it| &it.operator)
            .text("INSTALLED", &|it| &it.installed)
            .column("VERDICT", &|it| match it.verdict_value {
                ReadinessVerdict::Ready => Span::good(it.verdict),
                ReadinessVerdict::Blocked => Span::error(it.verdict),
                ReadinessVerdict::UpdateFirst
                | ReadinessVerdict::UpdateBetween
                | ReadinessVerdict::SwitchChannelFirst
                | ReadinessVerdict::SwitchChannelAfter
                | ReadinessVerdict::NotReinstallable
                | ReadinessVerdict::Stranded
                | ReadinessVerdict::PackageGone
                | ReadinessVerdict::NotChecked => Span::warning(it.verdict),
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
        if !self.operators.is_empty() {
            page.part();
            page.table(self.table(detail));
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
        text += &self.table(Detail::Whole).into_markdown(prose);
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
