//! Tests of requests for one operator: handles, errors, and a complete response.

use portolan_health::{Health, Options};
use portolan_kit::World;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_world::State;
use rstest::rstest;
use serde_json::json;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::{Asking, Stage, crashing, failing, well};

fn name(name: &str) -> Handle {
    Handle::Name(name.to_owned())
}

/// Returns a world with two operators of one package, and an operator whose Subscription has the
/// name of another package.
fn crowd() -> World {
    let world = well(&["ferry", "pilot"]);
    let again = world
        .namespace("other-system")
        .subscription("ferry", "stable")
        .installed("ferry.v1.0.0")
        .csv("ferry.v1.0.0", "Succeeded");
    again.object(json!({
        "apiVersion": "operators.coreos.com/v1alpha1", "kind": "Subscription",
        "metadata": {"name": "pilot", "namespace": "other-system"},
        "spec": {"name": "buoy", "source": "shop", "sourceNamespace": "olm"},
    }))
}

#[rstest]
#[case::its_subscription(Handle::Subscription("pilot".into()))]
#[case::its_csv(Handle::Csv("pilot.v1.0.0".into()))]
#[case::its_package(Handle::Package("pilot".into()))]
#[case::any_operator(name("pilot"))]
#[case::the_name_of_its_csv(name("pilot.v1.0.0"))]
#[tokio::test]
async fn operator_is_found_by_each_of_its_names(#[case] handle: Handle) {
    let mut asking = Asking::at(&Stage::of(&well(&["ferry", "pilot"]))).await;
    for namespace in ["", "pilot-system"] {
        let found = asking.operator(namespace, handle.clone()).await;
        let subject = found.expect("an operator").subject.expect("a subject");
        let subject = (subject.kind, subject.namespace, subject.name);
        let pilot = ("Subscription".into(), "pilot-system".into(), "pilot".into());
        assert_eq!(subject, pilot);
    }
}

#[rstest]
#[case::the_first("csv/pilot.v1.0.0")]
#[case::the_second("csv/pilot.v2.0.0")]
#[case::the_newest("csv/pilot.v3.0.0")]
#[case::the_first_by_any_name("name/pilot.v1.0.0")]
#[tokio::test]
async fn operator_is_found_by_each_csv_being_replaced(#[case] handle: &str) {
    let handle = match handle.split_once('/').expect("a kind and a name") {
        ("csv", csv) => Handle::Csv(csv.to_owned()),
        (_, any) => name(any),
    };
    let chain = well(&["ferry"])
        .namespace("pilot-system")
        .operator_group()
        .subscription("pilot", "stable")
        .installed("pilot.v3.0.0")
        .csv("pilot.v1.0.0", "Replacing")
        .csv("pilot.v2.0.0", "Replacing")
        .replacing("pilot.v1.0.0")
        .csv("pilot.v3.0.0", "Installing")
        .replacing("pilot.v2.0.0");
    let mut asking = Asking::at(&Stage::of(&chain)).await;
    let found = asking.operator("", handle).await.expect("an operator");
    assert_eq!(found.csv, "pilot.v3.0.0");
}

#[rstest]
#[case::a_slip("", name("fery"), "there is no operator fery; did you mean ferry?")]
#[case::in_a_namespace(
    "pilot-system",
    name("fery"),
    "there is no operator fery in namespace pilot-system"
)]
#[case::elsewhere(
    "pilot-system",
    name("ferry"),
    "there is no operator ferry in namespace pilot-system; there is ferry-system/ferry, \
     other-system/ferry"
)]
#[case::by_csv("", Handle::Csv("x".into()), "there is no ClusterServiceVersion x")]
#[case::by_subscription("", Handle::Subscription("x".into()), "there is no Subscription x")]
#[case::by_package("", Handle::Package("x".into()), "there is no operator of package x")]
#[tokio::test]
async fn missing_operator_gives_not_found(
    #[case] namespace: &str,
    #[case] handle: Handle,
    #[case] message: &str,
) {
    let mut asking = Asking::at(&Stage::of(&crowd())).await;
    let refused = asking.operator(namespace, handle).await;
    let refused = refused.expect_err("there must be no such operator");
    assert_eq!(
        (refused.code(), refused.message()),
        (Code::NotFound, message)
    );
    let details = refused.get_details_resource_info().expect("which resource");
    assert_eq!(details.resource_type, "Operator");
}

#[rstest]
#[case::two_namespaces(
    "",
    name("ferry"),
    "name",
    "ferry matches ferry-system/ferry, other-system/ferry; select one namespace"
)]
#[case::a_package_and_a_subscription(
    "",
    name("pilot"),
    "name",
    "pilot matches other-system/pilot, pilot-system/pilot; select one namespace"
)]
#[case::no_name("", name(""), "name", "the name is empty; set a name")]
#[case::a_slash(
    "",
    name("olm/ferry"),
    "name",
    "\"olm/ferry\" is not a name; use the field `namespace` for the namespace"
)]
#[case::a_line_break("", Handle::Csv("a\nb".into()), "csv", "\"a\\nb\" is not a valid name, \
 because it contains '\\n'")]
#[case::an_odd_namespace(
    "a b",
    name("ferry"),
    "namespace",
    "\"a b\" is not a valid name, because it contains ' '"
)]
#[tokio::test]
async fn invalid_question_is_refused(
    #[case] namespace: &str,
    #[case] handle: Handle,
    #[case] field: &str,
    #[case] message: &str,
) {
    let mut asking = Asking::at(&Stage::of(&crowd())).await;
    let refused = asking.operator(namespace, handle).await;
    assert_eq!(
        violation(&refused.expect_err("it must be refused")),
        (field.into(), message.into())
    );
}

#[tokio::test]
async fn request_without_a_handle_is_rejected() {
    let mut asking = Asking::at(&Stage::of(&crowd())).await;
    let refused = asking
        .client
        .get_operator(pb::GetOperatorRequest::default())
        .await;
    let (field, message) = violation(&refused.expect_err("it must be refused"));
    assert_eq!(field, "name");
    assert_eq!(
        message,
        "select an operator by name, csv, subscription, package, operator, cluster_extension, \
         install or install_plan"
    );
}

#[tokio::test]
async fn ambiguous_name_error_lists_some_candidates() {
    let mut world = well(&[]);
    for number in 10..22 {
        let namespace = format!("n{number}");
        world = world.namespace(&namespace).subscription("ferry", "stable");
    }
    let mut asking = Asking::at(&Stage::of(&world)).await;
    let refused = asking.operator("", name("ferry")).await;
    let (_, message) = violation(&refused.expect_err("it must be refused"));
    assert!(
        message.contains("n19/ferry and 2 more; select one namespace"),
        "{message}"
    );
    assert!(!message.contains("n20"), "{message}");
}

fn violation(refused: &Status) -> (String, String) {
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    let details = refused.get_details_bad_request().expect("which field");
    let [violation] = details.field_violations.as_slice() else {
        panic!("one violation: {details:?}");
    };
    (violation.field.clone(), violation.description.clone())
}

#[tokio::test]
async fn requests_before_the_first_sync_are_unavailable() {
    let stage = Stage::of(&well(&["ferry"]));
    stage.turn("ApiService", State::Pending);
    let health = Health::of(stage.clone(), Options::default());
    let mut asking = Asking::health(health.clone());
    let refused = asking.operator("", name("ferry")).await;
    let watched = asking.client.watch(pb::WatchRequest::default()).await;
    for refused in [refused.err(), watched.err()] {
        let refused = refused.expect("it must be refused");
        let message = "the objects of the cluster have not been read yet";
        assert_eq!(
            (refused.code(), refused.message()),
            (Code::Unavailable, message)
        );
    }
    stage.turn("ApiService", None);
    let settled = tokio::time::timeout(crate::PATIENCE, health.settled()).await;
    settled.expect("the first sync must complete");
    assert!(asking.operator("", name("ferry")).await.is_ok());
}

#[tokio::test]
async fn answer_has_all_fields() {
    let world = crashing(&failing(&well(&["ferry"]), "ferry"), "ferry", 4);
    let ferry = Asking::at(&Stage::of(&world)).await.named("ferry").await;
    insta::assert_json_snapshot!(ferry);
}
