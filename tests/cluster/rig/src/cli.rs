//! The command line of `portolan-rig`. Users run it, and tests run it as the supervisor process.

mod image;
mod release;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use clap::{Args, Parser, Subcommand, ValueEnum};
use tokio::signal::unix::{SignalKind, signal};

use crate::binaries::Binaries;
use crate::cluster::{Cluster, Parts};
use crate::failure::Failure;
use crate::say;
use crate::supervisor::supervise;

/// A real Kubernetes control plane, with or without OLM v0 and v1, in seconds and without Docker.
///
/// The programs are built once with Go, into ${PORTOLAN_CACHE} or ~/.cache/portolan; after that a
/// cluster is up in four seconds, or ten with OLM. Without --node no container is started, and Pods
/// are ready at once.
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
  portolan-rig up --node                with a node that runs Pods, and a registry
  portolan-rig up --olm=pods            with a node, and OLM as Pods of it
  portolan-rig up --olm-v1              with OLM v1, and a registry
  portolan-rig up --catalog ./fleet     with OLM and a catalog called 'fleet' for all namespaces

A pod is made ill, and well again, by an annotation on it or in its template:
  kubectl annotate pod NAME rig.test/pod-state=crash-looping
                                        or unready, unpullable, pending
  kubectl annotate pod NAME rig.test/pod-state-";

#[derive(Subcommand)]
enum Command {
    /// Start a cluster. Ctrl-C stops and removes the cluster
    Up(Up),
    /// Build the programs, if necessary, and print their folder
    Build,
    /// Build the image of a program, without a container runtime
    ///
    /// The image has the program, the certificates of public authorities, and the user 65532. Two
    /// builds of the same program give identical images, byte for byte.
    Image(image::Options),
    /// Write the files of a release from the programs that cargo built
    ///
    /// The files are archives with man pages and completions, the image, the chart, the bill of
    /// materials, the manifest for krew, an install script, and the checksums of all of them. The
    /// same programs give the same files, byte for byte.
    Release(release::Options),
    /// Run the processes of one rig; started by tests and by `up`
    #[command(hide = true)]
    Supervise {
        /// The folder that contains the folders of all rigs
        #[arg(long)]
        root: PathBuf,
        /// Create a network and mounts for a node
        #[arg(long)]
        node: bool,
        /// The process that owns this rig. Only shown by ps
        #[arg(long = "for")]
        _owner: u32,
    },
}

/// The form in which OLM runs.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum RunsAs {
    /// Processes of this machine: the fastest start
    Processes,
    /// Pods of a node, with real unpack Jobs, catalog Pods and the packageserver
    Pods,
}

#[derive(Args)]
struct Up {
    /// Install the Operator Lifecycle Manager; with `pods` it runs as Pods, and implies --node
    #[arg(long, value_name = "AS", num_args = 0..=1, default_missing_value = "processes")]
    olm: Option<RunsAs>,
    /// Start OLM v1: catalogd, operator-controller, and a registry of images without TLS
    #[arg(long)]
    olm_v1: bool,
    /// Start a node that runs Pods, with cluster DNS and a registry of images; needs root
    #[arg(long)]
    node: bool,
    /// Serve the file-based catalog in this folder to all namespaces; implies --olm
    ///
    /// The CatalogSource has the folder's name and is in the namespace olm. Can be given more than
    /// once.
    #[arg(long = "catalog", value_name = "DIR")]
    catalogs: Vec<PathBuf>,
}

/// Runs the program `portolan-rig`.
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
        Command::Image(options) => image::image(options),
        Command::Release(options) => release::release(options),
        Command::Supervise { root, node, .. } => supervise(&root, node),
    }
}

async fn up(options: Up) -> Result<(), Failure> {
    let catch = |kind| signal(kind).map_err(Failure::touch("listen for signals"));
    let (mut interrupt, mut end) = (
        catch(SignalKind::interrupt())?,
        catch(SignalKind::terminate())?,
    );
    // If a signal ends this command while the rig starts, the incomplete rig also ends.
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
    let parts = Parts {
        olm: options.olm.is_some() || !named.is_empty(),
        node: options.node,
        olm_pods: options.olm == Some(RunsAs::Pods),
        olm_v1: options.olm_v1,
    };
    say!("starting Kubernetes{}", others(parts));
    let cluster = Cluster::with(parts, supervisor).await?;
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
    invite(&cluster, parts);
    std::future::pending().await
}

/// Returns a valid name of a CatalogSource, derived from the name of the folder.
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

fn others(parts: Parts) -> String {
    let olm = if parts.olm_pods { "OLM as Pods" } else { "OLM" };
    let others = [
        (parts.olm, olm),
        (parts.olm_v1, "OLM v1"),
        (parts.node || parts.olm_pods, "a node"),
    ];
    let others = others.into_iter().filter(|(is_part, _)| *is_part);
    let others = others.map(|(_, name)| name).collect::<Vec<_>>();
    match others.as_slice() {
        [] => String::new(),
        others => format!(" with {}", others.join(" and ")),
    }
}

fn invite(cluster: &Cluster, parts: Parts) {
    let kubeconfig = cluster.kubeconfig();
    let kubectl = cluster.binaries().program("kubectl");
    let ask = match parts {
        Parts { olm: true, .. } => "catalogsources -A",
        Parts { olm_v1: true, .. } => "clustercatalogs",
        Parts { .. } => "nodes",
    };
    println!("{}", kubeconfig.display());
    say!("try, in another terminal:");
    say!("  export KUBECONFIG={}", kubeconfig.display());
    say!("  {} get {ask}", kubectl.display());
    if let Some(registry) = cluster.registry() {
        say!("images are pulled from {registry}");
    }
    say!(
        "logs are in {}; Ctrl-C ends it",
        cluster.folder().join("logs").display()
    );
}
