//! `portolan upgrades`: what can an installed bundle be updated to.

mod table;

use clap::Parser;
use portolan_proto::resolver::v1::ListUpgradesRequest;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use tracing::Instrument;

use crate::facts::Facts;
use crate::failure::Failure;
use crate::print::{self, Output};

/// List what an installed bundle can be updated to in one hop, and why not more.
///
/// That nothing can be updated is an answer, not an error: the exit code is 0. It is 2 where the
/// question names something that is not there.
#[derive(Debug, Parser)]
#[command(
    // Generated, it would not say that one of the facts is needed.
    override_usage = "portolan upgrades [OPTIONS] --package <PACKAGE> --installed <BUNDLE> \
                      <--catalog <NAME=DIR>|--server <URL>>",
    after_help = "Examples:
  portolan upgrades --catalog demo=./catalogs/demo --package ferry --installed ferry.v1.0.0
  portolan upgrades --server http://127.0.0.1:50051 --package ferry --installed ferry.v1.0.0 -o json"
)]
pub(crate) struct Command {
    /// Package of the installed bundle.
    #[arg(long, value_name = "PACKAGE")]
    package: String,

    /// Name of the installed bundle, as `kubectl get csv` shows it. The catalog need not have it.
    #[arg(long, value_name = "BUNDLE")]
    installed: String,

    /// Version of the installed bundle, for skip ranges where the catalog does not have it.
    #[arg(
        long,
        value_name = "VERSION",
        default_value = "",
        hide_default_value = true
    )]
    installed_version: String,

    /// Channel to stay in; all channels of the package if not given.
    #[arg(
        long,
        value_name = "CHANNEL",
        default_value = "",
        hide_default_value = true
    )]
    channel: String,

    /// Catalog to look in, where there are several.
    #[arg(
        long,
        value_name = "NAME",
        default_value = "",
        hide_default_value = true
    )]
    from: String,

    /// Form of the answer.
    #[arg(short, long, value_name = "FORM", default_value = "table")]
    output: Output,

    #[command(flatten)]
    facts: Facts,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<(), Failure> {
        let Self {
            package,
            installed,
            installed_version,
            channel,
            from,
            output,
            facts,
        } = self;
        let request = ListUpgradesRequest {
            catalog: from,
            package,
            channel,
            installed,
            installed_version,
        };
        let asked = async {
            let mut resolver = ResolverClient::new(facts.connect().await?);
            let answered = resolver.list_upgrades(request).await;
            answered.map_err(|status| Failure::from_status(&status, facts.server().as_deref()))
        };
        let answer = asked.instrument(tracing::info_span!("upgrades")).await?;
        print::answer(output, answer.get_ref(), table::render)
    }
}
