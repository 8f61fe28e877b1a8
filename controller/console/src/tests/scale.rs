//! The number of calls for many operators and many open pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::future::join_all;
use futures::stream::{self, Empty, Iter, Pending};
use portolan_core_console::view::{PageView, Seen, State};
use portolan_core_console::{ConsolePage, Filter, FirstRow};
use portolan_kit::TempFolder;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1 as diagnosis;
use portolan_proto::diagnosis::v1::diagnosis_server::{Diagnosis, DiagnosisServer};
use portolan_proto::health::v1 as health;
use portolan_proto::health::v1::health_server::{Health, HealthServer};
use portolan_shell::client;
use portolan_world::{AnyWorld, Files};
use tonic::service::Routes;
use tonic::{Request, Response, Status};

use crate::{Connections, Services, Source as _};

/// The number of operators in one response.
const PAGE: usize = 250;

/// Services that report this number of operators, and count the calls.
#[derive(Clone)]
struct Fleet {
    operators: usize,
    calls: Arc<AtomicUsize>,
}

fn subject(at: usize) -> ObjectRef {
    ObjectRef {
        kind: "Subscription".to_owned(),
        namespace: format!("harbor-{at}"),
        name: format!("ship-{at}"),
    }
}

#[tonic::async_trait]
impl Health for Fleet {
    type WatchStream = Pending<Result<health::WatchResponse, Status>>;

    async fn list_operators(
        &self,
        request: Request<health::ListOperatorsRequest>,
    ) -> Result<Response<health::ListOperatorsResponse>, Status> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let first = request.into_inner().page_token.parse().unwrap_or(0);
        let end = (first + PAGE).min(self.operators);
        let operators = (first..end).map(|at| health::Operator {
            subject: Some(subject(at)),
            ..health::Operator::default()
        });
        let is_last = end == self.operators;
        Ok(Response::new(health::ListOperatorsResponse {
            operators: operators.collect(),
            next_page_token: if is_last {
                String::new()
            } else {
                end.to_string()
            },
            ..health::ListOperatorsResponse::default()
        }))
    }

    async fn get_operator(
        &self,
        _: Request<health::GetOperatorRequest>,
    ) -> Result<Response<health::GetOperatorResponse>, Status> {
        Err(Status::unimplemented("not called"))
    }

    async fn get_catalog(
        &self,
        _: Request<health::GetCatalogRequest>,
    ) -> Result<Response<health::GetCatalogResponse>, Status> {
        Err(Status::unimplemented("not called"))
    }

    async fn list_catalogs(
        &self,
        _: Request<health::ListCatalogsRequest>,
    ) -> Result<Response<health::ListCatalogsResponse>, Status> {
        Err(Status::unimplemented("not called"))
    }

    async fn watch(
        &self,
        _: Request<health::WatchRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        Ok(Response::new(stream::pending()))
    }
}

#[tonic::async_trait]
impl Diagnosis for Fleet {
    type DiagnoseStream = Iter<std::vec::IntoIter<Result<diagnosis::DiagnoseResponse, Status>>>;
    type ListReadinessStream = Empty<Result<diagnosis::ListReadinessResponse, Status>>;

    async fn diagnose(
        &self,
        _: Request<diagnosis::DiagnoseRequest>,
    ) -> Result<Response<Self::DiagnoseStream>, Status> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let all = (0..self.operators).map(|at| {
            let state = diagnosis::operator_diagnosis::State::Stuck;
            let diagnosis = diagnosis::OperatorDiagnosis {
                subject: Some(subject(at)),
                state: state.into(),
                ..diagnosis::OperatorDiagnosis::default()
            };
            Ok(diagnosis::DiagnoseResponse {
                diagnosis: Some(diagnosis),
            })
        });
        let all: Vec<_> = all.collect();
        Ok(Response::new(stream::iter(all)))
    }

    async fn list_readiness(
        &self,
        _: Request<diagnosis::ListReadinessRequest>,
    ) -> Result<Response<Self::ListReadinessStream>, Status> {
        Err(Status::unimplemented("not called"))
    }
}

/// Opens different pages about this number of operators, all at once. Returns the number of calls
/// of the services.
async fn calls(operators: usize) -> usize {
    let fleet = Fleet {
        operators,
        calls: Arc::default(),
    };
    let nobody = || client::local(Routes::default());
    let connections = Connections {
        resolver: nobody(),
        health: client::local(HealthServer::new(fleet.clone())),
        approval: nobody(),
        diagnosis: client::local(DiagnosisServer::new(fleet.clone())),
    };
    let folder = TempFolder::empty();
    let services = Services::new(connections, AnyWorld::Files(Files::at(&folder)));
    let stuck = Filter {
        state: Some(State::Stuck),
        ..Filter::NONE
    };
    let pages = [
        ConsolePage::Overview,
        ConsolePage::Operators(Filter::NONE),
        ConsolePage::Operators(stuck),
        ConsolePage::Diagnose(FirstRow::TOP),
        ConsolePage::Diagnose(FirstRow::after(50)),
    ];
    let open = pages.iter().cycle().take(100);
    let views = join_all(open.map(|page| services.look(page))).await;
    for view in views {
        let shown = match view {
            PageView::Overview(all) => count(&all.operators),
            PageView::Operators(_, all) => count(&all),
            PageView::Diagnose(_, all) => all.map(|it| it.operators.len()),
            other => panic!("{other:?}"),
        };
        assert_eq!(shown, Ok(operators));
    }
    fleet.calls.load(Ordering::SeqCst)
}

fn count<T>(all: &Seen<Vec<T>>) -> Seen<usize> {
    all.as_ref().map(Vec::len).map_err(Clone::clone)
}

/// A hundred pages with different content share one diagnosis of all operators.
#[tokio::test]
async fn open_pages_share_the_calls_of_the_services() {
    assert_eq!(calls(1_000).await, 1_000 / PAGE + 1);
}

#[tokio::test]
async fn calls_grow_no_faster_than_the_operators() {
    let (one, two) = (calls(1_000).await, calls(2_000).await);
    assert!(10 * two <= 22 * one, "{one} and {two} calls");
}
