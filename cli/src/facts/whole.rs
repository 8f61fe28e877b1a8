//! All that policies are carried out from, and a rehearsal of them in this process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use portolan_api::OperatorPolicy;
use portolan_approval::Approval;
use portolan_controller::{Connections, Proposed, READS, Rehearsal, Rehearsed, Terms};
use portolan_diagnosis::Diagnosis;
use portolan_health::Health;
use portolan_health::probe::Pace;
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_resolver::{Following, Resolver};
use portolan_shell::{Readiness, Server, client};
use portolan_world::{
    Access, AnyWorld, Cluster, Ended, Files, ObjectId, Objects, ReachCluster, Trouble, World as _,
};
use serde_json::Value;
use thiserror::Error;

use super::catalogs::warn_of_strangers;
use super::left_out::{Needed, left_out};
use super::objects::is_there;
use crate::failure::Failure;
use crate::{print, progress};

/// What policies are rehearsed on: a cluster, or files that are taken for one with the catalogs that
/// go with them.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Facts (one of these; the cluster of the kubeconfig if none is given)"
)]
pub(crate) struct WholeFacts {
    /// Folder (or file) of manifests to take for a cluster.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["kubeconfig", "context", "user"])]
    world: Option<PathBuf>,

    #[command(flatten)]
    access: Access,

    /// The content of a CatalogSource: its namespace and name, and a folder (or file) of catalog
    /// files, the address of a registry behind grpc://, or the URL of a catalogd. For those that
    /// cannot be reached, and for all of a --world.
    #[arg(long = "catalog", value_name = "NAMESPACE/NAME=PLACE")]
    catalogs: Vec<CatalogAt>,

    #[command(flatten)]
    reach: SourceFlags,
}

/// A world with those who look at it. Clones are the same.
#[derive(Clone)]
pub(crate) struct Whole {
    world: AnyWorld,
    proposed: Proposed<AnyWorld>,
    health: Health,
    approval: Approval,
    catalogs: Following,
}

/// What policies are judged by.
const LEANS_ON: &[Needed] = &[
    Needed::CatalogSource,
    Needed::ClusterServiceVersion,
    Needed::CustomResourceDefinition,
    Needed::Deployment,
    Needed::InstallPlan,
    Needed::Namespace,
    Needed::OperatorGroup,
    Needed::Subscription,
];

/// How long a cluster is waited for that tells of policies and not of everything else.
const PATIENCE: Duration = Duration::from_secs(30);

/// Nobody sees the policies.
#[derive(Debug, Error)]
#[error("look at OperatorPolicies")]
struct SeePolicies(#[source] Trouble);

/// Nothing to rehearse on.
#[derive(Debug, Error)]
#[error("nothing to answer from: --world PATH reads manifests, and there is no cluster")]
struct NoFacts(#[source] ReachCluster);

/// The world was followed no longer.
#[derive(Debug, Error)]
#[error("follow the objects of policies")]
struct Follow(#[source] Ended);

// === impl WholeFacts ===

impl WholeFacts {
    /// These facts, or a folder where none are given.
    pub(crate) fn or_folder(mut self, folder: &Path) -> Self {
        if self.world.is_none() && !self.access.is_given() {
            self.world = Some(folder.to_owned());
        }
        self
    }

    /// Which cluster, where it is one.
    pub(crate) fn cluster(&self) -> Option<&Access> {
        self.world.is_none().then_some(&self.access)
    }

    /// The folder that is taken for a cluster, if one is.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.world.as_deref()
    }

    /// Has everybody look at the world as it would be with these policies, from now on.
    pub(crate) async fn open(
        &self,
        proposals: Vec<Objects<OperatorPolicy>>,
    ) -> Result<Whole, Failure> {
        let world = self.world().await?;
        let proposed = Proposed::to(world.clone(), proposals);
        let catalogs = Following::of(world.clone(), self.catalogs.clone(), &self.reach);
        let catalogs = catalogs.map_err(Failure::refused)?;
        let reach = portolan_health::Reach {
            probes: Some(Pace::default()),
            ..portolan_health::Reach::default()
        };
        Ok(Whole {
            health: Health::of(proposed.clone(), reach),
            approval: Approval::of(proposed.clone(), portolan_approval::Reach::default()),
            world,
            proposed,
            catalogs,
        })
    }

    /// Waits until everybody has looked at everything, but for what cannot be looked at.
    pub(crate) async fn settle(&self, whole: &Whole) -> Result<(), Failure> {
        let what = self.looking();
        let seen = progress::shown(&what, whole.sees_policies()).await;
        seen.map_err(Failure::failed)?;
        let looking = async {
            let Whole {
                health,
                approval,
                catalogs,
                ..
            } = whole;
            tokio::join!(health.settled(), approval.settled(), catalogs.settled());
        };
        let looking = tokio::time::timeout(PATIENCE, looking);
        if progress::shown(&what, looking).await.is_err() {
            print::warn("not everything answers; what does not is told as not known");
        }
        warn_of_strangers(&whole.world, &self.catalogs).await;
        Ok(())
    }

    fn looking(&self) -> String {
        match &self.world {
            Some(path) => format!("reading {}", path.display()),
            None => "looking at the cluster".to_owned(),
        }
    }

    async fn world(&self) -> Result<AnyWorld, Failure> {
        if let Some(path) = &self.world {
            is_there(path).map_err(Failure::refused)?;
            return Ok(AnyWorld::Files(Files::at(path).reading(READS)));
        }
        let cluster = Cluster::reach(&self.access).await;
        let cluster = super::reached(cluster, NoFacts)?;
        Ok(AnyWorld::Cluster(cluster.reading(READS)))
    }
}

// === impl Whole ===

impl Whole {
    /// Rehearses all policies, with these as those who are asked.
    pub(crate) fn rehearse(&self, terms: &Terms) -> Rehearsal {
        let services = Connections {
            resolver: client::local(self.resolver().into_service()),
            health: client::local(self.health.clone().into_service()),
            approval: client::local(self.approval.clone().into_service()),
        };
        Rehearsal::of(&self.proposed, services, terms)
    }

    /// Has all of them answer over the network.
    pub(crate) fn host(&self, server: Server, ready: &Readiness) -> Server {
        server
            .host(self.resolver().into_service(), ready.clone())
            .host(self.health.clone().into_service(), ready.clone())
            .host(self.approval.clone().into_service(), ready.clone())
    }

    /// One who looks at all of it, from now on, and says what is wrong.
    pub(crate) fn diagnosis(&self) -> Diagnosis {
        let reach = portolan_diagnosis::Reach {
            probes: Some(Pace::default()),
            ..portolan_diagnosis::Reach::default()
        };
        Diagnosis::of(self.proposed.clone(), self.catalogs.clone(), reach)
    }

    /// Waits until it is known which policies there are: without them there is nothing to say.
    async fn sees_policies(&self) -> Result<(), SeePolicies> {
        let mut policies = self.proposed.objects::<OperatorPolicy>();
        let view = policies.known().await;
        let state = view.map(|view| view.state).unwrap_or_default();
        match state.trouble() {
            Some((trouble, _)) => Err(SeePolicies(trouble.clone())),
            None => Ok(()),
        }
    }

    /// The catalogs that all of them know.
    pub(crate) fn catalogs(&self) -> &Following {
        &self.catalogs
    }

    fn resolver(&self) -> Resolver {
        Resolver::new(self.catalogs.watch())
    }

    /// Objects as they are written; those that nobody tells are left out.
    pub(crate) async fn written(&self, names: Vec<ObjectId>) -> BTreeMap<ObjectId, Value> {
        self.world.written(names).await
    }

    /// The kinds that files do not have, and that may be there all the same, a sentence each.
    pub(crate) async fn left_out(&self) -> Vec<String> {
        left_out(&self.world, LEANS_ON).await
    }

    /// Documents and policies that cannot be read, a sentence each. What a document would be nobody
    /// knows: it is told with every kind.
    pub(crate) async fn unread(&self) -> Vec<String> {
        let mut policies = self.proposed.objects::<OperatorPolicy>();
        let view = policies.known().await;
        let faults = view.map_or_else(|_| Vec::new(), |view| view.faults.to_vec());
        faults.iter().map(ToString::to_string).collect()
    }
}

/// What would become of each policy, once everything was looked at.
pub(crate) async fn settled(rehearsal: &mut Rehearsal) -> Result<Vec<Rehearsed>, Failure> {
    let settled = progress::shown("deciding", rehearsal.settled()).await;
    settled.map_err(|ended| Failure::failed(Follow(ended)))
}
