//! Tests of rejected requests and their errors.

use rstest::rstest;
use serde_json::Value;

use crate::apiserver::world::{ALL, HARBOR, answered, harbor};

const NOT_ALLOWED: &str = "the server does not allow this method on the requested resource";
const NO_PATH: &str = "the server could not find the requested resource";

/// The current version, escaped for a URL.
const NOW: &str = "clusterserviceversions%3A8%2Cnamespaces%3A5%2Coperatorgroups%3A6%2Coperators%3A0%2Cresourcemanifests%3A0%2Csubscriptions%3A7";

fn refused(method: &str, target: &str, accept: &[&str]) -> (u16, String, String) {
    let answer = answered(&harbor(), method, target, accept);
    let status: Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(status["kind"], "Status", "{status}");
    assert_eq!(status["code"], answer.code);
    let text = |field: &str| status[field].as_str().unwrap_or_default().to_owned();
    (answer.code, text("reason"), text("message"))
}

#[rstest]
#[case::create("POST", HARBOR)]
#[case::update("PUT", &format!("{HARBOR}/ferry.v1.0.0"))]
#[case::patch("PATCH", &format!("{HARBOR}/ferry.v1.0.0"))]
#[case::delete("DELETE", &format!("{HARBOR}/ferry.v1.0.0"))]
#[case::delete_all("DELETE", HARBOR)]
#[case::another("TRACE", HARBOR)]
fn returns_method_not_allowed_for_writes(#[case] method: &str, #[case] target: &str) {
    let expected = (405, "MethodNotAllowed".to_owned(), NOT_ALLOWED.to_owned());
    assert_eq!(refused(method, target, &[]), expected);
}

#[rstest]
#[case::without_a_namespace(&format!("{ALL}/ferry.v1.0.0"))]
#[case::below_an_object(&format!("{HARBOR}/ferry.v1.0.0/status"))]
#[case::another_resource("/apis/packages.operators.coreos.com/v2alpha1/packagemanifests")]
#[case::another_version("/apis/packages.operators.coreos.com/v1/installed")]
#[case::an_empty_namespace("/apis/packages.operators.coreos.com/v2alpha1/namespaces//installed")]
#[case::nothing("/")]
#[case::the_old_api("/api")]
fn returns_not_found_for_unknown_path(#[case] target: &str) {
    let expected = (404, "NotFound".to_owned(), NO_PATH.to_owned());
    assert_eq!(refused("GET", target, &[]), expected);
}

#[rstest]
#[case::a_name(
    "",
    "/tug.v1",
    404,
    "NotFound",
    "installed.packages.operators.coreos.com \"tug.v1\" not found"
)]
#[case::a_limit(
    "limit=x",
    "",
    400,
    "BadRequest",
    "limit is \"x\", which is not a number"
)]
#[case::a_negative_time(
    "watch=1&timeoutSeconds=-1",
    "",
    400,
    "BadRequest",
    "timeoutSeconds is -1, and must not be negative"
)]
#[case::a_field(
    "fieldSelector=spec.x%3Dy",
    "",
    400,
    "BadRequest",
    "field label not supported: spec.x; metadata.name and metadata.namespace are"
)]
#[case::a_token(
    "continue=x",
    "",
    400,
    "BadRequest",
    "continue key is not valid: send the one of the page before as it is, or list again without"
)]
#[case::a_version_of_another_kind(
    "resourceVersion=17",
    "",
    410,
    "Expired",
    "resourceVersion \"17\" is a number, as other kinds have, and Installed have one of each list that they are made from; list again"
)]
#[case::a_watch_from_a_version_of_another_kind(
    "watch=1&resourceVersion=1",
    "",
    410,
    "Expired",
    "resourceVersion \"1\" is a number, as other kinds have, and Installed have one of each list that they are made from; list again"
)]
#[case::a_version(
    "resourceVersion=x17",
    "",
    422,
    "Invalid",
    "ListOptions.meta.k8s.io \"\" is invalid: resourceVersion: Invalid value: \"x17\": resourceVersion \"x17\" is not one of Installed, such as `clusterserviceversions:12,namespaces:7,operatorgroups:3,operators:0,resourcemanifests:0,subscriptions:34`; use one that a list or a watch of Installed has returned"
)]
#[case::a_version_of_another_release(
    "resourceVersion=pods%3A1",
    "",
    410,
    "Expired",
    "resourceVersion \"pods:1\" names pods, which this server does not watch; list again"
)]
#[case::a_match_alone(
    "resourceVersionMatch=Exact",
    "",
    422,
    "Invalid",
    "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
)]
#[case::exactly_any(
    "resourceVersionMatch=Exact&resourceVersion=0",
    "",
    422,
    "Invalid",
    "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch \"Exact\" is forbidden for resourceVersion \"0\""
)]
#[case::a_list_of_events(
    "sendInitialEvents=true",
    "",
    422,
    "Invalid",
    "ListOptions.meta.k8s.io \"\" is invalid: sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
)]
#[case::a_watch_with_a_match(&format!("watch=1&resourceVersionMatch=NotOlderThan&resourceVersion={NOW}"), "", 422, "Invalid", "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided")]
#[case::watch_with_initial_events_without_a_version_match(
    "watch=1&sendInitialEvents=true",
    "",
    422,
    "Invalid",
    "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
)]
#[case::half_an_object(
    "includeObject=Half",
    "",
    400,
    "BadRequest",
    "unrecognized includeObject value \"Half\": it must be Metadata, Object or None"
)]
fn reports_invalid_request(
    #[case] query: &str,
    #[case] name: &str,
    #[case] code: u16,
    #[case] reason: &str,
    #[case] message: &str,
) {
    let table = "application/json;as=Table;v=v1;g=meta.k8s.io";
    let target = format!("{HARBOR}{name}?{query}");
    let expected = (code, reason.to_owned(), message.to_owned());
    assert_eq!(refused("GET", &target, &[table]), expected);
}

#[rstest]
#[case::protobuf(&["application/vnd.kubernetes.protobuf"])]
#[case::yaml(&["application/yaml"])]
fn returns_not_acceptable_for_other_forms(#[case] accept: &[&str]) {
    let (code, reason, _) = refused("GET", HARBOR, accept);
    assert_eq!((code, &*reason), (406, "NotAcceptable"));
}
