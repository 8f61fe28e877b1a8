//! Tests the writes of the controller, and the responses of the API server.

mod author;
mod contested;
mod fields;
mod refused;
mod status;

use portolan_core_operatorpolicy::{Action, StepOutcome};
use portolan_rig::{Failure, Kind};
use serde_json::json;

pub(super) use self::author::{Author, subscription, target};
use self::author::{changed, done};
use super::bare::bare;

#[tokio::test]
async fn creates_object_once() -> Result<(), Failure> {
    let Some(bare) = bare("made").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let manifest = subscription(&bare, json!({"channel": "stable"}));
    let first = author.does(Action::Create(manifest.clone())).await;
    let there = bare.read(Kind::Subscription, "hull").await?;
    let uid = there["metadata"]["uid"].as_str().map(str::to_owned);
    assert_eq!(first.outcome, StepOutcome::Done { uid });
    let pending = first.pending.expect("it is written");
    assert_eq!(pending.before, None);
    assert_eq!(
        author::version(&pending),
        there["metadata"]["resourceVersion"]
    );

    let again = author.does(Action::Create(manifest)).await;
    assert!(changed(&again.outcome).contains("already exists"));
    Ok(())
}

#[tokio::test]
async fn plan_is_approved_only_if_it_is_unchanged_since_its_review() -> Result<(), Failure> {
    let Some(bare) = bare("approved").await? else {
        return Ok(());
    };
    let body = json!({"spec": {
        "approval": "Manual", "approved": false, "clusterServiceVersionNames": ["hull.v1.0.0"],
    }});
    let plan = bare
        .create("olm", Kind::InstallPlan, "install-1", body)
        .await?;
    let plan = target("operators.coreos.com/v1alpha1", "InstallPlan", &plan);
    let approved = async || {
        let plan = bare.read(Kind::InstallPlan, "install-1").await?;
        Ok::<_, Failure>(plan["spec"]["approved"].clone())
    };

    let no = StepOutcome::Refused("hull.v1.0.0 is not allowed".to_owned());
    let refused = Author::reviewing(&bare, Err(no.clone()));
    let refused = refused.does(Action::Approve(plan.clone())).await;
    assert_eq!((refused.outcome, approved().await?), (no, json!(false)));

    let mut older = plan.clone();
    older.resource_version = "1".to_owned();
    let author = Author::of(&bare);
    let outcome = author.does(Action::Approve(older)).await.outcome;
    changed(&outcome);
    let mut other = plan.clone();
    other.uid = "another".to_owned();
    changed(&author.does(Action::Approve(other)).await.outcome);
    assert_eq!(approved().await?, json!(false));

    done(&author.does(Action::Approve(plan)).await);
    assert_eq!(approved().await?, json!(true));
    Ok(())
}

#[tokio::test]
async fn deletes_only_the_observed_object() -> Result<(), Failure> {
    let Some(bare) = bare("deleted").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let body = json!({"spec": {"channel": "stable", "name": "hull", "source": "a", "sourceNamespace": "b"}});
    let there = bare
        .create("kubectl", Kind::Subscription, "hull", body)
        .await?;
    let there = target("operators.coreos.com/v1alpha1", "Subscription", &there);
    let delete = |object: &portolan_core_operatorpolicy::Target| Action::Delete {
        object: object.clone(),
        is_orphaning: true,
    };
    let mut other = there.clone();
    other.uid = "another".to_owned();
    changed(&author.does(delete(&other)).await.outcome);
    bare.read(Kind::Subscription, "hull").await?;

    let deleted = author.does(delete(&there)).await;
    done(&deleted);
    portolan_rig::until_gone(&bare.objects(Kind::Subscription), "hull").await?;
    changed(&author.does(delete(&there)).await.outcome);
    Ok(())
}

/// The controller writes the ClusterServiceVersion into the status of a Subscription that has none.
/// A Subscription that has changed since its observation is not written. Behavior 48 in
/// `tests/behaviors.md`.
#[tokio::test]
async fn adopts_csv_in_subscription_status() -> Result<(), Failure> {
    let Some(bare) = bare("mended").await? else {
        return Ok(());
    };
    let author = Author::of(&bare);
    let manifest = subscription(&bare, json!({}));
    done(&author.does(Action::Create(manifest)).await);
    let there = bare.objects(Kind::Subscription).get("hull").await?;
    let subscription = target("operators.coreos.com/v1alpha1", "Subscription", &there);
    let mend = |csv: &str| Action::AdoptCsv {
        subscription: subscription.clone(),
        csv: csv.to_owned(),
    };
    done(&author.does(mend("hull.v1.0.0")).await);
    let status = bare.read(Kind::Subscription, "hull").await?["status"].clone();
    assert_eq!(status["currentCSV"], "hull.v1.0.0");
    assert!(status["lastUpdated"].is_string(), "{status}");
    changed(&author.does(mend("hull.v2.0.0")).await.outcome);
    Ok(())
}

#[tokio::test]
async fn adds_and_removes_only_our_finalizer() -> Result<(), Failure> {
    let Some(bare) = bare("held").await? else {
        return Ok(());
    };
    let mut author = Author::of(&bare);
    author
        .policy(&bare, json!({"finalizers": ["a.test/first"]}))
        .await?;
    let finalizers = async || {
        let policy = bare.read(Kind::OperatorPolicy, "hull").await?;
        Ok::<_, Failure>(policy["metadata"]["finalizers"].clone())
    };
    // The second request changes nothing. The observation contains the first write.
    let held = author
        .does_all(vec![Action::AddFinalizer, Action::AddFinalizer])
        .await;
    assert_eq!(held.len(), 2);
    held.iter().for_each(done);
    assert_eq!(held[1].pending, None);
    assert_eq!(
        finalizers().await?,
        json!(["a.test/first", "portolan.dev/removal"])
    );

    // The author still has an old version of the policy.
    let stale = author.does(Action::AddFinalizer).await;
    changed(&stale.outcome);
    author.look(&bare).await?;
    done(&author.does(Action::RemoveFinalizer).await);
    assert_eq!(finalizers().await?, json!(["a.test/first"]));
    Ok(())
}
