//! A service as a process.

use std::convert::Infallible;
use std::net::SocketAddr;

use futures::{FutureExt, Stream};
use portolan_shell::Bound;
use tokio_util::task::AbortOnDropHandle;

use crate::{Process, Start};

/// A service that listens, and answers once it runs.
#[derive(Debug)]
pub struct Listening {
    grpc: SocketAddr,
    process: Process,
}

// === impl Listening ===

impl Listening {
    /// Creates a server that answers only after [`Listening::run`], and that runs `work`, usually
    /// the watches of the world, in the background. `work` ends only with an error.
    pub fn new(
        server: Bound,
        work: impl Future<Output = Result<Infallible, Start>> + Send + 'static,
    ) -> Self {
        let grpc = server.grpc_address();
        let process = Process::new(move |stops| {
            // In a task of its own: its computations must not delay clients that connect.
            let working = async { AbortOnDropHandle::new(tokio::spawn(work)).await };
            async move {
                tokio::select! {
                    // It listens before it reads anything, and its log shows that.
                    biased;
                    ended = server.run(stops) => Ok(ended?),
                    ended = working => match ended?? {},
                }
            }
            .boxed()
        });
        Self { grpc, process }
    }

    /// Returns the address on which gRPC is served.
    pub fn grpc_address(&self) -> SocketAddr {
        self.grpc
    }

    /// Serves and works until the first of `stops`; see [`Bound::run`].
    ///
    /// # Errors
    /// Returns an error if the server or the work ends.
    pub async fn run(self, stops: impl Stream<Item = ()> + Send) -> Result<(), Start> {
        self.process.run(stops).await
    }
}

impl From<Listening> for Process {
    fn from(listening: Listening) -> Self {
        listening.process.at(listening.grpc)
    }
}
