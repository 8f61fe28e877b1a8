//! The rig as a command: for users, and for the process of the supervisor.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use clap::{Args, Parser, Subcommand};
use tokio::signal::unix::{SignalKind, signal};

use crate::binaries::Binaries;
use crate::cluster::Cluster;
use crate::failure::Failure;
use crate::say;
use crate::supervisor::supervise;

/// A real Kubernetes control plane, with or without OLM, in seconds and without containers.
///
/// The programs are built once with Go, into ${PORTOLAN_CACHE} or ~/.cache/portolan; after that a
/// cluster is up in four seconds, or ten with OLM. Pods run in name only: no container is started.
#[derive(Parser)]
#[command(name = "portolan-rig", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  portolan-rig up                       Kubernetes alone
  portolan-rig up --olm                 with OLM
  portolan-rig up --catalog ./fleet     with OLM and a catalog called 'fleet' for all namespaces

A pod is made ill, and well again, by an annotation on it or in its template:
  kubectl annotate pod NAME rig.test/pod-state=crash-looping
                                        or unready, unpullable, pending
  kubectl annotate pod NAME rig.test/pod-state-";

#[derive(Subcommand)]
enum Command {
    /// Start a cluster and keep it until Ctrl-C, which leaves nothing behind
    Up(Up),
    /// Build the programs, if necessary, and print their folder
    Build,
    /// Own the processes of one rig; started by tests and by `up`
    #[command(hide = true)]
    Supervise {
        /// The folder that contains the folders of all rigs
        #[arg(long)]
        root: PathBuf,
        /// The process that this rig belongs to: shown by ps, and not used otherwise
        #[arg(long = "for")]
        _owner: u32,
    },
}

#[derive(Args)]
struct Up {
    /// Install the Operator Lifecycle Manager
    #[arg(long)]
    olm: bool,
    /// Serve the file-based catalog in this folder to all namespaces; implies --olm
    ///
    /// The CatalogSource has the folder's name and is in the namespace olm. May be given often.
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
}

/// The whole program `portolan-rig`.
pub fn main() -> ExitCode {
    match run(Cli::parse().command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            say!("{failure:?}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Up(options) => tokio::runtime::Runtime::new()
            .map_err(Failure::touch("start a runtime"))?
            .block_on(up(options)),
        Command::Build => {
            let binaries = Binaries::ready()?;
            println!("{}", binaries.folder().display());
            Ok(())
        }
        Command::Supervise { root, .. } => supervise(&root),
    }
}

async fn up(options: Up) -> Result<(), Failure> {
    let catch = |kind| signal(kind).map_err(Failure::touch("listen for signals"));
    let (mut interrupt, mut end) = (
        catch(SignalKind::interrupt())?,
        catch(SignalKind::terminate())?,
    );
    // A half-started rig ends with the future that starts it.
    tokio::select! {
        failure = stay_up(options) => failure,
        _ = interrupt.recv() => Ok(()),
        _ = end.recv() => Ok(()),
    }?;
    say!("stopped, and nothing is left");
    Ok(())
}

async fn stay_up(options: Up) -> Result<(), Failure> {
    let begun = Instant::now();
    let named: Vec<_> = options
        .catalogs
        .iter()
        .map(|folder| Ok((catalog_name(folder)?, folder)))
        .collect::<Result<_, Failure>>()?;
    let supervisor = env::current_exe().map_err(Failure::touch("find this program"))?;
    let has_olm = options.olm || !named.is_empty();
    say!(
        "starting Kubernetes{}",
        if has_olm { " with OLM" } else { "" }
    );
    let cluster = if has_olm {
        Cluster::with_olm(supervisor).await?
    } else {
        Cluster::start(supervisor).await?
    };
    cluster.allow_all_foreign_deletes();
    say!("up after {:.1} s", begun.elapsed().as_secs_f32());
    let mut catalogs = Vec::new();
    for (name, folder) in named {
        catalogs.push(cluster.catalog("olm", &name, folder).await?);
        say!(
            "catalog {name} is served: {:.1} s",
            begun.elapsed().as_secs_f32()
        );
    }
    invite(&cluster, has_olm);
    std::future::pending().await
}

/// The name of the folder, in the form of names of Kubernetes.
fn catalog_name(folder: &Path) -> Result<String, Failure> {
    let whole = fs::canonicalize(folder).map_err(Failure::touch(format!(
        "find the catalog {}",
        folder.display()
    )))?;
    let name: String = whole
        .file_name()
        .map(|name| name.to_string_lossy().to_lowercase())
        .unwrap_or_default()
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    let name = name.trim_matches('-');
    if name.is_empty() {
        let unnamed: Box<dyn Error + Send + Sync> = "the folder has no name for the catalog".into();
        return Err(Failure::read(whole.display().to_string())(unnamed));
    }
    Ok(name.to_owned())
}

fn invite(cluster: &Cluster, has_olm: bool) {
    let kubeconfig = cluster.kubeconfig();
    let kubectl = cluster.binaries().program("kubectl");
    let ask = if has_olm {
        "catalogsources -A"
    } else {
        "nodes"
    };
    println!("{}", kubeconfig.display());
    say!("try, in another terminal:");
    say!("  export KUBECONFIG={}", kubeconfig.display());
    say!("  {} get {ask}", kubectl.display());
    say!(
        "logs are in {}; Ctrl-C ends it",
        cluster.folder().join("logs").display()
    );
}
