//! `portolan up`: everything in one process.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use clap::Parser;
use portolan_controller::{
    Connections, ControllerConfig, ControllerFlags, LeaseFlags, OperatorRehearsal, PolicyFlags,
    Rehearsal, Terms, beside, controllers,
};
use portolan_core_names::text::listed_up_to;
use portolan_proto::DESCRIPTORS;
use portolan_scaffold::Process;
use portolan_shell::{Bound, Readiness, ServeFlags, Server};
use portolan_world::{Access, WorldFlags};

use crate::console;
use crate::exit::{self, Exit};
use crate::explain::answer::{Explained, Explanation};
use crate::explain::operators::ExplainedOperator;
use crate::explain::{self, table};
use crate::facts::{LocalServices, OperatorArgs, PolicyArgs, decide_policies, default_approval};
use crate::failure::Failure;
use crate::print::{self, Detail, Format, Page, Span};
use crate::program_name::ProgramName;
use crate::scope::NamespaceArgs;

mod demo;

use self::demo::Demo;

/// The number of past messages in a status, the same as in the controller.
const HISTORY: u8 = 10;

/// Returns the note about the objects that `--enforce` does not carry out.
fn not_enforced() -> String {
    format!(
        "It does not carry out {}; the deployed controller does.",
        others()
    )
}

/// Returns the help of `--enforce`.
fn enforce_help() -> String {
    format!(
        "Carry out OperatorPolicies on the cluster, as the deployed controller does. {} are left to that controller",
        others()
    )
}

/// Returns the objects of the controllers that do not run here.
fn others() -> String {
    let others = controllers().filter(|it| it.flags != ["--enforce"]);
    listed_up_to(usize::MAX, others.map(|it| it.objects))
}

/// The formats of what would change.
const FORMATS: [(Format, &str); 3] = [
    (
        Format::Table,
        "One row for each policy and Operator, and details of what would change",
    ),
    (Format::Wide, "The same, with all conditions"),
    (
        Format::Json,
        "One object with the lists `policies` and `operators`, one line for each change",
    ),
];

/// Run everything in one process: all services, and the controller without writing.
///
/// By default it runs on sample objects, those in deploy/demo if that folder exists. As a kubectl
/// plugin it runs on the current cluster. It prints what each policy and Operator would change, and
/// prints it again after each change: try to edit a sample file. Nothing is written to a cluster
/// without --enforce or --allow-apply.
///
/// All services listen on one address, and a console shows everything in a browser, until Ctrl-C.
/// With --allow-apply the console can apply previewed changes to the cluster, with the permissions
/// of your kubeconfig.
#[derive(Debug, Parser)]
#[command(after_help = "Exit codes:
  0  stopped by a signal; with --once: every policy is compliant, and nothing would change
  1  with --once: a policy is not compliant, or something would change
  2  invalid input: the command line, or a file or object that it names
  3  stopped by an error: a port is in use, another replica holds the Lease, or an internal error

Examples:
  portolan up
  portolan up --once
  portolan up --world dump --catalog olm/ships=./ships
  portolan up --context staging
  portolan up --context staging --allow-apply
  portolan up --context staging --enforce
  grpcurl -plaintext 127.0.0.1:50051 list")]
pub(crate) struct UpArgs {
    /// Print once what each policy would change, and serve nothing.
    #[arg(long, conflicts_with = "enforce")]
    once: bool,

    #[arg(long, conflicts_with = "world", help = enforce_help())]
    enforce: bool,

    #[command(flatten)]
    whose: NamespaceArgs,

    /// Output format.
    #[arg(short, long, value_name = "FORM", default_value = "table", value_parser = Format::among(FORMATS))]
    output: Format,

    /// Continue even if another controller writes the statuses of policies.
    #[arg(long)]
    take_over: bool,

    /// Namespace for operators whose policy and bundle do not specify one.
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
    /// Returns true if it writes to the cluster.
    pub(crate) fn is_enforced(&self) -> bool {
        self.enforce
    }

    pub(crate) async fn run(self) -> Result<Exit, Failure> {
        // Who calls kubectl means a cluster.
        let demo = match ProgramName::now() {
            ProgramName::Portolan if self.facts.is_given() => None,
            ProgramName::Portolan => Some(Demo::open()?),
            ProgramName::Plugin(_) | ProgramName::PluginCompleter(_) => None,
        };
        let facts = match &demo {
            Some(demo) => self.facts.about_folder(demo.folder()),
            None => self.facts,
        };
        if self.enforce && facts.cluster().is_none() {
            return Err(Failure::usage(
                "--enforce writes to a cluster: select it with --context NAME or --kubeconfig FILE",
            ));
        }
        if self.allow_apply && facts.cluster().is_none() {
            return Err(Failure::usage(
                "--allow-apply needs a cluster, but the sample objects are files: select a cluster with --context NAME or --kubeconfig FILE",
            ));
        }
        if let Some(demo) = &demo {
            print::note(&demo.note());
        }
        let terms = Terms {
            takes_over: self.take_over,
            default_namespace: self.default_namespace,
            only_namespace: Some(self.whose.namespace).filter(|name| !name.is_empty()),
        };
        let approval = default_approval();
        let services = facts.open(Vec::new(), Vec::new(), approval).await?;
        if self.once {
            facts.settle(&services).await?;
            let all = decide_policies(&mut services.rehearse(&terms)).await?;
            let mut answer = explain::answer(&services, all).await;
            if terms.only_namespace.is_none() {
                let mut rehearsal = self.operators.rehearse(&facts, &services)?;
                answer.operators = explain::explain_operators(&mut rehearsal, &mut answer).await?;
            }
            Screen::new(self.output).show(&answer)?;
            return Ok(answer.exit_code());
        }
        let policies = PolicyFlags {
            enforce: true,
            read_only: false,
            take_over: self.take_over,
            default_namespace: terms.default_namespace.clone(),
            only_namespace: terms.only_namespace.clone(),
            history: HISTORY,
        };
        let enforced = facts.cluster().cloned().filter(|_| self.enforce);
        let enforced = enforced.map(|access| (access, policies, self.lease));
        let up = Up {
            services,
            facts: &facts,
            operators: &self.operators,
            terms,
            output: self.output,
            console: (self.console_listen, self.allow_apply),
        };
        up.run(self.serve, enforced).await
    }
}

/// The cluster on which policies are enforced, and the flags for it.
type Enforced = (Access, PolicyFlags, LeaseFlags);

/// The way in which the process writes to the cluster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tenure {
    /// Never.
    Onlooker,
    /// While it holds the Lease.
    Leased,
    /// Without a Lease.
    Alone,
}

// === impl Tenure ===

impl Tenure {
    fn of(enforced: Option<&Enforced>) -> Self {
        match enforced {
            None => Self::Onlooker,
            Some((_, _, lease)) if lease.no_lease => Self::Alone,
            Some(_) => Self::Leased,
        }
    }
}

/// Everything that runs.
struct Up<'a> {
    services: LocalServices,
    facts: &'a PolicyArgs,
    operators: &'a OperatorArgs,
    terms: Terms,
    output: Format,
    /// The address of the console, and whether it may write.
    console: (SocketAddr, bool),
}

// === impl Up ===

impl Up<'_> {
    /// Runs until a signal stops it.
    async fn run(self, serve: ServeFlags, enforced: Option<Enforced>) -> Result<Exit, Failure> {
        let ready = Readiness::pending();
        let diagnosis = self.services.diagnosis();
        let server = self.services.host(Server::new(serve, DESCRIPTORS), &ready);
        let server = server.host(diagnosis.clone().into_service(), ready.clone());
        let mut server = server.bind().await.map_err(Failure::failed)?;
        let (grpc, probes) = (server.grpc_address(), server.probes_address());
        let tenure = Tenure::of(enforced.as_ref());
        let services = self.services.connections();
        let controller = enforced.map(|enforced| controller_of(services, enforced, &mut server));
        let controller = controller.transpose()?;
        let bundles = self.operators.bundles(self.facts)?;
        let of_console = (&diagnosis, bundles);
        let console = console::open(self.console, self.facts, &self.services, of_console).await?;
        let is_enforced = tenure != Tenure::Onlooker;
        let (to_server, to_controller) = (exit::stops()?, exit::stops()?);
        let to_console = exit::stops()?;
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
            match controller {
                Some(controller) => Ok(controller.run(to_controller).await?),
                None => Ok(()),
            }
        };
        let looking = async {
            self.facts.settle(&self.services).await?;
            diagnosis.settled().await;
            // The resolver is ready when it has read its catalogs; policies can be explained
            // before.
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
            // Tasks that write, and the services that they use, shut down in order.
            ended = async { tokio::try_join!(serving, controlling, consoling) } => ended.map(|_| Exit::Answered),
            ended = lasting(is_enforced, looking) => ended.map(|()| Exit::Answered),
        }
    }

    /// Prints what would become of policies, and again what changes, as long as the output is read.
    async fn print_changes(
        &self,
        addresses: (SocketAddr, SocketAddr, &str),
        tenure: Tenure,
    ) -> Result<(), Failure> {
        let mut rehearsals = Rehearsals {
            policies: self.services.rehearse(&self.terms),
            operators: match self.terms.only_namespace {
                Some(_) => None,
                None => Some(self.operators.rehearse(self.facts, &self.services)?),
            },
        };
        let mut screen = Screen::new(self.output);
        let mut is_read = screen.show(&rehearsals.answer(&self.services).await?)?;
        self.print_addresses(addresses, tenure);
        while is_read {
            rehearsals.changed().await?;
            is_read = screen.show(&rehearsals.answer(&self.services).await?)?;
        }
        Ok(())
    }

    /// Prints the addresses of everything, and commands to try.
    fn print_addresses(
        &self,
        (grpc, probes, console): (SocketAddr, SocketAddr, &str),
        tenure: Tenure,
    ) {
        print::note("");
        print::note(&format!(
            "Resolver, health, approval and diagnosis answer on {grpc}, probes and metrics on {probes}. Try:"
        ));
        print::note(&format!(
            "  grpcurl -plaintext {grpc} portolan.health.v1.Health/ListOperators"
        ));
        print::note(&format!("  portolan diagnose --server http://{grpc}"));
        print::note(&format!("or look at it in a browser: {console}"));
        print::note(&self.write_note(tenure));
    }

    /// Describes what is written.
    fn write_note(&self, tenure: Tenure) -> String {
        let (_, may_apply) = self.console;
        match (tenure, self.facts.folder()) {
            (Tenure::Leased, _) => {
                format!("OperatorPolicies are enforced on the cluster while this process holds the Lease. {}", not_enforced())
            }
            (Tenure::Alone, _) => {
                format!("OperatorPolicies are enforced on the cluster, without a Lease. {}", not_enforced())
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

/// The dry runs of all that is shown.
struct Rehearsals {
    policies: Rehearsal,
    /// None where only a namespace is shown, as Operators are in none.
    operators: Option<OperatorRehearsal>,
}

// === impl Rehearsals ===

impl Rehearsals {
    /// Returns the outcome of the dry runs of everything.
    async fn answer(&mut self, services: &LocalServices) -> Result<Explanation, Failure> {
        let all = decide_policies(&mut self.policies).await?;
        let mut answer = explain::answer(services, all).await;
        if let Some(rehearsal) = &mut self.operators {
            answer.operators = explain::explain_operators(rehearsal, &mut answer).await?;
        }
        Ok(answer)
    }

    /// Waits until that may be something else.
    async fn changed(&mut self) -> Result<(), Failure> {
        let operators = async {
            match &mut self.operators {
                Some(rehearsal) => rehearsal.changed().await,
                None => std::future::pending().await,
            }
        };
        let changed = tokio::select! {
            changed = self.policies.changed() => changed,
            changed = operators => changed,
        };
        changed.map_err(Failure::failed)
    }
}

/// Watches and prints. Enforcement of policies continues without a reader, and shuts down in order.
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

/// Returns the controller of policies, as the deployed process has it. It calls the services in
/// this process. The server answers probes and scrapers for it.
fn controller_of(
    services: Connections,
    (access, policies, lease): Enforced,
    server: &mut Bound,
) -> Result<Process, Failure> {
    let config = ControllerConfig {
        objects: WorldFlags {
            world: None,
            access,
        },
        policies,
        controllers: ControllerFlags::default(),
        lease,
    };
    Ok(beside(config, services, server)?)
}

/// The output about policies and Operators.
struct Screen {
    output: Format,
    /// The text that was shown last for each, by its place; None before anything was shown.
    shown: Option<BTreeMap<String, String>>,
    /// The last warnings of what is not known.
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

    /// Prints everything the first time, and then only changes. Returns false if the output is
    /// closed.
    fn show(&mut self, answer: &Explanation) -> Result<bool, Failure> {
        let detail = self.output.detail().unwrap_or(Detail::Whole);
        let policy = |it| table::both((&[it], &[]), detail).into_text();
        let operator = |it| table::both((&[], &[it]), detail).into_text();
        let policies = answer.policies.iter();
        let policies = policies.map(|each| (each.place(), policy(each)));
        let operators = answer.operators.iter();
        let operators = operators.map(|each| (each.place(), operator(each)));
        let now: BTreeMap<_, _> = policies.chain(operators).collect();
        let before = self.shown.replace(now.clone());
        let is_first = before.is_none();
        let before = before.unwrap_or_default();
        let has_changed = |place: String| before.get(&place) != now.get(&place);
        let policies = answer.policies.iter();
        let policies: Vec<&Explained> = policies.filter(|it| has_changed(it.place())).collect();
        let operators = answer.operators.iter();
        let operators: Vec<&ExplainedOperator> =
            operators.filter(|it| has_changed(it.place())).collect();
        let is_same = policies.is_empty() && operators.is_empty();
        let gone: Vec<_> = before.keys().filter(|it| !now.contains_key(*it)).collect();
        let doubts: Vec<_> = answer.doubts().cloned().collect();
        let known = std::mem::replace(&mut self.unknown, doubts);
        let news = answer.doubts().filter(|what| !known.contains(what));
        news.for_each(|what| print::warn(what));
        if !is_first && is_same && gone.is_empty() {
            return Ok(true);
        }
        if self.output == Format::Json {
            return print::json_line(answer);
        }
        let mut page = Page::default();
        if !is_first {
            page.text_line("");
            page.line([Span::heading("Changed:")]);
        }
        gone.iter()
            .for_each(|place| page.text_line(format!("{place} is gone")));
        page.append(table::both((&policies, &operators), detail));
        print::page(page)
    }
}
