//! `portolan console`: web pages about a cluster.

mod rehearsal;
mod visitors;

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Parser;
use portolan_console::{Bind, Connections, Console, Hosted, Services};
use portolan_diagnosis::DiagnosisService;
use portolan_diagnosis::readiness::{ReadinessFlags, ReadinessSources};
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles};
use portolan_world::Access;
use tokio_stream::Stream;

use self::rehearsal::PreviewRehearsal;
use self::visitors::TokenVisitors;
use crate::exit::{self, Exit};
use crate::facts::{LocalServices, PolicyArgs, default_approval};
use crate::failure::Failure;
use crate::print;

/// Serve the console: web pages with operators, catalogs, plans and policies.
///
/// The console listens on loopback, reads with the permissions of your kubeconfig, and writes
/// nothing without --allow-apply. The printed address can be used only once, by one browser. After
/// that, the command prints a new address for another browser. With --tls the console can serve
/// other users. Users log in with a token of the cluster, and see what the token may read. With
/// --readiness-target, a page shows what must be done for operators before and after a cluster
/// upgrade.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  stopped by a signal
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  stopped by an error, such as a port in use or an internal error

Examples:
  portolan console
  portolan console --context staging
  portolan console --world ./dump --catalog olm/ships=./ships
  portolan console --listen 127.0.0.1:8080 --allow-apply
  portolan console --listen '[::]:8443' --tls /etc/tls --host console.example.org")]
pub(crate) struct ConsoleArgs {
    /// Address to listen on. The address must be on loopback unless --tls is given.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,

    /// Folder with tls.crt and tls.key, such as a mounted Secret. Users log in with a token of the
    /// cluster, and see what the token may read.
    ///
    /// Changed files are reloaded. The credentials of the kubeconfig are not used.
    #[arg(
        long,
        value_name = "DIR",
        requires = "hosts",
        conflicts_with_all = ["world", "user"]
    )]
    tls: Option<PathBuf>,

    /// Host name in the URL of the console, with the port unless the port is 443. Can be given
    /// more than once.
    #[arg(long = "host", value_name = "NAME[:PORT]", requires = "tls")]
    hosts: Vec<String>,

    /// Name of the cluster, which each page shows. Default: the context of the kubeconfig.
    #[arg(long, value_name = "NAME")]
    cluster_name: Option<String>,

    /// Allow users to apply previewed changes, each with their own permissions. Each change is
    /// first sent as a server-side dry run.
    #[arg(long, conflicts_with = "world")]
    allow_apply: bool,

    #[command(flatten)]
    facts: PolicyArgs,

    #[command(flatten)]
    readiness: ReadinessFlags,
}

// === impl ConsoleArgs ===

impl ConsoleArgs {
    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        match self.tls.clone() {
            Some(tls) => self.run_hosted(tls).await,
            None => self.run_here().await,
        }
    }

    /// Runs the console for the current user.
    async fn run_here(self) -> Result<Exit, Failure> {
        let approval = default_approval();
        let services = self.facts.open(Vec::new(), Vec::new(), approval).await?;
        let asker = self.facts.asker();
        let bundles = self.facts.bundles(&BundleFlags::default(), asker)?;
        let access = self.facts.access(Asker::Person);
        let target = ReadinessSources::of(self.readiness, &access, bundles.clone());
        let target = target.map_err(Failure::refused)?;
        let has_target = target.has_target();
        let world = services.world().clone();
        let diagnosis = services.diagnosis().with_readiness(world, target);
        let options = ConsoleOptions {
            listen: self.listen,
            may_apply: self.allow_apply,
            has_target,
            name: self.cluster_name,
        };
        let of_services = (&diagnosis, bundles);
        let console = open(options, &self.facts, &services, of_services).await?;
        self.facts.settle(&services).await?;
        print::note(&console.urls().borrow());
        run(console, exit::stops()?).await;
        Ok(Exit::Answered)
    }

    /// Runs the console for visitors, each with their own token.
    async fn run_hosted(self, tls: PathBuf) -> Result<Exit, Failure> {
        let hosted = Hosted {
            address: self.listen,
            tls,
            hosts: self.hosts,
        };
        let visitors = TokenVisitors::of(self.facts, self.allow_apply, self.readiness).await?;
        let subject = self.cluster_name;
        let subject = subject.unwrap_or_else(|| "The cluster of this console".to_owned());
        let console = Console::bind_hosted(hosted, visitors, subject).await;
        let console = console.map_err(refused)?;
        print::note(&console.urls().borrow());
        run(console, exit::stops()?).await;
        Ok(Exit::Answered)
    }
}

/// The options of a console that runs with the permissions of the current user.
#[derive(Debug)]
pub(crate) struct ConsoleOptions {
    /// The address to listen on.
    pub(crate) listen: SocketAddr,
    /// True if users may apply changes in the console.
    pub(crate) may_apply: bool,
    /// True if the diagnosis service has the target of a cluster upgrade, so the console shows its
    /// page.
    pub(crate) has_target: bool,
    /// The name of the cluster, which each page shows.
    pub(crate) name: Option<String>,
}

/// Creates a console that uses these services. Browsers cannot connect before `run` is called.
pub(crate) async fn open(
    options: ConsoleOptions,
    facts: &PolicyArgs,
    services: &LocalServices,
    (diagnosis, bundles): (&DiagnosisService, Bundles),
) -> Result<Console, Failure> {
    let ConsoleOptions {
        listen,
        may_apply,
        has_target,
        name,
    } = options;
    let subject = match (name, facts.folder()) {
        (Some(name), _) => name,
        (None, Some(folder)) => format!("The objects in {}", folder.display()),
        (None, None) => {
            let cluster = facts.cluster().and_then(Access::cluster);
            cluster.unwrap_or_else(|| "The cluster of the kubeconfig".to_owned())
        }
    };
    let rehearsal = PreviewRehearsal::of(services, bundles.clone());
    let connections: Connections = services.console_connections(diagnosis, bundles);
    let source = Services::new(connections, services.world().clone()).with_rehearsal(rehearsal);
    let source = source.allowing_apply(may_apply).with_target(has_target);
    let console = Console::bind(listen, source, subject).await;
    console.map_err(refused)
}

fn refused(error: Bind) -> Failure {
    match error {
        Bind::Reachable(_) | Bind::Certificate(_) => Failure::refused(error),
        Bind::Listen { .. } | Bind::Keys(_) => Failure::failed(error),
    }
}

/// Serves the console until a signal stops it. The caller prints the first address. This function
/// prints each later address, for another browser.
pub(crate) async fn run(console: Console, stops: impl Stream<Item = ()>) {
    let mut urls = console.urls();
    urls.mark_unchanged();
    let telling = async {
        while urls.changed().await.is_ok() {
            let next = urls.borrow_and_update().clone();
            print::note(&format!("URL for another browser: {next}"));
        }
        std::future::pending().await
    };
    tokio::select! {
        () = console.run(stops) => {}
        () = telling => {}
    }
}
