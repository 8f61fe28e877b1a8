//! The requests of all services, and the client methods that send these requests.

use portolan_proto::approval::v1 as approval;
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::diagnosis::v1 as diagnosis;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_proto::health::v1 as health;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::resolver::v1 as resolver;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;
use tonic::{Response, Status, Streaming};

/// A request that a client of type `C` can send.
pub(crate) trait Request<C> {
    type Reply;

    /// Sends the request with the matching method of the client.
    async fn call(self, client: &mut C) -> Result<Response<Self::Reply>, Status>;
}

/// A request whose response has several pages.
pub(crate) trait PagedRequest<C>: Request<C> + Clone {
    /// Returns the token of the requested page. Empty for the first page.
    fn page_token(&mut self) -> &mut String;

    /// Returns the token for the next page. The token is empty on the last page.
    fn next_page_token(answer: &mut Self::Reply) -> &mut String;

    /// Appends the content of the next page to the response.
    fn append(answer: &mut Self::Reply, next: Self::Reply);
}

macro_rules! methods {
    ($client:ident: $($request:ty => $method:ident -> $answer:ty,)+) => {$(
        impl Request<$client<Connection>> for $request {
            type Reply = $answer;

            async fn call(
                self,
                client: &mut $client<Connection>,
            ) -> Result<Response<$answer>, Status> {
                client.$method(self).await
            }
        }
    )+};
}

methods! {
    ResolverClient:
    resolver::CheckCatalogsRequest => check_catalogs -> resolver::CheckCatalogsResponse,
    resolver::DiffBundlesRequest => diff_bundles -> resolver::DiffBundlesResponse,
    resolver::FindPathRequest => find_path -> resolver::FindPathResponse,
    resolver::GetBundleRequest => get_bundle -> resolver::GetBundleResponse,
    resolver::GetGraphRequest => get_graph -> resolver::GetGraphResponse,
    resolver::GetPackageRequest => get_package -> resolver::GetPackageResponse,
    resolver::ListCatalogsRequest => list_catalogs -> resolver::ListCatalogsResponse,
    resolver::ListPackagesRequest => list_packages -> resolver::ListPackagesResponse,
    resolver::ListUpgradesRequest => list_upgrades -> resolver::ListUpgradesResponse,
    resolver::PlanRouteRequest => plan_route -> resolver::PlanRouteResponse,
    resolver::PredictOlmRequest => predict_olm -> resolver::PredictOlmResponse,
    resolver::RenderBundleRequest => render_bundle -> resolver::RenderBundleResponse,
    resolver::ResolveRequest => resolve -> resolver::ResolveResponse,
}

methods! {
    HealthClient:
    health::GetCatalogRequest => get_catalog -> health::GetCatalogResponse,
    health::GetOperatorRequest => get_operator -> health::GetOperatorResponse,
    health::ListCatalogsRequest => list_catalogs -> health::ListCatalogsResponse,
    health::ListOperatorsRequest => list_operators -> health::ListOperatorsResponse,
    health::WatchRequest => watch -> Streaming<health::WatchResponse>,
}

methods! {
    ApprovalClient:
    approval::ReviewNamespaceRequest => review_namespace -> approval::ReviewNamespaceResponse,
    approval::ReviewPlanRequest => review_plan -> approval::ReviewPlanResponse,
    approval::WatchRequest => watch -> Streaming<approval::WatchResponse>,
}

methods! {
    DiagnosisClient:
    diagnosis::DiagnoseRequest => diagnose -> Streaming<diagnosis::DiagnoseResponse>,
    diagnosis::ListReadinessRequest => list_readiness -> Streaming<diagnosis::ListReadinessResponse>,
}

/// Implements a request whose response has several pages. `$list` is the field with the list.
macro_rules! paged {
    ($client:ident: $request:ty, $list:ident) => {
        impl PagedRequest<$client<Connection>> for $request {
            fn page_token(&mut self) -> &mut String {
                &mut self.page_token
            }

            fn next_page_token(answer: &mut Self::Reply) -> &mut String {
                &mut answer.next_page_token
            }

            fn append(answer: &mut Self::Reply, next: Self::Reply) {
                answer.$list.extend(next.$list);
            }
        }
    };
}

paged!(ResolverClient: resolver::CheckCatalogsRequest, faults);
paged!(ResolverClient: resolver::ListPackagesRequest, packages);
paged!(HealthClient: health::ListOperatorsRequest, operators);
