//! Handles the requests of clients.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request as HttpRequest, State};
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, header};
use portolan_core_installed::Page;
use portolan_core_installed::apiserver::{
    Answer, Caller, Document, Documents, Form, Health, ListOptions, Listing, Question, Request,
    Since, Status, Subject, Verb,
};
use portolan_shell::{Readiness, ShownCertificate};
use tokio_util::sync::CancellationToken;

use crate::authenticate::Identities;
use crate::authorize::Permissions;
use crate::metrics::Metrics;
use crate::sent::{drain, log_request, streamed, texts, whole};
use crate::shown::Shown;
use crate::slots::{RequestSlot, RequestSlots};
use crate::watching::Watching;

/// The maximum number of lists that are sent at the same time.
const LISTS: usize = 256;
/// The maximum number of lists that are sent to one caller at the same time.
const LISTS_OF_ONE: usize = LISTS / 8;
/// The maximum number of open watches.
pub(crate) const WATCHES: usize = 4096;
/// The maximum number of open watches of one caller.
pub(crate) const WATCHES_OF_ONE: usize = WATCHES / 16;

/// The state that handlers of requests share.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) shown: Shown,
    pub(crate) identities: Identities,
    pub(crate) permissions: Permissions,
    pub(crate) documents: Documents,
    pub(crate) metrics: Metrics,
    pub(crate) ready: Readiness,
    /// This token is cancelled when the process stops.
    pub(crate) draining: CancellationToken,
    lists: RequestSlots,
    pub(crate) watches: RequestSlots,
}

/// A response.
enum Sent {
    Whole(Answer),
    /// A response body that is generated while it is sent. It contains JSON.
    Streamed(Body),
}

// === impl Server ===

impl Server {
    pub(crate) fn new(
        (shown, identities, permissions): (Shown, Identities, Permissions),
        metrics: Metrics,
        ready: Readiness,
        draining: CancellationToken,
    ) -> Self {
        Self {
            shown,
            identities,
            permissions,
            documents: Documents::of_release(env!("CARGO_PKG_VERSION")),
            metrics,
            ready,
            draining,
            lists: RequestSlots::of("lists", LISTS, LISTS_OF_ONE),
            watches: RequestSlots::of("watches", WATCHES, WATCHES_OF_ONE),
        }
    }

    pub(crate) fn routes(self) -> Router {
        Router::new().fallback(answer).with_state(Arc::new(self))
    }

    async fn answered(
        self: &Arc<Self>,
        request: &Request,
        head: &Parts,
        body: Body,
    ) -> Result<Sent, Status> {
        if let Subject::Health(health) = request.subject {
            return Ok(Sent::Whole(self.health(health)));
        }
        let is_write = matches!(request.verb, Verb::Write(_));
        if let Subject::Document(document) = request.subject
            && !is_write
            && !self.identities.are_known()
        {
            // Documents contain no data of the cluster, so they are sent before callers can be
            // authenticated. Without documents, an API server would treat the whole API group as
            // removed.
            return Ok(Sent::Whole(self.document(document, request, head)));
        }
        let caller = self.permitted(request, head).await;
        if is_write {
            drain(body).await;
        }
        let caller = caller?;
        let accept = texts(&head.headers, &header::ACCEPT);
        match request.subject {
            Subject::Document(_) if is_write => Err(Status::method_not_allowed()),
            Subject::Document(document) => Ok(Sent::Whole(self.document(document, request, head))),
            Subject::Installed { .. } => self.respond(caller, Question::of(request, accept)?).await,
            Subject::Health(_) | Subject::Nothing => Err(Status::no_path()),
        }
    }

    /// Authenticates a request and checks the permission for it. Returns the caller.
    async fn permitted(&self, request: &Request, head: &Parts) -> Result<Caller, Status> {
        if !self.identities.are_known() {
            let why = "callers cannot be authenticated yet: ConfigMap \
             kube-system/extension-apiserver-authentication has not been read";
            return Err(Status::unavailable(why));
        }
        let certificate = head.extensions.get::<ShownCertificate>();
        let caller = self.identities.caller(certificate, &head.headers);
        let caller = caller.ok_or_else(Status::unauthorized)?;
        if let Some(asked) = request.attributes() {
            self.permissions.permit(&caller, &asked).await?;
        }
        Ok(caller)
    }

    fn health(&self, health: Health) -> Answer {
        let is_well = match health {
            Health::Live => true,
            Health::Ready => self.ready.is_ready() && !self.draining.is_cancelled(),
        };
        if is_well {
            Answer::text(200, "ok")
        } else {
            Answer::text(503, "not ready")
        }
    }

    fn document(&self, document: Document, request: &Request, head: &Parts) -> Answer {
        let known = head.headers.get(header::IF_NONE_MATCH);
        let known = known.and_then(|known| known.to_str().ok());
        let accept = texts(&head.headers, &header::ACCEPT);
        self.documents
            .answer(document, accept, known, &request.query)
    }

    async fn respond(self: &Arc<Self>, caller: Caller, question: Question) -> Result<Sent, Status> {
        match question {
            Question::Get {
                namespace,
                name,
                since,
                form,
            } => {
                let named = (&*namespace, &*name);
                self.one(&caller, named, &since, form).await
            }
            Question::List {
                namespace,
                options,
                form,
            } => {
                let place = self.place(&self.lists, &caller, Verb::List)?;
                let page = self.page(namespace.as_deref(), &options).await?;
                let listing = self.listing(&caller, page, form).await;
                Ok(Sent::Streamed(streamed(listing, place)))
            }
            Question::Watch {
                namespace,
                options,
                form,
            } => {
                let place = self.place(&self.watches, &caller, Verb::Watch)?;
                let watched = (namespace, *options, form);
                let watching = Watching::begin(Arc::clone(self), caller, watched, place).await?;
                Ok(Sent::Streamed(Body::from_stream(watching.into_stream())))
            }
        }
    }

    /// Takes a slot for a request of a caller. Fails if no slot is available.
    fn place(
        &self,
        places: &RequestSlots,
        caller: &Caller,
        verb: Verb,
    ) -> Result<RequestSlot, Status> {
        let place = places.take(caller.tenant());
        place
            .inspect_err(|full| self.metrics.refused(verb.as_str(), full.limit()))
            .map_err(Status::too_many)
    }

    async fn one(
        &self,
        caller: &Caller,
        (namespace, name): (&str, &str),
        since: &Since,
        form: Form,
    ) -> Result<Sent, Status> {
        let now = self.shown.at(since.version()).await?;
        let found = now.snapshot.get(namespace, name);
        let found = found.ok_or_else(|| Status::not_found(name))?.clone();
        let readable = self.permissions.readable(caller, form, [&found]).await;
        let text = Listing::of_one(found, form, readable).into_text();
        Ok(Sent::Whole(Answer::json(200, text)))
    }

    /// Returns a page of a list, and the version of the list. Later pages contain the current
    /// objects, but have the version of the first page. Therefore a watch from this version
    /// receives all changes since the first page.
    async fn page(
        &self,
        namespace: Option<&str>,
        options: &ListOptions,
    ) -> Result<(Page, String), Status> {
        let ListOptions {
            filter,
            limit,
            behind,
            since,
        } = options;
        let first = behind.as_ref().map(|behind| &behind.version);
        let now = self.shown.at(first.or(since.version())).await?;
        let held = now.snapshot.version();
        if let Since::Exact(wanted) = since
            && wanted != held
        {
            return Err(Status::expired(format!(
                "resourceVersion {wanted} is not available, only {held}; list again"
            )));
        }
        let page = now
            .snapshot
            .page(namespace, filter, behind.as_ref(), *limit);
        Ok((page, first.unwrap_or(held).to_string()))
    }

    async fn listing(&self, caller: &Caller, page: (Page, String), form: Form) -> Listing {
        let (page, version) = page;
        let readable = self.permissions.readable(caller, form, &page.items).await;
        Listing::of_page(page, &version, form, readable)
    }
}

async fn answer(State(server): State<Arc<Server>>, request: HttpRequest) -> Response {
    let (head, body) = request.into_parts();
    let query = head.uri.query().unwrap_or_default();
    let asked = Request::parse(head.method.as_str(), head.uri.path(), query);
    let verb = asked.as_ref().map_or("other", |asked| asked.verb.as_str());
    let answered = match &asked {
        Ok(asked) => server.answered(asked, &head, body).await,
        Err(status) => Err(status.clone()),
    };
    let response = match answered {
        Ok(Sent::Whole(answer)) => whole(answer),
        Ok(Sent::Streamed(body)) => {
            let mut response = Response::new(body);
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            response
        }
        Err(status) => whole(Answer::refused(&status)),
    };
    let code = response.status().as_u16();
    server.metrics.answered(verb, code);
    log_request(&head, verb, code);
    response
}
