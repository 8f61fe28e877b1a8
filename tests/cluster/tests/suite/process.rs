//! Runs services with their command-line flags as tasks of the test process.

use std::fmt::Debug;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use portolan_proto::DESCRIPTORS;
use portolan_rig::{Failure, PATIENCE, Seen, until};
use portolan_shell::client::{Connection, Retry, Terms, remote};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A service that runs as a task. Dropping this value stops it.
pub(crate) struct Running {
    stop: oneshot::Sender<()>,
    running: JoinHandle<()>,
}

/// A stream with one item: the signal to stop.
pub(crate) type Stops = BoxStream<'static, ()>;

#[derive(Debug, clap::Parser)]
struct Line<F: clap::Args> {
    #[command(flatten)]
    flags: F,
}

/// Returns the flags of a process that listens on free ports.
pub(crate) fn on_free_ports<F: clap::Args>(
    name: &str,
    flags: impl IntoIterator<Item = String>,
) -> F {
    let listen = ["--listen=127.0.0.1:0".to_owned()];
    on_free_probes(name, listen.into_iter().chain(flags))
}

/// Returns the flags of a process that serves only probes, on a free port.
pub(crate) fn on_free_probes<F: clap::Args>(
    name: &str,
    flags: impl IntoIterator<Item = String>,
) -> F {
    let own = [name, "--probes-listen=127.0.0.1:0"];
    let line = own.map(str::to_owned).into_iter().chain(flags);
    let Line { flags } = clap::Parser::parse_from(line);
    flags
}

/// Returns the resident memory of a process in kilobytes. The path is the folder of the process in
/// /proc.
pub(crate) fn resident(process: &Path) -> Option<usize> {
    let status = fs::read_to_string(process.join("status")).ok()?;
    let mut lines = status.lines();
    let held = lines.find_map(|line| line.strip_prefix("VmRSS:"))?;
    held.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// Returns the resident memory of this process in kilobytes. Services, controllers and tests run in
/// this process.
pub(crate) fn resident_here() -> usize {
    resident(Path::new("/proc/self")).expect("/proc must have it")
}

/// Connects to a server, and does not retry failed requests. A server without a pause needs no
/// retry, and a test must notice each failure.
pub(crate) fn connection(url: &str, deadline: Duration) -> Connection {
    let terms = Terms {
        retry: Retry::Unprocessed,
        ..Terms::queries(DESCRIPTORS, deadline)
    };
    remote(url, terms).expect("the URL must be one")
}

/// Waits until a line in the metrics of a process begins with this text.
pub(crate) async fn until_metric(probes: SocketAddr, line: &str) -> Result<(), Failure> {
    until(format!("the metric {line}"), PATIENCE, async || {
        let metrics = metrics(probes).await.unwrap_or_default();
        Ok(if metrics.lines().any(|each| each.starts_with(line)) {
            Seen::Yes(())
        } else {
            Seen::NotYet(metrics)
        })
    })
    .await
}

/// Scrapes the metrics of a process.
pub(crate) async fn metrics(probes: SocketAddr) -> std::io::Result<String> {
    probed(probes, "metrics").await
}

/// Returns true if a process reports that it is ready.
pub(crate) async fn ready(probes: SocketAddr) -> std::io::Result<bool> {
    let answer = probed(probes, "readyz").await?;
    Ok(answer.starts_with("HTTP/1.1 200 "))
}

/// Returns true if the liveness probe of a process succeeds.
pub(crate) async fn alive(probes: SocketAddr) -> std::io::Result<bool> {
    let answer = probed(probes, "livez").await?;
    Ok(answer.starts_with("HTTP/1.1 200 "))
}

async fn probed(probes: SocketAddr, what: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(probes).await?;
    let request = format!("GET /{what} HTTP/1.1\r\nHost: probes\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    Ok(answer)
}

// === impl Running ===

impl Running {
    /// Stops the task immediately, like `kill -9`, even while it is busy.
    pub(crate) fn kill(self) {
        self.running.abort();
    }

    /// Stops the service, and waits until it has exited.
    pub(crate) async fn stop(self) {
        drop(self.stop);
        self.running.await.expect("it must exit with success");
    }

    /// Runs a service until the returned value is dropped. The service must exit with success.
    pub(crate) fn until_dropped<R, E>(run: impl FnOnce(Stops) -> R) -> Self
    where
        R: Future<Output = Result<(), E>> + Send + 'static,
        E: Debug,
    {
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = stream::once(async { stopped.await.unwrap_or_default() });
        let running = run(stopped.boxed());
        let running = async { running.await.expect("it must run until it is stopped") };
        Self {
            stop,
            running: tokio::spawn(running),
        }
    }
}
