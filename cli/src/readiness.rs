//! `portolan readiness`: what must happen to each operator before the cluster is upgraded.

mod catalogs;
mod gather;
mod lines;
mod releases;
mod report;

use clap::{Args, Parser};
use portolan_core_route::readiness::{Minor, judge};
use portolan_resolver::source::{CatalogAt, SourceFlags};

use self::gather::gather;
use self::releases::Via;
use self::report::Report;
use crate::exit::{self, Exit};
use crate::facts::WorldArgs;
use crate::failure::Failure;
use crate::print::Format;
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
/// between with --via. An operator is ready only if all its catalogs could be read. Policies,
/// dependencies and API requests of operators are not checked.
#[derive(Debug, Parser)]
#[command(
    after_help = exit::after_help!(
        "0  nothing must be done before the upgrade",
        "1  something must be done before the upgrade, or an operator blocks it";
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22",
        "portolan readiness --openshift 4.22 --via 4.21=olm/shop=./shop-4.21 --catalog olm/shop=./shop-4.22",
        "portolan readiness --kubernetes 1.35 --world ./dump --catalog olm/shop=oci://quay.test/shop:v2",
        "portolan readiness --openshift 4.22 --catalog olm/shop=./shop-4.22 -o markdown > report.md"
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

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    #[command(flatten)]
    facts: WorldArgs,

    #[command(flatten)]
    reach: SourceFlags,
}

/// The release to which the cluster is to be upgraded.
#[derive(Debug, Clone, Copy, Args)]
#[group(required = true, multiple = false)]
struct TargetArgs {
    /// Target release of OpenShift, such as 4.22.
    #[arg(long, value_name = "RELEASE")]
    openshift: Option<Minor>,

    /// Target release of Kubernetes, such as 1.35, for clusters without OpenShift.
    #[arg(long, value_name = "RELEASE")]
    kubernetes: Option<Minor>,
}

// === impl ReadinessArgs ===

impl ReadinessArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (world, doing) = self.facts.open().await?;
        let stages = releases::stages(&world, self.target, self.from, &self.via).await?;
        let gathering = async {
            let given = catalogs::Given {
                target: &self.catalogs,
                via: &self.via,
                access: &self.reach,
            };
            let catalogs = catalogs::read(&world, &stages, &given).await?;
            gather(&world, &self.whose.namespace, &stages, &catalogs).await
        };
        let gathered = progress::show_while(&doing, gathering).await?;
        let answers = judge(&gathered.question);
        self.output.show(&Report::of(&gathered, &answers))
    }
}
