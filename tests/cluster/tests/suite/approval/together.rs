//! Tests with an InstallPlan that two Subscriptions share.

use portolan_kit::{Catalog, catalog};
use portolan_proto::approval::v1 as pb;
use portolan_rig::{Failure, Kind};
use serde_json::json;

use super::policy::policy;
use super::stage::{Stage, stage};

/// The HTTP status if the object has changed since it was read.
const CONFLICT: u16 = 409;
/// The HTTP status if the object was deleted and created again, so that its uid has changed.
const INVALID: u16 = 422;
const BOTH: [&str; 2] = ["hull.v1.0.0", "mast.v1.0.0"];
const NO_POLICY_OF_HULL: &str = "hull.v1.0.0 of hull for hull: No, NoPolicy of hull.v1.0.0; \
    fix a new policy: spec.subscription.name hull";
const NO_POLICY_OF_MAST: &str = "mast.v1.0.0 of mast for mast: No, NoPolicy of mast.v1.0.0; \
    fix a new policy: spec.subscription.name mast";
const HULL_BY_ITS_POLICY: &str = "hull.v1.0.0 of hull for hull: Yes, by hull: hull.v1.0.0";
const MAST_BY_ITS_POLICY: &str = "mast.v1.0.0 of mast for mast: Yes, by mast: mast@>=1.0.0 <2.0.0";

#[tokio::test]
async fn plan_of_two_operators_is_approved_only_with_a_policy_for_each() -> Result<(), Failure> {
    two(stage("inline").await?, fleet()).await
}

#[tokio::test]
async fn plan_of_two_images_is_approved_only_with_a_policy_for_each() -> Result<(), Failure> {
    two(stage("image").await?, fleet().by_image()).await
}

fn fleet() -> Catalog {
    catalog("hull: 1.0.0; mast: 1.0.0").installable()
}

async fn two(stage: Option<Stage>, offered: Catalog) -> Result<(), Failure> {
    let Some(mut stage) = stage else {
        return Ok(());
    };
    let _served = stage.serve(&offered).await?;
    stage.subscribe(&["hull", "mast"], "Manual").await?;
    // Without an OperatorGroup, OLM does nothing. It processes both Subscriptions together when the
    // test creates the group.
    stage.author.editor.group("group").await?;
    let plan = stage.plan(&BOTH).await?;
    is_allowed_by_both(&mut stage, &plan).await?;
    rejects_approval_of_a_changed_plan(&mut stage, &plan).await?;
    stage.watcher.agrees(&stage.serving).await;
    Ok(())
}

async fn is_allowed_by_both(stage: &mut Stage, plan: &str) -> Result<(), Failure> {
    let nobody = [
        "RequiresApproval, waits: No, NoPolicy of hull.v1.0.0, NoPolicy of mast.v1.0.0",
        NO_POLICY_OF_HULL,
        NO_POLICY_OF_MAST,
    ];
    stage.watcher.until(plan, &nobody).await;
    let one = [
        "RequiresApproval, waits: No, NoPolicy of mast.v1.0.0",
        HULL_BY_ITS_POLICY,
        NO_POLICY_OF_MAST,
    ];
    let hull = policy("hull").allows(&["hull.v1.0.0"]);
    let written = stage.author.write(&hull);
    let review = stage.watcher.reports(plan, &one, written).await?;
    names_its_policy(stage, &review).await?;
    let mast = policy("mast").allows(&["mast@>=1.0.0 <2.0.0"]);
    stage
        .watcher
        .reports(plan, &allowed(), stage.author.write(&mast))
        .await?;
    let informs = [
        "RequiresApproval, waits: No, PolicyInforms of mast",
        HULL_BY_ITS_POLICY,
        "mast.v1.0.0 of mast for mast: No, PolicyInforms of mast; \
         fix mast: spec.remediationAction enforce",
    ];
    let turn = |action: &str| json!({"remediationAction": action});
    stage
        .watcher
        .reports(plan, &informs, stage.author.rewrite("mast", turn("inform")))
        .await?;
    stage
        .watcher
        .reports(
            plan,
            &allowed(),
            stage.author.rewrite("mast", turn("enforce")),
        )
        .await?;
    Ok(())
}

/// Checks that the review names the policy that allows the first bundle.
async fn names_its_policy(stage: &Stage, review: &pb::Review) -> Result<(), Failure> {
    let policies = stage.author.editor.objects(Kind::OperatorPolicy);
    let there = policies.get("hull").await?.metadata;
    let allowance = &review.bundles[0].allowances[0];
    let named = allowance.policy.as_ref().map(|policy| policy.uid.clone());
    assert_eq!(named, there.uid);
    assert_eq!(Some(i64::from(allowance.generation)), there.generation);
    Ok(())
}

fn allowed() -> [&'static str; 3] {
    [
        "RequiresApproval, waits: Yes",
        HULL_BY_ITS_POLICY,
        MAST_BY_ITS_POLICY,
    ]
}

/// A plan that has changed since its review cannot be approved.
async fn rejects_approval_of_a_changed_plan(stage: &mut Stage, plan: &str) -> Result<(), Failure> {
    let before = stage.review(plan).await?;
    let touched = json!({"metadata": {"annotations": {"touched": "once"}}});
    let editor = &stage.author.editor;
    editor.patch(Kind::InstallPlan, plan, touched).await?;
    assert_eq!(stage.author.may_not_approve(&before).await?, CONFLICT);

    let mut another = stage.review(plan).await?;
    let observed = another.plan.as_mut().expect("a review must be of a plan");
    observed.uid = "7c4c6a2e-0000-4000-8000-000000000000".to_owned();
    observed.resource_version.clear();
    assert_eq!(stage.author.may_not_approve(&another).await?, INVALID);

    let over = [
        "Complete, approved: No, Finished of the plan",
        HULL_BY_ITS_POLICY,
        MAST_BY_ITS_POLICY,
    ];
    let approved = stage.author.approve_on(&stage.serving, plan);
    stage.watcher.reports(plan, &over, approved).await?;
    println!("approval: so it went: {:#?}", stage.watcher.since(plan));
    for (package, bundle) in ["hull", "mast"].into_iter().zip(BOTH) {
        stage
            .world
            .operator(package)
            .until_phase(bundle, "Succeeded")
            .await?;
    }
    Ok(())
}
