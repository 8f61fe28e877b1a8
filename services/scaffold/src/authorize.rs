//! Authenticates and authorizes callers. The API server identifies the user of a token and decides
//! if the user may `get` the resource that represents the service.
//!
//! ```text
//! call -> token -> TokenReview -> user -> SubjectAccessReview -> handled
//!           |          |                         |
//!           +- none    +- invalid                +- not permitted
//!              UNAUTHENTICATED                      PERMISSION_DENIED
//! ```
//!
//! The resource belongs to the API group `portolan.dev`. No API server serves this group. The group
//! exists only in the rules of roles. The results of both reviews are cached for a few seconds, so
//! that frequent requests of a caller cause little load on the API server. Therefore a caller that
//! loses a permission can use the permission for a few more seconds. An open stream can use the
//! permission until its connection ends. If the API server does not respond, the call fails with
//! UNAVAILABLE, because a call without a review is never permitted.
//!
//! An unknown caller takes a seat in a queue and waits for its review. Seats and reviews are shared
//! fairly among the addresses of callers. If no seat is free, the call fails with UNAVAILABLE at
//! once. Therefore unknown callers can neither use much memory nor cause many reviews. Known
//! callers have separate seats.
//!
//! Two kinds of calls need no permission: gRPC health calls of every client, and reflection calls
//! of every user that the cluster knows.

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

/// The audience that a token must have. A token for another audience is rejected.
pub(crate) const AUDIENCE: &str = "portolan.dev";

/// The API group of the resources that represent the services in roles.
pub(crate) const GROUP: &str = "portolan.dev";

/// The reason why TLS or authorization cannot be set up.
#[derive(Debug, Error)]
pub enum Secure {
    /// TLS cannot be set up, for example because the certificate is missing.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// No cluster is configured to authorize callers.
    #[error("--authorize requires a cluster")]
    Reach(#[from] ReachCluster),
}

/// Configures TLS and authorization of the server as the flags require. The cluster of `access`
/// authorizes callers. The first call is the first contact with this cluster.
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
