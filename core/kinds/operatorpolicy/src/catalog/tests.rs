use portolan_api::{ConditionType, Reason};
use rstest::rstest;
use serde_json::{Value, json};

use super::judge;
use crate::contribution::{Contribution, known, related};
use crate::defaults::wanted;
use crate::desired::{Condition, ConditionReason, Status};
use crate::kinds::CATALOG_SOURCE;
use crate::tests::kit::{Stage, design, established, now, object, stage, subscription};
use crate::{Answer, Catalog, State, Unavailable, Verdict, Why};

const TYPE: ConditionType = ConditionType::CatalogSourcesUnhealthy;

fn catalog(state: Value) -> Value {
    let status = json!({"status": {"connectionState": state}});
    object(CATALOG_SOURCE, ("olm", "shop"), status)
}

fn stage_in_state(state: &str) -> Stage {
    let state = match state {
        "" => json!(null),
        state => json!({"lastObservedState": state}),
    };
    stage(established(json!({}))).object(catalog(state))
}

fn healthy(stage: Stage, answer: Answer<Catalog>) -> Stage {
    stage.with(|stage| stage.answers.catalog = answer)
}

fn health(connection: &str, state: State, reasons: &[&str]) -> Answer<Catalog> {
    let why = |message: &&str| Why {
        code: "RegistryUnreachable".into(),
        message: (*message).to_owned(),
    };
    Answer::Found(Catalog {
        name: "olm/shop".to_owned(),
        connection_state: connection.to_owned(),
        verdict: Verdict {
            state,
            reasons: reasons.iter().map(why).collect(),
        },
    })
}

fn unavailable() -> Answer<Catalog> {
    Answer::Unavailable(Unavailable {
        service: "health",
        since: Some(now()),
        why: "timed out".to_owned(),
    })
}

fn judged(stage: &Stage) -> Contribution {
    stage.case(|case| judge(case, &wanted(case).expect("a Subscription to want")))
}

fn well(more: &str) -> Contribution {
    let message = format!("CatalogSource olm/shop is healthy{more}");
    let label = "Resource found as expected";
    let object = related(
        CATALOG_SOURCE,
        (Some("olm"), "shop"),
        Some("Compliant"),
        label,
    );
    Contribution::of(Condition::new(
        TYPE,
        Status::False,
        Reason::CatalogSourcesFound,
        message,
    ))
    .add_related(TYPE, vec![known(object, Some("shop-uid"), false)])
}

fn unwell(why: &str) -> Contribution {
    let message = format!("CatalogSource olm/shop is unhealthy: {why}");
    let label = "Resource found as expected but is unhealthy";
    let object = related(
        CATALOG_SOURCE,
        (Some("olm"), "shop"),
        Some("Compliant"),
        label,
    );
    let reason = Reason::CatalogSourcesFoundUnhealthy;
    Contribution::of(Condition::new(TYPE, Status::False, reason, message))
        .add_related(TYPE, vec![known(object, Some("shop-uid"), false)])
}

/// Behaviors 87, 88. Defect D4.
#[rstest]
#[case::answering_catalog_is_healthy(healthy(stage_in_state("READY"), health("READY", State::Yes, &[])), well(""))]
#[case::silent_catalog_is_unhealthy_although_olm_reports_ready(
    healthy(stage_in_state("READY"), health("READY", State::No, &["It cannot be reached.", "OLM errs."])),
    unwell("It cannot be reached")
)]
#[case::unknown_health_is_unhealthy(
    healthy(stage_in_state("READY"), health("READY", State::NotYet, &["It was not asked."])),
    unwell("It was not asked")
)]
#[case::missing_connection_to_olm_is_not_unhealthy(
    healthy(stage_in_state("CONNECTING"), health("CONNECTING", State::Yes, &[])),
    unwell("OLM reports the connection as CONNECTING")
)]
#[case::missing_state_of_olm_is_unhealthy(
    healthy(stage_in_state(""), health("", State::NotYet, &[])),
    unwell("OLM reports no connection to the catalog")
)]
fn catalog_condition_follows_the_health_service(#[case] stage: Stage, #[case] part: Contribution) {
    assert_eq!(judged(&stage), part);
}

/// Behaviors 87, 89. Defect D4.
#[rstest]
#[case::good_state(
    healthy(stage_in_state("READY"), unavailable()),
    well("; no answer from health since 2026-01-01T12:00:00Z: timed out")
)]
#[case::bad_state(
    healthy(stage_in_state("TRANSIENT_FAILURE"), unavailable()),
    unwell(
        "OLM reports the connection as TRANSIENT_FAILURE; no answer from health since \
         2026-01-01T12:00:00Z: timed out",
    )
)]
#[case::missing_state(
    healthy(stage_in_state(""), unavailable()),
    unwell(
        "OLM reports no connection to the catalog; no answer from health since \
         2026-01-01T12:00:00Z: timed out",
    )
)]
#[case::health_service_is_not_queried(stage_in_state("READY"), well(""))]
#[case::health_service_has_not_observed_the_catalog(
    healthy(stage_in_state("READY"), Answer::NotFound("There is none.".into())),
    well("")
)]
#[case::health_service_reports_another_catalog(
    healthy(
        stage_in_state("READY"),
        Answer::Found(Catalog { name: "olm/other".into(), ..Catalog::default() }),
    ),
    well("")
)]
fn state_reported_by_olm_is_used_without_health(#[case] stage: Stage, #[case] part: Contribution) {
    assert_eq!(judged(&stage), part);
}

fn unasked() -> Answer<Catalog> {
    let Answer::Found(mut judged) =
        health("READY", State::NotYet, &["The registry was not asked."])
    else {
        unreachable!("the answer is Found");
    };
    judged.verdict.reasons[0].code = "RegistryNotProbed".into();
    Answer::Found(judged)
}

#[rstest]
#[case::good_state(stage_in_state("READY"), well("; the registry was not asked"))]
#[case::bad_state(
    stage_in_state("CONNECTING"),
    unwell("OLM reports the connection as CONNECTING; the registry was not asked")
)]
fn state_reported_by_olm_is_used_for_unqueried_registry(
    #[case] stage: Stage,
    #[case] part: Contribution,
) {
    assert_eq!(judged(&healthy(stage, unasked())), part);
}

/// The policy does not name the catalog, so the controller does not observe its CatalogSource.
#[test]
fn unnamed_catalog_is_found_if_it_offers_the_package() {
    let left_open = json!({"subscription": {"source": null, "sourceNamespace": null}});
    let stage = healthy(
        stage(established(left_open)),
        health("READY", State::Yes, &[]),
    );
    let object = related(
        CATALOG_SOURCE,
        (Some("olm"), "shop"),
        Some("Compliant"),
        "Resource found as expected",
    );
    let wanted = Contribution {
        related: vec![(TYPE, vec![known(object, None, false)])],
        ..well("")
    };
    assert_eq!(judged(&stage), wanted);
}

/// Behaviors 88, 90.
#[rstest]
#[case::is_only_reported("Compliant", Status::False, "Compliant")]
#[case::violates_if_the_policy_counts_it("NonCompliant", Status::True, "NonCompliant")]
fn missing_catalog_violates_only_if_the_policy_counts_it(
    #[case] effect: &str,
    #[case] status: Status,
    #[case] compliant: &str,
) {
    let policy = established(json!({
        "subscription": {"source": "mall"},
        "complianceConfig": {"catalogSourceUnhealthy": effect},
    }));
    let stage = stage(policy).object(catalog(json!({"lastObservedState": "READY"})));
    let label = "Resource not found but should exist";
    let object = related(
        CATALOG_SOURCE,
        (Some("olm"), "mall"),
        Some(compliant),
        label,
    );
    let message = "CatalogSource olm/mall does not exist, so nothing is installed or updated from \
     it";
    let part = Contribution::of(Condition::new(
        TYPE,
        status,
        Reason::CatalogSourcesNotFound,
        message,
    ))
    .add_related(TYPE, vec![object]);
    assert_eq!(judged(&stage), part);
}

/// Behavior 88.
#[test]
fn unhealthy_catalog_violates_only_if_policy_counts_it() {
    let policy =
        established(json!({"complianceConfig": {"catalogSourceUnhealthy": "NonCompliant"}}));
    let stage = stage(policy).object(catalog(json!({"lastObservedState": "SHUTDOWN"})));
    let message = "CatalogSource olm/shop is unhealthy: OLM reports the connection as SHUTDOWN";
    let label = "Resource found as expected but is unhealthy";
    let object = related(
        CATALOG_SOURCE,
        (Some("olm"), "shop"),
        Some("NonCompliant"),
        label,
    );
    let reason = Reason::CatalogSourcesFoundUnhealthy;
    let part = Contribution::of(Condition::new(TYPE, Status::True, reason, message))
        .add_related(TYPE, vec![known(object, Some("shop-uid"), false)]);
    assert_eq!(judged(&stage), part);
}

/// The condition keeps the verdict of the health service, even if OLM reports another state.
#[test]
fn keeps_previous_condition_while_health_is_unavailable() {
    let status = json!({"conditions": [{
        "type": "CatalogSourcesUnhealthy",
        "status": "True",
        "reason": "CatalogSourcesFoundUnhealthy",
        "message": "CatalogSource olm/shop is unhealthy: it does not answer",
        "lastTransitionTime": "2026-01-01T11:00:00Z",
    }]});
    let stage = healthy(stage_in_state("READY"), unavailable()).status(status);
    let Answer::Unavailable(unavailable) = unavailable() else {
        panic!("health must be unavailable");
    };
    assert_eq!(
        judged(&stage),
        Contribution::default().keep(TYPE, &unavailable)
    );
}

fn in_design(effect: &str, state: &str) -> Stage {
    stage(design(
        json!({"statusConfig": {"catalogSourceUnhealthy": effect}}),
    ))
    .object(catalog(json!({"lastObservedState": state})))
}

/// Returns the condition and the related object for a policy in the design form.
fn of_design(
    condition: Condition,
    violates: bool,
    (compliant, label): (&str, &str),
) -> Contribution {
    let name = (Some("olm"), "shop");
    let object = related(CATALOG_SOURCE, name, Some(compliant), label);
    Contribution::of(Condition {
        violates,
        ..condition
    })
    .add_related(TYPE, vec![known(object, Some("shop-uid"), false)])
}

#[rstest]
#[case::is_reported_unchanged("Condition", false)]
#[case::violates_if_the_policy_counts_it("NonCompliant", true)]
fn design_form_reports_unhealthy_catalog(#[case] effect: &str, #[case] violates: bool) {
    let message = "CatalogSource olm/shop is unhealthy: OLM reports the connection as SHUTDOWN";
    let reason = Reason::CatalogSourcesFoundUnhealthy;
    let condition = Condition::new(TYPE, Status::True, reason, message);
    let label = "Resource found as expected but is unhealthy";
    assert_eq!(
        judged(&in_design(effect, "SHUTDOWN")),
        of_design(condition, violates, ("NonCompliant", label))
    );
}

#[test]
fn design_form_reports_missing_catalog() {
    let part = judged(&stage(design(json!({}))));
    let reported: Vec<_> = part
        .conditions
        .iter()
        .map(|condition| (condition.status, &condition.reason, condition.violates))
        .collect();
    let reason = ConditionReason::Ours(Reason::CatalogSourcesNotFound);
    assert_eq!(reported, [(Status::True, &reason, false)]);
    assert_eq!(
        part.related[0].1[0].compliant.as_deref(),
        Some("NonCompliant")
    );
}

/// Returns a Subscription in which OLM has set the condition about its catalogs.
fn subscription_with_catalog_condition(status: &str, message: &str) -> Value {
    subscription(json!({"status": {"conditions": [{
        "type": "CatalogSourcesUnhealthy",
        "status": status,
        "reason": "UnhealthyCatalogSourceFound",
        "message": message,
    }]}}))
}

#[rstest]
#[case::is_reported("Condition", false)]
#[case::violates_if_the_policy_counts_it("NonCompliant", true)]
fn design_form_reports_other_catalog_that_olm_finds_unhealthy(
    #[case] effect: &str,
    #[case] violates: bool,
) {
    let stage = in_design(effect, "READY")
        .object(subscription_with_catalog_condition("True", "mall is away."));
    let condition = Condition {
        reason: ConditionReason::Olm("UnhealthyCatalogSourceFound".to_owned()),
        ..Condition::new(
            TYPE,
            Status::True,
            Reason::CatalogSourcesFoundUnhealthy,
            "CatalogSource olm/shop is healthy, but OLM reports that a catalog is unhealthy: mall \
             is away (UnhealthyCatalogSourceFound)",
        )
    };
    let object = ("Compliant", "Resource found as expected");
    assert_eq!(judged(&stage), of_design(condition, violates, object));
}

#[rstest]
#[case::that_all_is_well(in_design("NonCompliant", "READY").object(subscription_with_catalog_condition("False", "")))]
#[case::connected_state(stage_in_state("READY").object(subscription_with_catalog_condition("True", "mall is away.")))]
fn reports_healthy_catalog_although_olm_reports_a_bad_condition(#[case] stage: Stage) {
    assert_eq!(judged(&stage), well(""));
}
