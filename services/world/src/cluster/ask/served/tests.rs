use std::convert::Infallible;

use http::{Request, Response};
use kube::client::Body;
use portolan_api::policy::Policy;
use rstest::rstest;
use serde_json::json;

use super::*;
use crate::Area;
use crate::cluster::Ask;

const VERSION: &str = "/apis/operators.operatorframework.io/v1alpha1";

/// Returns an API server that permits only discovery requests, and answers them with this status
/// and body.
fn server(discovery: (u16, &'static str)) -> Client {
    let service = tower::service_fn(move |request: Request<Body>| {
        let (code, text) = if request.uri().path() == VERSION {
            discovery
        } else {
            (403, "")
        };
        let body = match text {
            "" => json!({
                "kind": "Status", "status": "Failure", "code": code, "message": "it may not", "reason": "",
            })
            .to_string(),
            text => text.to_owned(),
        };
        let response = Response::builder()
            .status(code)
            .body(Body::from(body.into_bytes()));
        std::future::ready(Ok::<_, Infallible>(response.expect("a response")))
    });
    Client::new(service, "default")
}

#[rstest]
#[case::no_such_group((404, ""), "not served")]
#[case::no_such_kind(
    (200, r#"{"groupVersion": "operators.operatorframework.io/v1alpha1", "resources": [{
        "name": "operators", "singularName": "operator", "namespaced": false, "kind": "Operator", "verbs": []}]}"#),
    "not served"
)]
#[case::the_kind(
    (200, r#"{"groupVersion": "operators.operatorframework.io/v1alpha1", "resources": [{
        "name": "upgradepolicies", "singularName": "upgradepolicy", "namespaced": false, "kind": "Policy",
        "verbs": ["list"]}]}"#),
    "forbidden: it may not"
)]
#[case::user_is_not_returned((403, ""), "forbidden: it may not")]
#[case::server_is_unavailable((503, ""), "forbidden: it may not")]
#[case::no_list_of_kinds((200, "{\"items\": []}"), "forbidden: it may not")]
#[case::nonsense((200, "welcome"), "forbidden: it may not")]
#[tokio::test]
async fn forbidden_and_unserved_kinds_have_distinct_errors(
    #[case] discovery: (u16, &'static str),
    #[case] expected: &str,
) {
    let query = ListQuery::of::<Policy>(&Area::everywhere());
    let ask = Ask::of(server(discovery), Pace::default(), query);
    let reported = match ask.list(None, &mut |_| {}).await {
        Ok(_) => "a list".to_owned(),
        Err(Refused::NotServed) => "not served".to_owned(),
        Err(Refused::Gone) => "gone".to_owned(),
        Err(Refused::Trouble(trouble)) => trouble.to_string(),
    };
    assert_eq!(reported, expected);
}
