//! Tests of selecting operators, and of rejected requests.

use portolan_kit::catalog;
use portolan_world::State;
use rstest::rstest;
use similar_asserts::assert_eq;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use super::{Asking, SHOP, Stage, diagnosis, line, settled, well, well_in};
use crate::Options;

const FERRY: &str = "Subscription ferry-system/ferry WELL";
const PILOT: &str = "Subscription pilot-system/pilot WELL";
const BOTH: &[&str] = &["ferry.v1.0.0", "pilot.v1.1.0"];

#[rstest]
#[case::all("", "", &[FERRY, PILOT])]
#[case::those_of_a_namespace("pilot-system", "", &[PILOT])]
#[case::namespace_without_operators("olm", "", &[])]
#[case::a_package("", "pilot", &[PILOT])]
#[case::a_version("", "pilot.v1.1.0", &[PILOT])]
#[case::one_of_a_namespace("ferry-system", "ferry", &[FERRY])]
#[tokio::test]
async fn diagnoses_the_requested_operators(
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] expected: &[&str],
) {
    let reported = Asking::at(&well(BOTH))
        .await
        .diagnosis_lines(namespace, name)
        .await;
    assert_eq!(reported, expected);
}

/// The Subscription specifies no channel, so OLM uses the default channel.
#[tokio::test]
async fn operator_of_a_package_without_channels_is_diagnosed() {
    let mut shop = catalog(SHOP);
    shop.packages[0].channels.clear();
    let mut asking = Asking::of(&well_in("", BOTH), &shop, Options::default()).await;
    let answers = asking.asked("", "").await.expect("an answer");
    let lines: Vec<_> = answers.iter().map(line).collect();
    assert_eq!(lines, [FERRY, PILOT]);
    let unknowns = answers[0].unknowns.join(" ");
    assert!(unknowns.contains("has no channels"), "{unknowns}");
}

#[tokio::test]
async fn subscription_is_found_by_its_name() {
    let world = well(&["ferry.v1.0.0"]).namespace("quay").operator_group();
    let world = world
        .subscription("pilot", "stable")
        .edit(|subscription| subscription["metadata"]["name"] = "harbormaster".into());
    let reported = Asking::at(&world)
        .await
        .diagnosis_lines("", "harbormaster")
        .await;
    let waits = "Subscription quay/harbormaster WORKING InProgress Subscription quay/harbormaster";
    assert_eq!(reported, [waits]);
}

#[rstest]
#[case::a_slip(
    "",
    "fery",
    "there is no operator fery in any namespace; did you mean ferry?"
)]
#[case::unlike_any("", "x", "there is no operator x in any namespace")]
#[case::a_slip_in_a_namespace(
    "pilot-system",
    "pilto",
    "there is no operator pilto in namespace pilot-system; did you mean pilot?"
)]
#[case::of_another_namespace(
    "pilot-system",
    "ferry",
    "there is no operator ferry in namespace pilot-system"
)]
#[case::in_no_namespace("nowhere", "ferry", "there is no operator ferry in namespace nowhere")]
#[tokio::test]
async fn missing_operator_gives_not_found(
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] message: &str,
) {
    let refused = Asking::at(&well(BOTH)).await.asked(namespace, name).await;
    let refused = refused.expect_err("there must be no such operator");
    let details = refused.get_details_resource_info().expect("which resource");
    let said = (refused.code(), refused.message());
    assert_eq!(said, (Code::NotFound, message));
    let details = (details.resource_type, details.resource_name);
    assert_eq!(details, ("Operator".to_owned(), name.to_owned()));
}

#[rstest]
#[case::a_slash("", "olm/ferry", "name")]
#[case::a_line_break("", "a\nb", "name")]
#[case::a_blank_in_a_namespace("a b", "ferry", "namespace")]
#[case::more_than_a_name("", &"a".repeat(254), "name")]
#[tokio::test]
async fn invalid_question_is_refused(
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] field: &str,
) {
    let refused = Asking::at(&well(BOTH)).await.asked(namespace, name).await;
    let refused = refused.expect_err("it must be refused");
    assert_eq!(violated(&refused), field);
}

pub(super) fn violated(refused: &Status) -> String {
    assert_eq!(refused.code(), Code::InvalidArgument, "{refused}");
    let details = refused.get_details_bad_request().expect("which field");
    let [violation] = details.field_violations.as_slice() else {
        panic!("one violation: {details:?}");
    };
    violation.field.clone()
}

/// Some kinds are read by the health service and the approval service. Other kinds are read only by
/// the diagnosis service.
#[rstest]
#[case::of_health("ApiService")]
#[case::of_approval("OperatorPolicy")]
#[case::copies("CopiedCsv")]
#[case::jobs("Job")]
#[case::the_version_of_the_cluster("ClusterVersion")]
#[case::objects_of_portolan("Install")]
#[tokio::test]
async fn requests_before_the_first_sync_are_unavailable(#[case] kind: &'static str) {
    let stage = Stage::shared(&well(BOTH));
    stage.turn(kind, State::Pending);
    let (diagnosis, shop) = diagnosis(&stage, &catalog(SHOP), Options::default());
    let mut asking = Asking::diagnosis(diagnosis.clone(), shop);
    let refused = asking.asked("", "").await;
    let refused = refused.expect_err("it must be refused");
    let message = "the objects have not been read yet; retry in a moment";
    assert_eq!(
        (refused.code(), refused.message()),
        (Code::Unavailable, message)
    );
    stage.turn(kind, None);
    settled(&diagnosis).await;
    assert_eq!(asking.diagnosis_lines("", "").await, [FERRY, PILOT]);
}
