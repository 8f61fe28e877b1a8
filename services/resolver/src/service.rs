//! The gRPC server of the resolver.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures::StreamExt;
use futures::stream::BoxStream;
use portolan_core_bundle::Folder;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_server::ResolverServer;
use portolan_proto::resolver::v1::{
    batch_find_path_response as path, batch_list_upgrades_response as upgrades,
    batch_plan_route_response as route,
};
use portolan_scaffold::{WatchUpdate, messages};
use portolan_shell::{BlockingPool, Epoch};
use tokio::sync::watch;
use tonic::metadata::MetadataValue;
use tonic::{Request, Response, Status, Streaming};

use crate::bundles::Bundles;
use crate::cached::CachedResolver;
use crate::following::Following;
use crate::question::{RequestError, changes};
use crate::{Snapshot, wire};

/// Processes requests with the current Snapshot. Clones share the Snapshot.
#[derive(Debug, Clone)]
pub struct Resolver {
    snapshot: watch::Receiver<Arc<Snapshot>>,
    epoch: Epoch,
    pool: BlockingPool,
    bundles: Bundles,
    /// The watched catalogs for the queries. They are watched while the resolver exists.
    following: Option<Following>,
}

/// The maximum number of updates in a graph that is kept in memory. Real packages have up to 20,000
/// updates. A hostile package can have an update for each pair of bundles.
const MOST_UPDATES: u64 = 200_000;

/// The metadata key in a response about a package. Its value is the version of the resolver.
const VERSION_KEY: &str = "portolan-version";

/// The result of a method with a single response.
type Answered<T> = Result<Response<T>, Status>;

/// The stream of a method with many responses.
type Stream<T> = BoxStream<'static, Result<T, Status>>;

// === impl Resolver ===

impl Resolver {
    /// Creates a resolver that always uses the latest Snapshot of the channel.
    pub fn new(snapshot: watch::Receiver<Arc<Snapshot>>) -> Self {
        Self {
            snapshot,
            epoch: Epoch::begin(),
            pool: BlockingPool::default(),
            bundles: Bundles::default(),
            following: None,
        }
    }

    /// Creates a resolver for these watched catalogs. The catalogs are watched until the resolver
    /// and its clones are dropped.
    pub fn following(following: Following) -> Self {
        Self {
            following: Some(following.clone()),
            ..Self::new(following.watch())
        }
    }

    /// Creates a resolver that uses one fixed Snapshot.
    pub fn over(snapshot: Snapshot) -> Self {
        Self::new(watch::Sender::new(Arc::new(snapshot)).subscribe())
    }

    /// Finds bundle files with `bundles`, and uses the image mirrors of the world whose catalogs
    /// the resolver watches.
    pub fn with_bundles(self, bundles: Bundles) -> Self {
        let following = self.following.as_ref();
        let bundles = match following.and_then(Following::mirrors) {
            Some(mirrors) => bundles.through(mirrors),
            None => bundles,
        };
        Self { bundles, ..self }
    }

    /// Returns the version and the files of a bundle, for a caller that stores them. An empty
    /// catalog name selects the best catalog that contains the bundle.
    ///
    /// # Errors
    /// Returns the same errors as RenderBundle.
    pub async fn bundle_files(
        &self,
        catalog: &str,
        package: &str,
        bundle: &str,
    ) -> Result<(String, Folder), Status> {
        let asked = wire::decode_bundle([catalog, package, bundle])?;
        let snapshot = self.current();
        let found = asked.files(&snapshot, &self.bundles).await;
        found.map_err(wire::encode_not_rendered)
    }

    /// Returns the gRPC service with its response cache, for use by a server or within this
    /// process.
    pub fn into_service(self) -> CachedResolver {
        CachedResolver::new(self)
    }

    /// Returns the service without a response cache.
    pub fn uncached(self) -> ResolverServer<Self> {
        // `portolan-shell` limits the message size for all services, and returns the correct gRPC
        // code.
        ResolverServer::new(self).max_decoding_message_size(usize::MAX)
    }

    pub(crate) fn current(&self) -> Arc<Snapshot> {
        Arc::clone(&self.snapshot.borrow())
    }

    /// Returns the thread pool for work that would delay other calls.
    pub(crate) fn pool(&self) -> &BlockingPool {
        &self.pool
    }
}

#[tonic::async_trait]
impl pb::resolver_server::Resolver for Resolver {
    type WatchCatalogsStream = Stream<pb::WatchCatalogsResponse>;
    type BatchListUpgradesStream = Stream<pb::BatchListUpgradesResponse>;
    type BatchFindPathStream = Stream<pb::BatchFindPathResponse>;
    type BatchPlanRouteStream = Stream<pb::BatchPlanRouteResponse>;

    async fn list_catalogs(
        &self,
        request: Request<pb::ListCatalogsRequest>,
    ) -> Answered<pb::ListCatalogsResponse> {
        let snapshot = self.current();
        answer(wire::decode_list_catalogs(request.get_ref()), |question| {
            let answer = question.ask(&snapshot)?;
            Ok(wire::encode_list_catalogs(&answer))
        })
    }

    async fn watch_catalogs(
        &self,
        _: Request<pb::WatchCatalogsRequest>,
    ) -> Answered<Self::WatchCatalogsStream> {
        // Only the catalogs of an older Snapshot are kept, because the whole Snapshot also contains
        // cached responses.
        let mut known = BTreeMap::new();
        let compare = move |snapshot: Arc<Snapshot>| {
            let changes = snapshot.since(&known);
            known.clone_from(&snapshot.offers);
            Some(WatchUpdate {
                revision: snapshot.revision,
                changes,
                again: None,
            })
        };
        let messages = messages(self.snapshot.clone(), self.epoch.clone(), compare);
        let messages = messages.map(|message| Ok(wire::encode_message(message)));
        Ok(Response::new(messages.boxed()))
    }

    async fn check_catalogs(
        &self,
        request: Request<pb::CheckCatalogsRequest>,
    ) -> Answered<pb::CheckCatalogsResponse> {
        let snapshot = self.current();
        // The check builds the graph of every package, so it runs on another thread.
        let checked = self.pool.run(move || {
            answer(wire::decode_check_catalogs(request.get_ref()), |question| {
                let answer = question.ask(&snapshot)?;
                Ok(wire::encode_check_catalogs(&answer))
            })
        });
        checked.await
    }

    async fn list_packages(
        &self,
        request: Request<pb::ListPackagesRequest>,
    ) -> Answered<pb::ListPackagesResponse> {
        let snapshot = self.current();
        answer(wire::decode_list_packages(request.get_ref()), |question| {
            let answer = question.ask(&snapshot)?;
            Ok(wire::encode_list_packages(&answer))
        })
    }

    async fn get_package(
        &self,
        request: Request<pb::GetPackageRequest>,
    ) -> Answered<pb::GetPackageResponse> {
        let snapshot = self.current();
        let question = wire::decode_get_package(request.get_ref())?;
        let answer = question.ask(&snapshot)?;
        let rest = answer
            .rest()
            .await
            .map_err(|error| wire::encode_unread(&error))?;
        let package = wire::encode_get_package(&question, &answer, rest);
        let mut response = Response::new(package);
        let version = MetadataValue::from_static(env!("CARGO_PKG_VERSION"));
        response.metadata_mut().insert(VERSION_KEY, version);
        Ok(response)
    }

    async fn get_bundle(
        &self,
        request: Request<pb::GetBundleRequest>,
    ) -> Answered<pb::GetBundleResponse> {
        let snapshot = self.current();
        let question = wire::decode_get_bundle(request.get_ref())?.find(&snapshot)?;
        let answer = question.ask(&snapshot)?;
        let rest = answer
            .rest()
            .await
            .map_err(|error| wire::encode_unread(&error))?;
        Ok(Response::new(wire::encode_get_bundle(
            &question, &answer, rest,
        )))
    }

    async fn render_bundle(
        &self,
        request: Request<pb::RenderBundleRequest>,
    ) -> Answered<pb::RenderBundleResponse> {
        let snapshot = self.current();
        let question = wire::decode_render_bundle(request.get_ref())?;
        let found = question.find(&snapshot, &self.bundles).await;
        let (catalog, files) = found.map_err(wire::encode_not_rendered)?;
        let rendering = move || Ok(question.rendered(files));
        let rendered = self.pool.run(rendering).await?;
        Ok(Response::new(wire::encode_render_bundle(
            catalog.as_ref(),
            &rendered,
        )))
    }

    async fn diff_bundles(
        &self,
        request: Request<pb::DiffBundlesRequest>,
    ) -> Answered<pb::DiffBundlesResponse> {
        let snapshot = self.current();
        let question = wire::decode_diff_bundles(request.get_ref())?;
        let found = question.find(&snapshot, &self.bundles).await;
        let (catalog, files) = found.map_err(wire::encode_not_rendered)?;
        let comparing = move || {
            let [from, to] = question.rendered(files);
            let changes = changes(&from.outcome, &to.outcome);
            Ok((from, to, changes))
        };
        let (from, to, changes) = self.pool.run(comparing).await?;
        Ok(Response::new(wire::encode_diff_bundles(
            &catalog,
            [&from, &to],
            changes,
        )))
    }

    async fn list_upgrades(
        &self,
        request: Request<pb::ListUpgradesRequest>,
    ) -> Answered<pb::ListUpgradesResponse> {
        let listed = list_upgrades(&self.current(), request.get_ref());
        listed.map(Response::new).map_err(Status::from)
    }

    async fn batch_list_upgrades(
        &self,
        request: Request<Streaming<pb::BatchListUpgradesRequest>>,
    ) -> Answered<Self::BatchListUpgradesStream> {
        let snapshot = self.current();
        Ok(batch(request, move |asked| {
            answer_upgrades(&snapshot, &asked)
        }))
    }

    async fn find_path(
        &self,
        request: Request<pb::FindPathRequest>,
    ) -> Answered<pb::FindPathResponse> {
        let found = find_path(&self.current(), request.get_ref());
        found.map(Response::new).map_err(Status::from)
    }

    async fn batch_find_path(
        &self,
        request: Request<Streaming<pb::BatchFindPathRequest>>,
    ) -> Answered<Self::BatchFindPathStream> {
        let snapshot = self.current();
        Ok(batch(request, move |asked| answer_path(&snapshot, &asked)))
    }

    async fn resolve(&self, request: Request<pb::ResolveRequest>) -> Answered<pb::ResolveResponse> {
        let snapshot = self.current();
        let resolved = self.pool.run_while_awaited(move |abandoned| {
            resolve(&snapshot, request.get_ref(), abandoned).map_err(Status::from)
        });
        resolved.await.map(Response::new)
    }

    async fn plan_route(
        &self,
        request: Request<pb::PlanRouteRequest>,
    ) -> Answered<pb::PlanRouteResponse> {
        let snapshot = self.current();
        let planned = self
            .pool
            .run(move || plan_route(&snapshot, request.get_ref()).map_err(Status::from));
        planned.await.map(Response::new)
    }

    /// Processes a batch. Each search runs on another thread. A search starts when the client is
    /// ready to receive its response.
    async fn batch_plan_route(
        &self,
        request: Request<Streaming<pb::BatchPlanRouteRequest>>,
    ) -> Answered<Self::BatchPlanRouteStream> {
        let (snapshot, pool) = (self.current(), self.pool.clone());
        let questions = request.into_inner();
        let answers = questions.then(move |asked| {
            let (snapshot, pool) = (snapshot.clone(), pool.clone());
            async move {
                let asked = asked?;
                pool.run(move || Ok(answer_route(&snapshot, &asked))).await
            }
        });
        Ok(Response::new(answers.boxed()))
    }

    async fn predict_olm(
        &self,
        request: Request<pb::PredictOlmRequest>,
    ) -> Answered<pb::PredictOlmResponse> {
        let snapshot = self.current();
        let predicted = self
            .pool
            .run(move || predict_olm(&snapshot, request.get_ref()).map_err(Status::from));
        predicted.await.map(Response::new)
    }

    async fn generate(
        &self,
        request: Request<pb::GenerateRequest>,
    ) -> Answered<pb::GenerateResponse> {
        let snapshot = self.current();
        let generated = self.pool.run_while_awaited(move |abandoned| {
            answer(wire::decode_generate(request.get_ref()), |question| {
                let snapshot = question.scope.of(&snapshot);
                let answer = question.ask(&snapshot, MOST_UPDATES, &abandoned)?;
                Ok(wire::encode_generate(&answer))
            })
        });
        generated.await
    }

    async fn preview(&self, request: Request<pb::PreviewRequest>) -> Answered<pb::PreviewResponse> {
        let snapshot = self.current();
        let previewed = self.pool.run_while_awaited(move |abandoned| {
            answer(wire::decode_preview(request.get_ref()), |question| {
                let snapshot = question.scope.of(&snapshot);
                let answer = question.ask(&snapshot, MOST_UPDATES, &abandoned)?;
                Ok(wire::encode_preview(&answer))
            })
        });
        previewed.await
    }

    async fn get_graph(
        &self,
        request: Request<pb::GetGraphRequest>,
    ) -> Answered<pb::GetGraphResponse> {
        let snapshot = self.current();
        // The graph may be large, and may have to be built first, so this runs on another thread.
        let drawn = self.pool.run(move || {
            answer(wire::decode_get_graph(request.get_ref()), |question| {
                let answer = question.ask(&snapshot, MOST_UPDATES)?;
                Ok(wire::encode_get_graph(&answer))
            })
        });
        drawn.await
    }
}

fn answer<Q, A>(
    question: Result<Q, RequestError>,
    ask: impl FnOnce(&Q) -> Result<A, RequestError>,
) -> Answered<A> {
    let answered = question.and_then(|question| ask(&question));
    answered.map(Response::new).map_err(Status::from)
}

/// Processes one query at a time, when the client is ready to receive the response.
fn batch<Q: Send + 'static, A: Send + 'static>(
    questions: Request<Streaming<Q>>,
    ask: impl Fn(Q) -> A + Send + 'static,
) -> Response<Stream<A>> {
    let questions = questions.into_inner();
    Response::new(questions.map(move |asked| asked.map(&ask)).boxed())
}

pub(crate) fn list_upgrades(
    snapshot: &Snapshot,
    request: &pb::ListUpgradesRequest,
) -> Result<pb::ListUpgradesResponse, RequestError> {
    let question = wire::decode_list_upgrades(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_list_upgrades(&question, &answer))
}

pub(crate) fn find_path(
    snapshot: &Snapshot,
    request: &pb::FindPathRequest,
) -> Result<pb::FindPathResponse, RequestError> {
    let question = wire::decode_find_path(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_find_path(&question, &answer))
}

pub(crate) fn resolve(
    snapshot: &Snapshot,
    request: &pb::ResolveRequest,
    abandoned: Arc<AtomicBool>,
) -> Result<pb::ResolveResponse, RequestError> {
    let question = wire::decode_resolve(request)?;
    let answer = question.ask(snapshot, abandoned)?;
    Ok(wire::encode_resolve(&question, &answer))
}

fn plan_route(
    snapshot: &Snapshot,
    request: &pb::PlanRouteRequest,
) -> Result<pb::PlanRouteResponse, RequestError> {
    let question = wire::decode_plan_route(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_plan_route(&answer))
}

pub(crate) fn predict_olm(
    snapshot: &Snapshot,
    request: &pb::PredictOlmRequest,
) -> Result<pb::PredictOlmResponse, RequestError> {
    let question = wire::decode_predict_olm(request)?;
    let answer = question.ask(snapshot)?;
    Ok(wire::encode_predict_olm(&question, &answer))
}

/// Returns the response or the error for one query. In a batch, an error does not affect the other
/// queries.
pub(crate) fn answer_upgrades(
    snapshot: &Snapshot,
    request: &pb::BatchListUpgradesRequest,
) -> pb::BatchListUpgradesResponse {
    let question = request.question.clone().unwrap_or_default();
    let outcome = match list_upgrades(snapshot, &question) {
        Ok(answer) => upgrades::Outcome::Answer(answer),
        Err(refusal) => upgrades::Outcome::Refused(wire::encode_refused(&refusal)),
    };
    pb::BatchListUpgradesResponse {
        outcome: Some(outcome),
    }
}

/// Returns the response or the error for one query.
pub(crate) fn answer_path(
    snapshot: &Snapshot,
    request: &pb::BatchFindPathRequest,
) -> pb::BatchFindPathResponse {
    let question = request.question.clone().unwrap_or_default();
    let outcome = match find_path(snapshot, &question) {
        Ok(answer) => path::Outcome::Answer(answer),
        Err(refusal) => path::Outcome::Refused(wire::encode_refused(&refusal)),
    };
    pb::BatchFindPathResponse {
        outcome: Some(outcome),
    }
}

/// Returns the response or the error for one query.
fn answer_route(
    snapshot: &Snapshot,
    request: &pb::BatchPlanRouteRequest,
) -> pb::BatchPlanRouteResponse {
    let question = request.question.clone().unwrap_or_default();
    let outcome = match plan_route(snapshot, &question) {
        Ok(answer) => route::Outcome::Answer(answer),
        Err(refusal) => route::Outcome::Refused(wire::encode_refused(&refusal)),
    };
    pb::BatchPlanRouteResponse {
        outcome: Some(outcome),
    }
}
