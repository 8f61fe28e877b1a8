//! Connections that carry nothing any more once the fence has fallen.
//!
//! A request goes from who makes it to the task of its connection, and that sends it. A process
//! that is stopped in between would have it sent when it wakes up: the task looks at the fence too,
//! each time before it goes on.

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

/// Runs the tasks of connections until the fence falls.
#[derive(Debug, Clone)]
struct Guarded(Fence);

impl Fence {
    /// A client of which nothing leaves this process once the fence has fallen. Before it permits
    /// anything for the first time there is nothing to fall, and the client may be used to look.
    ///
    /// # Errors
    /// Something in the configuration cannot be used, such as a certificate.
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
