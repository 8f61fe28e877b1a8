//! Calls the services and converts their responses to views.
//!
//! Each section of a page has its own request. If a service fails, its section shows the error, and
//! the other sections are complete.

mod about;
mod apply;
mod calendar;
mod catalogs;
mod health;
mod hidden;
mod history;
mod news;
mod objects;
mod offered;
mod operators;
mod plans;
mod policies;
mod preview;
mod readiness;
mod rehearsal;
mod related;
mod updates;
mod way;
mod windows;

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use portolan_core_console::view::{Applied, Hidden, Overview, PageView, Seen, Unseen};
use portolan_core_console::{ConsolePage, Order};
use portolan_proto::approval::v1::approval_client::ApprovalClient;
use portolan_proto::basis::v1::ObjectRef;
use portolan_proto::diagnosis::v1::diagnosis_client::DiagnosisClient;
use portolan_proto::health::v1::health_client::HealthClient;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::{Connection, LONGEST_ANSWER};
use portolan_world::AnyWorld;
use tokio::sync::{Mutex, Semaphore, watch};
use tokio_util::task::AbortOnDropHandle;
use tonic::Status;

pub use self::catalogs::{drawn, path_of};
pub use self::preview::{encode_owner, manifests};
use crate::{Rehearse, Source};

/// The services that the console calls, and the world (a cluster or a folder of files) that the
/// console reads.
#[derive(Debug)]
pub struct Services {
    connections: Connections,
    world: AnyWorld,
    changes: watch::Receiver<u64>,
    /// The cached response about all operators.
    kept: Mutex<Option<operators::KeptAnswer>>,
    /// Makes changes for the visitor. None if changes are not allowed.
    writer: Option<apply::Writer>,
    /// The rehearsal of previews. None if previews have none.
    rehearsal: Option<Arc<dyn Rehearse>>,
    /// The semaphore for the rehearsals of this visitor. One visitor cannot use all rehearsals.
    rehearsals: Semaphore,
    /// True if the diagnosis service was started with the target of a cluster upgrade.
    has_target: bool,
    _news: Vec<AbortOnDropHandle<()>>,
}

/// The connections to the services. Clones share the same connections.
#[derive(Debug, Clone)]
pub struct Connections {
    /// The connection to the resolver, which reads catalogs.
    pub resolver: Connection,
    /// The connection to the health service.
    pub health: Connection,
    /// The connection to the approval service, which reviews the plans of OLM.
    pub approval: Connection,
    /// The connection to the diagnosis service.
    pub diagnosis: Connection,
}

// === impl Services ===

impl Services {
    /// Creates a source that calls these services, and reads all other objects from `world`.
    pub fn new(connections: Connections, world: AnyWorld) -> Self {
        let (news, changes) = news::follow(&connections, &world);
        Self {
            connections,
            world,
            changes,
            kept: Mutex::new(None),
            writer: None,
            rehearsal: None,
            rehearsals: Semaphore::new(1),
            has_target: false,
            _news: news,
        }
    }

    /// Shows the decisions of the controller on the pages of previews.
    #[must_use]
    pub fn with_rehearsal(self, rehearsal: impl Rehearse) -> Self {
        let rehearsal: Arc<dyn Rehearse> = Arc::new(rehearsal);
        Self {
            rehearsal: Some(rehearsal),
            ..self
        }
    }

    /// If `has_target` is true, the console shows the readiness for the target of the diagnosis
    /// service.
    #[must_use]
    pub fn with_target(self, has_target: bool) -> Self {
        Self { has_target, ..self }
    }

    fn resolver(&self) -> ResolverClient<Connection> {
        let client = ResolverClient::new(self.connections.resolver.clone());
        client.max_decoding_message_size(LONGEST_ANSWER)
    }

    fn health(&self) -> HealthClient<Connection> {
        HealthClient::new(self.connections.health.clone())
    }

    fn approval(&self) -> ApprovalClient<Connection> {
        ApprovalClient::new(self.connections.approval.clone())
    }

    fn diagnosis(&self) -> DiagnosisClient<Connection> {
        DiagnosisClient::new(self.connections.diagnosis.clone())
    }

    async fn view(&self, place: &ConsolePage) -> PageView {
        match place {
            ConsolePage::Overview => {
                let (operators, catalogs, plans) =
                    tokio::join!(self.operators(), self.catalogs(), self.plans());
                PageView::Overview(Overview {
                    operators,
                    catalogs,
                    plans,
                })
            }
            ConsolePage::Operators(filter) => {
                PageView::Operators(filter.clone(), self.operators().await)
            }
            ConsolePage::Operator {
                origin,
                namespace,
                name,
            } => {
                let page = self.operator(*origin, namespace, name).await;
                PageView::Operator(page.map(Box::new))
            }
            ConsolePage::Catalogs(filter) => {
                PageView::Catalogs(filter.clone(), self.catalogs().await)
            }
            ConsolePage::Catalog { name, first } => {
                PageView::Catalog(name.clone(), *first, self.packages(Some(name), "").await)
            }
            ConsolePage::Search { text, first } => {
                PageView::Search(text.clone(), *first, self.packages(None, text).await)
            }
            ConsolePage::Package {
                catalog,
                name,
                graph,
            } => {
                let page = self.package(catalog, name, graph).await;
                PageView::Package(page.map(Box::new))
            }
            ConsolePage::Graph {
                catalog,
                name,
                graph,
            } => PageView::Graph(self.graph_of(catalog, name, graph).await),
            ConsolePage::Bundle {
                catalog,
                package,
                name,
            } => PageView::Bundle(self.bundle(catalog, package, name).await.map(Box::new)),
            ConsolePage::Plans(filter) => PageView::Plans(filter.clone(), self.plans().await),
            ConsolePage::Policies(filter) => {
                PageView::Policies(filter.clone(), self.policies().await)
            }
            ConsolePage::Installs(filter) => {
                PageView::Installs(filter.clone(), self.installs().await)
            }
            ConsolePage::Object(id) => PageView::Object(self.object(id).await.map(Box::new)),
            ConsolePage::Diagnose(first) => PageView::Diagnose(*first, self.diagnoses().await),
            ConsolePage::Updates(first) => PageView::Updates(*first, self.updates().await),
            ConsolePage::Readiness(first) => PageView::Readiness(*first, self.readiness().await),
            ConsolePage::Preview(wanted) => {
                PageView::Preview(Box::new(self.preview_page(wanted).await))
            }
        }
    }
}

impl Source for Services {
    fn look<'a>(&'a self, place: &'a ConsolePage) -> BoxFuture<'a, PageView> {
        self.view(place).boxed()
    }

    fn hidden<'a>(&'a self, place: &'a ConsolePage) -> BoxFuture<'a, Vec<Hidden>> {
        self.hidden_at(place).boxed()
    }

    fn may_apply(&self) -> bool {
        self.writer.is_some()
    }

    fn has_target(&self) -> bool {
        self.has_target
    }

    fn apply<'a>(&'a self, order: &'a Order) -> BoxFuture<'a, Applied> {
        self.applied(order).boxed()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.clone()
    }
}

/// Converts the error of a service to the reason why a part of a page is unavailable.
fn unseen(status: &Status) -> Unseen {
    Unseen(status.message().to_owned())
}

/// Returns the response of a service. If the call failed, returns the reason.
fn heard<T>(answer: Result<tonic::Response<T>, Status>) -> Seen<T> {
    match answer {
        Ok(answer) => Ok(answer.into_inner()),
        Err(status) => Err(unseen(&status)),
    }
}

/// Returns the kind and name of an object for a sentence. Empty if there is no object.
fn called(object: Option<&ObjectRef>) -> String {
    match object {
        None => String::new(),
        Some(ObjectRef {
            kind,
            namespace,
            name,
        }) if namespace.is_empty() => format!("{kind} {name}"),
        Some(ObjectRef {
            kind,
            namespace,
            name,
        }) => format!("{kind} {namespace}/{name}"),
    }
}
