//! The common code of all processes of Portolan.
//!
//! Provides flags with environment variables, logs and traces, probes and metrics, gRPC health and
//! reflection, limits and deadlines of calls, and graceful shutdown. Each service provides a tonic
//! service and its [`Readiness`]. This crate does not depend on the content of responses.
//!
//! ```text
//! flags -> Logs::start -> Server::new(..).host(service, ready).bind() -> run(signals::stop())
//! ```
//!
//! The first stop signal drains the server: running calls may finish. The second signal ends the
//! remaining calls. A connection that reaches its maximum age ([`ServeFlags::max_connection_age`])
//! is drained in the same way.
//!
//! The client side of calls is in [`client`]. It treats all replicas of a service as a single
//! service.
//!
//! Every service rejects requests with errors of the same form. See [`refusal`].
//!
//! The messages of a stream of changes contain an [`Epoch`]. Each stream sends a message at least
//! every [`HEARTBEAT`].
//!
//! System calls that differ between operating systems are in [`platform`].
//!
//! A process that serves no gRPC calls uses a [`ProbeServer`] instead of a [`Server`]. The
//! [`ProbeServer`] serves only probes and metrics.
//!
//! A process that API servers call uses an [`HttpsServer`]. Its certificate can be replaced while
//! the server runs. The server can request a [`ShownCertificate`] from clients.
//! [`ClientAuthorities`] verify this certificate.
//!
//! Access is checked before a call is handled: by TLS with [`Server::with_tls`], and by a [`Guard`]
//! that checks tokens and permissions. Both checks are optional. Therefore the default addresses
//! are loopback addresses.

mod blocking_pool;
mod call;
mod causes;
pub mod client;
mod epoch;
mod flags;
mod gauge;
mod guard;
mod https;
mod limits;
mod logs;
mod methods;
mod metrics;
mod patient;
mod pauses;
pub mod platform;
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
pub use gauge::LabeledGauge;
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
