//! Runs the approval service as a process.

use clap::{Args, ValueEnum};
use portolan_core_approval::consent::{Fallback, Terms};
use portolan_scaffold::{Listening, SnapshotCell, Start, secure};
use portolan_shell::{SecurityFlags, ServeFlags, Server};
use portolan_world::{ResolvedWorld, WorldFlags};

use crate::{Approval, Options, cache};

/// The flags of the approval service.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// The source of the InstallPlans and the policies.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// Only InstallPlans of this namespace. Policies are read in all namespaces.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// The decision for an operator that no PolicyBinding names.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "allow")]
    pub unbound: Unbound,

    /// The effect of a PolicyBinding that names a missing object.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "ignore")]
    pub broken: Broken,

    /// The flags of the server.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// The flags of authentication.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// The decision for an operator that no PolicyBinding names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unbound {
    /// The operator may be upgraded.
    Allow,
    /// The operator may not be upgraded.
    Deny,
}

/// The effect of a broken PolicyBinding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Broken {
    /// The binding is ignored and reported.
    Ignore,
    /// The operators that the binding names may not be upgraded.
    Deny,
}

/// Returns the terms that these two flags define.
pub fn terms(unbound: Unbound, broken: Broken) -> Terms {
    Terms {
        unbound: match unbound {
            Unbound::Allow => Fallback::Allow,
            Unbound::Deny => Fallback::Deny,
        },
        broken: match broken {
            Broken::Ignore => Fallback::Allow,
            Broken::Deny => Fallback::Deny,
        },
    }
}

/// Runs the approval service until the process gets a signal. The service listens immediately, and
/// becomes ready when all objects of a cluster have been listed. After that, the service watches
/// the objects for changes.
///
/// # Errors
/// Returns an error if the service cannot listen, if the flags select no world, or if the objects
/// can no longer be watched.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_scaffold::serve(listen(flags)).await
}

/// Listens on both addresses. The service observes no objects and processes no requests until
/// [`Listening::run`] is called.
///
/// # Errors
/// Returns an error if the service cannot listen.
pub async fn listen(flags: Flags) -> Result<Listening, Start> {
    let Flags {
        objects,
        only_namespace,
        unbound,
        broken,
        serve,
        security,
    } = flags;
    let options = Options {
        keeps_grounds: false,
        namespace: only_namespace,
        upgrades: Some(terms(unbound, broken)),
        at: None,
    };
    let cell = SnapshotCell::default();
    let service = Approval::answering(cell.snapshots()).into_service();
    let server = Server::new(serve, portolan_proto::DESCRIPTORS).host(service, cell.heard());
    let server = secure(server, &security, &objects.access).await?;
    let following = async move {
        let world = ResolvedWorld::of(objects.open().await?);
        Err(cache::follow(world, options, cell).await.into())
    };
    Ok(Listening::new(server.bind().await?, following))
}
