//! `portolan up`: runs all services, the console and the controllers in one process.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use clap::Parser;
use portolan_controller::{LeaseFlags, Terms};
use portolan_core_names::text::shell_word;
use portolan_proto::DESCRIPTORS;
use portolan_shell::{Readiness, ServeFlags, Server};
use portolan_world::Access;

use crate::console::{self, ConsoleOptions};
use crate::exit::{self, Exit};
use crate::explain::answer::Explained;
use crate::explain::operators::ExplainedOperator;
use crate::explain::table;
use crate::facts::{LocalServices, OperatorArgs, PolicyArgs, default_approval};
use crate::failure::Failure;
use crate::print::{self, Detail, Format, Page, Span, Table};
use crate::program_name::ProgramName;
use crate::scope::NamespaceArgs;

mod demo;
mod enforcing;
mod rehearsals;

use self::demo::Demo;
use self::enforcing::Enforcement;
use self::rehearsals::{AutomaticUpgrade, Rehearsals, Shown, not_shown};

/// The output formats for the predicted changes.
const FORMATS: [(Format, &str); 3] = [
    (
        Format::Table,
        "One row for each policy and Operator, and details of what would change",
    ),
    (Format::Wide, "Like table, with all conditions"),
    (
        Format::Json,
        "For each change, one line with an object that has the lists `policies` and `operators`",
    ),
];

/// Run all services and controllers in one process, by default without writing to a cluster.
///
/// By default, the command uses sample objects (the folder deploy/demo, if it exists). As a kubectl
/// plugin, the command uses the current cluster. The command prints what each policy and Operator
/// would change. When an object changes, for example because you edit a sample file, the command
/// prints the changes again. Nothing is written to a cluster without --enforce or --allow-apply.
///
/// The services listen on one address, and a console shows all objects in a browser. The command
/// runs until Ctrl-C. With --allow-apply the console can apply previewed changes to the cluster,
/// with the permissions of your kubeconfig.
///
/// With --enforce the command runs every controller whose CRDs are installed, as the deployed
/// process does, while no other process holds the Lease. For each controller, the command prints
/// that the controller is on, or why the controller is off. The command `install crds` installs the
/// CRDs.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  stopped by a signal; with --once: every policy is compliant, and nothing would change
  1  with --once: a policy is not compliant, or an object would change
  2  invalid input: the command line is invalid, or refers to a missing or invalid file or object
  3  stopped by an error, such as a port in use, a Lease of another replica, or an internal error

Examples:
  portolan up
  portolan up --once
  portolan up --world dump --catalog olm/ships=./ships
  portolan up --context staging
  portolan up --context staging --allow-apply
  portolan up --context staging --enforce
  portolan up --context staging --enforce --updater
  grpcurl -plaintext 127.0.0.1:50051 list")]
pub(crate) struct UpArgs {
    /// Print once what each policy would change, and exit without serving anything.
    #[arg(long, conflicts_with = "enforce")]
    once: bool,

    /// Run every controller whose CRDs are installed, and write to the cluster as the deployed
    /// controller does.
    #[arg(long, conflicts_with = "world")]
    enforce: bool,

    /// Also run the updater, which upgrades Operators automatically. Without --enforce, the updater
    /// only reports the upgrades.
    #[arg(long, conflicts_with = "world")]
    updater: bool,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    /// Continue even if another controller writes the statuses of policies.
    #[arg(long)]
    take_over: bool,

    /// Namespace for operators whose policy and bundle do not specify a namespace.
    #[arg(long, value_name = "NAME")]
    default_namespace: Option<String>,

    #[command(flatten)]
    operators: OperatorArgs,

    #[command(flatten)]
    facts: PolicyArgs,

    #[command(flatten)]
    lease: LeaseFlags,

    #[command(flatten)]
    serve: ServeFlags,

    /// Address of the console, which must be on loopback.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    console_listen: SocketAddr,

    /// Allow users of the console to apply previewed changes to the cluster, with the permissions
    /// of the user who started this command. Each change is first sent as a server-side dry run.
    #[arg(long, conflicts_with_all = ["world", "once"])]
    allow_apply: bool,
}

// === impl UpArgs ===

impl UpArgs {
    /// Returns true if this process writes to the cluster.
    pub(crate) fn is_enforced(&self) -> bool {
        self.enforce
    }

    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        // The kubectl plugin never uses the sample world, because its users expect a cluster.
        let demo = match ProgramName::now() {
            ProgramName::Portolan if self.facts.is_given() => None,
            ProgramName::Portolan => Some(Demo::open()?),
            ProgramName::Plugin(_) | ProgramName::PluginCompleter(_) => None,
        };
        let facts = match &demo {
            Some(demo) => self.facts.clone().about_folder(demo.folder()),
            None => self.facts.clone(),
        };
        if facts.cluster().is_none() {
            self.refuse_without_cluster()?;
        }
        if let Some(demo) = &demo {
            print::note(&demo.note());
        }
        let terms = Terms {
            takes_over: self.take_over,
            default_namespace: self.default_namespace.clone(),
            only_namespace: self.only_namespace(),
        };
        let approval = default_approval();
        let services = facts.open(Vec::new(), Vec::new(), approval).await?;
        if self.once {
            facts.settle(&services).await?;
            let mut rehearsals = Rehearsals::of(&self, (&facts, &services), &terms).await?;
            let answer = rehearsals.answer(&services).await?;
            Screen::new(self.output).show(&answer)?;
            return Ok(answer.exit_code());
        }
        let enforcement = match facts.cluster().filter(|_| self.enforce) {
            Some(access) => Some(Enforcement::prepare(&self, access).await?),
            None => None,
        };
        let up = Up {
            services,
            facts: &facts,
            args: &self,
            terms,
        };
        up.run(self.serve.clone(), enforcement).await
    }

    /// Returns an error if an option that writes to a cluster is used without a cluster. The error
    /// suggests a context of the kubeconfig.
    fn refuse_without_cluster(&self) -> Result<(), Failure> {
        let needs = match (self.enforce, self.updater, self.allow_apply) {
            (true, _, _) => "--enforce writes to a cluster; select the cluster",
            (_, true, _) => {
                "--updater requires a cluster, but the sample objects are files; select a cluster"
            }
            (_, _, true) => {
                "--allow-apply requires a cluster, but the sample objects are files; select a cluster"
            }
            (false, false, false) => return Ok(()),
        };
        let current = self.facts.cluster().and_then(Access::current_context);
        let hint = current.map(|name| {
            let name = shell_word(&name);
            format!("; for the current context, use --context {name}")
        });
        Err(Failure::usage(format!(
            "{needs} with --context NAME or --kubeconfig FILE{}",
            hint.unwrap_or_default()
        )))
    }

    /// Returns the namespace of `-n`. Returns None for all namespaces.
    fn only_namespace(&self) -> Option<String> {
        Some(self.whose.namespace.clone()).filter(|name| !name.is_empty())
    }
}

/// Determines if and when this process writes to the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tenure {
    /// This process never writes to the cluster.
    Onlooker,
    /// This process writes while it holds the Lease.
    Leased,
    /// This process writes, and does not need a Lease.
    Alone,
}

// === impl Tenure ===

impl Tenure {
    fn of(enforcement: Option<&Enforcement>) -> Self {
        match enforcement.map(Enforcement::lease) {
            None => Self::Onlooker,
            Some(None) => Self::Alone,
            Some(Some(_)) => Self::Leased,
        }
    }
}

/// The services that run, and the options of the command.
struct Up<'a> {
    services: LocalServices,
    facts: &'a PolicyArgs,
    args: &'a UpArgs,
    terms: Terms,
}

// === impl Up ===

impl Up<'_> {
    /// Runs all processes until a signal stops the command.
    async fn run(
        self,
        serve: ServeFlags,
        enforcement: Option<Enforcement>,
    ) -> Result<Exit, Failure> {
        let ready = Readiness::pending();
        let diagnosis = self.services.diagnosis();
        let server = self.services.host(Server::new(serve, DESCRIPTORS), &ready);
        let server = server.host(diagnosis.clone().into_service(), ready.clone());
        let mut server = server.bind().await.map_err(Failure::failed)?;
        let (grpc, probes) = (server.grpc_address(), server.probes_address());
        let tenure = Tenure::of(enforcement.as_ref());
        let bundles = self.args.operators.bundles(self.facts)?;
        let connections = self.services.connections_with(bundles.clone());
        let writers = enforcement.map(|it| it.start(connections, &mut server));
        let writers = writers.transpose()?;
        let of_console = (&diagnosis, bundles);
        let options = ConsoleOptions {
            listen: self.args.console_listen,
            may_apply: self.args.allow_apply,
            has_target: false,
            name: None,
        };
        let console = console::open(options, self.facts, &self.services, of_console).await?;
        let is_enforced = tenure != Tenure::Onlooker;
        let (to_server, to_console) = (exit::stops()?, exit::stops()?);
        let serving = async {
            let served = server.run(to_server).await;
            served.map_err(Failure::failed)
        };
        let url = console.urls().borrow().clone();
        let consoling = async {
            console::run(console, to_console).await;
            Ok(())
        };
        let controlling = async {
            match writers {
                Some(writers) => writers.run().await,
                None => Ok(()),
            }
        };
        let looking = async {
            self.facts.settle(&self.services).await?;
            diagnosis.settled().await;
            // The resolver is ready only after it has read its catalogs. Policies are explained
            // before that.
            let getting_ready = async {
                self.services.catalogs().wait_until_read().await;
                ready.set_ready();
                std::future::pending().await
            };
            tokio::select! {
                never = getting_ready => never,
                ended = lasting(is_enforced, self.print_changes((grpc, probes, &url), tenure)) => ended,
            }
        };
        tokio::select! {
            // Stops the controllers before the services that the controllers use.
            ended = async { tokio::try_join!(serving, controlling, consoling) } => ended.map(|_| Exit::Answered),
            ended = lasting(is_enforced, looking) => ended.map(|()| Exit::Answered),
        }
    }

    /// Prints the predicted changes, and prints them again when they change, until the output is
    /// closed.
    async fn print_changes(
        &self,
        addresses: (SocketAddr, SocketAddr, &str),
        tenure: Tenure,
    ) -> Result<(), Failure> {
        let here = (self.facts, &self.services);
        let mut rehearsals = Rehearsals::of(self.args, here, &self.terms).await?;
        let mut screen = Screen::new(self.args.output);
        let mut is_read = screen.show(&rehearsals.answer(&self.services).await?)?;
        self.print_addresses(addresses, tenure);
        while is_read {
            rehearsals.changed().await?;
            is_read = screen.show(&rehearsals.answer(&self.services).await?)?;
        }
        Ok(())
    }

    /// Prints the addresses of the servers and of the console, and commands to try.
    fn print_addresses(
        &self,
        (grpc, probes, console): (SocketAddr, SocketAddr, &str),
        tenure: Tenure,
    ) {
        print::note("");
        print::note(&format!(
            "The gRPC services (resolver, health, approval and diagnosis) listen on {grpc}, probes and metrics on {probes}. Try:"
        ));
        print::note(&format!(
            "  grpcurl -plaintext {grpc} portolan.health.v1.Health/ListOperators"
        ));
        print::note(&format!("  portolan diagnose --server http://{grpc}"));
        print::note(&format!("or open the console in a browser: {console}"));
        if tenure == Tenure::Onlooker && self.facts.cluster().is_some() {
            print::note(&not_shown());
        }
        print::note(&self.write_note(tenure));
    }

    /// Returns a sentence about the objects that the process writes.
    fn write_note(&self, tenure: Tenure) -> String {
        let may_apply = self.args.allow_apply;
        match (tenure, self.facts.folder()) {
            (Tenure::Leased, _) => {
                "The controllers write to the cluster while this process holds the Lease. Press Ctrl-C to stop."
                    .to_owned()
            }
            (Tenure::Alone, _) => {
                "The controllers write to the cluster, without a Lease. Press Ctrl-C to stop.".to_owned()
            }
            (Tenure::Onlooker, Some(folder)) => format!(
                "Nothing is written. Edit a file in {} to see what changes. Press Ctrl-C to stop.",
                folder.display()
            ),
            (Tenure::Onlooker, None) if may_apply => {
                "Only changes that are applied in the browser are written to the cluster. Press Ctrl-C to stop."
                    .to_owned()
            }
            (Tenure::Onlooker, None) => {
                "Nothing is written to the cluster without --enforce. Press Ctrl-C to stop.".to_owned()
            }
        }
    }
}

/// Waits until the output ends. If the controllers write to the cluster, they continue to run until
/// a signal stops the command, even if the output is closed.
async fn lasting(
    is_enforced: bool,
    looking: impl Future<Output = Result<(), Failure>>,
) -> Result<(), Failure> {
    let ended = looking.await;
    if !is_enforced {
        return ended;
    }
    if let Err(failure) = ended {
        print::warn(&format!("output stopped: {}", failure.message()));
    }
    std::future::pending().await
}

/// Prints the predicted changes.
struct Screen {
    output: Format,
    /// The text that was last printed for each policy or Operator, by name. None before the first
    /// output.
    shown: Option<BTreeMap<String, String>>,
    /// The warnings about unknown facts that were last printed.
    unknown: Vec<String>,
}

// === impl Screen ===

impl Screen {
    fn new(output: Format) -> Self {
        Self {
            output,
            shown: None,
            unknown: Vec::new(),
        }
    }

    /// Prints all predicted changes the first time, and later only those that differ. Returns false
    /// if the output is closed.
    fn show(&mut self, shown: &Shown) -> Result<bool, Failure> {
        let answer = &shown.explanation;
        let detail = self.output.detail().unwrap_or(Detail::Whole);
        let policy = |it| table::both((&[it], &[]), detail).into_text();
        let operator = |it| table::both((&[], &[it]), detail).into_text();
        let policies = answer.policies.iter();
        let policies = policies.map(|each| (each.place(), policy(each)));
        let operators = answer.operators.iter();
        let operators = operators.map(|each| (each.place(), operator(each)));
        let upgrades = shown.upgrades.iter().flatten();
        let upgrades = upgrades.map(|each| (each.place(), each.message.clone()));
        let now: BTreeMap<_, _> = policies.chain(operators).chain(upgrades).collect();
        let before = self.shown.replace(now.clone());
        let is_first = before.is_none();
        let before = before.unwrap_or_default();
        let has_changed = |place: String| before.get(&place) != now.get(&place);
        let policies = answer.policies.iter();
        let policies: Vec<&Explained> = policies.filter(|it| has_changed(it.place())).collect();
        let operators = answer.operators.iter();
        let operators: Vec<&ExplainedOperator> =
            operators.filter(|it| has_changed(it.place())).collect();
        let upgrades = shown.upgrades.iter().flatten();
        let upgrades: Vec<&AutomaticUpgrade> =
            upgrades.filter(|it| has_changed(it.place())).collect();
        let is_same = policies.is_empty() && operators.is_empty() && upgrades.is_empty();
        let gone: Vec<_> = before.keys().filter(|it| !now.contains_key(*it)).collect();
        let doubts: Vec<_> = answer.doubts().cloned().collect();
        let known = std::mem::replace(&mut self.unknown, doubts);
        let news = answer.doubts().filter(|what| !known.contains(what));
        news.for_each(|what| print::warn(what));
        if !is_first && is_same && gone.is_empty() {
            return Ok(true);
        }
        if self.output == Format::Json {
            return print::json_line(shown);
        }
        let mut page = Page::default();
        if !is_first {
            page.text_line("");
            page.line([Span::heading("Changed:")]);
        }
        gone.iter()
            .for_each(|place| page.text_line(format!("{place} is gone")));
        page.append(table::both((&policies, &operators), detail));
        if !upgrades.is_empty() {
            page.part();
            page.table(upgrade_table(&upgrades, detail));
        }
        print::page(page)
    }
}

/// Returns one row for each Operator that the updater upgrades.
fn upgrade_table<'a>(
    upgrades: &'a [&'a AutomaticUpgrade],
    detail: Detail,
) -> Table<'a, &'a AutomaticUpgrade> {
    Table::of(upgrades, detail)
        .text("OPERATOR", &|it| &it.operator)
        .column("AUTOMATIC UPGRADE", &|it| {
            if it.is_fine() {
                Span::good(&it.reason)
            } else {
                Span::warning(&it.reason)
            }
        })
        .text("MESSAGE", &|it| &it.message)
}
