//! Tests of the pages and responses that a visitor gets.

use portolan_core_console::HEADERS;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::harbor::{BUG, CARGO, Harbor};
use crate::Console;
use crate::server::Bind;

#[tokio::test]
async fn login_address_admits_only_one_browser() {
    let harbor = Harbor::open().await;
    let first = harbor.entrance();
    let response = harbor.get(&first, "").await;
    assert_eq!(
        (response.code, response.header("location")),
        (303, Some("/"))
    );
    let cookie = response.header("set-cookie").expect("a cookie").to_owned();
    for part in ["Path=/", "HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    assert_eq!(harbor.get(&first, "").await.code, 401);
    // The console prints a new address, which admits another browser.
    assert_ne!(harbor.entrance(), first);
    let other = harbor.enter().await;
    assert!(!cookie.starts_with(&other));
    for cookie in [cookie.split(';').next().expect("a value"), &other] {
        let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
        assert_eq!(page.code, 200);
        assert!(page.body.contains(CARGO), "{page:?}");
        assert!(page.body.contains("the harbor"), "{page:?}");
    }
}

/// Programs such as chat clients send HEAD requests for links before a user opens them.
#[tokio::test]
async fn head_request_does_not_consume_the_login_address() {
    let harbor = Harbor::open().await;
    let (target, host) = (harbor.entrance(), harbor.address);
    let request = format!("HEAD {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
    let response = harbor
        .response(request.as_bytes())
        .await
        .expect("an answer");
    assert_eq!((response.code, response.header("set-cookie")), (401, None));
    assert_eq!(harbor.get(&target, "").await.code, 303);
}

#[tokio::test]
async fn wrong_secrets_are_limited_and_do_not_lock_out_the_owner() {
    let harbor = Harbor::open().await;
    let mut codes = Vec::new();
    for _ in 0..7 {
        codes.push(harbor.get("/enter?secret=guess", "").await.code);
    }
    assert_eq!(codes, [401, 401, 401, 401, 401, 429, 429]);
    assert_eq!(harbor.get(&harbor.entrance(), "").await.code, 303);
    // Only failed attempts count. The owner's login neither uses nor restores an attempt.
    assert_eq!(harbor.get("/enter?secret=guess", "").await.code, 429);
}

#[tokio::test]
async fn panic_in_a_page_results_in_status_500() {
    let harbor = Harbor::open().await;
    let cookie = format!("Cookie: {}\r\n", harbor.enter().await);
    let target = format!("/operator?namespace=evil&name={BUG}");
    let response = harbor.get(&target, &cookie).await;
    assert_eq!(response.code, 500, "{response:?}");
    assert!(response.body.contains("a bug"), "{response:?}");
    assert_eq!(harbor.get("/", &cookie).await.code, 200);
}

#[tokio::test]
async fn every_answer_has_the_security_headers() {
    let harbor = Harbor::open().await;
    let cookie = format!("Cookie: {}\r\n", harbor.enter().await);
    for (target, lines, code) in [
        ("/", cookie.as_str(), 200),
        ("/nowhere", &cookie, 404),
        ("/operator?name=a", &cookie, 404),
        ("/", "", 401),
        ("/console.css", "", 200),
        ("/console.js", "", 200),
    ] {
        let response = harbor.get(target, lines).await;
        assert_eq!(response.code, code, "{target}");
        for (name, value) in HEADERS {
            assert_eq!(response.header(name), Some(value), "{target}: {name}");
        }
    }
    let policy = HEADERS[0].1;
    assert!(
        !policy.contains("unsafe") && policy.contains("frame-ancestors 'none'"),
        "{policy}"
    );
}

/// A drawing is a separate document with a style sheet inside. Its policy permits only this style
/// sheet.
#[tokio::test]
async fn drawing_may_use_only_its_own_style() {
    let harbor = Harbor::open().await;
    let cookie = format!("Cookie: {}\r\n", harbor.enter().await);
    let response = harbor.get("/graph.svg?catalog=a&name=b", &cookie).await;
    assert_eq!(response.header("content-type"), Some("image/svg+xml"));
    let policy = response
        .header("content-security-policy")
        .expect("a policy");
    assert!(
        policy.starts_with("default-src 'none'; style-src 'sha256-"),
        "{policy}"
    );
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(response.body.contains(CARGO), "{response:?}");
}

#[tokio::test]
async fn logout_ends_the_session() {
    let harbor = Harbor::open().await;
    let cookie = harbor.enter().await;
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    let token = page.body.split("name=\"token\" value=\"").nth(1);
    let token = token.and_then(|it| it.split('"').next()).expect("a token");
    let form = format!("token={token}");
    let host = harbor.address;
    let request = format!(
        "POST /log-out HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nCookie: {cookie}\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{form}",
        form.len()
    );
    let response = harbor
        .response(request.as_bytes())
        .await
        .expect("an answer");
    assert_eq!(response.code, 303, "{response:?}");
    assert!(
        response
            .header("set-cookie")
            .is_some_and(|it| it.contains("Max-Age=0"))
    );
    // A saved cookie is invalid after the logout.
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    assert_eq!(page.code, 401);
}

/// The console accepts a form only from its own pages, and this console permits no changes.
#[tokio::test]
async fn write_forms_are_refused_without_allow_apply() {
    let harbor = Harbor::open().await;
    let cookie = harbor.enter().await;
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    let token = page.body.split("name=\"token\" value=\"").nth(1);
    let token = token.and_then(|it| it.split('"').next()).expect("a token");
    let host = harbor.address;
    let (ours, own) = (format!("http://{host}"), format!("Cookie: {cookie}\r\n"));
    for (origin, cookie, token, code, why) in [
        (&*ours, &*own, token, 403, "--allow-apply"),
        (&ours, &own, "AAAA", 403, "has expired"),
        (&ours, "", token, 401, "You are not logged in"),
        (
            "http://evil.test",
            &own,
            token,
            403,
            "came from another site",
        ),
        ("null", &own, token, 403, "came from another site"),
    ] {
        let form = format!("token={token}&change=add&operator=ferry&version=&seen=");
        let request = format!(
            "POST /apply HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\n{cookie}\
             Content-Length: {}\r\nConnection: close\r\n\r\n{form}",
            form.len()
        );
        let response = harbor
            .response(request.as_bytes())
            .await
            .expect("an answer");
        assert_eq!(response.code, code, "{response:?}");
        assert!(response.body.contains(why), "{response:?}");
    }
}

#[tokio::test]
async fn page_receives_changes_until_the_console_stops() {
    let mut harbor = Harbor::open().await;
    let cookie = harbor.enter().await;
    let mut stream = TcpStream::connect(harbor.address)
        .await
        .expect("a connection");
    let host = harbor.address;
    let request = format!("GET /changes HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("a request");
    let mut response = String::new();
    let mut until = async |response: &mut String, word: &str| {
        while !response.contains(word) {
            let mut bytes = [0; 1024];
            let read = stream.read(&mut bytes).await.expect("bytes");
            assert!(read > 0, "it ended after {response}");
            response.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
    };
    until(&mut response, ": here").await;
    assert!(response.contains("text/event-stream"), "{response}");
    assert!(!response.contains("event: changed"), "{response}");
    harbor.news.send_modify(|count| *count += 1);
    until(&mut response, "event: changed").await;
    harbor.stop();
    (&mut harbor.running).await.expect("it must end");
}

#[tokio::test]
async fn page_requests_changes_since_its_last_read() {
    let harbor = Harbor::open().await;
    let (cookie, host) = (harbor.enter().await, harbor.address);
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    let read = page.body.split("data-live=\"").nth(1);
    let read = read.and_then(|it| it.split('"').next()).expect("a number");
    harbor.news.send_modify(|count| *count += 1);
    let mut page = TcpStream::connect(host).await.expect("a connection");
    let request =
        format!("GET /changes?since={read} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    page.write_all(request.as_bytes()).await.expect("a request");
    let mut response = String::new();
    while !response.contains("id: 1\nevent: changed") {
        let mut bytes = [0; 1024];
        let count = page.read(&mut bytes).await.expect("bytes");
        assert!(count > 0, "it ended after {response}");
        response.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
}

/// Each open page keeps a connection. With a hundred open pages, the server still accepts other
/// connections.
#[tokio::test]
async fn hundred_pages_receive_a_change() {
    let harbor = Harbor::open().await;
    let (cookie, host) = (harbor.enter().await, harbor.address);
    let request = format!("GET /changes HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n");
    let mut pages = Vec::new();
    for _ in 0..100 {
        let mut page = TcpStream::connect(host).await.expect("a connection");
        page.write_all(request.as_bytes()).await.expect("a request");
        pages.push((page, String::new()));
    }
    let until = async |pages: &mut Vec<(TcpStream, String)>, word: &str| {
        for (page, response) in pages {
            while !response.contains(word) {
                let mut bytes = [0; 2048];
                let read = page.read(&mut bytes).await.expect("bytes");
                assert!(read > 0, "it ended after {response}");
                response.push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        }
    };
    until(&mut pages, ": here").await;
    harbor.news.send_modify(|count| *count += 1);
    until(&mut pages, "event: changed").await;
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    assert_eq!(page.code, 200);
}

#[tokio::test]
async fn bind_to_all_addresses_is_refused() {
    struct Nothing;
    impl crate::Source for Nothing {
        fn look<'a>(
            &'a self,
            _: &'a portolan_core_console::ConsolePage,
        ) -> futures::future::BoxFuture<'a, portolan_core_console::view::PageView> {
            unreachable!("the source must not be read")
        }
        fn hidden<'a>(
            &'a self,
            _: &'a portolan_core_console::ConsolePage,
        ) -> futures::future::BoxFuture<'a, Vec<portolan_core_console::view::Hidden>> {
            unreachable!("the source must not be read")
        }

        fn may_apply(&self) -> bool {
            unreachable!("the source must not be read")
        }

        fn apply<'a>(
            &'a self,
            _: &'a portolan_core_console::Order,
        ) -> futures::future::BoxFuture<'a, portolan_core_console::view::Applied> {
            unreachable!("the source must not be read")
        }

        fn changes(&self) -> tokio::sync::watch::Receiver<u64> {
            tokio::sync::watch::channel(0).1
        }
    }
    let everywhere = "0.0.0.0:0".parse().expect("an address");
    let refused = Console::bind(everywhere, Nothing, String::new()).await;
    assert!(matches!(refused, Err(Bind::Reachable(_))), "{refused:?}");
}
