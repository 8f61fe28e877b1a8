//! Handles the requests to the console.

mod credentials;
mod request;
mod responses;

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::Body;
use futures::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header};
use jiff::Timestamp;
use portolan_core_console::view::{Hidden, Unseen};
use portolan_core_console::{
    Asked, ConsolePage, Form, Frame, Gate, HEADERS, Order, Refused, VisitorState, applied, asset,
    login, refused,
};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use self::credentials::{fits_in_cookie, is_namespace, is_token};
use self::request::{known_changes, only, sent};
use self::responses::{drawing_policy, file, home, not_admitted, not_there, page, status};
use crate::changes::Changes;
use crate::contents::Contents;
use crate::cookie::{Cookie, EndedSessions};
use crate::entry::Entry;
use crate::freshness::RequestTime;
use crate::guests::{Guest, Guests, Outside};
use crate::keys::{Keys, NoRandom, Secret, VisitorSession};
use crate::{Source, Visitors, shown_time};

/// The time limit for reading the content of a page. After this time, the visitor gets an error
/// page.
const DEADLINE: Duration = Duration::from_secs(40);

/// The handler of all requests.
pub(crate) struct Pages {
    gate: Gate,
    keys: Keys,
    door: Door,
    subject: String,
    cookie: Cookie,
    ended: Mutex<EndedSessions>,
    /// The text that stands for the token of a session in kept content. It is random, so no text of
    /// a cluster contains it.
    mark: Secret,
    stylesheet: String,
    /// The Content-Security-Policy for drawings. It permits the style sheet inside the drawing.
    drawing_policy: HeaderValue,
}

/// The method by which the console admits visitors.
enum Door {
    /// Visitors open the printed address, which contains a secret.
    Secret(Entry),
    /// Visitors log in with a token of the cluster. The second value is the address to open.
    Tokens(Guests, watch::Sender<String>),
}

/// Any HTTP response, such as a page, a file or an event stream.
type HttpResponse = Response<Body>;

// === impl Pages ===

impl Pages {
    /// Creates the handler of a console on loopback. Visitors need the secret in the printed
    /// address.
    pub(crate) fn new(
        address: SocketAddr,
        source: Arc<dyn Source>,
        subject: String,
        draining: CancellationToken,
    ) -> Result<Self, NoRandom> {
        let keys = Keys::new()?;
        let guest = Guest {
            user: String::new(),
            namespace: String::new(),
            changes: Changes::new(source.changes(), draining),
            contents: Contents::default(),
            source,
        };
        let door = Door::Secret(Entry::new(address, guest, &keys)?);
        let gate = Gate::of_loopback(address.port());
        let cookie = Cookie::of_loopback(address);
        Self::with(keys, door, gate, subject, cookie)
    }

    /// Creates the handler of a console that browsers reach by these hosts. Visitors need a token
    /// of the cluster.
    pub(crate) fn for_visitors(
        hosts: Vec<String>,
        visitors: Arc<dyn Visitors>,
        subject: String,
        draining: CancellationToken,
    ) -> Result<Self, NoRandom> {
        let url = hosts.first().map(|host| format!("https://{host}/"));
        let (url, _) = watch::channel(url.unwrap_or_default());
        let door = Door::Tokens(Guests::new(visitors, draining), url);
        let gate = Gate::of_hosts(hosts);
        Self::with(Keys::new()?, door, gate, subject, Cookie::of_hosts())
    }

    fn with(
        keys: Keys,
        door: Door,
        gate: Gate,
        subject: String,
        cookie: Cookie,
    ) -> Result<Self, NoRandom> {
        Ok(Self {
            mark: keys.secret()?,
            gate,
            keys,
            door,
            subject,
            cookie,
            ended: Mutex::default(),
            stylesheet: asset::stylesheet(),
            drawing_policy: drawing_policy(),
        })
    }

    /// Returns a receiver of the address to open. The address changes after each login with a
    /// secret.
    pub(crate) fn urls(&self) -> watch::Receiver<String> {
        match &self.door {
            Door::Secret(entry) => entry.urls(),
            Door::Tokens(_, url) => url.subscribe(),
        }
    }

    /// Drops the visitors who have sent no request for too long.
    pub(crate) fn sweep(&self) {
        match &self.door {
            Door::Secret(_) => {}
            Door::Tokens(guests, _) => guests.sweep(),
        }
    }

    /// Returns the response to a request, even if a handler panics. Each response contains security
    /// headers, such as a Content-Security-Policy.
    pub(crate) async fn answer(&self, request: Request<Body>, from: IpAddr) -> HttpResponse {
        let (head, body) = request.into_parts();
        let answered = AssertUnwindSafe(self.answered(&head, body, from)).catch_unwind();
        let mut answer = match answered.await {
            Ok(Ok(answer)) => answer,
            Ok(Err(why)) => self.closed(why),
            Err(_) => self.closed(Refused::Failed),
        };
        tracing::debug!(method = %head.method, path = head.uri.path(), code = answer.status().as_u16(), "answered");
        for (name, value) in HEADERS {
            let (name, value) = (
                HeaderName::from_static(name),
                HeaderValue::from_static(value),
            );
            answer.headers_mut().entry(name).or_insert(value);
        }
        answer
    }

    async fn answered(
        &self,
        head: &Parts,
        body: Body,
        from: IpAddr,
    ) -> Result<HttpResponse, Refused> {
        let one = |name: HeaderName| only(&head.headers, &name);
        self.gate.lets(&Asked {
            method: head.method.as_str(),
            host: one(header::HOST),
            origin: one(header::ORIGIN),
            site: one(HeaderName::from_static("sec-fetch-site")),
        })?;
        let query = head.uri.query().unwrap_or_default();
        let session = self.session(&head.headers);
        match (head.method.as_str(), head.uri.path()) {
            ("POST", "/log-out") => self.log_out(session, body).await,
            ("POST", "/log-in") => self.log_in(body, from).await,
            ("POST", "/apply") => self.apply(session, body, from).await,
            ("POST", _) => Err(Refused::Method),
            (_, "/icon.svg") => Ok(file("image/svg+xml", asset::ICON.to_owned())),
            (_, "/console.css") => Ok(file("text/css; charset=utf-8", self.stylesheet.clone())),
            (_, "/console.js") => Ok(file(
                "text/javascript; charset=utf-8",
                asset::SCRIPT.to_owned(),
            )),
            // A HEAD request does not use up the secret.
            ("GET", "/enter") => self.enter(query),
            (_, path) => {
                let session = session.ok_or(Refused::Stranger)?;
                let guest = match self.guest(&session, from).await {
                    Ok(guest) => guest,
                    Err(Outside::Refused(why)) => return Err(why),
                    Err(Outside::NotAdmitted(why)) => return Ok(not_admitted(&why)),
                };
                if path == "/changes" {
                    return Ok(guest.changes.stream(known_changes(head)));
                }
                Ok(self.shown(&session, &guest, path, query).await)
            }
        }
    }

    /// Returns the response to a rejected request. Visitors who can log in with a token get the
    /// login page.
    fn closed(&self, why: Refused) -> HttpResponse {
        let text = match (&self.door, why) {
            (Door::Tokens(..), Refused::Stranger) => login(None),
            (Door::Tokens(..), Refused::TooOften) => login(Some(&why.to_string())),
            (Door::Secret(_) | Door::Tokens(..), _) => refused(why),
        };
        page(status(why.status()), text)
    }

    async fn guest(&self, session: &VisitorSession, from: IpAddr) -> Result<Arc<Guest>, Outside> {
        match &self.door {
            Door::Secret(entry) => Ok(Arc::clone(&entry.guest)),
            Door::Tokens(guests, _) => {
                guests
                    .admit((&session.token, &session.namespace), from)
                    .await
            }
        }
    }

    async fn shown(
        &self,
        session: &VisitorSession,
        guest: &Guest,
        path: &str,
        query: &str,
    ) -> HttpResponse {
        let token = self.keys.token(session);
        let place = match ConsolePage::parse(path, query) {
            Ok(place) => place,
            Err(unknown) => {
                let frame = self.frame(token, guest);
                return not_there(frame.nowhere(&unknown.to_string()).text);
            }
        };
        let place = &place;
        // All sessions of a visitor share the content. The mark stands for the token of a session.
        let mark = self.mark.as_str();
        let now = || RequestTime::now(guest.changes.count());
        let compute = move |asked: RequestTime| async move {
            let frame = self.frame(mark.to_owned(), guest);
            let looking =
                async { tokio::join!(guest.source.look(place), guest.source.hidden(place)) };
            let (view, hidden) = looking.await;
            let hidden = narrowed(guest).into_iter().chain(hidden).collect();
            // The changes are counted before the page is read. A change while the page is read is
            // then reported again.
            let changes = Some(asked.changes);
            let frame = Frame {
                hidden,
                changes,
                ..frame
            };
            frame.show(&view)
        };
        let shown = guest.contents.of(place, now, compute);
        let Ok(shown) = tokio::time::timeout(DEADLINE, shown).await else {
            let frame = self.frame(token, guest);
            let late = frame.nowhere("The services have not answered in time. Try again.");
            return page(StatusCode::GATEWAY_TIMEOUT, late.text);
        };
        let text = shown.text.replace(mark, &token);
        match (shown.is_there, shown.form) {
            (false, _) => not_there(text),
            (true, Form::Html) => page(StatusCode::OK, text),
            (true, Form::Svg) => {
                let mut drawing = file("image/svg+xml", text);
                let policy = self.drawing_policy.clone();
                drawing
                    .headers_mut()
                    .insert(header::CONTENT_SECURITY_POLICY, policy);
                drawing
            }
        }
    }

    /// Returns the frame of all pages for a visitor.
    fn frame(&self, token: String, guest: &Guest) -> Frame {
        let subject = match &*guest.user {
            "" => self.subject.clone(),
            user => format!("{}, as {user}", self.subject),
        };
        Frame {
            token,
            subject,
            read_at: shown_time(Timestamp::now()),
            changes: Some(guest.changes.count()),
            hidden: Vec::new(),
            may_apply: guest.source.may_apply(),
            has_target: guest.source.has_target(),
        }
    }

    /// Makes the change that a visitor requests with a form.
    async fn apply(
        &self,
        session: Option<VisitorSession>,
        body: Body,
        from: IpAddr,
    ) -> Result<HttpResponse, Refused> {
        let (session, fields) = self.form(session, body).await?;
        let guest = match self.guest(&session, from).await {
            Ok(guest) => guest,
            Err(Outside::Refused(why)) => return Err(why),
            Err(Outside::NotAdmitted(why)) => return Ok(not_admitted(&why)),
        };
        if !guest.source.may_apply() {
            return Err(Refused::ReadOnly);
        }
        // This page is the response to a form, so the page must not reload after a change.
        let frame = Frame {
            changes: None,
            ..self.frame(self.keys.token(&session), &guest)
        };
        let order = match Order::parse(fields) {
            Ok(order) => order,
            Err(unknown) => return Ok(not_there(frame.nowhere(&unknown.to_string()).text)),
        };
        let applying = guest.source.apply(&order);
        let Ok(told) = tokio::time::timeout(DEADLINE, applying).await else {
            let late = "The cluster has not answered in time. Check what has been done before you try \
                 again.";
            return Ok(page(StatusCode::GATEWAY_TIMEOUT, frame.nowhere(late).text));
        };
        if told.moves.iter().any(|it| it.is_done) {
            let (user, operator) = (&guest.user, &order.wanted.operator);
            tracing::info!(%user, ?operator, change = ?order.wanted.change, "a change was made");
            guest.contents.forget();
        }
        Ok(page(StatusCode::OK, applied(&frame, &told)))
    }

    /// Returns the session of a visitor and the fields of a form. Fails if the form does not come
    /// from a page of this session.
    async fn form(
        &self,
        session: Option<VisitorSession>,
        body: Body,
    ) -> Result<(VisitorSession, BTreeMap<String, String>), Refused> {
        // Without a session, the body of the request is not read.
        let session = session.ok_or(Refused::Stranger)?;
        let mut fields = sent(body).await;
        let token = fields.remove("token").unwrap_or_default();
        Gate::takes_form(VisitorState::Known, self.keys.is_token(&session, &token))?;
        Ok((session, fields))
    }

    /// Admits one browser if the query contains the secret.
    fn enter(&self, query: &str) -> Result<HttpResponse, Refused> {
        let given = query.strip_prefix("secret=").unwrap_or_default();
        match &self.door {
            Door::Secret(entry) => {
                let value = entry.enter(given, &self.keys)?;
                Ok(home(&self.cookie.with(&value)))
            }
            Door::Tokens(..) => Err(Refused::Stranger),
        }
    }

    /// Logs a visitor in if the cluster accepts the visitor's token.
    async fn log_in(&self, body: Body, from: IpAddr) -> Result<HttpResponse, Refused> {
        let Door::Tokens(guests, _) = &self.door else {
            return Err(Refused::Method);
        };
        let mut fields = sent(body).await;
        let token = fields.remove("bearer").unwrap_or_default();
        let token = token.trim();
        let namespace = fields.remove("namespace").unwrap_or_default();
        let namespace = namespace.trim();
        if let Err(why) = is_token(token)
            .and_then(|()| fits_in_cookie(token))
            .and_then(|()| is_namespace(namespace))
        {
            return Ok(page(StatusCode::BAD_REQUEST, login(Some(&why))));
        }
        match guests.admit((token, namespace), from).await {
            Ok(_) => {}
            Err(Outside::Refused(why)) => return Err(why),
            Err(Outside::NotAdmitted(why)) => return Ok(not_admitted(&why)),
        }
        let session = self.keys.begin(token.to_owned(), namespace.to_owned());
        let value = session.and_then(|session| self.keys.seal(&session));
        let value = value.map_err(|NoRandom| Refused::Stranger)?;
        Ok(home(&self.cookie.with(&value)))
    }

    async fn log_out(
        &self,
        session: Option<VisitorSession>,
        body: Body,
    ) -> Result<HttpResponse, Refused> {
        let (session, _) = self.form(session, body).await?;
        self.ended_sessions().end(self.keys.token(&session));
        Ok(home(&self.cookie.gone()))
    }

    /// Returns the session of a request. The session is in a valid cookie that was not logged out.
    /// A proxy that authenticates users may send their token in the `Authorization` header instead.
    fn session(&self, headers: &HeaderMap) -> Option<VisitorSession> {
        if let (Door::Tokens(..), Some(given)) = (&self.door, only(headers, &header::AUTHORIZATION))
        {
            let token = given.strip_prefix("Bearer ")?;
            return is_token(token).is_ok().then(|| self.keys.of_bearer(token));
        }
        let value = self.cookie.value(only(headers, &header::COOKIE)?)?;
        let session = self.keys.open(value)?;
        let has_ended = self.ended_sessions().has(&self.keys.token(&session));
        (!has_ended).then_some(session)
    }

    fn ended_sessions(&self) -> MutexGuard<'_, EndedSessions> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the note for a visitor who sees only one namespace because permissions are missing.
fn narrowed(guest: &Guest) -> Option<Hidden> {
    let namespace = &guest.namespace;
    (!namespace.is_empty()).then(|| Hidden {
        why: Unseen(format!(
            "Objects that you cannot list in all namespaces are shown only for namespace \
             {namespace}."
        )),
        is_stale: false,
    })
}
