//! Connections that send no data after the fence has closed.
//!
//! A caller passes its request to the task of a connection, and this task sends the request. If the
//! process is stopped in between, the task would send the request when the process continues.
//! Therefore the task also checks the fence before each step.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use hyper::rt::Executor;
use kube::client::ClientBuilder;
use kube::{Client, Config};

use super::Fence;

#[cfg(test)]
mod tests;

type Task = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Runs the tasks of connections until the permission of the fence ends.
#[derive(Debug, Clone)]
struct Guarded(Fence);

impl Fence {
    /// Returns a client that sends no data after the permission of this fence has ended. Before the
    /// first permission, the client may read.
    ///
    /// # Errors
    /// Returns an error if the configuration is invalid, for example because of an invalid
    /// certificate.
    pub fn client(&self, config: Config) -> kube::Result<Client> {
        let guarded = Guarded(self.clone());
        Ok(ClientBuilder::try_from((config, guarded))?.build())
    }
}

impl Executor<Task> for Guarded {
    fn execute(&self, mut task: Task) {
        let fence = self.0.clone();
        tokio::spawn(poll_fn(move |context| {
            if fence.has_fallen() {
                Poll::Ready(())
            } else {
                task.as_mut().poll(context)
            }
        }));
    }
}
