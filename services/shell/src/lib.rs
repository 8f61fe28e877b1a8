//! The parts that each process of Portolan has, implemented once.
//!
//! Provides flags with environment variables, logs and traces, probes and metrics, gRPC health
//! and reflection, limits and deadlines of calls, and graceful shutdown. A service provides a tonic
//! service and its [`Readiness`]. This crate knows nothing of the answers of services.
//!
//! ```text
//! flags -> Logs::start -> Server::new(..).host(service, ready).bind() -> run(signals::stop())
//! ```
//!
//! A first signal drains: what runs may finish. A second one cuts what still does. What a signal
//! does to all connections, their age does to each ([`ServeFlags::max_connection_age`]).
//!
//! The other side of a call is in [`client`]: all replicas of a service as one that answers.
//!
//! Services refuse requests in one form: see [`refusal`].
//!
//! Streams of changes are identified by an [`Epoch`], and none is silent for longer than a
//! [`HEARTBEAT`].
//!
//! A process that serves no calls has a [`ProbeServer`] in place of a server: probes, and metrics
//! of its own.
//!
//! A process that API servers call has an [`HttpsServer`], whose certificate is changed while it
//! serves. It may ask clients for a [`ShownCertificate`]; [`ClientAuthorities`] vouch for it.
//!
//! Access is decided before a call is handled: by TLS with [`Server::with_tls`], and by a [`Guard`]
//! that knows tokens and permissions. Without both, the default addresses are on loopback.

mod blocking_pool;
mod call;
mod causes;
pub mod client;
mod epoch;
mod flags;
mod guard;
mod https;
mod limits;
mod logs;
mod methods;
mod metrics;
mod patient;
mod pauses;
mod polled;
mod probe_server;
mod probes;
mod readiness;
pub mod refusal;
mod server;
mod shares;
mod shown;
pub mod signals;
mod tls;
mod traces;

pub use blocking_pool::BlockingPool;
pub use causes::with_causes;
pub use epoch::{Epoch, HEARTBEAT};
pub use flags::{
    Credentials, HttpsFlags, LogFlags, LogFormat, ProbeFlags, SecurityFlags, ServeFlags,
    parse_address, parse_duration,
};
pub use guard::{Asked, Bearer, Caller, Guard, Permitted};
pub use https::HttpsServer;
pub use logs::{Logs, StartLogs};
pub use methods::DecodeDescriptors;
pub use probe_server::ProbeServer;
pub use readiness::Readiness;
pub use server::{Bound, Full, Serve, Server, accept};
pub use shares::{Holder, NoPlace, Share, Shares};
pub use shown::{ClientAuthorities, ShownCertificate};
pub use tls::{ReadCertificate, ServedCertificate, Tls};
