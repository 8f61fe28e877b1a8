use rstest::rstest;

use super::*;

#[rstest]
#[case::not_found(
    Status::not_found("ferry.v1.0.0"),
    r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"installed.packages.operators.coreos.com \"ferry.v1.0.0\" not found","reason":"NotFound","details":{"name":"ferry.v1.0.0","group":"packages.operators.coreos.com","kind":"installed"},"code":404}"#
)]
#[case::method_not_allowed_as_kubectl_expects_it(
    Status::method_not_allowed(),
    r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server does not allow this method on the requested resource","reason":"MethodNotAllowed","code":405}"#
)]
#[case::yet_to_come(
    Status::not_reached("wait"),
    r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Too large resource version: wait","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}"#
)]
#[case::does_not_go_together(
    Status::invalid("resourceVersionMatch", "", "needs resourceVersion"),
    r#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: needs resourceVersion","reason":"Invalid","details":{"group":"meta.k8s.io","kind":"ListOptions","causes":[{"reason":"FieldValueInvalid","message":"Forbidden: needs resourceVersion","field":"resourceVersionMatch"}]},"code":422}"#
)]
fn status_is_serialized_like_kubernetes(#[case] status: Status, #[case] json: &str) {
    assert_eq!(status.to_json(), json);
}

#[test]
fn forbidden_message_names_verb_resource_and_scope() {
    let message_for = |namespace: &str, name: &str| {
        let asked = Attributes::resource("get", namespace, name);
        Status::forbidden("mate", &asked, "").message
    };
    assert_eq!(
        message_for("harbor", "ferry"),
        "installed.packages.operators.coreos.com \"ferry\" is forbidden: User \"mate\" cannot get \
         resource \"installed\" in API group \"packages.operators.coreos.com\" in the namespace \
         \"harbor\""
    );
    assert_eq!(
        message_for("", ""),
        "installed.packages.operators.coreos.com is forbidden: User \"mate\" cannot get resource \
         \"installed\" in API group \"packages.operators.coreos.com\" at the cluster scope"
    );
}
