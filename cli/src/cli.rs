//! The command line as a whole: which subcommand, and with which logs.

use std::env;

use clap::error::ContextKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use portolan_scaffold::Start;
use portolan_shell::{LogFlags, Logs};
use tracing::{Instrument, info_span};

use crate::called::Called;
use crate::exit::{self, Exit};
use crate::failure::Failure;
use crate::print::Color;
use crate::{
    adopt, apiserver, approve, bundle, catalog, completion, console, controller, copies, create,
    delete, diagnose, dump, explain, generate, graph, health, help, installed, packages, path,
    plan, policy, release, resolve, review, route, up, update, updater, upgrades, version, webhook,
};

/// Find, explain and control upgrades of OLM operators.
#[derive(Debug, Parser)]
#[command(
    name = "portolan",
    version,
    propagate_version = true,
    max_term_width = 100,
    disable_help_subcommand = true,
    after_help = exit::CODES
)]
struct Cli {
    #[command(flatten)]
    looks: Looks,

    #[command(flatten)]
    logs: LogFlags,

    #[command(subcommand)]
    command: Command,
}

/// Flags that have a cluster changed.
const RASH: [&str; 2] = ["--take-over", "--enforce"];

/// Behind what a command has of its own, before `--help`.
const LAST: usize = 900;

#[derive(Debug, Args)]
struct Looks {
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

// In the order of a person who wants to know: is all well, what waits for me, what next, which way, with what else,
// what is there, who serves it.
#[derive(Debug, Subcommand)]
enum Command {
    Diagnose(diagnose::Command),
    Health(health::Command),
    Installed(installed::Command),
    Review(review::Command),
    Explain(explain::Command),
    Upgrades(upgrades::Command),
    Path(path::Command),
    Route(route::Command),
    Resolve(resolve::Command),
    Generate(generate::Command),
    Create(create::Command),
    Update(update::Command),
    Delete(delete::Command),
    Adopt(adopt::Command),
    Approve(approve::Command),
    Release(release::Command),
    Graph(graph::Command),
    Packages(packages::Command),
    #[command(subcommand)]
    Bundle(bundle::Command),
    #[command(subcommand)]
    Plan(plan::Command),
    #[command(subcommand)]
    Policy(policy::Command),
    #[command(subcommand)]
    Catalog(catalog::Command),
    Copies(copies::Command),
    Dump(dump::Command),
    Up(up::Command),
    Console(console::Command),
    Completion(completion::Command),
    Help(help::Command),
    Version(version::Command),
    /// Serve the resolver over gRPC: which upgrades the catalogs offer.
    ///
    /// Listens at once, and is ready (gRPC health, /readyz) when its catalogs are read. SIGTERM lets
    /// running calls finish.
    #[command(after_help = exit::after_help_of_server!(
        "portolan resolver --catalog demo=./demo",
        "grpcurl -plaintext 127.0.0.1:50051 list"
    ))]
    Resolver(Serve<portolan_resolver::Flags>),
    /// Serve health over gRPC: whether operators and their catalogs do their work.
    ///
    /// Listens at once, and is ready (gRPC health, /readyz) when it has looked at everything. SIGTERM
    /// lets running calls finish. `portolan health` asks it.
    #[command(after_help = exit::after_help_of_server!(
        "portolan health-server",
        "portolan health-server --world ./dump --listen 127.0.0.1:50052",
        "portolan health --server http://127.0.0.1:50052",
        "grpcurl -plaintext 127.0.0.1:50052 portolan.health.v1.Health/ListOperators"
    ))]
    HealthServer(Serve<portolan_health::Flags>),
    /// Serve diagnosis over gRPC: what is wrong with operators, who is to blame, and what to do.
    ///
    /// Listens at once, and is ready (gRPC health, /readyz) when it has looked at everything. SIGTERM
    /// lets running calls finish. It changes nothing itself. `portolan diagnose` asks it.
    #[command(after_help = exit::after_help_of_server!(
        "portolan diagnose-server",
        "portolan diagnose-server --world ./dump --catalog olm/ships=./ships --listen 127.0.0.1:50054",
        "portolan diagnose --server http://127.0.0.1:50054",
        "grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50054 portolan.diagnosis.v1.Diagnosis/Diagnose"
    ))]
    DiagnoseServer(Serve<portolan_diagnosis::Flags>),
    /// Serve approval over gRPC: which InstallPlans the policies allow, and when operators may move.
    ///
    /// Listens at once, and is ready (gRPC health, /readyz) when it has looked at everything. SIGTERM
    /// lets running calls finish. It approves nothing itself. `portolan review` asks it.
    #[command(after_help = exit::after_help_of_server!(
        "portolan approval",
        "portolan approval --world ./dump --listen 127.0.0.1:50053",
        "portolan review --server http://127.0.0.1:50053",
        "grpcurl -plaintext -d '{\"namespace\": \"harbor\"}' 127.0.0.1:50053 portolan.approval.v1.Approval/ReviewNamespace"
    ))]
    Approval(Serve<portolan_approval::Flags>),
    Controller(controller::Command),
    Webhook(webhook::Command),
    Apiserver(apiserver::Command),
    Updater(updater::Command),
}

/// A service as a process.
#[derive(Debug, Args)]
struct Serve<F: Args> {
    #[command(flatten)]
    flags: F,
}

// === impl Cli ===

impl Cli {
    fn from_line(line: &ArgMatches) -> Self {
        let mut cli = Self::from_arg_matches(line).unwrap_or_else(|error| error.exit());
        let is_usual = line.value_source("log") == Some(ValueSource::DefaultValue);
        if is_usual && let Some(log) = cli.command.usual_log() {
            log.clone_into(&mut cli.logs.log);
        }
        cli
    }
}

// === impl Command ===

impl Command {
    /// The name of the process in traces, and in what it asks API servers.
    fn process(&self) -> &'static str {
        match self {
            Self::Resolver(_) => "resolver",
            Self::HealthServer(_) => "health",
            Self::DiagnoseServer(_) => "diagnosis",
            Self::Approval(_) => "approval",
            Self::Controller(_) => "controller",
            Self::Webhook(_) => "webhook",
            Self::Apiserver(_) => "apiserver",
            Self::Updater(_) => "updater",
            Self::Up(_) => "portolan",
            Self::Console(_) => "console",
            Self::Diagnose(_)
            | Self::Health(_)
            | Self::Installed(_)
            | Self::Review(_)
            | Self::Explain(_)
            | Self::Upgrades(_)
            | Self::Path(_)
            | Self::Route(_)
            | Self::Resolve(_)
            | Self::Generate(_)
            | Self::Create(_)
            | Self::Update(_)
            | Self::Delete(_)
            | Self::Adopt(_)
            | Self::Approve(_)
            | Self::Release(_)
            | Self::Graph(_)
            | Self::Packages(_)
            | Self::Bundle(_)
            | Self::Plan(_)
            | Self::Policy(_)
            | Self::Catalog(_)
            | Self::Copies(_)
            | Self::Dump(_)
            | Self::Completion(_)
            | Self::Help(_)
            | Self::Version(_) => "cli",
        }
    }

    /// The default of --log, where it is less than usual: following what an answer is made from logs in
    /// other words what the answer says as well.
    fn usual_log(&self) -> Option<&'static str> {
        match self {
            Self::Diagnose(_)
            | Self::Health(_)
            | Self::Installed(_)
            | Self::Copies(_)
            | Self::Review(_)
            | Self::Explain(_)
            | Self::Plan(_)
            | Self::Create(_)
            | Self::Update(_)
            | Self::Delete(_)
            | Self::Adopt(_)
            | Self::Approve(_)
            | Self::Release(_)
            | Self::Policy(_)
            | Self::Dump(_) => Some("off"),
            Self::Console(_) => Some("warn"),
            Self::Upgrades(_)
            | Self::Path(_)
            | Self::Route(_)
            | Self::Resolve(_)
            | Self::Generate(_)
            | Self::Graph(_)
            | Self::Packages(_)
            | Self::Bundle(_)
            | Self::Catalog(_) => Some("warn,portolan_resolver=off,portolan_world=off"),
            Self::Up(command) if !command.is_enforced() => Some("warn"),
            Self::Updater(command) if command.is_once() => Some("warn"),
            Self::Up(_)
            | Self::Completion(_)
            | Self::Help(_)
            | Self::Version(_)
            | Self::Resolver(_)
            | Self::HealthServer(_)
            | Self::DiagnoseServer(_)
            | Self::Approval(_)
            | Self::Controller(_)
            | Self::Webhook(_)
            | Self::Apiserver(_)
            | Self::Updater(_) => None,
        }
    }

    async fn run(self) -> Result<Exit, Failure> {
        match self {
            Self::Diagnose(command) => command.run().instrument(info_span!("diagnose")).await,
            Self::Health(command) => command.run().instrument(info_span!("health")).await,
            Self::Installed(command) => command.run().instrument(info_span!("installed")).await,
            Self::Review(command) => command.run().instrument(info_span!("review")).await,
            Self::Explain(command) => command.run().instrument(info_span!("explain")).await,
            Self::Upgrades(command) => command.run().instrument(info_span!("upgrades")).await,
            Self::Path(command) => command.run().instrument(info_span!("path")).await,
            Self::Route(command) => command.run().instrument(info_span!("route")).await,
            Self::Resolve(command) => command.run().instrument(info_span!("resolve")).await,
            Self::Generate(command) => command.run().instrument(info_span!("generate")).await,
            Self::Create(command) => command.run().instrument(info_span!("create")).await,
            Self::Update(command) => command.run().instrument(info_span!("update")).await,
            Self::Delete(command) => command.run().instrument(info_span!("delete")).await,
            Self::Adopt(command) => command.run().instrument(info_span!("adopt")).await,
            Self::Approve(command) => command.run().instrument(info_span!("approve")).await,
            Self::Release(command) => command.run().instrument(info_span!("release")).await,
            Self::Graph(command) => command.run().instrument(info_span!("graph")).await,
            Self::Packages(command) => command.run().instrument(info_span!("packages")).await,
            Self::Bundle(command) => command.run().instrument(info_span!("bundle")).await,
            Self::Plan(command) => command.run().instrument(info_span!("plan")).await,
            Self::Policy(command) => command.run().instrument(info_span!("policy")).await,
            Self::Catalog(command) => command.run().instrument(info_span!("catalog")).await,
            Self::Copies(command) => command.run().instrument(info_span!("copies")).await,
            Self::Dump(command) => command.run().instrument(info_span!("dump")).await,
            Self::Up(command) => command.run().await,
            Self::Console(command) => command.run().await,
            Self::Completion(command) => command.run(),
            Self::Help(command) => command.run(),
            Self::Version(command) => command.run(),
            Self::Resolver(command) => serve(portolan_resolver::serve(command.flags)).await,
            Self::HealthServer(command) => serve(portolan_health::serve(command.flags)).await,
            Self::DiagnoseServer(command) => serve(portolan_diagnosis::serve(command.flags)).await,
            Self::Approval(command) => serve(portolan_approval::serve(command.flags)).await,
            Self::Controller(command) => command.run().await,
            Self::Webhook(command) => serve(portolan_webhook::serve(command.flags)).await,
            Self::Apiserver(command) => serve(portolan_apiserver::serve(command.flags)).await,
            Self::Updater(command) => command.run().await,
        }
    }
}

/// Runs a process until a signal stops it.
async fn serve(running: impl Future<Output = Result<(), Start>>) -> Result<Exit, Failure> {
    running.await?;
    Ok(Exit::Answered)
}

/// The command line, by the name that it is called by.
pub(crate) fn command() -> clap::Command {
    completion::offered(Called::now().command(program()))
}

/// The command line of the program itself.
pub(crate) fn program() -> clap::Command {
    Cli::command()
}

/// A slip of the pen is told the nearest flag, unless that one has a cluster changed. That what looks like a
/// flag could stand behind `--` helps nobody here, as nothing is called so.
fn without_rash_tip(mut error: clap::Error) -> clap::Error {
    error.remove(ContextKind::Suggested);
    let tip = error.get(ContextKind::SuggestedArg);
    let tip = tip.map(ToString::to_string).unwrap_or_default();
    if RASH.iter().any(|flag| tip.starts_with(flag)) {
        error.remove(ContextKind::SuggestedArg);
        // It is a usage with that flag.
        error.remove(ContextKind::Usage);
    }
    error
}

pub(crate) async fn run() -> Result<Exit, Failure> {
    let line = command().try_get_matches_from(bundle::in_new_words(env::args_os()));
    let cli = Cli::from_line(&line.unwrap_or_else(|error| without_rash_tip(error).exit()));
    cli.looks.color.choose();
    portolan_world::name_process(cli.command.process());
    match Logs::start(&cli.logs, cli.command.process()) {
        Ok(_logs) => cli.command.run().await,
        Err(error) => Err(Failure::refused(error)),
    }
}
