//! `portolan readiness`: what must happen to each operator before the cluster is upgraded.

mod actions;
mod catalogs;
mod change;
mod check;
mod contents;
mod fleet;
mod gather;
mod goal;
mod lines;
mod openshift;
mod plan;
mod releases;
mod report;
mod restraints;
mod sentences;

use std::path::PathBuf;

use clap::{Args, Parser};
use portolan_controller::READS;
use portolan_core_route::readiness::{Minor, Stage, judge};
use portolan_resolver::Mirrors;
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles};
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_world::{Access, AnyWorld};

use self::contents::judge_with_bundles;
use self::fleet::FleetReport;
use self::gather::{Gathered, gather};
use self::releases::Via;
use self::report::{ClusterFacts, Report};
use self::restraints::Rules;
use crate::exit::{self, Exit};
use crate::facts::{UpgradeTermArgs, WorldArgs};
use crate::failure::Failure;
use crate::print::{self, Format};
use crate::progress;
use crate::scope::NamespaceArgs;

/// The formats of a report.
const FORMATS: [(Format, &str); 5] = [
    (Format::Table, "The steps in the order of time, for people"),
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
/// and v1, and Operators of Portolan. The steps are listed in the order of time: before the
/// upgrade, what blocks it, in releases between, and after it. Each step names who must act and a
/// command. No objects are changed.
///
/// Give the content of each catalog in the target release with --catalog, and for each release in
/// between with --via. An operator is ready only if all its catalogs could be read. If the
/// cluster upgrade removes APIs, the files of bundles are read too: from --bundles, the catalog, or the
/// registry of the image. On OpenShift, requests for these APIs and the condition Upgradeable of the
/// ClusterOperators of OLM are compared. Policies are evaluated at --at. Dependencies between
/// operators are not checked.
///
/// With several --world, a table shows the operators of all clusters, worst first. --plan also writes
/// the steps as files, and --check shows which of them are left.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  nothing must be done before the upgrade",
        "1  something must be done before the upgrade, or an operator blocks it";
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22",
        "portolan readiness --openshift 4.22 --via 4.21=olm/shop=./shop-4.21 --catalog olm/shop=./shop-4.22",
        "portolan readiness --kubernetes 1.35 --world ./dump --catalog olm/shop=oci://quay.test/shop:v2",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 -o markdown > report.md",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 --plan ./steps",
        "portolan readiness --check ./steps",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 --world ./east --world ./west"
    )
)]
pub(crate) struct ReadinessArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// Current release of the cluster, if it is unknown.
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
    via: Vec<Via>,

    /// Also write the steps into this folder, in order: a file for each changed object, and a README.
    /// The folder must be new or empty.
    #[arg(long, value_name = "DIR")]
    plan: Option<PathBuf>,

    /// Show which steps of a folder of --plan are left.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["plan", "openshift", "kubernetes", "from", "catalogs", "via"])]
    check: Option<PathBuf>,

    #[command(flatten)]
    whose: NamespaceArgs,

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

/// The sources of objects: a cluster, or the files of one or more clusters.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
struct FleetArgs {
    /// Folder (or file) of manifests to use instead of a cluster. Can be given more than once, for a
    /// table of several clusters.
    #[arg(long = "world", value_name = "PATH", conflicts_with_all = ["kubeconfig", "context", "user"])]
    worlds: Vec<PathBuf>,

    #[command(flatten)]
    access: Access,
}

// === impl FleetArgs ===

impl FleetArgs {
    fn world(&self, folder: Option<&PathBuf>) -> WorldArgs {
        WorldArgs::of(folder.cloned(), self.access.clone())
    }

    /// Returns the only source. Rejects several, because the flag handles one cluster.
    fn only(&self, flag: &str) -> Result<WorldArgs, Failure> {
        match self.worlds.as_slice() {
            [] | [_] => Ok(self.world(self.worlds.first())),
            [_, ..] => Err(Failure::usage(format!(
                "{flag} needs one cluster; use --world only once"
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
        if self.target.name().is_none() {
            return Err(Failure::usage(
                "use --openshift RELEASE, --kubernetes RELEASE or --check DIR",
            ));
        }
        if let Some(folder) = &self.plan {
            plan::must_be_empty(folder)?;
            self.fleet.only("--plan")?;
        }
        if self.fleet.worlds.len() > 1 {
            return self.fleet().await;
        }
        let (report, stages) = self.report(&self.fleet.only("")?).await?;
        releases::must_be_passed(&[stages], &self.via)?;
        let exit = self.output.show(&report)?;
        if let Some(folder) = &self.plan {
            let count = plan::write(folder, &report)?;
            print::note(&format!("wrote {count} steps to {}", folder.display()));
        }
        Ok(exit)
    }

    /// Judges several clusters. Fails if none can be judged.
    async fn fleet(&self) -> Result<Exit, Failure> {
        let (mut reports, mut ways) = (Vec::new(), Vec::new());
        for folder in &self.fleet.worlds {
            let facts = self.fleet.world(Some(folder));
            let report = self.report(&facts).await.map(|(report, stages)| {
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
        releases::must_be_passed(&ways, &self.via)?;
        let target = self.target.name().unwrap_or_default();
        self.output.show(&FleetReport::of(target, reports))
    }

    /// Judges the operators of one cluster. Also returns its releases.
    async fn report(&self, facts: &WorldArgs) -> Result<(Report, Vec<Stage>), Failure> {
        let (world, doing) = facts.open().await?;
        let world = match world {
            AnyWorld::Files(files) => AnyWorld::Files(files.reading(READS)),
            AnyWorld::Cluster(cluster) => AnyWorld::Cluster(cluster.reading(READS)),
        };
        let stages = releases::stages(&world, self.target, self.from, &self.via).await?;
        let gathering = async {
            let given = catalogs::Given {
                target: &self.catalogs,
                via: &self.via,
                access: &self.reach,
            };
            let catalogs = catalogs::read(&world, &stages, &given).await?;
            let gathered = gather(&world, &self.whose.namespace, &stages, &catalogs).await?;
            Ok::<_, Failure>((gathered, catalogs))
        };
        let (mut gathered, catalogs) = progress::show_while(&doing, gathering).await?;
        let bundles = self.bundles(&world, facts)?;
        let judging = judge_with_bundles(&mut gathered, &catalogs, &bundles);
        let answers = progress::show_while("reading bundles", judging).await;
        let (rules, gaps) = Rules::read(&world, &self.terms).await;
        gathered.gaps.extend(gaps);
        rules.apply(&mut gathered, &answers);
        let cluster = self.cluster_facts(&world, &mut gathered).await;
        let answers = judge(&gathered.question);
        Ok((Report::of(&gathered, &answers, cluster), stages))
    }

    /// Adds the requests of operators, and returns what OpenShift reports about all operators.
    async fn cluster_facts(&self, world: &AnyWorld, gathered: &mut Gathered) -> ClusterFacts {
        let mut facts = ClusterFacts::default();
        if let Some(why) = openshift::add_requests(world, gathered).await {
            let unknown = format!("requests of operators for removed APIs ({why})");
            facts.not_checked.push(unknown);
        }
        // A condition is about the operators of all namespaces.
        if self.whose.namespace.is_empty() {
            let conditions = openshift::conditions(world, gathered).await;
            facts.notes = conditions.notes;
            facts.not_checked.extend(conditions.not_checked);
        }
        facts
    }

    /// Returns the locations of bundles: the locations in these flags, the folder of files, and
    /// registries. Files may be old or from another environment. Therefore only registries in a
    /// flag are contacted for the bundles of files.
    fn bundles(&self, world: &AnyWorld, facts: &WorldArgs) -> Result<Bundles, Failure> {
        let flags = self.bundles.or_brought(facts.folder());
        let open = |asker| flags.open(&self.reach.images, asker);
        let opened = match world {
            AnyWorld::Files(_) => open(Asker::Server),
            AnyWorld::Cluster(cluster) => {
                let opened = open(Asker::Person);
                opened.map(|bundles| bundles.through(Mirrors::of(cluster)))
            }
        };
        opened.map_err(Failure::refused)
    }
}

// === impl TargetArgs ===

impl TargetArgs {
    /// Returns the target, such as `OpenShift 4.22`.
    fn name(self) -> Option<String> {
        let openshift = self.openshift.map(|it| format!("OpenShift {it}"));
        openshift.or_else(|| self.kubernetes.map(|it| format!("Kubernetes {it}")))
    }
}
