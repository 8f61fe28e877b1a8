//! Tests with requests from other sites and with forged cookies.

use rstest::rstest;

use super::harbor::{CARGO, Harbor};

/// Each case sends no cookie, a modified cookie, the cookie of another server, or the cookie in a
/// wrong form.
#[rstest]
#[case::none("")]
#[case::of_nothing("Cookie: NAME=\r\n")]
#[case::made_up(
    "Cookie: NAME=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n"
)]
#[case::of_another_name("Cookie: other=VALUE\r\n")]
#[case::cut("Cookie: NAME=CUT\r\n")]
#[case::with_more("Cookie: NAME=VALUEA\r\n")]
#[case::twice("Cookie: NAME=VALUE; NAME=VALUE\r\n")]
#[case::in_two_lines("Cookie: NAME=VALUE\r\nCookie: NAME=VALUE\r\n")]
#[case::of_another_process("Cookie: NAME=OTHER\r\n")]
#[case::as_a_header("NAME: VALUE\r\nAuthorization: Bearer VALUE\r\n")]
#[tokio::test]
async fn forged_cookie_is_rejected(#[case] lines: &str) {
    let (harbor, other) = (Harbor::open().await, Harbor::open().await);
    let (cookie, of_other) = (harbor.enter().await, other.enter().await);
    let (name, value) = cookie.split_once('=').expect("a value");
    let (_, of_other) = of_other.split_once('=').expect("a value");
    let lines = lines
        .replace("NAME", name)
        .replace("VALUE", value)
        .replace("CUT", &value[..value.len() - 2])
        .replace("OTHER", of_other);
    for target in ["/", "/operators", "/changes", "/graph.svg?catalog=a&name=b"] {
        let response = harbor.get(target, &lines).await;
        assert_eq!(response.code, 401, "{target}");
        assert!(!response.body.contains(CARGO));
    }
    assert_eq!(harbor.views(), 0);
}

/// These host names can resolve to this machine. A browser then treats a page on such a host and
/// this server as the same site.
#[rstest]
#[case::cookie_of_another_process("evil.test")]
#[case::with_the_port("evil.test:PORT")]
#[case::with_ours_in_front("127.0.0.1:PORT.evil.test")]
#[case::with_ours_behind("evil.test#127.0.0.1:PORT")]
#[case::of_another_port("127.0.0.1:1")]
#[case::of_everywhere("0.0.0.0:PORT")]
#[tokio::test]
async fn another_host(#[case] host: &str) {
    let harbor = Harbor::open().await;
    let cookie = harbor.enter().await;
    let host = host.replace("PORT", &harbor.address.port().to_string());
    let request =
        format!("GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n");
    // The HTTP library rejects invalid hosts before the console handles the request.
    let response = harbor
        .response(request.as_bytes())
        .await
        .expect("an answer");
    assert!([421, 400].contains(&response.code), "{response:?}");
    assert!(!response.body.contains(CARGO));
    assert_eq!(harbor.views(), 0);
}

/// A page of another site submits a form. The browser adds the cookie of the console.
#[rstest]
#[case::origin_of_another_page("Origin: http://evil.test\r\nSec-Fetch-Site: cross-site\r\n")]
#[case::of_another_port("Origin: http://127.0.0.1:1\r\nSec-Fetch-Site: same-site\r\n")]
#[case::null_origin("Origin: null\r\n")]
#[case::missing_origin("")]
#[case::of_two("Origin: http://HOST\r\nOrigin: http://evil.test\r\n")]
#[case::of_ours_without_its_token("Origin: http://HOST\r\nSec-Fetch-Site: same-origin\r\n")]
#[tokio::test]
async fn form_from_another_page_is_rejected(#[case] lines: &str) {
    let harbor = Harbor::open().await;
    let cookie = harbor.enter().await;
    let host = harbor.address.to_string();
    let lines = lines.replace("HOST", &host);
    let request = format!(
        "POST /log-out HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n{lines}Content-Length: 7\r\n\
         Connection: close\r\n\r\ntoken=A"
    );
    let response = harbor
        .response(request.as_bytes())
        .await
        .expect("an answer");
    assert_eq!(response.code, 403, "{response:?}");
    // The session is still valid, because the logout form was rejected.
    let page = harbor.get("/", &format!("Cookie: {cookie}\r\n")).await;
    assert_eq!(page.code, 200);
}
