//! Requests, and what is answered.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, to_bytes};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode, header};
use portolan_core_console::{
    Asked, Form, Frame, Gate, HEADERS, Place, Refused, Shown, Standing, asset, refused,
};
use ring::digest;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Source;
use crate::attempts::Attempts;
use crate::changes::Changes;
use crate::keys::{Keys, NoRandom, Secret, Session};

/// How long a page may take; then it says so.
const DEADLINE: Duration = Duration::from_secs(40);
/// How long a form may take to be sent.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many bytes a form may have.
const LARGEST_FORM: usize = 4 * 1024;

/// All that answers requests.
pub(crate) struct Pages {
    gate: Gate,
    keys: Keys,
    source: Arc<dyn Source>,
    subject: String,
    address: SocketAddr,
    /// The name of the cookie: browsers do not tell ports apart.
    cookie: String,
    entry: Mutex<Entry>,
    begun: Instant,
    url: watch::Sender<String>,
    changes: Changes,
    stylesheet: String,
    /// What a drawing may load besides: its own style.
    drawing_policy: HeaderValue,
}

/// Who may come in, and who has left.
struct Entry {
    secret: Secret,
    attempts: Attempts,
    /// Sessions of those who have logged out: no more than secrets were used.
    ended: BTreeSet<String>,
}

/// An answer that is not a page.
type Answer = Response<Body>;

// === impl Pages ===

impl Pages {
    pub(crate) fn new(
        address: SocketAddr,
        source: Arc<dyn Source>,
        subject: String,
        draining: CancellationToken,
    ) -> Result<Self, NoRandom> {
        let keys = Keys::new()?;
        let secret = keys.secret()?;
        let (url, _) = watch::channel(entrance(address, &secret));
        let changes = Changes::new(source.changes(), draining);
        Ok(Self {
            gate: Gate::of_loopback(address.port()),
            keys,
            source,
            subject,
            address,
            cookie: format!("portolan-{}", address.port()),
            entry: Mutex::new(Entry {
                secret,
                attempts: Attempts::new(),
                ended: BTreeSet::new(),
            }),
            begun: Instant::now(),
            url,
            changes,
            stylesheet: asset::stylesheet(),
            drawing_policy: drawing_policy(),
        })
    }

    pub(crate) fn urls(&self) -> watch::Receiver<String> {
        self.url.subscribe()
    }

    /// The answer to a request. Each has the headers that keep a page to itself.
    pub(crate) async fn answer(&self, request: Request<Body>) -> Answer {
        let (head, body) = request.into_parts();
        let mut answer = match self.answered(&head, body).await {
            Ok(answer) => answer,
            Err(why) => page(status(why.status()), refused(why)),
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

    async fn answered(&self, head: &Parts, body: Body) -> Result<Answer, Refused> {
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
            ("POST", _) => Err(Refused::Method),
            (_, "/console.css") => Ok(file("text/css; charset=utf-8", self.stylesheet.clone())),
            (_, "/console.js") => Ok(file(
                "text/javascript; charset=utf-8",
                asset::SCRIPT.to_owned(),
            )),
            // Who looks at a head alone has not come in.
            ("GET", "/enter") => self.enter(query),
            (_, path) => {
                let session = session.ok_or(Refused::Stranger)?;
                if path == "/changes" {
                    return Ok(self.changes.stream());
                }
                Ok(self.shown(&session, path, query).await)
            }
        }
    }

    async fn shown(&self, session: &Session, path: &str, query: &str) -> Answer {
        let frame = Frame {
            token: self.keys.token(session),
            subject: self.subject.clone(),
            is_live: true,
        };
        let place = match Place::parse(path, query) {
            Ok(place) => place,
            Err(unknown) => return not_there(&frame.nowhere(&unknown.to_string())),
        };
        let Ok(view) = tokio::time::timeout(DEADLINE, self.source.look(&place)).await else {
            let late = frame.nowhere("The services have not answered in time. Try again.");
            return page(StatusCode::GATEWAY_TIMEOUT, late.text);
        };
        let shown = frame.show(&view);
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

    /// Lets one browser in who has the secret, and makes another secret.
    fn enter(&self, query: &str) -> Result<Answer, Refused> {
        let given = query.strip_prefix("secret=").unwrap_or_default();
        let mut entry = self.entry();
        if !entry.attempts.take(self.begun.elapsed()) {
            return Err(Refused::TooOften);
        }
        if !entry.secret.is(given) {
            return Err(Refused::Stranger);
        }
        // Without random numbers nobody comes in.
        let made = self.keys.secret().and_then(|secret| {
            let session = self.keys.begin()?;
            Ok((secret, self.keys.seal(&session)?))
        });
        let (secret, cookie) = made.map_err(|NoRandom| Refused::Stranger)?;
        self.url.send_replace(entrance(self.address, &secret));
        entry.secret = secret;
        let cookie = format!(
            "{}={cookie}; Path=/; HttpOnly; SameSite=Strict",
            self.cookie
        );
        Ok(home(&cookie))
    }

    async fn log_out(&self, session: Option<Session>, body: Body) -> Result<Answer, Refused> {
        // Of a stranger nothing is read.
        let sent = match &session {
            Some(_) => tokio::time::timeout(PATIENCE, to_bytes(body, LARGEST_FORM)).await,
            None => Ok(Ok(Bytes::new())),
        };
        let form = sent.ok().and_then(Result::ok).unwrap_or_default();
        let form = std::str::from_utf8(&form).unwrap_or_default();
        let token = form.strip_prefix("token=").unwrap_or_default();
        let standing = match &session {
            Some(_) => Standing::Known,
            None => Standing::Stranger,
        };
        let has_token = session
            .as_ref()
            .is_some_and(|session| self.keys.is_token(session, token));
        Gate::takes_form(standing, has_token)?;
        let ended = session.map(|session| self.keys.token(&session));
        self.entry().ended.extend(ended);
        let cookie = format!(
            "{}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0",
            self.cookie
        );
        Ok(home(&cookie))
    }

    /// The session of a request, if its cookie is ours and nobody has ended it.
    fn session(&self, headers: &HeaderMap) -> Option<Session> {
        let cookies = only(headers, &header::COOKIE)?;
        let cookies = cookies
            .split(';')
            .filter_map(|it| it.trim().split_once('='));
        let mut ours = cookies.filter(|(name, _)| *name == self.cookie);
        let (Some((_, value)), None) = (ours.next(), ours.next()) else {
            return None;
        };
        let session = self.keys.open(value)?;
        let has_ended = self.entry().ended.contains(&self.keys.token(&session));
        (!has_ended).then_some(session)
    }

    fn entry(&self) -> MutexGuard<'_, Entry> {
        self.entry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The address to open.
fn entrance(address: SocketAddr, secret: &Secret) -> String {
    format!("http://{address}/enter?secret={}", secret.as_str())
}

/// The only header of a name; `?`, which is nothing, if there are several or if it is no text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    match values.next() {
        Some(_) => Some("?"),
        None => Some(first.to_str().unwrap_or("?")),
    }
}

/// A drawing has its style in itself, which is always the same.
fn drawing_policy() -> HeaderValue {
    let style = portolan_core_drawing::svg::STYLE.as_bytes();
    let hash = STANDARD.encode(digest::digest(&digest::SHA256, style));
    let policy = format!("default-src 'none'; style-src 'sha256-{hash}'; frame-ancestors 'none'");
    HeaderValue::from_str(&policy).expect("a policy must be a header")
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::BAD_REQUEST)
}

fn not_there(shown: &Shown) -> Answer {
    page(StatusCode::NOT_FOUND, shown.text.clone())
}

fn page(code: StatusCode, text: String) -> Answer {
    let mut page = file("text/html; charset=utf-8", text);
    *page.status_mut() = code;
    page
}

fn file(kind: &'static str, text: String) -> Answer {
    let mut file = Response::new(Body::from(text));
    file.headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    file
}

/// Leads to the first page, with a cookie.
fn home(cookie: &str) -> Answer {
    let mut home = Response::new(Body::empty());
    *home.status_mut() = StatusCode::SEE_OTHER;
    let headers = home.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::from_static("/"));
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        headers.insert(header::SET_COOKIE, cookie);
    }
    home
}
