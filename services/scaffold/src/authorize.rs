//! Who may ask a service: whom the cluster knows by a token, and permits to get what is asked about.
//!
//! ```text
//! call -> token -> TokenReview -> user -> SubjectAccessReview -> handled
//!           |          |                         |
//!           +- none    +- nobody's               +- not permitted
//!              UNAUTHENTICATED                      PERMISSION_DENIED
//! ```
//!
//! What is asked about is a resource of the API group `portolan.dev`, which no API server has: roles
//! speak of it, and nothing else. Both reviews are kept for some seconds, so that who asks often costs
//! the API server little; who loses a permission keeps it for that long, and a stream that has begun
//! as long as its connection lives. Where nobody can tell, the answer is UNAVAILABLE: in doubt nobody
//! is let in.
//!
//! Whoever is not known yet has a seat and waits for a turn to be asked about, a fair share of both by
//! where it connects from; who finds no seat hears UNAVAILABLE at once. So strangers can neither take
//! much room nor have much asked, and those who are known wait on seats of their own.
//!
//! Health of gRPC is answered to everybody, by the server itself. Reflection is answered to whom the
//! cluster knows.

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

/// Whom tokens are for: one that was made for something else proves nothing here.
pub(crate) const AUDIENCE: &str = "portolan.dev";

/// The API group of what services are asked about.
pub(crate) const GROUP: &str = "portolan.dev";

/// Why a server cannot be made secure.
#[derive(Debug, Error)]
pub enum Secure {
    /// There is no certificate to serve with.
    #[error(transparent)]
    Serve(#[from] Serve),
    /// There is no cluster that knows who may ask.
    #[error("--authorize asks a cluster who may ask")]
    Reach(#[from] ReachCluster),
}

/// The server, as secure as the flags want it. The cluster that `access` leads to is asked who may
/// ask; whether it answers shows with the first call.
///
/// # Errors
/// There is no certificate, or no such cluster.
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
    // Whoever it looks as, it asks about others as itself.
    let own = Access {
        user: None,
        groups: Vec::new(),
        ..access.clone()
    };
    let client = own.client().await?;
    Ok(server.guarded(Arc::new(Authorizer::new(Cluster::of(client))))?)
}
