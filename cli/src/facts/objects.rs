//! The flags that select the objects of a cluster, and the connections to the services that check
//! their health, review them or diagnose them.

mod diagnosis;
mod own;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::pin::Pin;

use clap::Args;
use portolan_api::OperatorPolicy;
use portolan_api::installs::Install;
use portolan_api::operator::Operator;
use portolan_api::plan;
use portolan_approval::Approval;
use portolan_core_olm::{ClusterExtension, ClusterServiceVersion, InstallPlan, Subscription};
use portolan_health::Health;
use portolan_health::probe::Pace;
use portolan_resolver::source::{CatalogAt, SourceFlags};
use portolan_shell::client::{self, Connection};
use portolan_world::{
    Access, AnyWorld, Area, FaultPlace, Kind, ResolvedWorld, State, Trouble, World as _,
    WorldFault, read_inventory,
};

pub(crate) use self::diagnosis::DiagnosisArgs;
use super::connected::{Client, Connected};
use super::default_approval;
use super::world;
use super::{ApprovalConnection, Endpoint, HealthConnection, TrustArgs};
use crate::failure::Failure;
use crate::{print, progress};

/// The source of a query about objects: a cluster, its files, or a running service.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
pub(crate) struct ObjectArgs {
    /// Folder (or file) of manifests to use instead of a cluster.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["server", "kubeconfig", "context", "user"])]
    world: Option<PathBuf>,

    /// Query a running service instead of reading objects.
    ///
    /// If no data source is given, the default is the environment variable of the service
    /// ($PORTOLAN_HEALTH, $PORTOLAN_APPROVAL or $PORTOLAN_DIAGNOSIS), or else $PORTOLAN_SERVER.
    #[arg(long, value_name = "URL", conflicts_with_all = ["kubeconfig", "context", "user"])]
    server: Option<String>,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    access: Access,
}

/// Flags of queries about catalogs. They are accepted so that all queries take the same flags.
#[derive(Debug, Args)]
#[command(next_help_heading = "Catalogs (no effect; accepted for consistency with other commands)")]
pub(crate) struct IgnoredCatalogArgs {
    /// No effect, because this command only reads objects. Accepted for consistency with other
    /// commands.
    #[arg(long = "catalog", value_name = "NAME=PLACE", hide_short_help = true)]
    catalogs: Vec<CatalogAt>,

    #[command(flatten)]
    reach: SourceFlags,
}

/// A service in this process, and a future that completes when the service has read all objects.
struct Local {
    connection: Connection,
    settled: Pin<Box<dyn Future<Output = ()>>>,
}

/// The kinds of objects that a query is about. If no object of these kinds exists, the query has no
/// result.
trait Subject {
    /// The main kind of objects.
    type AskedAbout: Kind;
    /// The related kind of objects, which the answer also needs.
    type Besides: Kind;

    /// The word for objects of both kinds in messages.
    const WHAT: &'static str;

    /// For each kind, the message if the cluster does not have the kind. None if no message is
    /// needed.
    const UNKNOWN: [Option<&'static str>; 2];

    /// True if the API of Installed lists the same objects.
    const ARE_INSTALLED: bool = false;

    /// Returns the area in which related objects are read, for a query about this area.
    fn area_besides(area: Area) -> Area;

    /// Returns warnings about kinds that are missing in a folder, if their absence makes a state
    /// appear worse.
    async fn left_out(world: &AnyWorld) -> Vec<String>;

    /// Returns true if the world contains other objects that the output shows without this service.
    async fn has_more(_world: &AnyWorld) -> bool {
        false
    }

    /// Returns true if another installer has installed operators. Then a cluster without OLM v0 is
    /// not a problem.
    async fn has_other_installers(_world: &AnyWorld) -> bool {
        false
    }
}

/// Operators, whose health the health service reports.
struct Operators;

/// Operators of OLM and all objects of Portolan, which the diagnosis service diagnoses.
struct Diagnosed;

/// InstallPlans, which the approval service reviews.
struct Plans;

/// A connection to a service in this process, and the problems of the world that the service reads.
struct LocalConnection {
    connection: Connection,
    /// A sentence for each kind that the world does not contain.
    unknown: Vec<&'static str>,
    /// True if no objects of the query exist.
    is_empty: bool,
    /// The faults of unreadable documents. Each document may contain any object.
    unread: BTreeSet<WorldFault>,
    /// A command for a user who may not list the objects.
    remedy: Option<String>,
}

/// The maximum number of unreadable documents for which a separate warning is printed.
const TOLD: usize = 3;

// === impl ObjectArgs ===

impl ObjectArgs {
    /// Connects to the health service, which is a server or part of this process. A user with
    /// permissions in only one namespace must specify this namespace.
    pub(crate) async fn health(&self, namespace: &str) -> Result<HealthConnection, Failure> {
        let open = |world, namespace: Option<&str>| {
            let options = portolan_health::Options {
                namespace: namespace.map(str::to_owned),
                probes: Some(Pace::default()),
                ..portolan_health::Options::default()
            };
            let health = Health::of(world, options);
            Ok(Local {
                connection: client::local(health.clone().into_service()),
                settled: Box::pin(async move { health.settled().await }),
            })
        };
        self.connect::<Operators, _>(namespace, open).await
    }

    /// Returns flags that select the objects of this cluster.
    pub(crate) fn of_cluster(access: &Access) -> Self {
        Self {
            world: None,
            server: None,
            trust: TrustArgs::default(),
            access: access.clone(),
        }
    }

    /// Connects to the approval service, which is a server or part of this process.
    pub(crate) async fn approval(&self, namespace: &str) -> Result<ApprovalConnection, Failure> {
        self.connect::<Plans, _>(namespace, open_approval).await
    }

    /// Connects to the approval service in this process. Ignores a server from the environment,
    /// because that server may belong to another cluster.
    pub(crate) async fn local_approval(
        &self,
        namespace: &str,
    ) -> Result<ApprovalConnection, Failure> {
        self.connect_at::<Plans, _>(Endpoint::Local, namespace, open_approval)
            .await
    }

    /// Connects to a server. Without a server, `open` starts a service in this process that watches
    /// the objects of `S`.
    async fn connect<S: Subject, C: Client>(
        &self,
        namespace: &str,
        open: impl FnOnce(AnyWorld, Option<&str>) -> Result<Local, Failure>,
    ) -> Result<Connected<C>, Failure> {
        let are_facts_given = self.world.is_some() || self.access.is_given();
        let endpoint = Endpoint::of::<C>(self.server.as_deref(), &self.trust, are_facts_given);
        self.connect_at::<S, C>(endpoint, namespace, open).await
    }

    async fn connect_at<S: Subject, C: Client>(
        &self,
        endpoint: Endpoint,
        namespace: &str,
        open: impl FnOnce(AnyWorld, Option<&str>) -> Result<Local, Failure>,
    ) -> Result<Connected<C>, Failure> {
        let namespace = (!namespace.is_empty()).then_some(namespace);
        let (is_in_doubt, remedy) = (Cell::new(false), Cell::new(None));
        let local = async {
            let looked = self.in_process::<S>(namespace, C::SERVER, open).await?;
            is_in_doubt.set(!looked.unread.is_empty());
            remedy.set(looked.remedy);
            Ok(looked.connection)
        };
        let connected = endpoint.connect(local).await?;
        let connected = connected.in_doubt(is_in_doubt.get());
        Ok(connected.with_remedy(remedy.take()))
    }

    async fn in_process<S: Subject>(
        &self,
        namespace: Option<&str>,
        server: &'static str,
        open: impl FnOnce(AnyWorld, Option<&str>) -> Result<Local, Failure>,
    ) -> Result<LocalConnection, Failure> {
        let absent = format!(
            "no cluster found; use --world PATH to read manifests, or --server URL to query {server}"
        );
        let folder = self.world.as_deref();
        let world = world::open(folder, &self.access, absent).await?;
        let looking = observe::<S>(&world, namespace, || open(world.clone(), namespace));
        let looked = progress::show_while(&world::progress_text(folder), looking).await?;
        if self.world.is_none() {
            if !looked.unknown.is_empty() && !S::has_other_installers(&world).await {
                looked.unknown.iter().for_each(|what| print::warn(what));
            }
            return Ok(looked);
        }
        looked.warn_of_unread(S::WHAT)?;
        if looked.is_empty {
            find_any::<S>(&world).await?;
        } else {
            let left_out = S::left_out(&world).await;
            left_out.iter().for_each(|what| print::warn(what));
        }
        Ok(looked)
    }
}

/// Starts the approval service in this process.
fn open_approval(world: AnyWorld, namespace: Option<&str>) -> Result<Local, Failure> {
    let options = portolan_approval::Options {
        namespace: namespace.map(str::to_owned),
        ..default_approval()
    };
    let approval = Approval::of(ResolvedWorld::of(world), options);
    Ok(Local {
        connection: client::local(approval.clone().into_service()),
        settled: Box::pin(async move { approval.settled().await }),
    })
}

// === impl Subject ===

impl Subject for Operators {
    type AskedAbout = ClusterServiceVersion;
    type Besides = Subscription;

    const WHAT: &'static str = "operator";

    const ARE_INSTALLED: bool = true;

    const UNKNOWN: [Option<&'static str>; 2] = [
        Some(
            "the CRD of ClusterServiceVersions is not installed on the cluster, because OLM v0 is not installed",
        ),
        None,
    ];

    fn area_besides(area: Area) -> Area {
        area
    }

    /// Returns no warnings, because unknown states are reported for each operator.
    async fn left_out(_world: &AnyWorld) -> Vec<String> {
        Vec::new()
    }

    async fn has_more(world: &AnyWorld) -> bool {
        Self::has_other_installers(world).await || !world.is_partial()
    }

    async fn has_other_installers(world: &AnyWorld) -> bool {
        exists::<Operator>(world).await
            || exists::<ClusterExtension>(world).await
            || exists::<Install>(world).await
            || exists::<plan::InstallPlan>(world).await
    }
}

impl Subject for Diagnosed {
    type AskedAbout = ClusterServiceVersion;
    type Besides = Subscription;

    const WHAT: &'static str = Operators::WHAT;

    const ARE_INSTALLED: bool = true;

    const UNKNOWN: [Option<&'static str>; 2] = Operators::UNKNOWN;

    fn area_besides(area: Area) -> Area {
        Operators::area_besides(area)
    }

    async fn left_out(world: &AnyWorld) -> Vec<String> {
        Operators::left_out(world).await
    }

    async fn has_other_installers(world: &AnyWorld) -> bool {
        Operators::has_other_installers(world).await
    }

    async fn has_more(world: &AnyWorld) -> bool {
        left_out::<Operator>(world).await.is_none()
            || left_out::<plan::InstallPlan>(world).await.is_none()
            || left_out::<Install>(world).await.is_none()
            || left_out::<ClusterExtension>(world).await.is_none()
    }
}

impl Subject for Plans {
    type AskedAbout = InstallPlan;
    type Besides = OperatorPolicy;

    const WHAT: &'static str = "InstallPlan and no policy";

    const UNKNOWN: [Option<&'static str>; 2] = [
        Some(
            "the CRD of InstallPlans is not installed on the cluster, because OLM v0 is not installed",
        ),
        Some(
            "the CRD of OperatorPolicies is not installed on the cluster, so no InstallPlan is allowed",
        ),
    ];

    /// Returns all namespaces, because policies can be in any namespace.
    fn area_besides(_area: Area) -> Area {
        Area::everywhere()
    }

    async fn left_out(world: &AnyWorld) -> Vec<String> {
        let kinds = [
            left_out::<OperatorPolicy>(world).await,
            left_out::<Subscription>(world).await,
        ];
        kinds.into_iter().flatten().collect()
    }
}

/// Returns an error if files contain no operators of any installer. Used by queries about upgrades.
pub(super) async fn find_any_operator(world: &AnyWorld) -> Result<(), Failure> {
    if !read_inventory(world, "").await.operators().is_empty() {
        return Ok(());
    }
    find_any::<Operators>(world).await
}

/// Returns an error if files contain no objects for the query in any namespace, because the user
/// probably specified the wrong folder. A dump without these objects is accepted, because a dump
/// records that the objects do not exist.
async fn find_any<S: Subject>(world: &AnyWorld) -> Result<(), Failure> {
    let asked_about = left_out::<S::AskedAbout>(world).await;
    let besides = left_out::<S::Besides>(world).await;
    if asked_about.is_none() || besides.is_none() || S::has_more(world).await {
        return Ok(());
    }
    let (asked_about, besides) = (kind_name::<S::AskedAbout>(), kind_name::<S::Besides>());
    if asked_about == besides {
        return Err(another_place(&asked_about));
    }
    Err(another_place(&format!("{asked_about} and no {besides}")))
}

/// Returns the error for files that contain no objects for the query.
pub(crate) fn another_place(what: &str) -> Failure {
    Failure::usage(format!(
        "the files contain no {what}; check the path of --world, or create the files with `portolan dump`"
    ))
}

/// Returns a warning if files contain no objects of a kind that the cluster probably has.
pub(crate) async fn left_out<K: Kind>(world: &AnyWorld) -> Option<String> {
    if !world.is_partial() {
        return None;
    }
    let mut objects = world.objects::<K>();
    let view = objects.known().await;
    let kind = K::kind(&());
    let told = match &*kind {
        // The health and approval services report missing objects of these kinds themselves.
        "Deployment" | "OperatorPolicy" => "",
        _ => ", so objects of this kind are treated as missing",
    };
    let is_empty = view.is_ok_and(|view| view.objects.is_empty());
    is_empty.then(|| format!("the files contain no {kind}{told}; if the cluster contains objects of this kind, add their manifests"))
}

/// Returns true if the world has an object of the kind.
async fn exists<K: Kind>(world: &AnyWorld) -> bool {
    let mut objects = world.objects::<K>();
    let view = objects.known().await;
    view.is_ok_and(|view| !view.objects.is_empty())
}

fn kind_name<K: Kind>() -> String {
    K::kind(&()).into_owned()
}

/// Waits until the service has read all objects for the query. Returns the connection and the
/// problems.
async fn observe<S: Subject>(
    world: &AnyWorld,
    namespace: Option<&str>,
    open: impl FnOnce() -> Result<Local, Failure>,
) -> Result<LocalConnection, Failure> {
    let area = namespace.map(Area::namespace).unwrap_or_default();
    let mut asked_about = world.objects_in::<S::AskedAbout>(area.clone());
    let mut besides = world.objects_in::<S::Besides>(S::area_besides(area));
    let Local {
        connection,
        settled,
    } = open()?;
    settled.await;
    let (asked_about, besides) = (asked_about.now(), besides.now());
    let is_of_no_object = |fault: &&WorldFault| match &fault.place {
        FaultPlace::Object(_) => false,
        FaultPlace::File { object, .. } => object.is_none(),
    };
    let unread = asked_about.faults.iter().chain(besides.faults.iter());
    let states = [&asked_about.state, &besides.state].into_iter();
    let is_forbidden = states.clone().any(is_forbidden);
    let remedy = namespace.filter(|_| S::ARE_INSTALLED && is_forbidden);
    let unknown = states
        .zip(S::UNKNOWN)
        .filter_map(|(state, sentence)| sentence.filter(|_| *state == State::NotServed));
    Ok(LocalConnection {
        connection,
        unknown: unknown.collect(),
        is_empty: asked_about.objects.is_empty() && besides.objects.is_empty(),
        unread: unread.filter(is_of_no_object).cloned().collect(),
        remedy: remedy.map(installed_api),
    })
}

fn is_forbidden(state: &State) -> bool {
    matches!(state.trouble(), Some((Trouble::Forbidden(_), _)))
}

/// Returns a command that lists operators through the API of Installed, for a user who may not list
/// the objects of OLM.
pub(crate) fn installed_api(namespace: &str) -> String {
    let place = match namespace {
        "" => "-A".to_owned(),
        namespace => format!("-n {namespace}"),
    };
    format!("if you have permissions in one namespace only, run: kubectl get installed {place}")
}

// === impl LocalConnection ===

impl LocalConnection {
    /// Prints warnings about unreadable documents. Returns an error if no object of the query was
    /// found.
    fn warn_of_unread(&self, what: &str) -> Result<(), Failure> {
        let faults = &self.unread;
        if let Some(first) = faults.first().filter(|_| self.is_empty) {
            return Err(Failure::usage(format!(
                "no {what} found, and some documents cannot be read: {first}"
            )));
        }
        faults.iter().take(TOLD).for_each(print::warn_of_unread);
        if faults.len() > TOLD {
            let more = faults.len() - TOLD;
            print::warn(&format!("{more} more documents cannot be read"));
        }
        Ok(())
    }
}
