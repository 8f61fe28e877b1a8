//! A service as a process.

use std::convert::Infallible;
use std::fmt;
use std::net::SocketAddr;

use futures::future::BoxFuture;
use futures::{FutureExt, Stream};
use portolan_shell::{Bound, signals};
use tokio_util::task::AbortOnDropHandle;

use crate::Start;

/// A service that listens, and answers once it runs.
pub struct Listening {
    server: Bound,
    work: BoxFuture<'static, Result<Infallible, Start>>,
}

/// Runs a service until the process gets a signal. It listens at once, and becomes ready when the
/// service reports it.
///
/// # Errors
/// Returns an error if it cannot listen, or if its work has ended.
pub async fn serve(listening: impl Future<Output = Result<Listening, Start>>) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    listening.await?.run(stops).await
}

// === impl Listening ===

impl Listening {
    /// Creates a server that answers only after [`Listening::run`], and that runs `work`, usually
    /// the watches of the world, in the background. `work` must never end.
    pub fn new(
        server: Bound,
        work: impl Future<Output = Result<Infallible, Start>> + Send + 'static,
    ) -> Self {
        Self {
            server,
            work: work.boxed(),
        }
    }

    /// Returns the address on which gRPC is served.
    pub fn grpc_address(&self) -> SocketAddr {
        self.server.grpc_address()
    }

    /// Serves and works until the first of `stops`; see [`Bound::run`].
    ///
    /// # Errors
    /// The server ends, or the work does.
    pub async fn run(self, stops: impl Stream<Item = ()>) -> Result<(), Start> {
        let Self { server, work } = self;
        // Runs in its own task, so that its computations do not delay new connections.
        let working = async { AbortOnDropHandle::new(tokio::spawn(work)).await };
        tokio::select! {
            // Listens and logs the address before it observes anything.
            biased;
            ended = server.run(stops) => Ok(ended?),
            ended = working => match ended?? {},
        }
    }
}

impl fmt::Debug for Listening {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { server, work: _ } = self;
        out.debug_tuple("Listening").field(server).finish()
    }
}
