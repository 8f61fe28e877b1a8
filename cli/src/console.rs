//! `portolan console`: pages for people who would rather look.

use std::net::SocketAddr;

use clap::Parser;
use portolan_console::{Bind, Connections, Console, Services};
use portolan_diagnosis::Diagnosis;
use tokio_stream::Stream;

use crate::exit::{self, Exit};
use crate::facts::{LocalServices, PolicyFacts};
use crate::failure::Failure;
use crate::print;

/// Open pages that show operators, catalogs, plans and policies, and change as these do.
///
/// It listens on loopback, sees what your kubeconfig may see, and writes nothing. The address that it prints lets one browser
/// in, once; for another browser it prints another one then.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  it was told to stop
  2  the command line, or what it points at, is wrong
  3  it could not go on: a port is in use, this program has a bug

Examples:
  portolan console
  portolan console --context staging
  portolan console --world ./dump --catalog olm/ships=./ships
  portolan console --listen 127.0.0.1:8080")]
pub(crate) struct Command {
    /// Address to listen on, which must be on loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    #[command(flatten)]
    facts: PolicyFacts,
}

// === impl Command ===

impl Command {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        let approval = portolan_approval::Options {
            upgrades: Some(portolan_core_consent::Terms::default()),
            ..portolan_approval::Options::default()
        };
        let services = self.facts.open(Vec::new(), Vec::new(), approval).await?;
        let diagnosis = services.diagnosis();
        let console = open(self.listen, &self.facts, &services, &diagnosis).await?;
        self.facts.settle(&services).await?;
        print::note(&console.urls().borrow());
        run(console, exit::stops()?).await;
        Ok(Exit::Answered)
    }
}

/// A console of these services, which nobody can open before it runs.
pub(crate) async fn open(
    listen: SocketAddr,
    facts: &PolicyFacts,
    services: &LocalServices,
    diagnosis: &Diagnosis,
) -> Result<Console, Failure> {
    let subject = match facts.folder() {
        Some(folder) => format!("The objects in {}", folder.display()),
        None => "The cluster of the kubeconfig".to_owned(),
    };
    let connections: Connections = services.connections(diagnosis);
    let source = Services::new(connections, services.world().clone());
    let console = Console::bind(listen, source, subject).await;
    console.map_err(|error| match error {
        Bind::Reachable(_) => Failure::refused(error),
        Bind::Listen { .. } | Bind::Keys(_) => Failure::failed(error),
    })
}

/// Answers until it is told to stop, and prints each address but the first.
pub(crate) async fn run(console: Console, stops: impl Stream<Item = ()>) {
    let mut urls = console.urls();
    urls.mark_unchanged();
    let telling = async {
        while urls.changed().await.is_ok() {
            let next = urls.borrow_and_update().clone();
            print::note(&format!("For another browser: {next}"));
        }
        std::future::pending().await
    };
    tokio::select! {
        () = console.run(stops) => {}
        () = telling => {}
    }
}
