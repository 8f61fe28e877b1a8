//! Tests with visitors who log in with a token of the cluster.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use http::{Request, Response, header};
use portolan_core_console::view::{Applied, Hidden, PageView, Unseen};
use portolan_core_console::{ConsolePage, Filter, Order};
use rstest::rstest;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::pages::Pages;
use crate::{NotAdmitted, Source, Visitors};

const HOST: &str = "console.example.test";
const FROM: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
/// The time after which the cluster must verify a token again.
const TRUSTED: Duration = Duration::from_secs(61);
/// The time without requests after which the console drops a visitor.
const IDLE: Duration = Duration::from_secs(15 * 60 + 1);

/// A fake cluster that accepts some tokens.
#[derive(Default)]
struct Cluster {
    /// The names of the users, by their tokens.
    users: Mutex<BTreeMap<String, &'static str>>,
    /// The namespaces that visitors have entered, in order.
    namespaces: Mutex<Vec<String>>,
    /// True if the cluster does not answer.
    is_silent: AtomicBool,
    known: AtomicUsize,
    opened: AtomicUsize,
    /// The number of open views.
    open: Arc<AtomicUsize>,
}

/// The view of one user: the user name, the counter of changes, and the number of open views.
struct UserView(&'static str, watch::Sender<u64>, Arc<AtomicUsize>);

impl Visitors for Arc<Cluster> {
    fn know<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<String, NotAdmitted>> {
        self.known.fetch_add(1, Ordering::SeqCst);
        let is_silent = token == "silence" || self.is_silent.load(Ordering::SeqCst);
        let answer = if is_silent {
            Err(NotAdmitted::Unanswered("connection refused".to_owned()))
        } else {
            self.user(token).map(str::to_owned)
        };
        std::future::ready(answer).boxed()
    }

    fn open<'a>(
        &'a self,
        token: &'a str,
        namespace: &'a str,
    ) -> BoxFuture<'a, Result<Arc<dyn Source>, NotAdmitted>> {
        self.opened.fetch_add(1, Ordering::SeqCst);
        self.namespaces
            .lock()
            .expect("a lock")
            .push(namespace.to_owned());
        let source = self.user(token).map(|user| {
            self.open.fetch_add(1, Ordering::SeqCst);
            let (news, open) = (watch::channel(0).0, Arc::clone(&self.open));
            Arc::new(UserView(user, news, open)) as Arc<dyn Source>
        });
        std::future::ready(source).boxed()
    }
}

impl Cluster {
    fn user(&self, token: &str) -> Result<&'static str, NotAdmitted> {
        let users = self.users.lock().expect("a lock");
        users.get(token).copied().ok_or(NotAdmitted::Unknown)
    }
}

impl Source for UserView {
    fn look<'a>(&'a self, _: &'a ConsolePage) -> BoxFuture<'a, PageView> {
        let seen = Err(Unseen(format!("what {} may see", self.0)));
        std::future::ready(PageView::Operators(Filter::default(), seen)).boxed()
    }

    fn hidden<'a>(&'a self, _: &'a ConsolePage) -> BoxFuture<'a, Vec<Hidden>> {
        std::future::ready(Vec::new()).boxed()
    }

    fn may_apply(&self) -> bool {
        false
    }

    fn apply<'a>(&'a self, _: &'a Order) -> BoxFuture<'a, Applied> {
        unreachable!("apply is not allowed")
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.1.subscribe()
    }
}

impl Drop for UserView {
    fn drop(&mut self) {
        self.2.fetch_sub(1, Ordering::SeqCst);
    }
}

struct HttpResponse {
    code: u16,
    cookie: Option<String>,
    body: String,
}

fn console() -> (Arc<Cluster>, Pages) {
    let cluster = Arc::new(Cluster::default());
    let users = [("of-ann", "ann"), ("of-bob", "bob")];
    *cluster.users.lock().expect("a lock") =
        users.map(|(token, user)| (token.to_owned(), user)).into();
    let pages = Pages::for_visitors(
        vec![HOST.to_owned()],
        Arc::new(Arc::clone(&cluster)),
        "The cluster".to_owned(),
        CancellationToken::new(),
    );
    (cluster, pages.expect("keys"))
}

async fn sent(
    pages: &Pages,
    (method, path): (&str, &str),
    head: &[(&str, &str)],
    body: &str,
) -> HttpResponse {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in [("host", HOST)].iter().chain(head) {
        request = request.header(*name, *value);
    }
    let request = request
        .body(Body::from(body.to_owned()))
        .expect("a request");
    let answer: Response<Body> = pages.answer(request, FROM).await;
    let cookie = answer.headers().get(header::SET_COOKIE);
    let cookie = cookie.map(|it| it.to_str().expect("text").to_owned());
    let code = answer.status().as_u16();
    let body = to_bytes(answer.into_body(), 1 << 20).await.expect("a body");
    let body = String::from_utf8(body.to_vec()).expect("text");
    HttpResponse { code, cookie, body }
}

async fn get(pages: &Pages, path: &str, head: &[(&str, &str)]) -> HttpResponse {
    sent(pages, ("GET", path), head, "").await
}

const OURS: (&str, &str) = ("origin", "https://console.example.test");

async fn log_in(pages: &Pages, token: &str) -> HttpResponse {
    sent(
        pages,
        ("POST", "/log-in"),
        &[OURS],
        &format!("bearer={token}"),
    )
    .await
}

/// Logs in with a token, and returns the cookie.
async fn enter(pages: &Pages, token: &str) -> String {
    let response = log_in(pages, token).await;
    assert_eq!(response.code, 303, "{}", response.body);
    let cookie = response.cookie.expect("a cookie");
    cookie.split(';').next().expect("a value").to_owned()
}

#[tokio::test]
async fn each_user_sees_what_their_token_permits() {
    let (_, pages) = console();
    let cookies = [enter(&pages, "of-ann").await, enter(&pages, "of-bob").await];
    for (cookie, user) in cookies.iter().zip(["ann", "bob"]) {
        let response = get(&pages, "/operators", &[("cookie", cookie)]).await;
        assert_eq!(response.code, 200);
        assert!(
            response.body.contains(&format!("what {user} may see")),
            "{}",
            response.body
        );
        assert!(
            response.body.contains(&format!("The cluster, as {user}")),
            "{}",
            response.body
        );
        assert!(!response.body.contains("of-ann") && !response.body.contains("of-bob"));
    }
}

#[tokio::test]
async fn visitor_without_a_token_gets_the_login_page() {
    let (cluster, pages) = console();
    for path in ["/", "/operators", "/changes", "/enter?secret="] {
        let response = get(&pages, path, &[]).await;
        assert_eq!((response.code, response.cookie), (401, None), "{path}");
        assert!(
            response.body.contains("action=\"/log-in\""),
            "{}",
            response.body
        );
    }
    assert_eq!(cluster.known.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn cookie_is_limited_to_host_and_tls_and_hidden_from_scripts() {
    let (_, pages) = console();
    let cookie = log_in(&pages, "of-ann").await.cookie.expect("a cookie");
    assert!(cookie.starts_with("__Host-portolan="), "{cookie}");
    for part in ["Path=/", "Secure", "HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert!(!cookie.contains("Domain"), "{cookie}");
    assert!(!cookie.contains("of-ann"), "{cookie}");
}

#[rstest]
#[case::unknown("of-nobody", 401, "does not know this token")]
#[case::token_while_the_cluster_is_silent("silence", 503, "does not answer: connection refused")]
#[case::empty("", 400, "not a token")]
#[case::of_other_text("of%20ann%0D%0Ax", 400, "not a token")]
#[tokio::test]
async fn login_with_an_invalid_token_is_refused(
    #[case] token: &str,
    #[case] code: u16,
    #[case] why: &str,
) {
    let (cluster, pages) = console();
    let response = log_in(&pages, token).await;
    assert_eq!((response.code, response.cookie), (code, None));
    assert!(response.body.contains(why), "{}", response.body);
    assert_eq!(cluster.opened.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn token_too_long_for_a_cookie_is_refused() {
    let (_, pages) = console();
    let response = log_in(&pages, &"a".repeat(2801)).await;
    assert_eq!(response.code, 400);
    assert!(response.body.contains("2801 bytes"), "{}", response.body);
    let longest = "a".repeat(2800);
    let (cluster, pages) = console();
    let ann = (longest.clone(), "ann");
    cluster.users.lock().expect("a lock").extend([ann]);
    let cookie = log_in(&pages, &longest).await.cookie.expect("a cookie");
    assert!(cookie.len() <= 4096, "{}", cookie.len());
}

/// The token of a proxy is sent with each request and not stored in a cookie.
#[tokio::test]
async fn token_from_a_proxy_may_be_longer_than_a_cookie() {
    let (cluster, pages) = console();
    let long = "a".repeat(5000);
    cluster
        .users
        .lock()
        .expect("a lock")
        .extend([(long.clone(), "ann")]);
    let head = format!("Bearer {long}");
    let response = get(&pages, "/operators", &[("authorization", &head)]).await;
    assert_eq!(response.code, 200, "{}", response.body);
    assert!(
        response.body.contains("what ann may see"),
        "{}",
        response.body
    );
}

#[tokio::test]
async fn login_with_a_namespace_shows_only_that_namespace() {
    let (cluster, pages) = console();
    let form = "bearer=of-ann&namespace=harbor";
    let response = sent(&pages, ("POST", "/log-in"), &[OURS], form).await;
    let cookie = response.cookie.expect("a cookie");
    let cookie = cookie.split(';').next().expect("a value");
    let response = get(&pages, "/operators", &[("cookie", cookie)]).await;
    assert!(
        response
            .body
            .contains("are shown only for namespace harbor"),
        "{}",
        response.body
    );
    assert_eq!(*cluster.namespaces.lock().expect("a lock"), ["harbor"]);
    let response = sent(
        &pages,
        ("POST", "/log-in"),
        &[OURS],
        "bearer=of-ann&namespace=..%2F",
    )
    .await;
    assert_eq!((response.code, response.cookie), (400, None));
}

#[tokio::test]
async fn login_from_another_origin_is_refused() {
    let (cluster, pages) = console();
    for origin in ["https://evil.test", "http://console.example.test", "null"] {
        let head = [("origin", origin)];
        let response = sent(&pages, ("POST", "/log-in"), &head, "bearer=of-ann").await;
        assert_eq!((response.code, response.cookie), (403, None), "{origin}");
    }
    let response = sent(&pages, ("POST", "/log-in"), &[], "bearer=of-ann").await;
    assert_eq!(response.code, 403);
    let elsewhere = [("host", "evil.test"), OURS];
    let response = sent(&pages, ("POST", "/log-in"), &elsewhere, "bearer=of-ann").await;
    assert_eq!(response.code, 421, "two hosts are invalid");
    assert_eq!(cluster.known.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn token_guesses_are_limited_and_keep_sessions_open() {
    let (cluster, pages) = console();
    let cookie = enter(&pages, "of-ann").await;
    let mut codes = Vec::new();
    for at in 0..7 {
        codes.push(log_in(&pages, &format!("guess-{at}")).await.code);
    }
    assert_eq!(codes, [401, 401, 401, 401, 401, 429, 429]);
    assert_eq!(cluster.known.load(Ordering::SeqCst), 6);
    assert_eq!(
        get(&pages, "/operators", &[("cookie", &cookie)]).await.code,
        200
    );
}

/// Behind a proxy, all visitors have the same address.
#[tokio::test]
async fn proxy_may_send_tokens_of_many_users() {
    let (cluster, pages) = console();
    for at in 0..12 {
        let token = format!("of-user-{at}");
        let user = (token.clone(), "somebody");
        cluster.users.lock().expect("a lock").extend([user]);
        let head = format!("Bearer {token}");
        let response = get(&pages, "/operators", &[("authorization", &head)]).await;
        assert_eq!(response.code, 200, "{at}: {}", response.body);
    }
}

#[tokio::test(start_paused = true)]
async fn revoked_token_ends_its_session() {
    let (cluster, pages) = console();
    let cookie = enter(&pages, "of-ann").await;
    cluster.users.lock().expect("a lock").clear();
    // The console still trusts the token for a short time.
    assert_eq!(
        get(&pages, "/operators", &[("cookie", &cookie)]).await.code,
        200
    );
    tokio::time::advance(TRUSTED).await;
    let response = get(&pages, "/operators", &[("cookie", &cookie)]).await;
    assert_eq!(response.code, 401);
    assert!(
        response.body.contains("does not know this token"),
        "{}",
        response.body
    );
    assert_eq!(cluster.open.load(Ordering::SeqCst), 0);
}

/// Behind an Ingress, all visitors have the same address. They load pages even while the cluster
/// does not answer.
#[tokio::test(start_paused = true)]
async fn silent_cluster_costs_no_login_attempt_and_no_session() {
    let (cluster, pages) = console();
    let cookie = enter(&pages, "of-ann").await;
    tokio::time::advance(TRUSTED).await;
    cluster.is_silent.store(true, Ordering::SeqCst);
    for _ in 0..7 {
        let response = get(&pages, "/operators", &[("cookie", &cookie)]).await;
        assert_eq!(response.code, 503, "{}", response.body);
        // The login of a new user costs no attempt either.
        assert_eq!(log_in(&pages, "of-bob").await.code, 503);
    }
    // The cluster was asked once when ann logged in, and once for each of the 14 later requests.
    assert_eq!(cluster.known.load(Ordering::SeqCst), 1 + 7 + 7);
    cluster.is_silent.store(false, Ordering::SeqCst);
    let response = get(&pages, "/operators", &[("cookie", &cookie)]).await;
    assert_eq!(response.code, 200, "{}", response.body);
    let counts = |of: &AtomicUsize| of.load(Ordering::SeqCst);
    assert_eq!((counts(&cluster.opened), counts(&cluster.open)), (1, 1));
    enter(&pages, "of-bob").await;
}

#[tokio::test(start_paused = true)]
async fn user_world_is_opened_once_and_closed_when_idle() {
    let (cluster, pages) = console();
    let cookies = [enter(&pages, "of-ann").await, enter(&pages, "of-ann").await];
    assert_ne!(cookies[0], cookies[1]);
    for _ in 0..3 {
        tokio::time::advance(TRUSTED).await;
        for cookie in &cookies {
            assert_eq!(
                get(&pages, "/operators", &[("cookie", cookie)]).await.code,
                200
            );
        }
        pages.sweep();
    }
    let counts = |of: &AtomicUsize| of.load(Ordering::SeqCst);
    assert_eq!((counts(&cluster.opened), counts(&cluster.open)), (1, 1));
    tokio::time::advance(IDLE).await;
    pages.sweep();
    assert_eq!(counts(&cluster.open), 0);
    // A visitor who was dropped because of inactivity need not log in again.
    let response = get(&pages, "/operators", &[("cookie", &cookies[0])]).await;
    assert_eq!((response.code, counts(&cluster.opened)), (200, 2));
}

#[tokio::test(start_paused = true)]
async fn open_user_worlds_are_limited() {
    let (cluster, pages) = console();
    for at in 0..40 {
        let token = format!("of-{at}");
        let user = (token.clone(), "somebody");
        cluster.users.lock().expect("a lock").extend([user]);
        enter(&pages, &token).await;
        // The delay restores an attempt before the next login.
        tokio::time::advance(Duration::from_secs(10)).await;
    }
    assert_eq!(cluster.opened.load(Ordering::SeqCst), 40);
    assert_eq!(cluster.open.load(Ordering::SeqCst), 32);
}

#[tokio::test]
async fn proxy_may_send_the_token_with_each_request() {
    let (_, pages) = console();
    let head = [("authorization", "Bearer of-bob")];
    let response = get(&pages, "/operators", &head).await;
    assert_eq!((response.code, response.cookie), (200, None));
    assert!(
        response.body.contains("what bob may see"),
        "{}",
        response.body
    );
    // The page contains the form token of bob.
    let token = response.body.split("name=\"token\" value=\"").nth(1);
    let token = token.and_then(|it| it.split('"').next()).expect("a token");
    let form = format!("token={token}");
    let own = [head[0], OURS];
    assert_eq!(
        sent(&pages, ("POST", "/log-out"), &own, &form).await.code,
        303
    );
    let other = [("authorization", "Bearer of-ann"), OURS];
    assert_eq!(
        sent(&pages, ("POST", "/log-out"), &other, &form).await.code,
        403
    );
    for given in ["Bearer of-nobody", "Bearer ", "Basic of-bob", "of-bob"] {
        let response = get(&pages, "/operators", &[("authorization", given)]).await;
        assert_eq!(response.code, 401, "{given}");
    }
    let twice = [head[0], head[0]];
    assert_eq!(get(&pages, "/operators", &twice).await.code, 401);
}

#[tokio::test]
async fn logout_requires_a_new_login() {
    let (_, pages) = console();
    let cookie = enter(&pages, "of-ann").await;
    let own = [("cookie", cookie.as_str()), OURS];
    let page = get(&pages, "/operators", &own[..1]).await;
    let token = page.body.split("name=\"token\" value=\"").nth(1);
    let token = token.and_then(|it| it.split('"').next()).expect("a token");
    let form = format!("token={token}");
    assert_eq!(
        sent(&pages, ("POST", "/log-out"), &own, &form).await.code,
        303
    );
    assert_eq!(get(&pages, "/operators", &own[..1]).await.code, 401);
}
