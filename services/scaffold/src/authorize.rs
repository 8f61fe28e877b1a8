//! Authentication and authorization of callers: the cluster identifies the user of a token, and
//! decides if the user may get the requested resource.
//!
//! ```text
//! call -> token -> TokenReview -> user -> SubjectAccessReview -> handled
//!           |          |                         |
//!           +- none    +- invalid                +- not permitted
//!              UNAUTHENTICATED                      PERMISSION_DENIED
//! ```
//!
//! The resource belongs to the API group `portolan.dev`. No API server serves this group; only
//! roles refer to it. Both reviews are cached for a few seconds, so that frequent requests of a
//! caller cause little load on the API server. Therefore a caller that loses a permission can use
//! it for a few more seconds. An open stream can use it until its connection ends. If the API
//! server does not respond, the call fails with UNAVAILABLE, because no caller is permitted without
//! a response.
//!
//! An unknown caller takes a seat in a queue and waits for its review. Seats and reviews are shared
//! fairly among the addresses of callers. If no seat is free, the call fails with UNAVAILABLE at
//! once. Therefore unknown callers can neither use much memory nor cause many reviews. Known
//! callers have separate seats.
//!
//! The server answers gRPC health requests of every client, and reflection requests of every user
//! that the cluster knows.

mod answers;
mod authorizer;
mod expiring;
mod queue;
mod reviews;

use std::sync::Arc;

use portolan_shell::{SecurityFlags, Serve, Server};
use portolan_world::{Access, ReachCluster};
use thiserror::Error;

use self::authorizer::Authorizer;
use self::reviews::Cluster;

/// The audience of tokens. A token for another audience is not accepted.
pub(crate) const AUDIENCE: &str = "portolan.dev";

/// The API group of the resources that represent services.
pub(crate) const GROUP: &str = "portolan.dev";

/// The reason why authentication and TLS cannot be set up.
#[derive(Debug, Error)]
pub enum Secure {
    /// The certificate is missing.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// There is no cluster to authorize callers.
    #[error("--authorize requires a cluster")]
    Reach(#[from] ReachCluster),
}

/// Creates the server with the TLS and authorization settings in the flags. The cluster of `access`
/// authorizes callers. It is contacted at the first call.
///
/// # Errors
/// Returns an error if the certificate or the cluster is missing.
pub async fn secure(
    server: Server,
    flags: &SecurityFlags,
    access: &Access,
) -> Result<Server, Secure> {
    let SecurityFlags { tls, authorize } = flags;
    let server = match tls {
        Some(folder) => server.with_tls(folder)?,
        None => server,
    };
    if !authorize {
        return Ok(server);
    }
    // Reviews are always requested with the identity of the process, and never as an impersonated
    // user.
    let own = Access {
        user: None,
        groups: Vec::new(),
        ..access.clone()
    };
    let client = own.client().await?;
    Ok(server.guarded(Arc::new(Authorizer::new(Cluster::of(client))))?)
}
