//! The command line: defines the subcommands, runs the selected subcommand, and configures its
//! logs.

use std::env;
use std::ffi::OsString;
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
    adopt, approve, bundle, catalog, check, completion, console, copies, create, delete, diagnose,
    dump, explain, generate, graph, groups, health, help, install, installed, man, packages, path,
    plan, policy, readiness, release, resolve, review, route, serve, uninstall, unknown_command,
    up, update, upgrades, version,
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

/// Flags that make dangerous changes to a cluster. Error messages never suggest these flags.
const RASH: [&str; 2] = ["--take-over", "--enforce"];

/// The display order of options in the help: after the options of a command, before `--help`.
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

// The function `groups` determines the order of the commands in the help.
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
    Readiness(readiness::ReadinessArgs),
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
    Check(check::CheckArgs),
    Install(install::InstallArgs),
    Uninstall(uninstall::UninstallArgs),
    Console(console::ConsoleArgs),
    Completion(completion::CompletionArgs),
    Help(help::HelpArgs),
    Man(man::ManArgs),
    Version(version::VersionArgs),
    #[command(subcommand)]
    Serve(serve::ServeCommand),
    #[command(flatten)]
    OldServe(serve::OldServeCommand),
}

/// A parsed command, ready to run.
pub(crate) struct Task {
    /// The name of the process, used in traces and in the user agent of requests.
    process: &'static str,
    /// The log filter if the user does not specify `--log`. None selects the default of all
    /// commands.
    log: Option<&'static str>,
    run: Pin<Box<dyn Future<Output = Result<Exit, Failure>>>>,
}

/// Disables the logs of a command whose output already contains the same information.
const OFF: Option<&str> = Some("off");

/// The log filter of commands that read catalogs. The filter suppresses the logs of the resolver
/// and of the world, and keeps warnings of other crates.
const WARNINGS: Option<&str> = Some("warn,portolan_resolver=off,portolan_world=off");

/// Creates a task that runs a query in a tracing span with this name.
macro_rules! query {
    ($name:literal, $log:expr, $command:expr) => {
        Task::new("cli", $log, async move {
            $command.run().instrument(info_span!($name)).await
        })
    };
}

// === impl Task ===

impl Task {
    pub(crate) fn new(
        process: &'static str,
        log: Option<&'static str>,
        run: impl Future<Output = Result<Exit, Failure>> + 'static,
    ) -> Self {
        let run = Box::pin(run);
        Self { process, log, run }
    }

    /// Creates the task of a process that runs until a signal stops it.
    pub(crate) fn server(
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
            Self::Readiness(it) => query!("readiness", WARNINGS, it),
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
            Self::Man(it) => Task::new("cli", None, async { it.run() }),
            Self::Version(it) => Task::new("cli", None, async { it.run() }),
            Self::Up(it) => {
                let log = (!it.is_enforced()).then_some("warn");
                Task::new("portolan", log, it.run())
            }
            Self::Check(it) => query!("check", OFF, it),
            Self::Install(it) => query!("install", OFF, it),
            Self::Uninstall(it) => query!("uninstall", OFF, it),
            Self::Console(it) => Task::new("console", Some("warn"), it.run()),
            Self::Serve(it) => it.task(),
            Self::OldServe(it) => serve::ServeCommand::from(it).task(),
        }
    }
}

/// Runs a process until a signal stops it.
async fn serve(running: impl Future<Output = Result<(), Start>>) -> Result<Exit, Failure> {
    running.await?;
    Ok(Exit::Answered)
}

/// Returns the command line, with the name under which the user runs the program.
pub(crate) fn command() -> clap::Command {
    let program = completion::with_completers(ProgramName::now().command(program()));
    groups::with_groups(program)
}

/// Returns the definition of the command line of the whole program.
pub(crate) fn program() -> clap::Command {
    Cli::command()
}

/// Edits the error for an unknown flag. Removes the suggestion of a similar flag if this flag
/// changes a cluster. Also removes the hint about `--`, because no value of this program looks like
/// a flag.
fn without_rash_tip(mut error: clap::Error) -> clap::Error {
    error.remove(ContextKind::Suggested);
    suggest_version(&mut error);
    let tip = error.get(ContextKind::SuggestedArg);
    let tip = tip.map(ToString::to_string).unwrap_or_default();
    if RASH.iter().any(|flag| tip.starts_with(flag)) {
        error.remove(ContextKind::SuggestedArg);
        // The usage also mentions the flag of the removed suggestion.
        error.remove(ContextKind::Usage);
    }
    error
}

/// Adds a suggestion after the flag `--version`. Only the program itself has this flag. The user of
/// a command may mean the version of a package.
fn suggest_version(error: &mut clap::Error) {
    let argument = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if argument.is_some_and(|it| it == "--version" || it == "-V") {
        error.remove(ContextKind::SuggestedArg);
        let tip = "`portolan version` shows the version of the program";
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

/// Returns an error for the name of a command of another program, such as kubectl. Prints every
/// other error and exits.
fn unparsed(error: clap::Error, words: &[OsString]) -> Failure {
    let program = command();
    match unknown_command::hint(&error, &program, words) {
        Some(message) => Failure::usage(message),
        None => {
            let error = unknown_command::with_near_suggestions(error, &program, words);
            without_rash_tip(error).exit()
        }
    }
}

pub(crate) async fn run() -> Result<Exit, Failure> {
    let program = command();
    let words = Split::of(&program, env::args_os()).moved();
    let words = bundle::expand_old_spelling(words.into_iter());
    let line = match program.try_get_matches_from(&words) {
        Ok(line) => line,
        Err(error) => return Err(unparsed(error, &words)),
    };
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
