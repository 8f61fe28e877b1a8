//! Fake services. They use the same messages as services on a network.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use futures::stream::BoxStream;
use portolan_proto::approval::v1 as approval;
use portolan_proto::health::v1 as health;
use portolan_proto::resolver::v1 as resolver;
use tokio::sync::mpsc;
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::{Request, Response, Status, Streaming};

type Answered<T> = Result<Response<T>, Status>;
type Message<T> = BoxStream<'static, Result<T, Status>>;

/// A fake service. It contains its responses and the received calls. Clones share this data.
#[derive(Debug)]
pub(super) struct Fake<A, E>(Arc<Mutex<State<A, E>>>);

#[derive(Debug)]
struct State<A, E> {
    /// The responses of the service.
    answers: A,
    /// The result of opening a stream.
    streams: Begins,
    /// The stream that is open. None if no stream is open.
    stream: Option<mpsc::UnboundedSender<Result<E, Status>>>,
    /// The delay before each response.
    delay: Duration,
    /// The number of calls of each method.
    calls: BTreeMap<&'static str, usize>,
}

/// The result of opening a stream.
#[derive(Debug, Clone)]
pub(super) enum Begins {
    Well,
    Never,
    Not(Status),
}

/// The responses of a fake resolver.
#[derive(Debug, Clone)]
pub(super) struct Resolver {
    pub(super) package: Result<resolver::GetPackageResponse, Status>,
    pub(super) bundle: Result<resolver::GetBundleResponse, Status>,
    pub(super) upgrades: Result<resolver::ListUpgradesResponse, Status>,
    /// The response with the path to the head.
    pub(super) path: Result<resolver::FindPathResponse, Status>,
    /// The response with the path to a version.
    pub(super) shorter: Result<resolver::FindPathResponse, Status>,
    pub(super) prediction: Result<resolver::PredictOlmResponse, Status>,
}

/// The response of a fake approval service.
pub(super) type Approval = Result<approval::Review, Status>;

pub(super) type FakeResolver = Fake<Resolver, resolver::WatchCatalogsResponse>;
pub(super) type FakeHealth = Fake<(), health::WatchResponse>;
pub(super) type FakeApproval = Fake<Approval, approval::WatchResponse>;

// === impl Fake ===

impl<A, E> Clone for Fake<A, E> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<A: Clone, E: Send + 'static> Fake<A, E> {
    pub(super) fn new(answers: A) -> Self {
        Self(Arc::new(Mutex::new(State {
            answers,
            streams: Begins::Well,
            stream: None,
            delay: Duration::ZERO,
            calls: BTreeMap::new(),
        })))
    }

    pub(super) fn answer(&self, change: impl FnOnce(&mut A)) {
        change(&mut self.0.lock().unwrap().answers);
    }

    pub(super) fn take_time(&self, delay: Duration) {
        self.0.lock().unwrap().delay = delay;
    }

    pub(super) fn begin(&self, streams: Begins) {
        self.0.lock().unwrap().streams = streams;
    }

    /// Waits until a client has opened a stream, and then sends the event.
    pub(super) async fn send(&self, event: E) {
        while !self.is_heard() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        let state = self.0.lock().unwrap();
        let stream = state.stream.as_ref().expect("a listener");
        assert!(stream.send(Ok(event)).is_ok());
    }

    /// Returns true if a client has opened a stream.
    pub(super) fn is_heard(&self) -> bool {
        let state = self.0.lock().unwrap();
        state
            .stream
            .as_ref()
            .is_some_and(|stream| !stream.is_closed())
    }

    /// Ends the stream that is open.
    pub(super) fn end(&self) {
        self.0.lock().unwrap().stream = None;
    }

    /// Returns the number of calls of each method since the last call of this function.
    pub(super) fn calls(&self) -> BTreeMap<&'static str, usize> {
        std::mem::take(&mut self.0.lock().unwrap().calls)
    }

    async fn called(&self, method: &'static str) -> A {
        let (answers, delay) = {
            let mut state = self.0.lock().unwrap();
            *state.calls.entry(method).or_default() += 1;
            (state.answers.clone(), state.delay)
        };
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        answers
    }

    async fn stream(&self, method: &'static str) -> Answered<Message<E>> {
        let begins = {
            let mut state = self.0.lock().unwrap();
            *state.calls.entry(method).or_default() += 1;
            state.streams.clone()
        };
        match begins {
            Begins::Well => {
                let (sender, receiver) = mpsc::unbounded_channel();
                self.0.lock().unwrap().stream = Some(sender);
                Ok(Response::new(
                    UnboundedReceiverStream::new(receiver).boxed(),
                ))
            }
            Begins::Never => std::future::pending().await,
            Begins::Not(status) => Err(status),
        }
    }
}

#[tonic::async_trait]
impl health::health_server::Health for FakeHealth {
    type WatchStream = Message<health::WatchResponse>;

    async fn get_operator(
        &self,
        _: Request<health::GetOperatorRequest>,
    ) -> Answered<health::GetOperatorResponse> {
        panic!("what is followed is not asked for")
    }

    async fn list_operators(
        &self,
        _: Request<health::ListOperatorsRequest>,
    ) -> Answered<health::ListOperatorsResponse> {
        panic!("what is followed is not asked for")
    }

    async fn get_catalog(
        &self,
        _: Request<health::GetCatalogRequest>,
    ) -> Answered<health::GetCatalogResponse> {
        panic!("what is followed is not asked for")
    }

    async fn list_catalogs(
        &self,
        _: Request<health::ListCatalogsRequest>,
    ) -> Answered<health::ListCatalogsResponse> {
        panic!("what is followed is not asked for")
    }

    async fn watch(&self, _: Request<health::WatchRequest>) -> Answered<Self::WatchStream> {
        self.stream("Watch").await
    }
}

#[tonic::async_trait]
impl approval::approval_server::Approval for FakeApproval {
    type WatchStream = Message<approval::WatchResponse>;
    type WatchUpgradesStream = Message<approval::WatchUpgradesResponse>;

    async fn review_plan(
        &self,
        _: Request<approval::ReviewPlanRequest>,
    ) -> Answered<approval::ReviewPlanResponse> {
        let review = Some(self.called("ReviewPlan").await?);
        Ok(Response::new(approval::ReviewPlanResponse { review }))
    }

    async fn review_namespace(
        &self,
        _: Request<approval::ReviewNamespaceRequest>,
    ) -> Answered<approval::ReviewNamespaceResponse> {
        panic!("what is followed is not asked for")
    }

    async fn review_upgrade(
        &self,
        _: Request<approval::ReviewUpgradeRequest>,
    ) -> Answered<approval::ReviewUpgradeResponse> {
        panic!("policies approve plans")
    }

    async fn watch(&self, _: Request<approval::WatchRequest>) -> Answered<Self::WatchStream> {
        self.stream("Watch").await
    }

    async fn watch_upgrades(
        &self,
        _: Request<approval::WatchUpgradesRequest>,
    ) -> Answered<Self::WatchUpgradesStream> {
        panic!("policies approve plans")
    }
}

#[tonic::async_trait]
impl resolver::resolver_server::Resolver for FakeResolver {
    type WatchCatalogsStream = Message<resolver::WatchCatalogsResponse>;
    type BatchListUpgradesStream = Message<resolver::BatchListUpgradesResponse>;
    type BatchFindPathStream = Message<resolver::BatchFindPathResponse>;
    type BatchPlanRouteStream = Message<resolver::BatchPlanRouteResponse>;

    async fn list_catalogs(
        &self,
        _: Request<resolver::ListCatalogsRequest>,
    ) -> Answered<resolver::ListCatalogsResponse> {
        panic!("what is followed is not asked for")
    }

    async fn watch_catalogs(
        &self,
        _: Request<resolver::WatchCatalogsRequest>,
    ) -> Answered<Self::WatchCatalogsStream> {
        self.stream("WatchCatalogs").await
    }

    async fn check_catalogs(
        &self,
        _: Request<resolver::CheckCatalogsRequest>,
    ) -> Answered<resolver::CheckCatalogsResponse> {
        panic!("this method must not be called")
    }

    async fn list_packages(
        &self,
        _: Request<resolver::ListPackagesRequest>,
    ) -> Answered<resolver::ListPackagesResponse> {
        panic!("this method must not be called")
    }

    async fn get_package(
        &self,
        _: Request<resolver::GetPackageRequest>,
    ) -> Answered<resolver::GetPackageResponse> {
        self.called("GetPackage").await.package.map(Response::new)
    }

    async fn get_bundle(
        &self,
        _: Request<resolver::GetBundleRequest>,
    ) -> Answered<resolver::GetBundleResponse> {
        self.called("GetBundle").await.bundle.map(Response::new)
    }

    async fn list_upgrades(
        &self,
        _: Request<resolver::ListUpgradesRequest>,
    ) -> Answered<resolver::ListUpgradesResponse> {
        self.called("ListUpgrades")
            .await
            .upgrades
            .map(Response::new)
    }

    async fn batch_list_upgrades(
        &self,
        _: Request<Streaming<resolver::BatchListUpgradesRequest>>,
    ) -> Answered<Self::BatchListUpgradesStream> {
        panic!("this method must not be called")
    }

    async fn find_path(
        &self,
        request: Request<resolver::FindPathRequest>,
    ) -> Answered<resolver::FindPathResponse> {
        let to = request.into_inner().destination.and_then(|each| each.to);
        let answers = self.called("FindPath").await;
        let answer = match to {
            Some(resolver::destination::To::Version(_)) => answers.shorter,
            Some(
                resolver::destination::To::Range(_)
                | resolver::destination::To::Bundle(_)
                | resolver::destination::To::Kind(_),
            )
            | None => answers.path,
        };
        answer.map(Response::new)
    }

    async fn batch_find_path(
        &self,
        _: Request<Streaming<resolver::BatchFindPathRequest>>,
    ) -> Answered<Self::BatchFindPathStream> {
        panic!("this method must not be called")
    }

    async fn resolve(
        &self,
        _: Request<resolver::ResolveRequest>,
    ) -> Answered<resolver::ResolveResponse> {
        panic!("this method must not be called")
    }

    async fn plan_route(
        &self,
        _: Request<resolver::PlanRouteRequest>,
    ) -> Answered<resolver::PlanRouteResponse> {
        panic!("this method must not be called")
    }

    async fn batch_plan_route(
        &self,
        _: Request<Streaming<resolver::BatchPlanRouteRequest>>,
    ) -> Answered<Self::BatchPlanRouteStream> {
        panic!("this method must not be called")
    }

    async fn predict_olm(
        &self,
        _: Request<resolver::PredictOlmRequest>,
    ) -> Answered<resolver::PredictOlmResponse> {
        self.called("PredictOlm")
            .await
            .prediction
            .map(Response::new)
    }

    async fn generate(
        &self,
        _: Request<resolver::GenerateRequest>,
    ) -> Answered<resolver::GenerateResponse> {
        panic!("this method must not be called")
    }

    async fn preview(
        &self,
        _: Request<resolver::PreviewRequest>,
    ) -> Answered<resolver::PreviewResponse> {
        panic!("this method must not be called")
    }

    async fn get_graph(
        &self,
        _: Request<resolver::GetGraphRequest>,
    ) -> Answered<resolver::GetGraphResponse> {
        panic!("this method must not be called")
    }

    async fn render_bundle(
        &self,
        _: Request<resolver::RenderBundleRequest>,
    ) -> Answered<resolver::RenderBundleResponse> {
        panic!("this method must not be called")
    }

    async fn diff_bundles(
        &self,
        _: Request<resolver::DiffBundlesRequest>,
    ) -> Answered<resolver::DiffBundlesResponse> {
        panic!("this method must not be called")
    }
}
