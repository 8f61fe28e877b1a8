//! Runs a service as a process.

use std::convert::Infallible;
use std::net::SocketAddr;

use futures::{FutureExt, Stream};
use portolan_shell::Bound;
use tokio_util::task::AbortOnDropHandle;

use crate::{Process, Start};

/// A service whose addresses are bound. It processes requests after [`Listening::run`] is called.
#[derive(Debug)]
pub struct Listening {
    grpc: SocketAddr,
    process: Process,
}

// === impl Listening ===

impl Listening {
    /// Creates a service that processes requests after [`Listening::run`] is called. `work` runs in
    /// the background and usually watches the world. `work` ends only with an error.
    pub fn new(
        server: Bound,
        work: impl Future<Output = Result<Infallible, Start>> + Send + 'static,
    ) -> Self {
        let grpc = server.grpc_address();
        let process = Process::new(move |stops| {
            // The work runs in a separate task, so that its computations do not delay new
            // connections.
            let working = async { AbortOnDropHandle::new(tokio::spawn(work)).await };
            async move {
                tokio::select! {
                    // `biased` polls the server first, so that the log shows the start of the
                    // server before messages about objects.
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

    /// Runs the server and the background work until the first item of `stops`. See [`Bound::run`].
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
