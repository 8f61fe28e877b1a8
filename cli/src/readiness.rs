//! `portolan readiness`: shows what users must do with each operator before they upgrade the
//! cluster.

mod check;
mod fleet;
mod local;
mod operator;
mod plan;
mod report;
mod step;

use std::path::PathBuf;

use clap::{Args, Parser};
use portolan_approval::ReviewTerms;
use portolan_diagnosis::readiness::TargetRelease;
use portolan_proto::diagnosis::v1::ListReadinessRequest;
use portolan_proto::diagnosis::v1::list_readiness_request::Target;
use portolan_resolver::bundles::BundleFlags;
use portolan_resolver::readiness::{Minor, ReleaseCatalog, Stage};
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_world::Access;

use self::fleet::FleetReport;
use self::local::{LocalQuestion, LocalReadiness};
use self::report::Report;
use crate::exit::{self, Exit};
use crate::facts::{DiagnosisConnection, TrustArgs, UpgradeTermArgs, WorldArgs, diagnosis_server};
use crate::failure::Failure;
use crate::print::{self, Format};
use crate::progress;
use crate::scope::{NamespaceArgs, WatchArgs};

/// The output formats of a readiness report.
const FORMATS: [(Format, &str); 5] = [
    (
        Format::Table,
        "The steps in chronological order, for people",
    ),
    (
        Format::Wide,
        "Like table, with the updates after the upgrade",
    ),
    (
        Format::Json,
        "All operators and steps as JSON, for programs",
    ),
    (Format::Yaml, "Like json, but in YAML format"),
    (Format::Markdown, "Markdown, for tickets and web pages"),
];

/// Show what must happen to operators before, during and after a cluster upgrade.
///
/// Compares each installed operator with the catalogs of the target release: operators of OLM v0
/// and v1, and Operators of Portolan. The steps are listed in this order: steps before the cluster
/// upgrade, problems that block the upgrade, steps in the releases between, and steps after the
/// upgrade. Each step shows who must act, and a command. No objects are changed.
///
/// Give the content of each catalog in the target release with --catalog, and for each release in
/// between with --via. An operator is ready only if all its catalogs could be read. If the cluster
/// upgrade removes APIs, the files of bundles are read too: from --bundles, the catalog, or the
/// registry of the image. On OpenShift, the command also reads the recorded requests for these
/// APIs, and the condition Upgradeable of the ClusterOperators of OLM. Policies are evaluated at
/// the time of --at. Dependencies between operators are not checked.
///
/// With --server, a running service answers with the catalogs that it was started with. With
/// several --world, or with a folder of dumps, a table shows the operators of all clusters, worst
/// first. --plan also writes the steps as files, and --check shows which of these steps are not yet
/// done.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  nothing must be done before the upgrade; with --watch: stopped by a signal",
        "1  something must be done before the upgrade, or an operator blocks it";
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22",
        "portolan readiness --openshift 4.22 --via 4.21=olm/shop=./shop-4.21 --catalog olm/shop=./shop-4.22",
        "portolan readiness --kubernetes 1.35 --world ./dump --catalog olm/shop=oci://quay.test/shop:v2",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 -o markdown > report.md",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 --plan ./steps",
        "portolan readiness --check ./steps",
        "portolan readiness --openshift 4.22 --server https://diagnosis.test:50051",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 --world ./east --world ./west"
    )
)]
pub(crate) struct ReadinessArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// Current release of the cluster, if the cluster or dump does not report its release.
    #[arg(long, value_name = "RELEASE")]
    from: Option<Minor>,

    /// A catalog of the target release: the name of a catalog of the cluster, and a place.
    ///
    /// A place is a folder (or file) of catalog files, the address of a registry as grpc://ADDRESS,
    /// the URL of a catalogd, or an image as oci://IMAGE. Can be given more than once.
    #[arg(long = "catalog", value_name = "NAME=PLACE")]
    catalogs: Vec<CatalogAt>,

    /// A catalog of a release between the current release and the target. Can be given more than
    /// once.
    #[arg(long, value_name = "RELEASE=NAME=PLACE")]
    via: Vec<ReleaseCatalog>,

    /// Also write the steps into this folder, in order: a file for each changed object, and a README.
    /// The folder must be new or empty.
    #[arg(long, value_name = "DIR", conflicts_with = "watch")]
    plan: Option<PathBuf>,

    /// Show which steps in a folder that --plan wrote are not yet done.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["plan", "openshift", "kubernetes", "from", "catalogs", "via", "watch"])]
    check: Option<PathBuf>,

    #[command(flatten)]
    whose: NamespaceArgs,

    #[command(flatten)]
    watched: WatchArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    #[command(flatten)]
    terms: UpgradeTermArgs,

    #[command(flatten)]
    bundles: BundleFlags,

    #[command(flatten)]
    fleet: FleetArgs,

    #[command(flatten)]
    reach: SourceFlags,
}

/// The release to which the cluster is to be upgraded.
#[derive(Debug, Clone, Copy, Args)]
#[group(multiple = false)]
struct TargetArgs {
    /// Target release of OpenShift, such as 4.22.
    #[arg(long, value_name = "RELEASE")]
    openshift: Option<Minor>,

    /// Target release of Kubernetes, such as 1.35, for clusters without OpenShift.
    #[arg(long, value_name = "RELEASE")]
    kubernetes: Option<Minor>,
}

/// The source of an answer: a cluster, the files of one or more clusters, or a running service.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
struct FleetArgs {
    /// Folder (or file) of manifests to use instead of a cluster. Can be given more than once, or be
    /// a folder of dumps, for a table of several clusters.
    #[arg(long = "world", value_name = "PATH", conflicts_with_all = ["kubeconfig", "context", "user"])]
    worlds: Vec<PathBuf>,

    /// Query a running diagnosis service instead of reading objects and catalogs.
    ///
    /// If no data source and no catalog is given, the default is the environment variable
    /// $PORTOLAN_DIAGNOSIS, or else $PORTOLAN_SERVER.
    #[arg(
        long,
        value_name = "URL",
        conflicts_with_all = [
            "kubeconfig", "context", "user", "worlds", "catalogs", "via", "bundles", "check", "at",
            "unbound", "broken",
        ]
    )]
    server: Option<String>,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    access: Access,
}

// === impl FleetArgs ===

impl FleetArgs {
    fn world(&self, folder: Option<&PathBuf>) -> WorldArgs {
        WorldArgs::of(folder.cloned(), self.access.clone())
    }

    /// Returns the folders of all clusters if the user specified several clusters. Returns None for
    /// one cluster.
    fn clusters(&self) -> Option<Vec<PathBuf>> {
        let mut is_fleet = self.worlds.len() > 1;
        let mut folders = Vec::new();
        for folder in &self.worlds {
            let dumps = fleet::dumps_in(folder);
            is_fleet |= !dumps.is_empty();
            if dumps.is_empty() {
                folders.push(folder.clone());
            } else {
                folders.extend(dumps);
            }
        }
        is_fleet.then_some(folders)
    }

    /// Returns the only cluster. Returns an error if there are several clusters, because the flag
    /// supports only one.
    fn only(&self, flag: &str) -> Result<WorldArgs, Failure> {
        match self.clusters() {
            None => Ok(self.world(self.worlds.first())),
            Some(_) => Err(Failure::usage(format!(
                "{flag} needs one cluster; use --world only once, and with one dump"
            ))),
        }
    }
}

// === impl ReadinessArgs ===

impl ReadinessArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if let Some(folder) = &self.check {
            let planned = check::read(folder)?;
            let (world, doing) = self.fleet.only("--check")?.open().await?;
            let checking = check::check(&world, planned);
            let progress = progress::show_while(&doing, checking).await;
            return self.output.show(&progress);
        }
        if let Some(folder) = &self.plan {
            plan::must_be_empty(folder)?;
            self.fleet.only("--plan")?;
        }
        if let Some(server) = self.server()? {
            return self.ask(server).await;
        }
        let target = self.target.release().ok_or_else(|| {
            Failure::usage("use --openshift RELEASE, --kubernetes RELEASE or --check DIR")
        })?;
        let given = self.given(target);
        let question = LocalQuestion {
            target,
            from: self.from,
            namespace: &self.whose.namespace,
            given: &given,
            reach: &self.reach,
            bundles: &self.bundles,
            terms: ReviewTerms {
                at: self.terms.time(),
                terms: self.terms.terms(),
            },
            is_watched: self.watched.watch,
        };
        if let Some(folders) = self.fleet.clusters() {
            if self.watched.watch {
                self.fleet.only("--watch")?;
            }
            return self.fleet(&folders, &question).await;
        }
        let facts = self.fleet.world(self.fleet.worlds.first());
        let local = LocalReadiness::open(&facts, &question).await?;
        must_be_passed(&[local.stages().await?], &self.via)?;
        self.show(async || Report::of(local.responses().await?))
            .await
    }

    /// Connects to the server that answers. Returns None if this process must answer.
    fn server(&self) -> Result<Option<DiagnosisConnection>, Failure> {
        let FleetArgs {
            worlds,
            server,
            trust,
            access,
        } = &self.fleet;
        let are_facts_given = !worlds.is_empty()
            || access.is_given()
            || !self.catalogs.is_empty()
            || !self.via.is_empty();
        diagnosis_server(server.as_deref(), trust, are_facts_given)
    }

    /// Requests the report from a server. If the user names no target release, the server uses its
    /// configured target.
    async fn ask(&self, mut server: DiagnosisConnection) -> Result<Exit, Failure> {
        let request = ListReadinessRequest {
            namespace: self.whose.namespace.clone(),
            target: self.target.request(),
            from: self.from.map(|from| from.to_string()).unwrap_or_default(),
        };
        self.show(async || {
            let mut answers = server.query(request.clone()).await?;
            let mut responses = Vec::new();
            loop {
                match progress::show_while("judging operators", answers.message()).await {
                    Ok(Some(response)) => responses.push(response),
                    Ok(None) => return Report::of(responses),
                    Err(status) => return Err(server.failure(&status)),
                }
            }
        })
        .await
    }

    /// Prints the report. With `--plan`, also writes the steps into a folder.
    async fn show(
        &self,
        mut report: impl AsyncFnMut() -> Result<Report, Failure>,
    ) -> Result<Exit, Failure> {
        let Some(folder) = &self.plan else {
            return self.watched.show(self.output, report).await;
        };
        let report = report().await?;
        let exit = self.output.show(&report)?;
        let count = plan::write(folder, &report)?;
        print::note(&format!("wrote {count} steps to {}", folder.display()));
        Ok(exit)
    }

    /// Reports about several clusters. Returns an error if no cluster can be checked.
    async fn fleet(
        &self,
        folders: &[PathBuf],
        question: &LocalQuestion<'_>,
    ) -> Result<Exit, Failure> {
        let (mut reports, mut ways) = (Vec::new(), Vec::new());
        for folder in folders {
            let facts = self.fleet.world(Some(folder));
            let judging = async {
                let local = LocalReadiness::open(&facts, question).await?;
                let stages = local.stages().await?;
                let report = Report::of(local.responses().await?)?;
                Ok::<_, Failure>((report, stages))
            };
            let report = judging.await.map(|(report, stages)| {
                ways.push(stages);
                report
            });
            reports.push((folder.display().to_string(), report));
        }
        if ways.is_empty()
            && let Some((_, Err(failure))) = reports.pop()
        {
            return Err(failure);
        }
        must_be_passed(&ways, &self.via)?;
        self.output
            .show(&FleetReport::of(question.target.to_string(), reports))
    }

    /// Returns the catalogs that the user specified, for the target release and for the releases in
    /// between.
    fn given(&self, target: TargetRelease) -> Vec<ReleaseCatalog> {
        let (TargetRelease::Openshift(release) | TargetRelease::Kubernetes(release)) = target;
        let of_target = self.catalogs.iter().map(|catalog| ReleaseCatalog {
            release,
            catalog: catalog.clone(),
        });
        self.via.iter().cloned().chain(of_target).collect()
    }
}

/// Returns an error if the user specified a catalog for a release that no cluster passes.
fn must_be_passed(ways: &[Vec<Stage>], via: &[ReleaseCatalog]) -> Result<(), Failure> {
    let passes = |stages: &Vec<Stage>, release| {
        let between = &stages[1..stages.len() - 1];
        between.iter().any(|stage| stage.release() == release)
    };
    let mut releases = via.iter().map(|via| via.release);
    let unused = releases.find(|release| !ways.iter().any(|way| passes(way, *release)));
    match (unused, ways) {
        (None, _) | (Some(_), []) => Ok(()),
        (Some(release), [stages]) => Err(Failure::usage(format!(
            "--via {release}: the cluster does not pass this release between {} and {}",
            stages[0],
            stages[stages.len() - 1]
        ))),
        (Some(release), _) => Err(Failure::usage(format!(
            "--via {release}: no upgrade to the target passes this release"
        ))),
    }
}

// === impl TargetArgs ===

impl TargetArgs {
    fn release(self) -> Option<TargetRelease> {
        let openshift = self.openshift.map(TargetRelease::Openshift);
        openshift.or_else(|| self.kubernetes.map(TargetRelease::Kubernetes))
    }

    fn request(self) -> Option<Target> {
        let release = self.release()?;
        Some(match release {
            TargetRelease::Openshift(release) => Target::Openshift(release.to_string()),
            TargetRelease::Kubernetes(release) => Target::Kubernetes(release.to_string()),
        })
    }
}
