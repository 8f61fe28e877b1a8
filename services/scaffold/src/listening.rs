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

/// Runs a service until this process is told to stop. It listens at once; it is ready when it says
/// so itself.
///
/// # Errors
/// It cannot listen, or its work has ended.
pub async fn serve(listening: impl Future<Output = Result<Listening, Start>>) -> Result<(), Start> {
    let stops = signals::stop().map_err(Start::Signals)?;
    listening.await?.run(stops).await
}

// === impl Listening ===

impl Listening {
    /// Nothing is answered before [`Listening::run`], and the work behind the server does not begin:
    /// following the world, as a rule. It never ends well.
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
        // In a task of its own: what it computes must not hold up whoever connects.
        let working = async { AbortOnDropHandle::new(tokio::spawn(work)).await };
        tokio::select! {
            // It listens before it looks at anything, and its log says so.
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
