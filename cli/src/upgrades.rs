//! `portolan upgrades`: shows the bundles to which installed bundles can be upgraded.

mod every;
mod olm_v1;
mod queries;

use std::collections::BTreeMap;

use clap::Parser;
use portolan_proto::resolver::v1::list_upgrades_response::{Successor, Unreachable};
use portolan_proto::resolver::v1::{ListUpgradesResponse, Reachable};
use serde::Serialize;

use self::queries::Queries;
use crate::exit::{self, Exit};
use crate::facts::CatalogArgs;
use crate::failure::Failure;
use crate::hops::{self, BundlePair, HopArgs, WithChanges};
use crate::print::{Detail, OutputArgs, Page, Render, Span, Table, words};
use crate::scope::{ChannelArgs, NamespaceArgs, WatchArgs};
use crate::which::{Lookup, StartArgs, StartingPoints};

/// The maximum number of unreachable bundles that are explained. There is no limit if the user
/// requests all bundles.
const EXPLAINED: usize = 2;

/// The maximum number of lines about further reachable bundles. There is no limit if the user
/// requests all bundles.
const AHEAD: usize = 5;

/// List the available upgrades of installed operators, and explain why other upgrades are
/// unavailable.
///
/// Without arguments, the command lists all operators that are installed on the cluster, with one
/// row for each operator. With NAME, the command shows the details of one operator. With a package
/// and --from, the command does not read a cluster.
///
/// The exit code is 0 if no upgrade is available. The exit code is 3 if a request for an operator
/// fails, or if a document of the catalog cannot be read. The exit code is also 3 if the bundle of
/// --from is missing from the catalog, because a skip range might contain its version. With
/// --changes, the exit code is also 3 if a bundle cannot be read.
#[derive(Debug, Parser)]
#[command(
    // A generated usage would not show which arguments belong together.
    override_usage = "portolan upgrades [OPTIONS] [NAME]\n       \
                      portolan upgrades [OPTIONS] <PACKAGE> --from <BUNDLE>\n       \
                      portolan upgrades --queries <FILE|->",
    after_help = exit::after_help!(
        "0  success, even if no upgrade is available",
        "1  a query in --queries is invalid; the other queries are answered";
        "portolan upgrades",
        "portolan upgrades -n harbor ferry",
        "portolan upgrades -n harbor ferry --changes",
        "portolan upgrades --world ./dump",
        "portolan upgrades --catalog demo=./demo ferry --from ferry.v1.0.0",
        "portolan upgrades --catalog demo=./demo ferry --from ferry.v1.0.0 -o json",
        "portolan upgrades --server http://127.0.0.1:50051 --queries installed.jsonl",
        "portolan upgrades --server http://127.0.0.1:50051 --queries - < installed.jsonl"
    )
)]
pub(crate) struct UpgradesArgs {
    #[command(flatten)]
    which: StartArgs,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// File with queries to answer, or - for standard input. Each line is one query in JSON.
    ///
    /// A query has the fields `package` and `installed`, and optionally `channel`, `catalog` and
    /// `installedVersion`. Each answer is one line of JSON, in the order of the queries. With `-`,
    /// the command reads standard input until the input is closed.
    #[arg(
        long,
        value_name = "FILE|-",
        conflicts_with_all = [
            "name", "package", "installed", "from", "installed_version", "channel", "all_channels",
            "in", "watch", "namespace", "all_namespaces", "changes", "bundles",
        ]
    )]
    queries: Option<Queries>,

    #[command(flatten)]
    scope: ChannelArgs,

    #[command(flatten)]
    watched: WatchArgs,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    hops: HopArgs,

    #[command(flatten)]
    facts: CatalogArgs,
}

// === impl UpgradesArgs ===

impl UpgradesArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        if let Some(queries) = self.queries {
            self.output.format.refuse_unless_streamed("--queries")?;
            return queries.run(&self.facts).await;
        }
        self.hops.refuse_watch(&self.watched)?;
        let bundles = self.hops.bundles()?;
        let connecting = self.which.connect(&self.scope, &self.facts, bundles);
        let mut lookup = connecting.await?;
        self.facts.can_be_watched(&self.watched)?;
        let ask = async || ask(&mut lookup, &self.whose, &self.scope, &self.hops).await;
        self.watched.show(self.output.format, ask).await
    }
}

/// The upgrades of all installed operators, or of one bundle.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum UpgradesOutput {
    All(every::AllUpgrades),
    One(Box<WithChanges<ListUpgradesResponse>>),
}

async fn ask(
    lookup: &mut Lookup,
    whose: &NamespaceArgs,
    scope: &ChannelArgs,
    hops: &HopArgs,
) -> Result<UpgradesOutput, Failure> {
    let found = lookup.find(whose, scope).await?;
    let resolver = &mut lookup.resolver;
    match found {
        StartingPoints::All(installed) => {
            let all = every::ask(resolver, (installed, &whose.namespace), hops).await?;
            Ok(UpgradesOutput::All(all))
        }
        StartingPoints::One(start) => {
            let package = start.package.clone();
            let forecast = start.olm_v1.clone();
            let request = every::request(start);
            let mut answer = resolver.query(request).await?;
            if let Some(forecast) = forecast {
                olm_v1::apply(&mut answer, &forecast);
            }
            let updates = answer.successors.iter().map(|successor| &*successor.name);
            let updates = hops_to(&package, &answer, updates);
            let changes = hops.ask(resolver, updates).await;
            Ok(UpgradesOutput::One(Box::new(WithChanges {
                answer,
                changes,
            })))
        }
    }
}

/// Returns one hop from the installed bundle to each of these updates.
fn hops_to<'a>(
    package: &str,
    answer: &ListUpgradesResponse,
    updates: impl Iterator<Item = &'a str>,
) -> Vec<BundlePair> {
    let installed = answer.installed.clone().unwrap_or_default();
    let hops = updates.map(|update| BundlePair {
        catalog: hops::catalog(&answer.catalogs),
        package: package.to_owned(),
        from: installed.name.clone(),
        to: update.to_owned(),
    });
    hops.collect()
}

/// The code of a reason: the catalog does not contain the installed version. A skip range may
/// contain this version.
const UNKNOWN_VERSION: &str = "UnknownVersion";

// === impl UpgradesOutput ===

impl UpgradesOutput {
    /// Returns true if an upgrade may exist although the answer contains no upgrade.
    fn is_in_doubt(&self) -> bool {
        match self {
            Self::All(answers) => {
                let mut changes = answers.changes();
                answers.are_incomplete()
                    || answers.answers().any(is_in_doubt)
                    || changes.any(|changes| hops::are_in_doubt(Some(changes)))
            }
            Self::One(told) => {
                is_in_doubt(&told.answer) || hops::are_in_doubt(told.changes.as_deref())
            }
        }
    }
}

impl Render for UpgradesOutput {
    fn page(&self, detail: Detail) -> Page {
        match self {
            Self::All(answers) => {
                let page = every::render(answers, detail);
                page.with_stale(&answers.catalogs())
            }
            Self::One(told) => {
                let mut page = render(&told.answer, detail);
                let changes = told.changes.as_deref().unwrap_or_default();
                hops::list(&mut page, changes, detail);
                page.with_stale(&told.answer.catalogs)
            }
        }
    }

    fn names(&self) -> Option<Vec<String>> {
        Some(match self {
            Self::All(answers) => answers.names(),
            Self::One(one) => {
                let successors = one.answer.successors.iter();
                successors.map(|successor| successor.name.clone()).collect()
            }
        })
    }

    fn exit(&self) -> Exit {
        Exit::Answered.unless_in_doubt(self.is_in_doubt())
    }
}

/// Returns true if an upgrade may exist although the answer contains no upgrade. The catalog does
/// not contain the installed bundle, or a document of the catalog cannot be read.
fn is_in_doubt(answer: &ListUpgradesResponse) -> bool {
    let mut reasons = answer.reasons.iter();
    let is_unknown = reasons.any(|why| why.code == UNKNOWN_VERSION);
    answer.successors.is_empty() && (is_unknown || words::may_hide(&answer.faults))
}

fn render(answer: &ListUpgradesResponse, detail: Detail) -> Page {
    let mut page = Page::default();
    list_successors(&mut page, answer, detail);
    list_further(&mut page, &answer.reachable, detail);
    list_unreachable(&mut page, &answer.newer_unreachable, detail);
    words::list_deprecations(&mut page, &answer.deprecations);
    page.lines(answer.reasons.iter().map(|reason| {
        let message = words::with_flags(&reason.message);
        [format!("{}: {message}", reason.code).into()]
    }));
    words::list_faults(&mut page, &answer.faults);
    page
}

fn list_successors(page: &mut Page, answer: &ListUpgradesResponse, detail: Detail) {
    if answer.successors.is_empty() {
        let installed = answer.installed.as_ref();
        let name = installed.map_or(words::NONE, |installed| &installed.name);
        page.text_line(format!("No update from {name}."));
        return;
    }
    let is_recommended = |successor: &Successor| successor.name == answer.recommended;
    page.table(
        Table::of(&answer.successors, detail)
            .column("UPDATE", &|successor| {
                Span::good_if(is_recommended(successor), &successor.name)
            })
            .text("VERSION", &|successor| &successor.version)
            .column("VIA", &|successor| words::via(successor.via()).into())
            .column("CHANNELS", &|successor| {
                words::names(&successor.channels, detail).into()
            })
            .column("NOTE", &|successor| {
                note(successor, is_recommended(successor))
            }),
    );
}

fn note(successor: &Successor, is_recommended: bool) -> Span {
    let warnings = words::notes([
        (successor.version.is_empty(), "not in the catalog"),
        (successor.downgrade, "downgrade"),
        (!successor.deprecation.is_empty(), "deprecated"),
    ]);
    match (is_recommended, warnings.is_empty()) {
        (true, true) => Span::good("recommended"),
        (true, false) => Span::warning(format!("recommended, {warnings}")),
        (false, _) => Span::warning(warnings),
    }
}

/// Prints the reachable bundles after the next update. There is one line for each number of hops.
fn list_further(page: &mut Page, reachable: &[Reachable], detail: Detail) {
    let mut by_hops: BTreeMap<u32, Vec<&str>> = BTreeMap::new();
    for bundle in reachable.iter().filter(|bundle| bundle.hops > 1) {
        by_hops.entry(bundle.hops).or_default().push(&bundle.name);
    }
    if by_hops.is_empty() {
        return;
    }
    let shown = match detail {
        Detail::Usual => AHEAD,
        Detail::Whole => by_hops.len(),
    };
    page.section("Reachable in several hops:");
    for (hops, bundles) in by_hops.iter().take(shown) {
        page.below([format!("in {hops} hops: {}", words::names(bundles, detail)).into()]);
    }
    let left_out: usize = by_hops.values().skip(shown).map(Vec::len).sum();
    if left_out > 0 {
        let left_out = words::count(left_out, "bundle");
        page.below([format!("... {left_out} with more hops (-o wide shows all)").into()]);
    }
}

/// Prints the newer bundles that cannot be reached. Prints all reasons for the newest of these
/// bundles.
fn list_unreachable(page: &mut Page, unreachable: &[Unreachable], detail: Detail) {
    if unreachable.is_empty() {
        return;
    }
    let shown = match detail {
        Detail::Usual => EXPLAINED,
        Detail::Whole => unreachable.len(),
    };
    page.section("Newer bundles without an upgrade path:");
    for bundle in unreachable.iter().take(shown) {
        let text = bundle.blockage.as_ref().map(|blockage| &blockage.text);
        let text = text.unwrap_or(&bundle.name);
        page.block(&words::with_flags_of_help(text, words::Asking::Upgrades));
    }
    if let Some(rest) = unreachable.get(shown..)
        && !rest.is_empty()
    {
        let names: Vec<_> = rest.iter().map(|bundle| &bundle.name).collect();
        let names = words::names(&names, detail);
        page.text_line(format!("... also {names} (-o wide shows the reasons)"));
    }
}
