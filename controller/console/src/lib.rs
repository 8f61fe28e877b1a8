//! The console: pages for people who would rather look.
//!
//! It has no rights of its own. It listens on loopback, shows what the kubeconfig of whoever started it may see, and
//! lets in who has the secret of the address that it prints: once, for one browser. What pages look like, and which
//! requests are answered, is decided in `core/console`; this crate listens, asks the services, and keeps the keys.
//!
//! ```text
//! socket -> Server: Gate, Keys, Attempts -> Source::look(Place) -> View -> Frame::show -> socket
//! ```

mod attempts;
mod changes;
mod keys;
mod pages;
mod server;
mod services;

pub use keys::NoRandom;
pub use server::{Bind, Console};
pub use services::{Connections, Services, drawn};

use futures::future::BoxFuture;
use portolan_core_console::Place;
use portolan_core_console::view::View;
use tokio::sync::watch;

/// Who knows what there is to show.
pub trait Source: Send + Sync + 'static {
    /// What is to be seen at a place, now.
    fn look<'a>(&'a self, place: &'a Place) -> BoxFuture<'a, View>;

    /// A number that grows when something may look otherwise.
    fn changes(&self) -> watch::Receiver<u64>;
}

#[cfg(test)]
mod tests;
