//! `portolan path`: shows the upgrade path from an installed bundle to a destination.

mod olm_v1;
mod to;

use clap::{Parser, ValueEnum};
use portolan_core_names::requirement::Target;
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{
    CatalogRef, Fault, FindPathRequest, FindPathResponse, Hop, walk,
};
use serde::Serialize;

use self::olm_v1::OlmV1Steps;
pub(crate) use self::to::ToArg;
use crate::exit::{self, Exit};
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::hops::{self, HopArgs, WithChanges};
use crate::print::{Detail, OutputArgs, Page, Render, Span, Table, words};
use crate::scope::{ChannelArgs, NamespaceArgs};
use crate::subscribed::Start;
use crate::which::{StartArgs, StartingPoints};

/// Find the upgrade path from an installed bundle to another bundle, or explain what blocks the
/// path.
///
/// For a ClusterExtension, the command also shows which steps of the path OLM v1 takes without a
/// change of the ClusterExtension.
///
/// The exit code is 3 if no path is found and the bundle of --from is missing from the catalog,
/// because a skip range might contain its version. The exit code is also 3 if no upgrade is needed
/// but a document of the catalog cannot be read.
#[derive(Debug, Parser)]
#[command(
    // A generated usage would not show which arguments belong together.
    override_usage = "portolan path [OPTIONS] <NAME>[@<RANGE>]\n       \
                      portolan path [OPTIONS] <PACKAGE>[@<RANGE>] --from <BUNDLE>",
    after_help = exit::after_help!(
        "0  a path exists, or the installed bundle is the destination",
        "1  no path exists";
        "portolan path -n harbor ferry@2.0.0",
        "portolan path --catalog demo=./demo ferry --from ferry.v1.0.0",
        "portolan path --catalog demo=./demo ferry --from ferry.v1.0.0 --changes --bundles ./bundles",
        "portolan path --catalog demo=./demo ferry@2.0.0 --from ferry.v1.0.0",
        "portolan path --catalog demo=./demo 'ferry@<2.0.0' --from ferry.v1.0.0 \\",
        "    --walk olm-v0 --channel stable"
    )
)]
pub(crate) struct PathArgs {
    #[command(flatten)]
    which: StartArgs,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Destination of the path: a bundle or a range. --to RANGE has the same effect as @RANGE after
    /// the name.
    ///
    /// A range is a version, a version range such as `>=1.2.0 <2.0.0`, `latest` (the head of the
    /// channel, the default), `latest-patch` (the newest version with the same minor version) or
    /// `latest-minor` (the newest version with the same major version).
    #[arg(long, alias = "version", value_name = "BUNDLE|RANGE")]
    to: Option<ToArg>,

    /// Updates that the path may use.
    #[arg(long, value_name = "WALK", default_value = "catalog")]
    walk: WalkArg,

    /// Allow a destination that is older than the installed version.
    #[arg(long)]
    allow_downgrade: bool,

    /// Allow a direct upgrade to the destination if no path exists. The author of the operator does
    /// not support such an upgrade.
    #[arg(long)]
    allow_unconnected: bool,

    #[command(flatten)]
    scope: ChannelArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    hops: HopArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

/// The updates that a path may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum WalkArg {
    /// Any update that the catalog allows, for upgrades hop by hop.
    Catalog,
    /// The update that OLM v0 chooses at each hop, in one channel.
    OlmV0,
}

// === impl PathArgs ===

impl PathArgs {
    pub(crate) async fn run(mut self) -> Result<Exit, Failure> {
        let to = self.destination()?;
        if !self.which.is_given() {
            return Err(Failure::usage(
                "name missing: use `path NAME` for an installed operator, or `path PACKAGE --from BUNDLE` for a bundle",
            ));
        }
        let bundles = self.hops.bundles()?;
        let connecting = self.which.connect(&self.scope, &self.facts, bundles);
        let mut lookup = connecting.await?;
        let start = match lookup.find(&self.whose, &self.scope).await? {
            StartingPoints::One(start) => start,
            StartingPoints::All(_) => unreachable!("a name is given"),
        };
        let Start {
            package,
            channel,
            catalog,
            bundle,
            version,
            range: _,
            olm_v1,
        } = start;
        let request = FindPathRequest {
            catalog,
            package: package.clone(),
            channel,
            installed: bundle,
            installed_version: version,
            destination: Some(to.destination()),
            walk: self.walk.wire().into(),
            allow_downgrade: self.allow_downgrade,
            allow_unconnected: self.allow_unconnected,
        };
        let resolver = &mut lookup.resolver;
        let answer = resolver.query(request).await?;
        let changes = self.hops.ask(resolver, hops(package, &answer)).await;
        let forecast = olm_v1.as_ref();
        self.output.format.show(&PathOutput {
            olm_v1: forecast.and_then(|it| OlmV1Steps::of(&answer, it)),
            path: WithChanges { answer, changes },
        })
    }
}

impl PathArgs {
    /// Returns the destination from the name of the package or from `--to`.
    fn destination(&mut self) -> Result<ToArg, Failure> {
        match (self.which.take_target(), self.to.take()) {
            (Some(target), Some(to)) if ToArg::from(&target) != to => Err(Failure::usage(format!(
                "two destinations are given: @{target} and --to; omit one of the two"
            ))),
            (Some(target), _) => Ok(ToArg::from(&target)),
            (None, Some(to)) => Ok(to),
            (None, None) => Ok(ToArg::from(&Target::Latest)),
        }
    }
}

/// A path, with its changes and with the steps of OLM v1.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PathOutput {
    #[serde(flatten)]
    path: WithChanges<FindPathResponse>,
    /// The steps of OLM v1. None if the operator does not belong to a ClusterExtension.
    #[serde(skip_serializing_if = "Option::is_none")]
    olm_v1: Option<OlmV1Steps>,
}

impl Render for PathOutput {
    fn page(&self, detail: Detail) -> Page {
        let mut page = render(&self.path.answer, detail);
        if let Some(steps) = &self.olm_v1 {
            page.part();
            page.text_line(steps.sentence());
        }
        let changes = self.path.changes.as_deref().unwrap_or_default();
        hops::list(&mut page, changes, detail);
        page
    }

    /// Returns the bundles of the path, in the order of its hops.
    fn names(&self) -> Option<Vec<String>> {
        Some(match &self.path.answer.answer {
            Some(Answer::Reached(path)) => path.hops.iter().map(|hop| hop.to.clone()).collect(),
            Some(Answer::AlreadyThere(_) | Answer::Blocked(_)) | None => Vec::new(),
        })
    }

    fn catalogs(&self) -> &[CatalogRef] {
        &self.path.answer.catalogs
    }

    fn exit(&self) -> Exit {
        let is_in_doubt = hops::are_in_doubt(self.path.changes.as_deref());
        exit_of(&self.path.answer).unless_in_doubt(is_in_doubt)
    }
}

// === impl WalkArg ===

impl WalkArg {
    fn wire(self) -> walk::Kind {
        match self {
            Self::Catalog => walk::Kind::Catalog,
            Self::OlmV0 => walk::Kind::OlmV0,
        }
    }
}

/// Returns the exit code. "No upgrade needed" is uncertain if a document of the catalog cannot be
/// read. "No path" is uncertain if the catalog does not contain the bundle, because a skip range
/// might contain its version.
pub(crate) fn exit_of(answer: &FindPathResponse) -> Exit {
    let mut installed = answer.installed.iter();
    match answer.answer {
        Some(Answer::Blocked(_)) if installed.any(|it| it.version.is_empty()) => Exit::Unknown,
        Some(Answer::Blocked(_)) => Exit::No,
        Some(Answer::AlreadyThere(_)) => {
            Exit::Answered.unless_in_doubt(words::may_hide(&answer.faults))
        }
        Some(Answer::Reached(_)) | None => Exit::Answered,
    }
}

/// Returns the hops of a path. Returns no hops if there is no path.
fn hops(package: String, answer: &FindPathResponse) -> Vec<hops::BundlePair> {
    let path = match &answer.answer {
        Some(Answer::Reached(path)) => path,
        Some(Answer::AlreadyThere(_) | Answer::Blocked(_)) | None => return Vec::new(),
    };
    let catalog = hops::catalog(&answer.catalogs);
    let hops = path.hops.iter().map(|hop| hops::BundlePair {
        catalog: catalog.clone(),
        package: package.clone(),
        from: hop.from.clone(),
        to: hop.to.clone(),
    });
    hops.collect()
}

fn render(answer: &FindPathResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    match &answer.answer {
        Some(Answer::Reached(path)) => page.table(
            Table::of(&path.hops, detail)
                .text("FROM", &|hop| &hop.from)
                .text("TO", &|hop| &hop.to)
                .text("VERSION", &|hop| &hop.version)
                .column("VIA", &|hop| match hop.via.as_slice() {
                    [] => Span::warning("no edge"),
                    _ => words::via(hop.via()).into(),
                })
                .column("CHANNELS", &|hop| {
                    words::names(&hop.channels, detail).into()
                })
                .column("NOTE", &note),
        ),
        Some(Answer::AlreadyThere(_)) => {
            let installed = answer.installed.as_ref();
            let name = installed.map_or(words::NONE, |installed| &installed.name);
            page.text_line(format!("{name} is the destination; no upgrade is needed."));
        }
        Some(Answer::Blocked(blockage)) => page.block(&words::with_flags_of_help(
            &blockage.text,
            words::Asking::Path,
        )),
        None => page.text_line(words::UNKNOWN_ANSWER),
    }
    let faults = answer
        .faults
        .iter()
        .filter(|fault| !is_in_blockage(answer, fault));
    words::list_faults(&mut page, faults);
    page
}

/// Returns true if the tree of the Blockage already shows the fault.
fn is_in_blockage(answer: &FindPathResponse, fault: &Fault) -> bool {
    match &answer.answer {
        Some(Answer::Blocked(blockage)) => blockage.text.contains(&fault.message),
        Some(Answer::Reached(_) | Answer::AlreadyThere(_)) | None => false,
    }
}

fn note(hop: &Hop) -> Span {
    let is_unsafe = hop.via.is_empty();
    Span::warning(words::notes([
        (is_unsafe, "unsafe: not supported by the author"),
        (hop.downgrade, "downgrade"),
        (!hop.deprecation.is_empty(), "deprecated"),
    ]))
}
