//! The flags that select catalogs, and the connection to the resolver that answers queries about
//! them.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use portolan_core_names::CatalogName;
use portolan_core_olm::{CatalogSource, ClusterCatalog};
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::resolver::v1::GetGraphRequest;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::bundles::{Asker, BundleFlags, Bundles, ImageFlags};
use portolan_resolver::snapshot::CatalogState;
use portolan_resolver::source::{
    self, CatalogAt, Location, ReadCatalogs, ReadSource, SourceAccess, SourceFlags,
};
use portolan_resolver::{Following, Resolver, Snapshot, StreamedGraph};
use portolan_shell::client::{self, Connection};
use portolan_world::{Access, AnyWorld, Kind, State, World as _};

use super::connected::Client;
use super::objects::find_any_operator;
use super::requests::Request;
use super::{Endpoint, ResolverConnection, TrustArgs, remote, world};
use crate::failure::Failure;
use crate::print::{self, words};
use crate::progress;
use crate::scope::WatchArgs;
use crate::subscribed;

/// The source of a query about catalogs: given catalogs, those of a cluster or dump, or a running
/// service.
#[derive(Debug, Args)]
#[command(
    next_help_heading = "Data source (one of these options; default: the cluster of the kubeconfig)"
)]
pub(crate) struct CatalogArgs {
    /// A catalog with the name NAME, read from a place such as a folder.
    ///
    /// A place is a folder (or file) of catalog files, the address of a registry as grpc://ADDRESS,
    /// the URL of a catalogd, or an image as oci://IMAGE. Can be given more than once. With a
    /// cluster, use this option for catalogs that are unreachable from this machine.
    #[arg(long = "catalog", value_name = "NAME=PLACE")]
    catalogs: Vec<CatalogAt>,

    /// Folder that `dump` wrote, or another folder that contains catalogs.
    #[arg(long, value_name = "PATH", conflicts_with_all = ["server", "kubeconfig", "context", "user"])]
    world: Option<PathBuf>,

    /// Query a running resolver instead of reading catalogs.
    ///
    /// If no data source is given, the default is $PORTOLAN_RESOLVER, or else $PORTOLAN_SERVER.
    #[arg(long, value_name = "URL", conflicts_with_all = ["catalogs", "kubeconfig", "context", "user"])]
    server: Option<String>,

    #[command(flatten)]
    trust: TrustArgs,

    #[command(flatten)]
    access: Access,

    #[command(flatten)]
    reach: SourceFlags,
}

/// The maximum time to wait for the catalogs of a cluster.
const PATIENCE: Duration = Duration::from_secs(30);

/// The message if the user specified no source of catalogs.
const NO_FACTS: &str = "no cluster found; use --catalog NAME=PLACE to read a catalog, --world DIR to read a dump, or --server URL to query a running resolver";

// === impl CatalogArgs ===

impl CatalogArgs {
    /// Sends one query to the resolver in this process or to a server, and returns the response.
    /// `positional` contains the fields of the query that positional arguments set.
    pub(crate) async fn query<R: Request<ResolverClient<Connection>>>(
        &self,
        positional: &'static [&'static str],
        request: R,
    ) -> Result<R::Reply, Failure> {
        let resolver = self.connect().await?;
        resolver.with_positional(positional).query(request).await
    }

    /// Returns the graph of a package without a size limit, from the resolver in this process.
    /// Returns None if a server answers, because a server limits the size of its responses.
    pub(crate) async fn streamed_graph(
        &self,
        request: &GetGraphRequest,
        positional: &'static [&'static str],
    ) -> Result<Option<StreamedGraph>, Failure> {
        match self.endpoint() {
            Endpoint::Server(..) => Ok(None),
            Endpoint::Local => {
                let resolver = self.resolver().await?;
                let asked = in_this_process(resolver.clone()).with_positional(positional);
                let graph = resolver.streamed_graph(request);
                graph.map(Some).map_err(|status| asked.failure(&status))
            }
        }
    }

    /// Adds a catalog. The name of the catalog is derived from its location.
    pub(crate) fn add(&mut self, place: &str) -> Result<(), Failure> {
        // The user may also specify NAME=PLACE, as for --catalog.
        if let Ok(named) = place.parse::<CatalogAt>()
            && !Path::new(place).exists()
        {
            self.catalogs.push(named);
            return Ok(());
        }
        let location = place.parse::<Location>().map_err(Failure::refused)?;
        let last = Path::new(place).file_stem();
        let name = last.and_then(|last| CatalogName::parse(&last.to_string_lossy()).ok());
        let name = name.or_else(|| CatalogName::parse("catalog").ok());
        let at = name.map(|name| CatalogAt { name, location });
        self.catalogs.extend(at);
        Ok(())
    }

    /// Connects to the resolver, which is a server or part of this process.
    pub(crate) async fn connect(&self) -> Result<ResolverConnection, Failure> {
        let local = self.in_process(Bundles::default());
        self.endpoint().connect(local).await
    }

    /// Connects to the resolver for queries about bundles. If the resolver is a server, the flags
    /// of this server determine the sources of bundles.
    pub(crate) async fn connect_with_bundles(
        &self,
        flags: &BundleFlags,
    ) -> Result<ResolverConnection, Failure> {
        let bundles = self.bundles(flags)?;
        self.endpoint().connect(self.in_process(bundles)).await
    }

    /// Returns the sources from which bundles are read.
    fn bundles(&self, flags: &BundleFlags) -> Result<Bundles, Failure> {
        let is_given =
            *flags != BundleFlags::default() || self.reach.images != ImageFlags::default();
        if !matches!(self.endpoint(), Endpoint::Server(..)) {
            let flags = flags.or_brought(self.world.as_deref());
            let opened = flags.open(&self.reach.images, Asker::Person);
            return opened.map_err(Failure::refused);
        }
        if is_given {
            return Err(Failure::usage(
                "options for bundles and images cannot be used with --server, because the server uses its own settings; omit these options",
            ));
        }
        Ok(Bundles::default())
    }

    /// Connects to the resolver, and to the service that lists installed operators. `flags` is None
    /// if the query reads no bundles.
    pub(crate) async fn connect_with_installed(
        &self,
        flags: Option<&BundleFlags>,
    ) -> Result<(ResolverConnection, subscribed::Source), Failure> {
        let bundles = flags.map(|flags| self.bundles(flags)).transpose()?;
        match self.endpoint() {
            Endpoint::Server(url, trust) => {
                let health = match self.health_endpoint() {
                    Endpoint::Server(url, trust) => remote(&url, &trust)?,
                    Endpoint::Local => remote(&url, &trust)?,
                };
                Ok((remote(&url, &trust)?, subscribed::Source::Server(health)))
            }
            Endpoint::Local => {
                let world = self.open().await?;
                if self.world.is_some() {
                    find_any_operator(&world).await?;
                }
                let following = self.catalogs_of(world.clone()).await?;
                let resolver = Resolver::following(following.clone());
                let connection = over(resolver.with_bundles(bundles.unwrap_or_default()));
                let resolver = ResolverConnection::new(connection, None);
                Ok((resolver, subscribed::Source::World(world, Some(following))))
            }
        }
    }

    /// Returns true if the user specified catalogs, and neither a cluster nor a folder.
    pub(crate) fn are_only_catalogs(&self) -> bool {
        !self.catalogs.is_empty() && !self.is_world_given()
    }

    /// Returns true if the catalogs come from a cluster or from a folder with its objects.
    pub(crate) fn is_of_world(&self) -> bool {
        matches!(self.endpoint(), Endpoint::Local) && !self.are_only_catalogs()
    }

    /// Returns an error if the command watches for changes, but the user specified only catalogs.
    pub(crate) fn can_be_watched(&self, watched: &WatchArgs) -> Result<(), Failure> {
        if !watched.watch || !self.are_only_catalogs() {
            return Ok(());
        }
        Err(Failure::usage(
            "--watch requires a cluster, --world or --server; a catalog of --catalog is read only once",
        ))
    }

    fn endpoint(&self) -> Endpoint {
        self.endpoint_of::<ResolverClient<Connection>>()
    }

    /// Returns the endpoint of the health service. This is a service in this process if only the
    /// resolver has a server.
    fn health_endpoint(&self) -> Endpoint {
        self.endpoint_of::<HealthClient<Connection>>()
    }

    fn endpoint_of<C: Client>(&self) -> Endpoint {
        let are_facts_given = !self.catalogs.is_empty() || self.is_world_given();
        Endpoint::of::<C>(self.server.as_deref(), &self.trust, are_facts_given)
    }

    fn is_world_given(&self) -> bool {
        self.world.is_some() || self.access.is_given()
    }

    /// Returns the flags that control how images are pulled.
    pub(crate) fn images(&self) -> &ImageFlags {
        &self.reach.images
    }

    fn reach(&self) -> SourceAccess {
        self.reach.of(Asker::Person)
    }

    async fn in_process(&self, bundles: Bundles) -> Result<Connection, Failure> {
        Ok(over(self.resolver().await?.with_bundles(bundles)))
    }

    async fn resolver(&self) -> Result<Resolver, Failure> {
        Ok(if self.are_only_catalogs() {
            Resolver::over(self.read_given().await?)
        } else {
            Resolver::following(self.catalogs_of(self.open().await?).await?)
        })
    }

    async fn read_given(&self) -> Result<Snapshot, Failure> {
        let names = self.catalogs.iter().map(|each| each.name.as_str());
        let names: Vec<_> = names.collect();
        let reading = format!("reading {}", names.join(", "));
        let reach = self.reach();
        let read = progress::show_while(&reading, source::read(&self.catalogs, &reach));
        read.await.map_err(unread)
    }

    /// Waits until each catalog of a world has been read or has failed.
    async fn catalogs_of(&self, world: AnyWorld) -> Result<Following, Failure> {
        let given = self.catalogs.clone();
        let reach = self.reach().with_pull_secrets(&world);
        let following = Following::of(world.clone(), given, &reach).map_err(unread)?;
        let settled = tokio::time::timeout(PATIENCE, following.settled());
        // A timeout is not an error: catalogs that have not responded by then are not reported.
        let _ = progress::show_while("reading catalogs", settled).await;
        if let Some(why) = following.unseen() {
            return Err(Failure::unknown(format!("cannot list catalogs: {why}")));
        }
        warn_of_strangers(&world, &self.catalogs).await;
        if self.world.is_none() {
            warn_of_hidden(&world).await;
        }
        let snapshot = following.watch().borrow().clone();
        for (name, offer) in &snapshot.offers {
            match &offer.state {
                CatalogState::Failed { why, .. } => {
                    print::warn(&format!("catalog {name} cannot be read: {why}"))
                }
                CatalogState::Pending => {
                    print::warn(&format!("catalog {name} was not read within the timeout"))
                }
                CatalogState::Serving { .. } | CatalogState::Stale { .. } => {}
            }
        }
        Ok(following)
    }

    /// Returns the contexts of the kubeconfig.
    pub(crate) fn contexts(&self) -> Vec<String> {
        self.access.contexts()
    }

    /// Opens the world that contains the catalogs.
    pub(crate) async fn open(&self) -> Result<AnyWorld, Failure> {
        world::open(self.world.as_deref(), &self.access, NO_FACTS).await
    }
}

/// Returns a connection to the resolver in this process.
pub(crate) fn in_this_process(resolver: Resolver) -> ResolverConnection {
    ResolverConnection::new(over(resolver), None)
}

/// Returns a resolver in this process.
fn over(resolver: Resolver) -> Connection {
    client::local(resolver.into_service())
}

/// Prints a warning for each kind of catalog that may be hidden from the user.
async fn warn_of_hidden(world: &AnyWorld) {
    let hidden = [
        hidden::<CatalogSource>(world).await,
        hidden::<ClusterCatalog>(world).await,
    ];
    hidden.iter().flatten().for_each(|why| print::warn(why));
}

/// Returns the reason why some objects of a kind may be hidden. Returns None if all objects are
/// visible.
async fn hidden<K: Kind>(world: &AnyWorld) -> Option<String> {
    let mut objects = world.objects::<K>();
    let view = objects.known().await;
    let view = view.ok()?;
    match &view.state {
        State::Synced if view.objects.is_empty() && world.is_partial() => {
            Some(format!("the files contain no {}", K::kind(&())))
        }
        State::Pending | State::Synced | State::NotServed => None,
        State::Unknown { .. } | State::Stale { .. } => {
            Some(format!("{}s are {}", K::kind(&()), view.state))
        }
    }
}

/// Prints a warning for each catalog of `--catalog` that has no object in the world, such as a
/// misspelled name. Prints no warning if the object may be hidden.
pub(super) async fn warn_of_strangers(world: &AnyWorld, given: &[CatalogAt]) {
    if given.is_empty() || hidden::<CatalogSource>(world).await.is_some() {
        return;
    }
    let named = source::located(world, &[]).await;
    for CatalogAt { name, .. } in given.iter().filter(|at| !named.contains_key(&at.name)) {
        print::warn(&format!(
            "CatalogSource or ClusterCatalog {name} of --catalog not found{}",
            meant(name, named.keys())
        ));
    }
}

/// Returns a suggestion for the end of a sentence about an unknown catalog. Suggests a
/// CatalogSource with the same name in a namespace, or else the most similar name.
fn meant<'a>(name: &CatalogName, known: impl Iterator<Item = &'a CatalogName> + Clone) -> String {
    let is_same = |known: &&CatalogName| {
        let last = known.as_str().rsplit('/').next();
        last == Some(name.as_str())
    };
    let same: Vec<_> = known
        .clone()
        .filter(is_same)
        .map(ToString::to_string)
        .collect();
    match same.as_slice() {
        [] => words::did_you_mean(portolan_core_names::nearest(name.as_str(), known)),
        [only] => format!("; did you mean {only}?"),
        several => format!("; use one of {}", several.join(", ")),
    }
}

/// Returns the failure for catalogs that cannot be read. A duplicate name or a missing folder is
/// invalid input. An unreachable server is not invalid input.
fn unread(error: ReadCatalogs) -> Failure {
    match &error {
        ReadCatalogs::SameName(_) => Failure::refused(error),
        ReadCatalogs::Read { source, .. } => match source {
            ReadSource::Folder(_) => Failure::refused(error),
            ReadSource::Registry(_) | ReadSource::Catalogd(_) | ReadSource::Image(_) => {
                Failure::failed(error)
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::without_its_namespace("eus", "; did you mean olm/eus?")]
    #[case::of_two_namespaces("shop", "; use one of olm/shop, quay/shop")]
    #[case::misspelled("olm/euss", "; did you mean olm/eus?")]
    #[case::unknown("lighthouse", "")]
    fn suggests_catalog_for_unknown_name(#[case] name: &str, #[case] hint: &str) {
        let parse = |name: &str| CatalogName::parse(name).expect("a name");
        let known = ["olm/eus", "olm/shop", "quay/shop"].map(parse);
        assert_eq!(meant(&parse(name), known.iter()), hint);
    }
}
