//! The command line: selects the subcommand and its logs.

use std::env;
use std::pin::Pin;

use clap::error::{ContextKind, ContextValue};
use clap::parser::ValueSource;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use portolan_scaffold::Start;
use portolan_shell::{LogFlags, Logs};
use tracing::{Instrument, info_span};

use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::leading_options::Split;
use crate::print::Color;
use crate::program_name::ProgramName;
use crate::{
    adopt, apiserver, approve, bundle, catalog, completion, console, controller, copies, create,
    delete, diagnose, dump, explain, generate, graph, health, help, installed, packages, path,
    plan, policy, release, resolve, review, route, up, update, updater, upgrades, version, webhook,
};

/// Find, explain and control upgrades of OLM operators.
///
/// The options -n, -A, -o, --context and --kubeconfig can also precede the command.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    version,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = exit::CODES
)]
struct Cli {
    #[command(flatten)]
    looks: ColorArgs,

    #[command(flatten)]
    logs: LogFlags,

    #[command(subcommand)]
    command: Command,
}

/// Flags that change a cluster.
const RASH: [&str; 2] = ["--take-over", "--enforce"];

/// The position after the options of a command, before `--help`.
const LAST: usize = 900;

#[derive(Debug, Args)]
struct ColorArgs {
    /// When to use colors.
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        hide_short_help = true,
        display_order = LAST
    )]
    color: Color,
}

// In the order of questions of a user: health, pending approvals, upgrades, paths, dependencies,
// catalogs, servers.
#[derive(Debug, Subcommand)]
enum Command {
    Diagnose(diagnose::DiagnoseArgs),
    Health(health::HealthArgs),
    Installed(installed::InstalledArgs),
    Review(review::ReviewArgs),
    Explain(explain::ExplainArgs),
    Upgrades(upgrades::UpgradesArgs),
    Path(path::PathArgs),
    Route(route::RouteArgs),
    Resolve(resolve::ResolveArgs),
    Generate(generate::GenerateArgs),
    Create(create::CreateArgs),
    Update(update::UpdateArgs),
    Delete(delete::DeleteArgs),
    Adopt(adopt::AdoptArgs),
    Approve(approve::ApproveArgs),
    Release(release::ReleaseArgs),
    Graph(graph::GraphArgs),
    Packages(packages::PackagesArgs),
    #[command(subcommand)]
    Bundle(bundle::BundleCommand),
    #[command(subcommand)]
    Plan(plan::PlanCommand),
    #[command(subcommand)]
    Policy(policy::PolicyCommand),
    #[command(subcommand)]
    Catalog(catalog::CatalogCommand),
    Copies(copies::CopiesArgs),
    Dump(dump::DumpArgs),
    Up(up::UpArgs),
    Console(console::ConsoleArgs),
    Completion(completion::CompletionArgs),
    Help(help::HelpArgs),
    Version(version::VersionArgs),
    /// Serve the resolver over gRPC: catalogs, upgrades and paths.
    ///
    /// Listens immediately, and is ready (gRPC health, /readyz) when its catalogs are read. On
    /// SIGTERM running calls can finish.
    #[command(after_help = exit::after_help_of_server!(
        "portolan resolver --catalog demo=./demo",
        "grpcurl -plaintext 127.0.0.1:50051 list"
    ))]
    Resolver(ServiceArgs<portolan_resolver::Flags>),
    /// Serve health over gRPC: the health of operators and catalogs.
    ///
    /// Listens immediately, and is ready (gRPC health, /readyz) when all objects are read and
    /// checked. On SIGTERM running calls can finish. `portolan health --server` queries it.
    #[command(after_help = exit::after_help_of_server!(
        "portolan health-server",
        "portolan health-server --world ./dump --listen 127.0.0.1:50052",
        "portolan health --server http://127.0.0.1:50052",
        "grpcurl -plaintext 127.0.0.1:50052 portolan.health.v1.Health/ListOperators"
    ))]
    HealthServer(ServiceArgs<portolan_health::Flags>),
    /// Serve diagnosis over gRPC: causes, objects at fault, and fixes.
    ///
    /// Listens immediately, and is ready (gRPC health, /readyz) when all objects are read and
    /// checked. On SIGTERM running calls can finish. It changes nothing itself. `portolan diagnose
    /// --server` queries it.
    #[command(after_help = exit::after_help_of_server!(
        "portolan diagnose-server",
        "portolan diagnose-server --world ./dump --catalog olm/ships=./ships --listen 127.0.0.1:50054",
        "portolan diagnose --server http://127.0.0.1:50054",
        "grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50054 portolan.diagnosis.v1.Diagnosis/Diagnose"
    ))]
    DiagnoseServer(ServiceArgs<portolan_diagnosis::Flags>),
    /// Serve approval over gRPC: the InstallPlans and upgrades that policies allow.
    ///
    /// Listens immediately, and is ready (gRPC health, /readyz) when all objects are read and
    /// checked. On SIGTERM running calls can finish. It approves nothing itself. `portolan review
    /// --server` queries it.
    #[command(after_help = exit::after_help_of_server!(
        "portolan approval",
        "portolan approval --world ./dump --listen 127.0.0.1:50053",
        "portolan review --server http://127.0.0.1:50053",
        "grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50053 portolan.approval.v1.Approval/ReviewNamespace"
    ))]
    Approval(ServiceArgs<portolan_approval::Flags>),
    Controller(controller::ControllerArgs),
    Webhook(webhook::WebhookArgs),
    Apiserver(apiserver::ApiserverArgs),
    Updater(updater::UpdaterArgs),
}

/// A service as a process.
#[derive(Debug, Args)]
struct ServiceArgs<F: Args> {
    #[command(flatten)]
    flags: F,
}

/// A parsed command that has not started.
struct Task {
    /// The name of the process in traces and in the user agent of requests.
    process: &'static str,
    /// The default of --log, if it differs from the usual one.
    log: Option<&'static str>,
    run: Pin<Box<dyn Future<Output = Result<Exit, Failure>>>>,
}

/// No logs: they would repeat the content of the answer.
const OFF: Option<&str> = Some("off");

/// The log filter of commands that read catalogs, which may log other warnings.
const WARNINGS: Option<&str> = Some("warn,portolan_resolver=off,portolan_world=off");

/// Creates the task of a query, in a span of its name.
macro_rules! query {
    ($name:literal, $log:expr, $command:expr) => {
        Task::new("cli", $log, async move {
            $command.run().instrument(info_span!($name)).await
        })
    };
}

// === impl Task ===

impl Task {
    fn new(
        process: &'static str,
        log: Option<&'static str>,
        run: impl Future<Output = Result<Exit, Failure>> + 'static,
    ) -> Self {
        let run = Box::pin(run);
        Self { process, log, run }
    }

    /// A process that runs until a signal stops it.
    fn server(
        process: &'static str,
        running: impl Future<Output = Result<(), Start>> + 'static,
    ) -> Self {
        Self::new(process, None, serve(running))
    }
}

// === impl Command ===

impl Command {
    fn task(self) -> Task {
        match self {
            Self::Diagnose(it) => query!("diagnose", OFF, it),
            Self::Health(it) => query!("health", OFF, it),
            Self::Installed(it) => query!("installed", OFF, it),
            Self::Review(it) => query!("review", OFF, it),
            Self::Explain(it) => query!("explain", OFF, it),
            Self::Upgrades(it) => query!("upgrades", WARNINGS, it),
            Self::Path(it) => query!("path", WARNINGS, it),
            Self::Route(it) => query!("route", WARNINGS, it),
            Self::Resolve(it) => query!("resolve", WARNINGS, it),
            Self::Generate(it) => query!("generate", WARNINGS, it),
            Self::Create(it) => query!("create", OFF, it),
            Self::Update(it) => query!("update", OFF, it),
            Self::Delete(it) => query!("delete", OFF, it),
            Self::Adopt(it) => query!("adopt", OFF, it),
            Self::Approve(it) => query!("approve", OFF, it),
            Self::Release(it) => query!("release", OFF, it),
            Self::Graph(it) => query!("graph", WARNINGS, it),
            Self::Packages(it) => query!("packages", WARNINGS, it),
            Self::Bundle(it) => query!("bundle", WARNINGS, it),
            Self::Plan(it) => query!("plan", OFF, it),
            Self::Policy(it) => query!("policy", OFF, it),
            Self::Catalog(it) => query!("catalog", WARNINGS, it),
            Self::Copies(it) => query!("copies", OFF, it),
            Self::Dump(it) => query!("dump", OFF, it),
            Self::Completion(it) => Task::new("cli", None, async { it.run() }),
            Self::Help(it) => Task::new("cli", None, async { it.run() }),
            Self::Version(it) => Task::new("cli", None, async { it.run() }),
            Self::Up(it) => {
                let log = (!it.is_enforced()).then_some("warn");
                Task::new("portolan", log, it.run())
            }
            Self::Console(it) => Task::new("console", Some("warn"), it.run()),
            Self::Resolver(it) => Task::server("resolver", portolan_resolver::serve(it.flags)),
            Self::HealthServer(it) => Task::server("health", portolan_health::serve(it.flags)),
            Self::DiagnoseServer(it) => {
                Task::server("diagnosis", portolan_diagnosis::serve(it.flags))
            }
            Self::Approval(it) => Task::server("approval", portolan_approval::serve(it.flags)),
            Self::Controller(it) => Task::new("controller", None, it.run()),
            Self::Webhook(it) => Task::server("webhook", portolan_webhook::serve(it.flags)),
            Self::Apiserver(it) => Task::server("apiserver", portolan_apiserver::serve(it.flags)),
            Self::Updater(it) => {
                let log = it.is_once().then_some("warn");
                Task::new("updater", log, it.run())
            }
        }
    }
}

/// Runs a process until a signal stops it.
async fn serve(running: impl Future<Output = Result<(), Start>>) -> Result<Exit, Failure> {
    running.await?;
    Ok(Exit::Answered)
}

/// Returns the command line, under the name of the running program.
pub(crate) fn command() -> clap::Command {
    completion::with_completers(ProgramName::now().command(program()))
}

/// Returns the command line of the program itself.
pub(crate) fn program() -> clap::Command {
    Cli::command()
}

/// Keeps the suggestion of the nearest flag for a typo, unless that flag changes a cluster. Removes
/// the hint that a value can follow `--`: no value looks like a flag here.
fn without_rash_tip(mut error: clap::Error) -> clap::Error {
    error.remove(ContextKind::Suggested);
    suggest_version(&mut error);
    let tip = error.get(ContextKind::SuggestedArg);
    let tip = tip.map(ToString::to_string).unwrap_or_default();
    if RASH.iter().any(|flag| tip.starts_with(flag)) {
        error.remove(ContextKind::SuggestedArg);
        // The usage contains that flag.
        error.remove(ContextKind::Usage);
    }
    error
}

/// Only the program has a version. In a command, `--version` may be meant for a package.
fn suggest_version(error: &mut clap::Error) {
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if argument.is_some_and(|it| it == "--version" || it == "-V") {
        error.remove(ContextKind::SuggestedArg);
        let tip = "`portolan version` shows the version of the program";
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

pub(crate) async fn run() -> Result<Exit, Failure> {
    let command = command();
    let line = Split::of(&command, env::args_os()).moved();
    let line = command.try_get_matches_from(bundle::expand_old_spelling(line.into_iter()));
    let line = line.unwrap_or_else(|error| without_rash_tip(error).exit());
    let mut cli = Cli::from_arg_matches(&line).unwrap_or_else(|error| error.exit());
    let task = cli.command.task();
    let is_usual = line.value_source("log") == Some(ValueSource::DefaultValue);
    if is_usual && let Some(log) = task.log {
        log.clone_into(&mut cli.logs.log);
    }
    cli.looks.color.choose();
    portolan_world::name_process(task.process);
    match Logs::start(&cli.logs, task.process) {
        Ok(_logs) => task.run.await,
        Err(error) => Err(Failure::refused(error)),
    }
}
