//! An operator for tests on a node. It reconciles Ferries, validates them with a webhook, and
//! converts them between two versions. A test can make it fail in several typical ways.
//!
//! ```text
//! Ferry "dover" --> ConfigMap "dover-timetable", status.ready
//! ```
//!
//! Only the environment variables of the container configure the program. So the same program can
//! be any version of the operator: the images of the versions differ only in their environment.

mod reconcile;
mod serve;
mod trouble;
mod webhook;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Parser;
use kube::Client;
use tokio::signal::unix::{SignalKind, signal};

use crate::serve::{Tls, serve};
use crate::trouble::Trouble;

/// The folder in which OLM and Portolan mount the certificate for a webhook.
const CERTIFICATES: &str = "/tmp/k8s-webhook-server/serving-certs";

/// The only API version of the kind in the first version of the operator.
const FIRST_API: &str = "v1alpha1";

#[derive(Debug, Parser)]
#[command(name = "ferry-operator", version)]
struct Flags {
    /// The version that the operator reports in its log
    #[arg(long, env = "FERRY_VERSION", default_value = "0.0.0")]
    release: String,
    /// The API version of the kind that the operator reconciles
    #[arg(long, env = "FERRY_API", default_value = "v1alpha1")]
    api: String,
    /// The failure that the operator simulates
    #[arg(long, env = "FERRY_TROUBLE", default_value = "none")]
    trouble: Trouble,
    /// The port of /healthz and /readyz
    #[arg(long, env = "FERRY_PROBES", default_value_t = 8081)]
    probes: u16,
    /// The port of the webhooks, which the operator serves if the certificate exists
    #[arg(long, env = "FERRY_WEBHOOKS", default_value_t = 9443)]
    webhooks: u16,
    /// The number of seconds for which the operator serves requests after SIGTERM, and closes each
    /// connection
    #[arg(long, env = "FERRY_DRAIN", default_value_t = 0)]
    drain: u64,
    /// The folder with the certificate of the webhooks
    #[arg(long, env = "FERRY_CERTIFICATES", default_value = CERTIFICATES)]
    certificates: PathBuf,
    /// The OperatorCondition in which the operator reports that it cannot be upgraded. Set by OLM
    #[arg(long, env = "OPERATOR_CONDITION_NAME")]
    condition: Option<String>,
    /// Print the addresses of a host name, and exit
    #[arg(long)]
    resolve: Option<String>,
}

/// A reason why the operator exits with an error.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("cannot listen on port {port}")]
    Listen {
        port: u16,
        #[source]
        source: std::io::Error,
    },
    #[error("cannot listen for signals")]
    Signals(#[source] std::io::Error),
    #[error("the API server is unavailable")]
    Api(#[from] kube::Error),
}

/// The state of the operator that its probes report.
#[derive(Debug, Default)]
struct Health {
    is_ready: AtomicBool,
    hangs: AtomicBool,
    /// True after SIGTERM. New connections of the API server then go to another Pod.
    is_stopping: AtomicBool,
    /// True if this version of the operator converts Ferries. The first version does not convert
    /// them.
    converts: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let flags = Flags::parse();
    if let Some(name) = &flags.resolve {
        return resolve(name).await;
    }
    println!("ferry-operator {} starts with {}", flags.release, flags.api);
    match run(flags).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("error: {fault:?}");
            ExitCode::FAILURE
        }
    }
}

async fn resolve(name: &str) -> ExitCode {
    match tokio::net::lookup_host((name, 0)).await {
        Ok(addresses) => {
            addresses.for_each(|address| println!("{}", address.ip()));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run(flags: Flags) -> Result<(), Fault> {
    // Ignores an error: the process may already have a provider, and any provider is sufficient.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut stop = signal(SignalKind::terminate()).map_err(Fault::Signals)?;
    let health = Arc::new(Health {
        converts: flags.api != FIRST_API,
        ..Health::default()
    });
    tokio::spawn(serve(flags.probes, None, Arc::clone(&health)).await?);
    if flags.certificates.is_dir() {
        let tls = Tls::of(&flags.certificates);
        tokio::spawn(serve(flags.webhooks, Some(tls), Arc::clone(&health)).await?);
    }
    let client = Client::try_default().await?;
    let troubled = flags.trouble.begin(&health, &client, &flags);
    let reconciling = async {
        let is_ready = flags.trouble != Trouble::Unready;
        health.is_ready.store(is_ready, Ordering::Relaxed);
        reconcile::run(client.clone(), &flags.api).await;
    };
    tokio::select! {
        code = troubled => std::process::exit(code),
        () = reconciling => {}
        _ = stop.recv() => {
            println!("ferry-operator stops");
            health.is_stopping.store(true, Ordering::Relaxed);
            tokio::time::sleep(Duration::from_secs(flags.drain)).await;
        }
    }
    Ok(())
}
