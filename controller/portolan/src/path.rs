//! `portolan path`: which way leads from an installed bundle to a destination.

mod table;
mod to;

use clap::{Parser, ValueEnum};
use portolan_proto::resolver::v1::find_path_response::Answer;
use portolan_proto::resolver::v1::{FindPathRequest, walk};

use self::to::To;
use crate::exit::{self, Said};
use crate::facts::CatalogFacts;
use crate::failure::Failure;
use crate::print::Form;
use crate::scope::Scope;

/// Find the way from an installed bundle to a destination, or what blocks it.
#[derive(Debug, Parser)]
#[command(
    override_usage = "portolan path [OPTIONS] --package <PACKAGE> --installed <BUNDLE> \
                      <--catalog <NAME=PLACE>|--server <URL>>",
    after_help = exit::after_help!(
        "0  there is a path, or the installed bundle is the destination",
        "1  there is none";
        "portolan path --catalog demo=./demo --package ferry --installed ferry.v1.0.0",
        "portolan path --catalog demo=./demo --package ferry --installed ferry.v1.0.0 --to 2.0.0",
        "portolan path --catalog demo=./demo --package ferry --installed ferry.v1.0.0 \\",
        "    --to '<2.0.0' --walk olm-v0 --channel stable"
    )
)]
pub(crate) struct Command {
    /// Package of the installed bundle.
    #[arg(long, value_name = "PACKAGE")]
    package: String,

    /// Name of the installed bundle, as `kubectl get csv` shows it. The catalog need not have it.
    #[arg(long, value_name = "BUNDLE")]
    installed: String,

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
    pub(crate) async fn run(self) -> Result<Said, Failure> {
        let mut resolver = self.facts.connect().await?;
        let request = self.request();
        let found = resolver.call(async |client| client.find_path(request).await);
        let answer = match found.await {
            Ok(answer) => answer,
            Err(status) => {
                let taught = to::teach(&mut resolver, &self.request(), &status).await;
                return Err(taught.unwrap_or_else(|| resolver.failure(&status)));
            }
        };
        self.form.print(&answer, table::render)?;
        Ok(Said::no_if(matches!(
            answer.answer,
            Some(Answer::Blocked(_))
        )))
    }

    fn request(&self) -> FindPathRequest {
        let walk = match self.walk {
            Walk::Catalog => walk::Kind::Catalog,
            Walk::OlmV0 => walk::Kind::OlmV0,
        };
        FindPathRequest {
            catalog: self.scope.within.from.clone(),
            package: self.package.clone(),
            channel: self.scope.channel.clone(),
            installed: self.installed.clone(),
            installed_version: self.scope.installed_version.clone(),
            destination: Some(self.to.destination()),
            walk: walk.into(),
            allow_downgrade: self.allow_downgrade,
            allow_unconnected: self.allow_unconnected,
        }
    }
}
