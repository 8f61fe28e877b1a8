//! Handles the requests to the console.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use futures::FutureExt as _;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header};
use jiff::Timestamp;
use portolan_core_console::view::{Hidden, Unseen};
use portolan_core_console::{
    Asked, ConsolePage, Form, Frame, Gate, HEADERS, Order, Refused, Shown, VisitorState, applied,
    asset, form, login, refused,
};
use ring::digest;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::changes::Changes;
use crate::cookie::{Cookie, EndedSessions};
use crate::entry::Entry;
use crate::guests::{Guest, Guests, Outside};
use crate::keys::{Keys, NoRandom, VisitorSession};
use crate::{NotAdmitted, Source, Visitors, shown_time};

/// The time limit for reading the content of a page. After this time, the visitor gets an error
/// page.
const DEADLINE: Duration = Duration::from_secs(40);
/// The time limit for receiving a form.
const PATIENCE: Duration = Duration::from_secs(10);
/// The maximum size of a form in bytes.
const LARGEST_FORM: usize = 4 * 1024;
/// The maximum length of a token in bytes. Browsers store cookies of up to 4,096 bytes, and the
/// encrypted cookie is one third longer than the token.
const LONGEST_TOKEN: usize = 2800;

/// The handler of all requests.
pub(crate) struct Pages {
    gate: Gate,
    keys: Keys,
    door: Door,
    subject: String,
    cookie: Cookie,
    ended: Mutex<EndedSessions>,
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
            source,
        };
        let door = Door::Secret(Entry::new(address, guest, &keys)?);
        let gate = Gate::of_loopback(address.port());
        Ok(Self::with(
            keys,
            door,
            gate,
            subject,
            Cookie::of_loopback(address),
        ))
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
        Ok(Self::with(
            Keys::new()?,
            door,
            gate,
            subject,
            Cookie::of_hosts(),
        ))
    }

    fn with(keys: Keys, door: Door, gate: Gate, subject: String, cookie: Cookie) -> Self {
        Self {
            gate,
            keys,
            door,
            subject,
            cookie,
            ended: Mutex::default(),
            stylesheet: asset::stylesheet(),
            drawing_policy: drawing_policy(),
        }
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
        // The frame counts the changes before the content is read. If the content changes during
        // the read, the page then receives another event.
        let frame = self.frame(session, guest);
        let place = match ConsolePage::parse(path, query) {
            Ok(place) => place,
            Err(unknown) => return not_there(&frame.nowhere(&unknown.to_string())),
        };
        let looking =
            async { tokio::join!(guest.source.look(&place), guest.source.hidden(&place)) };
        let Ok((view, hidden)) = tokio::time::timeout(DEADLINE, looking).await else {
            let late = frame.nowhere("The services have not answered in time. Try again.");
            return page(StatusCode::GATEWAY_TIMEOUT, late.text);
        };
        let hidden = narrowed(guest).into_iter().chain(hidden).collect();
        let shown = Frame { hidden, ..frame }.show(&view);
        match (shown.is_there, shown.form) {
            (false, _) => not_there(&shown),
            (true, Form::Html) => page(StatusCode::OK, shown.text),
            (true, Form::Svg) => {
                let mut drawing = file("image/svg+xml", shown.text);
                let policy = self.drawing_policy.clone();
                drawing
                    .headers_mut()
                    .insert(header::CONTENT_SECURITY_POLICY, policy);
                drawing
            }
        }
    }

    /// Returns the frame of all pages for a visitor.
    fn frame(&self, session: &VisitorSession, guest: &Guest) -> Frame {
        let subject = match &*guest.user {
            "" => self.subject.clone(),
            user => format!("{}, as {user}", self.subject),
        };
        Frame {
            token: self.keys.token(session),
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
            ..self.frame(&session, &guest)
        };
        let order = match Order::parse(fields) {
            Ok(order) => order,
            Err(unknown) => return Ok(not_there(&frame.nowhere(&unknown.to_string()))),
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

/// Reads the fields of a form. Returns no fields if the form is too large, arrives too slowly, or
/// is invalid.
async fn sent(body: Body) -> BTreeMap<String, String> {
    let read = tokio::time::timeout(PATIENCE, to_bytes(body, LARGEST_FORM)).await;
    let bytes = read.ok().and_then(Result::ok).unwrap_or_default();
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    form::fields(text, LARGEST_FORM).unwrap_or_default()
}

/// Returns an error if the text contains characters that a token cannot contain.
fn is_token(token: &str) -> Result<(), String> {
    let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
    if token.is_empty() || !token.bytes().all(is_fit) {
        return Err(
            "This is not a token. A token contains only letters, digits and \
         -._~+/=."
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns an error if the name is not a valid namespace. An empty name is valid, because the
/// namespace is optional.
fn is_namespace(name: &str) -> Result<(), String> {
    let is_fit = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.len() > 63 || !name.bytes().all(is_fit) {
        return Err(
            "This is not a namespace. A namespace has at most 63 lower-case letters, digits and \
             hyphens."
                .to_owned(),
        );
    }
    Ok(())
}

/// Returns a note for a visitor who entered a namespace: some objects may be shown only for this
/// namespace.
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

/// Returns an error if the token is too long for a cookie.
fn fits_in_cookie(token: &str) -> Result<(), String> {
    if token.len() > LONGEST_TOKEN {
        return Err(format!(
            "The token has {} bytes; the maximum is {LONGEST_TOKEN}. Tokens of ServiceAccounts \
             are shorter.",
            token.len()
        ));
    }
    Ok(())
}

/// Returns the login page with the reason why the visitor was not admitted.
fn not_admitted(why: &NotAdmitted) -> HttpResponse {
    let code = match why {
        NotAdmitted::Unknown => StatusCode::UNAUTHORIZED,
        NotAdmitted::Unanswered(_) => StatusCode::SERVICE_UNAVAILABLE,
    };
    page(code, login(Some(&why.to_string())))
}

/// Returns the number of changes of a page that requests events. This is the id of the last event
/// that the page received, or the number in the page itself.
fn known_changes(head: &Parts) -> Option<u64> {
    let told = only(&head.headers, &HeaderName::from_static("last-event-id"));
    let read = || head.uri.query()?.strip_prefix("since=");
    told.or_else(read)?.parse().ok()
}

/// Returns the value of a header that must occur only once. If the header occurs several times or
/// is not text, returns `?`, which is always invalid.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    match values.next() {
        Some(_) => Some("?"),
        None => Some(first.to_str().unwrap_or("?")),
    }
}

/// Returns the Content-Security-Policy for drawings. It permits the style sheet of drawings by its
/// hash.
fn drawing_policy() -> HeaderValue {
    let style = portolan_core_console::drawing::svg::STYLE.as_bytes();
    let hash = STANDARD.encode(digest::digest(&digest::SHA256, style));
    let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; frame-ancestors 'none'");
    HeaderValue::from_str(&policy).expect("a policy must be a header")
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST)
}

fn not_there(shown: &Shown) -> HttpResponse {
    page(StatusCode::NOT_FOUND, shown.text.clone())
}

fn page(code: StatusCode, text: String) -> HttpResponse {
    let mut page = file("text/html; charset=utf-8", text);
    *page.status_mut() = code;
    page
}

fn file(kind: &'static str, text: String) -> HttpResponse {
    let mut file = Response::new(Body::from(text));
    file.headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    file
}

/// Redirects to the first page, and sets the cookie.
fn home(cookie: &str) -> HttpResponse {
    let mut home = Response::new(Body::empty());
    *home.status_mut() = StatusCode::SEE_OTHER;
    let headers = home.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    home
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    /// The id of the last event is newer than the number in the page.
    #[test]
    fn reconnecting_page_sends_its_last_event_id() {
        let known = |last: &[&str]| {
            let mut request = Request::get("/changes?since=1");
            for last in last {
                request = request.header("last-event-id", *last);
            }
            known_changes(&request.body(()).expect("a request").into_parts().0)
        };
        assert_eq!(known(&[]), Some(1));
        assert_eq!(known(&["2"]), Some(2));
        assert_eq!(known(&["2", "3"]), None);
    }
}
