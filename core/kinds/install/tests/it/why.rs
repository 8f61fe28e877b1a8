//! Tests of the explanation of an object of a plan.

use portolan_api::plan::{InstallPlan, MemberState, MemberStatus, Record, Status};
use portolan_core_install::{
    Contents, Fate, KeepReason, PlanVersion, Relation, ReportedState, Share, Why,
};
use rstest::rstest;
use serde_json::{Value, json};

use crate::kit::{config_map, stage, with};

fn version(name: &str, manifests: &[Value], status: Status) -> PlanVersion {
    let spec = json!({
        "serviceAccountName": "installer", "lifecycle": {"onPlanDeletion": "Delete"},
        "stages": [stage("first", &manifests[..1]), stage("second", &manifests[1..])],
    });
    let mut plan = InstallPlan::new(name, spec.into());
    plan.status = Some(status);
    PlanVersion::read(&plan, &Contents::default()).expect("a plan")
}

fn both() -> [Value; 2] {
    [config_map("a"), config_map("b")]
}

fn begun(found: &[&str]) -> Status {
    let found = found
        .iter()
        .map(|place| ((*place).to_owned(), "u".to_owned()));
    Status {
        record: Some(Record {
            found: found.collect(),
            ..Record::default()
        }),
        ..Status::default()
    }
}

fn not_fine(object: &str) -> MemberStatus {
    MemberStatus::new(
        ("second", 0),
        object.to_owned(),
        MemberState::Failed,
        "has failed".to_owned(),
    )
}

fn with_members(members: Vec<MemberStatus>) -> Status {
    Status {
        members,
        ..begun(&[])
    }
}

#[rstest]
#[case::not_begun(Status::default(), ReportedState::NotBegun)]
#[case::applied(begun(&[]), ReportedState::Fine)]
#[case::applied_beside_an_unready_member(with_members(vec![not_fine("ConfigMap harbor/a")]), ReportedState::Fine)]
#[case::not_in_a_truncated_list(
    with_members(vec![not_fine("ConfigMap harbor/a"); 100]),
    ReportedState::Unlisted
)]
fn why_reports_the_state_of_the_object(
    #[case] status: Status,
    #[case] standing: ReportedState<'_>,
) {
    let plan = version("ferry-2", &both(), status);
    assert_eq!(Why::of(&plan, &plan.members[1], &[]).standing, standing);
}

#[test]
fn unready_objects_have_a_reason() {
    let plan = version(
        "ferry-2",
        &both(),
        with_members(vec![not_fine("ConfigMap harbor/b")]),
    );
    let why = Why::of(&plan, &plan.members[1], &[]);
    assert_eq!(why.stage, "second");
    assert_eq!(
        why.standing,
        ReportedState::NotFine(&not_fine("ConfigMap harbor/b"))
    );
}

/// The record contains the index of a member in the whole plan, not in its stage.
#[rstest]
#[case::created_by_the_plan(&["0"], Some(false), Fate::Deleted)]
#[case::found_by_the_plan(&["1"], Some(true), Fate::Kept(KeepReason::Found))]
fn why_shows_that_found_objects_are_kept(
    #[case] found: &[&str],
    #[case] was_found: Option<bool>,
    #[case] fate: Fate,
) {
    let plan = version("ferry-2", &both(), begun(found));
    let why = Why::of(&plan, &plan.members[1], &[]);
    assert_eq!(
        (why.was_found, &why.with_plan, &why.when_lacking),
        (was_found, &fate, &fate)
    );
}

#[rstest]
#[case::other_plan_takes_it_back(Relation::Before, Fate::Kept(KeepReason::OfPlanNamed("other".to_owned())))]
#[case::other_plan_has_it_now(Relation::After, Fate::Kept(KeepReason::OfPlanNamed("other".to_owned())))]
#[case::other_plan_is_unrelated(Relation::Other, Fate::Deleted)]
fn why_names_other_plans_with_the_object(#[case] relation: Relation, #[case] with_plan: Fate) {
    let plan = version("ferry-2", &both(), begun(&[]));
    let changed = with(config_map("b"), "/data/key", json!("new"));
    let other = version("other", &[config_map("a"), changed], begun(&[]));
    let others = [(relation, other)];
    let share = |is_same| Share {
        plan: "other",
        relation,
        is_same,
    };
    assert_eq!(
        Why::of(&plan, &plan.members[0], &others).shares,
        [share(true)]
    );
    let why = Why::of(&plan, &plan.members[1], &others);
    assert_eq!(why.shares, [share(false)]);
    assert_eq!(why.with_plan, with_plan);
}
