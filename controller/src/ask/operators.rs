//! The requests to the resolver and to the approval service that Operators need. Responses of the
//! resolver are cached until catalogs change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use portolan_core_operator::{
    Answer, Ask, BundleId, BundleRef, CommonRoute, Knowledge, Offer, Offers, PackageFacts,
    PackageRef, Question, RenderedBundle,
};
use portolan_core_operatorpolicy as policy;
use portolan_operators::Catalogs;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;
use tokio::time::{Instant, sleep};
use tonic::Status;

use super::cache::AnswerCache;
use super::changes::ChangeQueue;
use super::consents::Consents;
use super::resolver::{Resolver, get_bundle, get_package};
use super::{Clock, Connections, DEADLINE, wire};

/// The maximum time for requesting a bundle from a registry.
pub(super) const PULL: Duration = Duration::from_secs(120);
/// The maximum time for planning a route.
const SEARCH: Duration = Duration::from_secs(30);
/// The time after the start of this process in which an unavailable resolver is not reported. The
/// resolver may be starting at the same time.
const BEGIN: Duration = Duration::from_secs(10);
/// The key of the metadata in a response about a package. The value is the version of the resolver.
const RESOLVER_VERSION: &str = "portolan-version";
/// The maximum number of cached bundles. A bundle with its manifests may have several megabytes.
const BUNDLES: usize = 32;

/// The catalogs that may be used, by name. Each has its priority and its labels.
type Counted = BTreeMap<String, (i32, BTreeMap<String, String>)>;

/// The requests about Operators, with all cached responses of the resolver.
pub(crate) struct OperatorCatalogs {
    resolver: Resolver,
    /// The namespaces whose CatalogSources may be used.
    namespaces: BTreeSet<String>,
    /// True if each service is queried only once. Messages then do not say since when a service is
    /// unavailable.
    is_asked_once: bool,
    began: Instant,
    offers: AnswerCache<BTreeSet<PackageRef>, u64, Arc<Offers>>,
    packages: AnswerCache<(String, String), u64, PackageFacts>,
    /// The cache needs only one response, because each request contains all Operators.
    routes: AnswerCache<(), (u64, Arc<Question>), Arc<Vec<CommonRoute>>>,
    bundles: AnswerCache<BundleRef, u64, RenderedBundle>,
    images: AnswerCache<BundleId, u64, String>,
    readable: AnswerCache<BundleRef, u64, RenderedBundle>,
    consents: Consents,
}

impl OperatorCatalogs {
    /// Starts to watch the catalogs of the resolver. An unreachable resolver is not an error here,
    /// because later responses report it. Must be called within a Tokio runtime.
    pub(crate) fn over(connections: Connections, namespaces: BTreeSet<String>) -> Self {
        let Connections {
            resolver,
            health: _,
            approval,
        } = connections;
        let approval = ApprovalClient::new(approval);
        let clock = Clock(Arc::new(Timestamp::now));
        let changes = Arc::new(ChangeQueue::default());
        let resolver = Resolver::over(resolver, changes.clone(), clock.clone());
        Self {
            consents: Consents::new(approval, changes, clock),
            namespaces,
            is_asked_once: false,
            began: Instant::now(),
            offers: resolver.cache().keeping(8),
            packages: resolver.cache(),
            routes: resolver.cache(),
            bundles: resolver.cache().keeping(BUNDLES),
            images: resolver.cache(),
            readable: resolver.cache(),
            resolver,
        }
    }

    /// Configures the client for a process that queries each service only once.
    pub(crate) fn asked_once(self) -> Self {
        Self {
            is_asked_once: true,
            ..self
        }
    }

    fn silence<A>(&self, unavailable: &policy::Unavailable) -> Answer<A> {
        Answer::Unavailable(if self.is_asked_once {
            format!("{}: {}", unavailable.service, unavailable.why)
        } else {
            unavailable.to_string()
        })
    }

    /// Returns the catalogs that may be used: cluster-scoped catalogs, and catalogs in the
    /// configured namespaces, which only administrators can write to.
    fn counted(&self) -> Result<Counted, policy::Unavailable> {
        self.resolver.statuses.read(|statuses| {
            let all = statuses.iter().map(|(key, status)| (&key.name, status));
            let counts = |name: &str| match name.split_once('/') {
                Some((namespace, _)) => self.namespaces.contains(namespace),
                None => true,
            };
            let counted = all.filter(|(name, _)| counts(name));
            counted
                .map(|(name, status)| (name.clone(), (status.priority, status.labels.clone())))
                .collect()
        })
    }

    async fn offers(&self, packages: &BTreeSet<PackageRef>) -> Answer<Arc<Offers>> {
        let counted = match self.counted() {
            Ok(counted) => counted,
            Err(unavailable) => return self.silence(&unavailable),
        };
        let (client, asked) = (self.resolver.client(), packages.clone());
        let call = async move { Ok(Arc::new(list(client, asked, &counted).await?)) };
        let method = ("ListPackages", SEARCH);
        self.ask(&self.offers, packages.clone(), method, call).await
    }

    async fn package(&self, catalog: &str, package: &str) -> Answer<PackageFacts> {
        let (mut client, request) = (self.resolver.client(), get_package(catalog, package));
        let call = async move {
            let answer = client.get_package(request).await?;
            let version = answer.metadata().get(RESOLVER_VERSION);
            let version = version.and_then(|it| it.to_str().ok()).map(str::to_owned);
            Ok(wire::decode_facts(answer.get_ref(), version))
        };
        let about = (catalog.to_owned(), package.to_owned());
        let method = ("GetPackage", DEADLINE);
        self.ask(&self.packages, about, method, call).await
    }

    async fn plan(&self, question: &Arc<Question>) -> Answer<Arc<Vec<CommonRoute>>> {
        let (mut client, asked) = (self.resolver.client(), question.clone());
        let call = async move {
            let request = wire::encode_question(&asked);
            if request.operators.is_empty() {
                return Ok(Arc::default());
            }
            let answer = client.plan_route(request).await?.into_inner();
            Ok(Arc::new(wire::decode_routes(answer)))
        };
        let state = |edition| (edition, question.clone());
        let method = ("PlanRoute", SEARCH);
        let answer = self
            .resolver
            .ask_all(&self.routes, (), method, (state, call));
        self.decode(answer.await)
    }

    async fn bundle(&self, bundle: &BundleRef) -> Answer<RenderedBundle> {
        let (mut client, asked) = (self.resolver.client(), bundle.clone());
        let call = async move {
            let request = get_bundle([&asked.catalog, &asked.package, &asked.bundle], false);
            let described = client.get_bundle(request).await?.into_inner();
            let rendered = client.render_bundle(wire::encode_render(&asked)).await?;
            wire::decode_bundle(described, rendered.into_inner(), asked.with_manifests)
        };
        let cache = if bundle.with_manifests {
            &self.bundles
        } else {
            &self.readable
        };
        let method = ("RenderBundle", PULL);
        self.ask(cache, bundle.clone(), method, call).await
    }

    async fn image(&self, bundle: &BundleId) -> Answer<String> {
        let mut client = self.resolver.client();
        let request = get_bundle([&bundle.catalog, &bundle.package, &bundle.bundle], false);
        let call = async move {
            let described = client.get_bundle(request).await?.into_inner();
            Ok(described.image)
        };
        let method = ("GetBundle", DEADLINE);
        self.ask(&self.images, bundle.clone(), method, call).await
    }

    async fn ask<Q: Ord + Clone, A: Clone + Send + Sync + 'static>(
        &self,
        cache: &AnswerCache<Q, u64, A>,
        about: Q,
        method: (&'static str, Duration),
        call: impl Future<Output = Result<A, Status>> + Send + 'static,
    ) -> Answer<A> {
        let call = (|edition| edition, call);
        let answer = self.resolver.ask_all(cache, about, method, call);
        self.decode(answer.await)
    }

    fn decode<A>(&self, answer: policy::Answer<A>) -> Answer<A> {
        match answer {
            policy::Answer::Found(answer) => Answer::Known(answer),
            policy::Answer::NotFound(sentence) => Answer::Refused(sentence),
            policy::Answer::Unavailable(unavailable) => self.silence(&unavailable),
            policy::Answer::NotAsked => {
                Answer::Unavailable("the service has not been queried".to_owned())
            }
        }
    }

    /// Waits until the resolver has reported its catalogs, up to a time limit.
    async fn begun(&self) {
        const PAUSE: Duration = Duration::from_millis(50);
        while self.began.elapsed() < BEGIN && self.resolver.edition().is_err() {
            sleep(PAUSE).await;
        }
    }
}

impl Catalogs for OperatorCatalogs {
    async fn changed(&self) {
        self.resolver.changes.next().await;
    }

    async fn answer(&self, ask: &Ask) -> Knowledge {
        self.begun().await;
        match ask {
            Ask::Offers(packages) => Knowledge::Offers(self.offers(packages).await),
            Ask::Package { catalog, package } => {
                Knowledge::Package(self.package(catalog, package).await)
            }
            Ask::Routes => Knowledge::Routes(Answer::Unavailable(
                "routes are requested separately".to_owned(),
            )),
            Ask::Bundle(bundle) => Knowledge::Bundle(Box::new(self.bundle(bundle).await)),
            Ask::Image(bundle) => Knowledge::Image(self.image(bundle).await),
            Ask::Consent(question) => Knowledge::Consent(self.consents.ask(question).await),
            Ask::Live(_) => Knowledge::Live(Answer::Unavailable(of_cluster())),
            Ask::Resources(_) => Knowledge::Resources(Answer::Unavailable(of_cluster())),
        }
    }

    async fn routes(&self, question: &Arc<Question>) -> Answer<Arc<Vec<CommonRoute>>> {
        self.begun().await;
        self.plan(question).await
    }
}

// --- requests that do not depend on catalogs ---

fn of_cluster() -> String {
    "no service reads the objects of the cluster".to_owned()
}

impl fmt::Debug for OperatorCatalogs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OperatorCatalogs")
    }
}

/// Returns the catalogs that contain each of these packages and that may be used.
async fn list(
    mut client: ResolverClient<Connection>,
    packages: BTreeSet<PackageRef>,
    counted: &Counted,
) -> Result<Offers, Status> {
    let mut offers = Offers::new();
    let mut page_token = String::new();
    loop {
        let request = pb::ListPackagesRequest {
            page_token,
            ..pb::ListPackagesRequest::default()
        };
        let page = client.list_packages(request).await?.into_inner();
        for listed in page.packages {
            let mut wanted = packages.iter();
            let rank = counted.get(&listed.catalog);
            if let Some((wanted, (priority, labels))) =
                wanted.find(|it| it.name == listed.name).zip(rank)
            {
                let mut offer = Offer {
                    catalog: listed.catalog,
                    priority: *priority,
                    labels: labels.clone(),
                    channels: None,
                };
                if wanted.with_channels {
                    let request = get_package(&offer.catalog, &listed.name);
                    let package = client.get_package(request).await?.into_inner();
                    let names = package.channels.into_iter().map(|channel| channel.name);
                    offer.channels = Some(names.collect());
                }
                offers.entry(listed.name).or_default().push(offer);
            }
        }
        page_token = page.next_page_token;
        if page_token.is_empty() {
            return Ok(offers);
        }
    }
}
