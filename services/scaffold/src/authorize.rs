//! Authentication and authorization of callers: the cluster identifies a user by a token, and
//! permits the user to get the requested resource.
//!
//! ```text
//! call -> token -> TokenReview -> user -> SubjectAccessReview -> handled
//!           |          |                         |
//!           +- none    +- invalid                +- not permitted
//!              UNAUTHENTICATED                      PERMISSION_DENIED
//! ```
//!
//! The resource is one of the API group `portolan.dev`, which no API server has: only roles refer
//! to it. Both reviews are cached for some seconds, so that frequent requests of a caller cost the
//! API server little. A caller that loses a permission keeps it for that long, and an open stream
//! keeps it while its connection lives. If the API server does not answer, the response is
//! UNAVAILABLE: in doubt no caller is permitted.
//!
//! A caller that is not known yet takes a seat and waits for its turn to be reviewed. Seats and
//! turns are shared fairly among the addresses that callers connect from, and a caller that finds
//! no seat gets UNAVAILABLE at once. So unknown callers can neither take much room nor cause many
//! reviews, and known callers wait on seats of their own.
//!
//! Health of gRPC is answered to every client, by the server itself. Reflection is answered to
//! every user that the cluster knows.

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

/// The audience of tokens: a token that was made for another audience proves nothing here.
pub(crate) const AUDIENCE: &str = "portolan.dev";

/// The API group of the resources of services.
pub(crate) const GROUP: &str = "portolan.dev";

/// The reason why a server cannot be secured.
#[derive(Debug, Error)]
pub enum Secure {
    /// The certificate is missing.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// The cluster that authorizes callers is missing.
    #[error("--authorize requires a cluster")]
    Reach(#[from] ReachCluster),
}

/// Creates the server with the security of the flags. The cluster of `access` authorizes callers.
/// The first call contacts it.
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
    // Reviews are always requested as the process itself, never as an impersonated user.
    let own = Access {
        user: None,
        groups: Vec::new(),
        ..access.clone()
    };
    let client = own.client().await?;
    Ok(server.guarded(Arc::new(Authorizer::new(Cluster::of(client))))?)
}
