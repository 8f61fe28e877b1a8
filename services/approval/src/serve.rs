//! Approval as a process.

use clap::{Args, ValueEnum};
use portolan_core_consent::{Fallback, Terms};
use portolan_scaffold::{Listening, SnapshotCell, Start, secure};
use portolan_shell::{SecurityFlags, ServeFlags, Server};
use portolan_world::{ResolvedWorld, WorldFlags};

use crate::{Approval, Options, cache};

/// What approval needs to be told.
#[derive(Debug, Clone, Args)]
pub struct Flags {
    /// Where the InstallPlans and the policies are.
    #[command(flatten)]
    pub objects: WorldFlags,

    /// Only InstallPlans of this namespace. Policies are read in all of them.
    #[arg(long, value_name = "NAME")]
    pub only_namespace: Option<String>,

    /// What becomes of an operator that no PolicyBinding names.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "allow")]
    pub unbound: Unbound,

    /// What a PolicyBinding does that names something that is not there.
    #[arg(long, value_name = "WHAT", value_enum, default_value = "ignore")]
    pub broken: Broken,

    /// Where and how to serve.
    #[command(flatten)]
    pub serve: ServeFlags,

    /// Whom to serve.
    #[command(flatten)]
    pub security: SecurityFlags,
}

/// What becomes of an operator that no PolicyBinding names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unbound {
    /// It may move.
    Allow,
    /// It may not move.
    Deny,
}

/// What a broken PolicyBinding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Broken {
    /// Nothing, and that is told.
    Ignore,
    /// It keeps from moving whomever it names.
    Deny,
}

/// Returns the terms that both come to.
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

/// Runs approval until this process is told to stop. It listens at once and is ready when
/// everything has been looked at, and a cluster was there; from then on it follows what changes.
///
/// # Errors
/// It cannot listen, there is nothing to look at, or looking at it has ended.
pub async fn serve(flags: Flags) -> Result<(), Start> {
    portolan_scaffold::serve(listen(flags)).await
}

/// Listens on both addresses. Nothing is looked at or answered before [`Listening::run`].
///
/// # Errors
/// It cannot listen.
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
