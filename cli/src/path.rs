//! `portolan path`: which way leads from an installed bundle to a destination.

mod to;

use clap::{Parser, ValueEnum};
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{Fault, FindPathRequest, FindPathResponse, Hop, walk};

use self::to::To;
use crate::exit::{self, Exit};
use crate::facts::{CatalogFacts, ResolverConnection};
use crate::failure::Failure;
use crate::installed::{self, Installed};
use crate::named::{self, Kind, Named};
use crate::print::{Detail, Form, Page, Span, Table, words};
use crate::scope::{Scope, Whose};

/// Find the way from an installed bundle to a destination, or what blocks it.
#[derive(Debug, Parser)]
#[command(
    // Generated, it would not say what goes with what.
    override_usage = "portolan path [OPTIONS] <NAME>\n       \
                      portolan path [OPTIONS] --package <PACKAGE> --installed <BUNDLE>",
    after_help = exit::after_help!(
        "0  there is a path, or the installed bundle is the destination",
        "1  there is none";
        "portolan path -n harbor ferry --to 2.0.0",
        "portolan path --catalog demo=./demo --package ferry --installed ferry.v1.0.0",
        "portolan path --catalog demo=./demo --package ferry --installed ferry.v1.0.0 --to 2.0.0",
        "portolan path --catalog demo=./demo --package ferry --installed ferry.v1.0.0 \\",
        "    --to '<2.0.0' --walk olm-v0 --channel stable"
    )
)]
pub(crate) struct Command {
    /// An operator of the cluster, or of --world: the name of its Subscription, of its package or of
    /// its ClusterServiceVersion, with or without its namespace; or KIND/NAME with sub, package or csv. The path is in the channel that it follows, unless another is given.
    #[arg(
        value_name = "[NAMESPACE/]NAME|KIND/NAME",
        conflicts_with_all = ["package", "installed"],
        required_unless_present = "package"
    )]
    name: Option<Named>,

    /// Package of the installed bundle.
    #[arg(long, value_name = "PACKAGE", requires = "installed")]
    package: Option<String>,

    /// Name of the installed bundle, as `kubectl get csv` shows it. The catalog need not have it.
    #[arg(long, value_name = "BUNDLE", requires = "package")]
    installed: Option<String>,

    #[command(flatten)]
    whose: Whose,

    /// Where the path shall end: a version; a version range such as `>=1.2.0 <2.0.0`; `head`, the
    /// head of the channel; `patch` or `minor`, the newest bundle of the installed minor or major
    /// version, which answers call the newest z-stream or y-stream.
    #[arg(
        long,
        value_name = "VERSION|RANGE|head|patch|minor",
        default_value = "head"
    )]
    to: To,

    /// Which updates it takes.
    #[arg(long, value_name = "WALK", default_value = "catalog")]
    walk: Walk,

    /// Allow a destination that is older than what is installed.
    #[arg(long)]
    allow_downgrade: bool,

    /// Allow a jump right to the destination where no path leads to it. Nobody has said that it
    /// works.
    #[arg(long)]
    allow_unconnected: bool,

    #[command(flatten)]
    scope: Scope,

    #[command(flatten)]
    form: Form,

    #[command(flatten)]
    facts: CatalogFacts,
}

/// Which updates a path takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Walk {
    /// Any that the catalog permits, for whoever updates hop by hop.
    Catalog,
    /// At each hop the one that OLM v0 takes by itself, in one channel.
    OlmV0,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let (mut resolver, request) = self.question().await?;
        let asked = request.clone();
        let found = resolver.call(async |client| client.find_path(asked).await);
        let answer = match found.await {
            Ok(answer) => answer,
            Err(status) => {
                let taught = to::teach(&mut resolver, &request, &status).await;
                return Err(taught.unwrap_or_else(|| resolver.failure(&status)));
            }
        };
        self.form.print(&answer, &answer.catalogs, render)?;
        let is_blocked = matches!(answer.answer, Some(Answer::Blocked(_)));
        Ok(Exit::no_if(is_blocked))
    }

    /// The question, and who answers it.
    async fn question(&self) -> Result<(ResolverConnection, FindPathRequest), Failure> {
        let request = self.request();
        let Some(name) = &self.name else {
            return Ok((self.facts.connect().await?, request));
        };
        let name = name.clone().among(&Kind::OF_OPERATORS)?;
        let namespace = named::namespace(Some(&name), &self.whose.namespace)?;
        let (resolver, world) = self.facts.connect_in_world().await?;
        let Installed {
            key: _,
            package,
            channel,
            catalog,
            bundle,
            version,
        } = installed::one(&world, &namespace, &name)
            .await?
            .within(&self.scope);
        let request = FindPathRequest {
            package,
            installed: bundle,
            catalog,
            channel,
            installed_version: version,
            ..request
        };
        Ok((resolver, request))
    }

    fn request(&self) -> FindPathRequest {
        let walk = match self.walk {
            Walk::Catalog => walk::Kind::Catalog,
            Walk::OlmV0 => walk::Kind::OlmV0,
        };
        FindPathRequest {
            catalog: self.scope.within.from.clone(),
            package: self.package.clone().unwrap_or_default(),
            channel: self.scope.channel.clone(),
            installed: self.installed.clone().unwrap_or_default(),
            installed_version: self.scope.installed_version.clone(),
            destination: Some(self.to.destination()),
            walk: walk.into(),
            allow_downgrade: self.allow_downgrade,
            allow_unconnected: self.allow_unconnected,
        }
    }
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
            page.say(format!(
                "{name} is the destination; there is nothing to do."
            ));
        }
        Some(Answer::Blocked(blockage)) => page.block(&words::with_flags_of_help(&blockage.text)),
        None => page.say(words::UNKNOWN_ANSWER),
    }
    let faults = answer.faults.iter().filter(|fault| !is_told(answer, fault));
    words::list_faults(&mut page, faults);
    page
}

/// Whether the tree of a blockage has the fault already.
fn is_told(answer: &FindPathResponse, fault: &Fault) -> bool {
    match &answer.answer {
        Some(Answer::Blocked(blockage)) => blockage.text.contains(&fault.message),
        Some(Answer::Reached(_) | Answer::AlreadyThere(_)) | None => false,
    }
}

fn note(hop: &Hop) -> Span {
    let is_unsafe = hop.via.is_empty();
    Span::warning(words::notes([
        (is_unsafe, "unsafe: nobody has said that this works"),
        (hop.downgrade, "downgrade"),
        (!hop.deprecation.is_empty(), "deprecated"),
    ]))
}
