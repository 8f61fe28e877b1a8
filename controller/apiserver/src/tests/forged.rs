//! Tests of the authentication of callers, with real and forged certificates.

use portolan_kit::{Authority, Vouched};
use rstest::rstest;

use super::pier::{HARBOR, Pier};

/// The client certificate of a caller.
#[derive(Debug, Clone, Copy)]
enum Shown {
    Nothing,
    /// The certificate authority is unknown.
    OfNobody,
    /// The certificate authority is that of users. The name is that of an API server.
    OfUsers,
    /// The certificate authority is that of API servers. The name is another one.
    OtherName,
    /// The certificate authority is that of API servers. The certificate is that of a server, and
    /// its common name is not that of an API server.
    OfServers,
}

fn shown(pier: &Pier, shown: Shown) -> Option<Vouched> {
    let proxy = "front-proxy-client";
    match shown {
        Shown::Nothing => None,
        Shown::OfNobody => Some(Authority::default().admit(proxy, &["system:masters"])),
        Shown::OfUsers => Some(pier.users.admit(proxy, &[])),
        Shown::OtherName => Some(pier.servers.admit("tug", &["system:masters"])),
        Shown::OfServers => Some(pier.servers.vouch("tug")),
    }
}

const MASTER: [(&str, &str); 2] = [
    ("X-Remote-User", "captain"),
    ("X-Remote-Group", "system:masters"),
];

#[rstest]
#[case::without_a_certificate(Shown::Nothing, 401)]
#[case::unknown_certificate(Shown::OfNobody, 401)]
#[case::user_certificate(Shown::OfUsers, 403)]
#[case::with_another_name(Shown::OtherName, 401)]
#[case::certificate_without_a_name(Shown::OfServers, 401)]
#[tokio::test]
async fn proxy_headers_without_a_certificate_are_rejected(#[case] who: Shown, #[case] code: u16) {
    let pier = Pier::open().await;
    let shown = shown(&pier, who);
    let mut client = pier.client(shown.as_ref()).await;
    for target in [HARBOR, "/apis", "/openapi/v3"] {
        let response = client.asks("GET", target, &MASTER).await;
        let expected = if target == HARBOR {
            code
        } else {
            code.min(401)
        };
        // The certificate identifies a user, and every user may read documents.
        let is_user = matches!(who, Shown::OfUsers) && target != HARBOR;
        assert_eq!(
            response.code,
            if is_user { 200 } else { expected },
            "{response:?}"
        );
        assert!(!response.body.contains("ferry"), "{response:?}");
    }
    let asked = pier.asked();
    assert!(
        asked.iter().all(|line| !line.starts_with("captain")),
        "{asked:?}"
    );
}

#[tokio::test]
async fn front_proxy_headers_identify_the_user() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    for (headers, code) in [
        (&[("X-Remote-User", "harbor")][..], 200),
        (&[("x-remote-user", "olm")], 403),
        (
            &[("X-Remote-User", "olm"), ("X-Remote-User", "harbor")],
            403,
        ),
        (
            &[
                ("X-Remote-User", "mate"),
                ("X-Remote-Group", "deck"),
                ("X-Remote-Group", "crew"),
            ],
            200,
        ),
        (
            &[("X-Remote-User", "mate"), ("X-Remote-Group", "deck,crew")],
            403,
        ),
        (
            &[
                ("X-Remote-User", "captain"),
                ("X-Remote-Group", "system:masters"),
            ],
            200,
        ),
        (
            &[
                ("X-Remote-User", "mate"),
                ("X-Remote-Uid", "captain"),
                ("Impersonate-User", "harbor"),
            ],
            403,
        ),
        (
            &[("X-Remote-User", "jörg"), ("X-Remote-Group", "crew")],
            200,
        ),
        (&[("X-Remote-User", "ghost")], 500),
        (&[("X-Remote-Group", "system:masters")], 401),
        (&[], 401),
    ] {
        let response = front.asks("GET", HARBOR, headers).await;
        assert_eq!(response.code, code, "{headers:?}: {response:?}");
    }
}

#[tokio::test]
async fn user_is_identified_only_by_a_certificate() {
    let pier = Pier::open().await;
    let shown = pier.users.admit("mate", &["crew"]);
    let mut client = pier.client(Some(&shown)).await;
    assert_eq!(client.asks("GET", HARBOR, &[]).await.code, 200);
    // The header that names another user is ignored, because the certificate is not that of an API
    // server.
    let other = pier.users.admit("olm", &[]);
    let mut client = pier.client(Some(&other)).await;
    let response = client
        .asks("GET", HARBOR, &[("X-Remote-User", "harbor")])
        .await;
    assert_eq!(response.code, 403);
    let asked = pier.asked();
    assert_eq!(
        asked,
        [
            "mate: list installed harbor/",
            "mate: get subscriptions /",
            "olm: list installed harbor/"
        ]
    );
}

#[tokio::test]
async fn each_request_sends_one_matching_access_review() {
    let pier = Pier::open().await;
    let mut front = pier.front().await;
    let crew = [("X-Remote-User", "mate"), ("X-Remote-Group", "crew")];
    let one = format!("{HARBOR}/ferry.v1.0.0");
    let selected = format!("{HARBOR}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dtug");
    for (method, target) in [
        ("GET", &*one),
        ("GET", &one),
        ("GET", &selected),
        ("DELETE", &one),
        ("GET", "/apis"),
    ] {
        front.asks(method, target, &crew).await;
    }
    let expected = [
        "mate: get installed harbor/ferry.v1.0.0",
        // The response contains the Subscription only if the caller may get Subscriptions.
        "mate: get subscriptions /",
        "mate: watch installed harbor/tug",
        "mate: delete installed harbor/ferry.v1.0.0",
        "mate: get /apis",
    ];
    assert_eq!(pier.asked(), expected);
}

#[tokio::test]
async fn health_endpoints_need_no_authentication() {
    let pier = Pier::open().await;
    let mut client = pier.client(None).await;
    assert_eq!(client.asks("GET", "/livez", &[]).await.code, 200);
    assert_eq!(client.asks("GET", "/healthz", &[]).await.code, 200);
    assert_eq!(client.asks("GET", "/readyz", &[]).await.code, 503);
    assert_eq!(client.asks("GET", "/metrics", &[]).await.code, 401);
}

/// An API server passes the status code 401 to its client, but repeats the request after 503.
#[tokio::test]
async fn server_without_authorities_answers_503_but_serves_documents() {
    let pier = Pier::unknowing().await;
    let mut front = pier.front().await;
    for (method, target, code) in [
        ("GET", HARBOR, 503),
        ("DELETE", HARBOR, 503),
        ("POST", "/apis", 503),
        ("GET", "/nothing", 503),
        ("GET", "/apis", 200),
        ("GET", "/openapi/v3", 200),
    ] {
        let response = front.asks(method, target, &MASTER).await;
        assert_eq!(response.code, code, "{method} {target}: {response:?}");
        assert!(!response.body.contains("ferry"), "{response:?}");
    }
    assert_eq!(pier.asked(), [""; 0]);
}
