//! A fake resolver. Its behavior depends on the name of the requested package.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::stream::{self, Empty, Pending};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_server::Resolver;
use portolan_proto::resolver::v1::{ListUpgradesRequest, ListUpgradesResponse};
use tokio::sync::{Semaphore, watch};
use tonic::{Request, Response, Status, Streaming};

use crate::within;

/// The packages: `ok` gets a response, `slow` gets a response when the test permits it, `missing`
/// is not found, `deadline` returns the received `grpc-timeout`, `large` returns [`LARGE`] bytes,
/// and `panic` panics, as does any unknown package. Watches of catalogs never send anything. Clones
/// share the same fake.
#[derive(Debug, Clone)]
pub struct Fake {
    begun: Arc<Semaphore>,
    permitted: Arc<Semaphore>,
    asked: watch::Sender<usize>,
    sulks: Arc<AtomicBool>,
}

/// The approximate size of the response about the package `large`, in bytes.
pub const LARGE: usize = 100 << 10;

/// Creates a request for a package.
pub fn ask(package: &str) -> ListUpgradesRequest {
    ListUpgradesRequest {
        package: package.to_owned(),
        ..Default::default()
    }
}

/// Returns the response of the fake to a request about a package.
pub fn list_response(package: &str) -> ListUpgradesResponse {
    ListUpgradesResponse {
        recommended: format!("{package}.v1.0.0"),
        ..Default::default()
    }
}

// === impl Fake ===

impl Default for Fake {
    fn default() -> Self {
        Self {
            begun: Arc::new(Semaphore::new(0)),
            permitted: Arc::new(Semaphore::new(0)),
            asked: watch::Sender::new(0),
            sulks: Arc::default(),
        }
    }
}

impl Fake {
    /// Waits until the fake has received another call about `slow`, or another watch.
    pub async fn begun(&self) {
        take(&self.begun).await;
    }

    /// Returns the number of calls that the fake has received, including failed calls.
    pub fn asked(&self) -> usize {
        *self.asked.borrow()
    }

    /// Waits until the fake has received this many more calls.
    pub async fn asked_more(&self, count: usize) {
        let mut asked = self.asked.subscribe();
        let wanted = *asked.borrow() + count;
        within(asked.wait_for(|asked| *asked >= wanted))
            .await
            .expect("the fake must live as long as its test");
    }

    /// Makes each later call return UNAVAILABLE. The reported health does not change.
    pub fn sulk(&self) {
        self.sulks.store(true, Ordering::Relaxed);
    }

    /// Permits the fake to respond to one call about `slow`.
    pub fn permit(&self) {
        self.permitted.add_permits(1);
    }
}

#[tonic::async_trait]
impl Resolver for Fake {
    type WatchCatalogsStream = Pending<Result<pb::WatchCatalogsResponse, Status>>;
    type BatchListUpgradesStream = Empty<Result<pb::BatchListUpgradesResponse, Status>>;
    type BatchFindPathStream = Empty<Result<pb::BatchFindPathResponse, Status>>;
    type BatchPlanRouteStream = Empty<Result<pb::BatchPlanRouteResponse, Status>>;

    async fn list_upgrades(
        &self,
        request: Request<ListUpgradesRequest>,
    ) -> Result<Response<ListUpgradesResponse>, Status> {
        self.asked.send_modify(|asked| *asked += 1);
        if self.sulks.load(Ordering::Relaxed) {
            return Err(Status::unavailable("the fake sulks"));
        }
        let timeout = request.metadata().get("grpc-timeout");
        let timeout = timeout.map(|value| format!("{value:?}"));
        let package = request.into_inner().package;
        match package.as_str() {
            "ok" => Ok(Response::new(list_response("ok"))),
            "slow" => {
                self.begun.add_permits(1);
                // This wait has no timeout, because some tests check that the server ends such a
                // call.
                self.permitted
                    .acquire()
                    .await
                    .expect("the fake must live as long as its calls")
                    .forget();
                Ok(Response::new(list_response("slow")))
            }
            "deadline" => Ok(Response::new(list_response(&timeout.unwrap_or_default()))),
            "large" => Ok(Response::new(list_response(&"1".repeat(LARGE)))),
            "missing" => Err(Status::not_found("the fake has no such package")),
            "panic" => panic!("the fake was asked to panic"),
            other => panic!("the fake does not expect the package `{other}`"),
        }
    }

    async fn list_catalogs(
        &self,
        _: Request<pb::ListCatalogsRequest>,
    ) -> Result<Response<pb::ListCatalogsResponse>, Status> {
        unexpected("ListCatalogs")
    }

    async fn watch_catalogs(
        &self,
        _: Request<pb::WatchCatalogsRequest>,
    ) -> Result<Response<Self::WatchCatalogsStream>, Status> {
        self.begun.add_permits(1);
        Ok(Response::new(stream::pending()))
    }

    async fn check_catalogs(
        &self,
        _: Request<pb::CheckCatalogsRequest>,
    ) -> Result<Response<pb::CheckCatalogsResponse>, Status> {
        unexpected("CheckCatalogs")
    }

    async fn list_packages(
        &self,
        _: Request<pb::ListPackagesRequest>,
    ) -> Result<Response<pb::ListPackagesResponse>, Status> {
        unexpected("ListPackages")
    }

    async fn get_package(
        &self,
        _: Request<pb::GetPackageRequest>,
    ) -> Result<Response<pb::GetPackageResponse>, Status> {
        unexpected("GetPackage")
    }

    async fn get_bundle(
        &self,
        _: Request<pb::GetBundleRequest>,
    ) -> Result<Response<pb::GetBundleResponse>, Status> {
        unexpected("GetBundle")
    }

    async fn batch_list_upgrades(
        &self,
        _: Request<Streaming<pb::BatchListUpgradesRequest>>,
    ) -> Result<Response<Self::BatchListUpgradesStream>, Status> {
        unexpected("BatchListUpgrades")
    }

    async fn find_path(
        &self,
        _: Request<pb::FindPathRequest>,
    ) -> Result<Response<pb::FindPathResponse>, Status> {
        unexpected("FindPath")
    }

    async fn batch_find_path(
        &self,
        _: Request<Streaming<pb::BatchFindPathRequest>>,
    ) -> Result<Response<Self::BatchFindPathStream>, Status> {
        unexpected("BatchFindPath")
    }

    async fn resolve(
        &self,
        _: Request<pb::ResolveRequest>,
    ) -> Result<Response<pb::ResolveResponse>, Status> {
        unexpected("Resolve")
    }

    async fn plan_route(
        &self,
        _: Request<pb::PlanRouteRequest>,
    ) -> Result<Response<pb::PlanRouteResponse>, Status> {
        unexpected("PlanRoute")
    }

    async fn batch_plan_route(
        &self,
        _: Request<Streaming<pb::BatchPlanRouteRequest>>,
    ) -> Result<Response<Self::BatchPlanRouteStream>, Status> {
        unexpected("BatchPlanRoute")
    }

    async fn predict_olm(
        &self,
        _: Request<pb::PredictOlmRequest>,
    ) -> Result<Response<pb::PredictOlmResponse>, Status> {
        unexpected("PredictOlm")
    }

    async fn generate(
        &self,
        _: Request<pb::GenerateRequest>,
    ) -> Result<Response<pb::GenerateResponse>, Status> {
        unexpected("Generate")
    }

    async fn preview(
        &self,
        _: Request<pb::PreviewRequest>,
    ) -> Result<Response<pb::PreviewResponse>, Status> {
        unexpected("Preview")
    }

    async fn get_graph(
        &self,
        _: Request<pb::GetGraphRequest>,
    ) -> Result<Response<pb::GetGraphResponse>, Status> {
        unexpected("GetGraph")
    }

    async fn render_bundle(
        &self,
        _: Request<pb::RenderBundleRequest>,
    ) -> Result<Response<pb::RenderBundleResponse>, Status> {
        unexpected("RenderBundle")
    }

    async fn diff_bundles(
        &self,
        _: Request<pb::DiffBundlesRequest>,
    ) -> Result<Response<pb::DiffBundlesResponse>, Status> {
        unexpected("DiffBundles")
    }
}

fn unexpected(method: &str) -> ! {
    panic!("the fake does not expect a call of {method}")
}

async fn take(permits: &Semaphore) {
    within(permits.acquire())
        .await
        .expect("the fake must live as long as its test")
        .forget();
}
