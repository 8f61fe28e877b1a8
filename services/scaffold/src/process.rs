//! A process: its servers, its work, and its shutdown.

use std::fmt;
use std::net::SocketAddr;

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use futures::{FutureExt, Stream, StreamExt};
use portolan_shell::{ProbeServer, signals};
use tokio_util::task::AbortOnDropHandle;

use crate::Start;

/// The work of a process. It runs until the first stop signal and then shuts down in order. The
/// second signal ends this shutdown early.
type Work =
    Box<dyn for<'a> FnOnce(BoxStream<'a, ()>) -> BoxFuture<'a, Result<(), Start>> + Send + 'static>;

/// A process that is set up and starts with [`Process::run`].
pub struct Process {
    address: Option<SocketAddr>,
    probe_server: Option<ProbeServer>,
    tasks: Vec<BoxFuture<'static, ()>>,
    work: Work,
}

/// Runs a process until SIGTERM or Ctrl-C. Signal handlers are installed before the process is
/// built.
///
/// # Errors
/// Returns an error if the process cannot start, or its work fails.
pub async fn serve<P: Into<Process>>(
    process: impl Future<Output = Result<P, Start>>,
) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    process.await?.into().run(stops).await
}

// === impl Process ===

impl Process {
    /// Creates a process that does this work until the first stop signal and then shuts down in
    /// order.
    pub fn new<W>(work: W) -> Self
    where
        W: for<'a> FnOnce(BoxStream<'a, ()>) -> BoxFuture<'a, Result<(), Start>> + Send + 'static,
    {
        Self {
            address: None,
            probe_server: None,
            tasks: Vec::new(),
            work: Box::new(work),
        }
    }

    /// Sets the address on which the process accepts calls, so that [`Process::address`] returns
    /// it.
    pub fn at(self, address: SocketAddr) -> Self {
        Self {
            address: Some(address),
            ..self
        }
    }

    /// Serves probes and metrics while the process runs.
    pub fn probed(self, probe_server: ProbeServer) -> Self {
        Self {
            probe_server: Some(probe_server),
            ..self
        }
    }

    /// Adds a task that runs in parallel to the work. The task ends with the process.
    pub fn beside(mut self, task: impl Future<Output = ()> + Send + 'static) -> Self {
        self.tasks.push(task.boxed());
        self
    }

    /// Returns the address on which the process accepts calls. Returns None if it accepts no calls.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Returns the address of the probes. Returns None if the work or another server serves them.
    pub fn probes_address(&self) -> Option<SocketAddr> {
        self.probe_server.as_ref().map(ProbeServer::probes_address)
    }

    /// Runs the work until the first item of `stops`, and then shuts down in order. The second item
    /// ends the shutdown early.
    ///
    /// # Errors
    /// Returns an error if the work fails.
    pub async fn run(self, stops: impl Stream<Item = ()> + Send) -> Result<(), Start> {
        let Self {
            address: _,
            probe_server,
            tasks,
            work,
        } = self;
        let probes = probe_server.map(|it| it.run().boxed());
        let tasks = probes.into_iter().chain(tasks);
        let _tasks: Vec<_> = tasks
            .map(|task| AbortOnDropHandle::new(tokio::spawn(task)))
            .collect();
        work(stops.boxed()).await
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = out.debug_struct("Process");
        shown.field("address", &self.address);
        shown.field("probes", &self.probes_address());
        shown.finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn background_tasks_end_with_their_process() {
        let (held, released) = tokio::sync::oneshot::channel::<()>();
        let process = Process::new(|mut stops| {
            async move {
                stops.next().await;
                Ok(())
            }
            .boxed()
        });
        let process = process.beside(async move {
            let _held = held;
            std::future::pending().await
        });
        let ended = process.run(futures::stream::once(async {})).await;
        assert!(ended.is_ok(), "{ended:?}");
        released.await.expect_err("the task must end");
    }
}
