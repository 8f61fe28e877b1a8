//! Tests that only the required watches are open, and only while they are required.

use std::collections::BTreeSet;
use std::time::Duration;

use portolan_health::Options;
use portolan_kit::World;
use portolan_proto::health::v1::Operator;
use portolan_proto::health::v1::verdict::State;
use serde_json::json;
use tokio::time::sleep;

use crate::{Asking, Stage, crashing, edited, facts, failing, is, well, without};

const ALWAYS: [&str; 13] = [
    "ApiService everywhere",
    "CatalogSource everywhere",
    "ClusterExtension everywhere",
    "ClusterServiceVersion everywhere",
    "CustomResourceDefinition everywhere",
    "Deployment everywhere",
    "Install everywhere",
    "InstallPlan everywhere",
    "InstallPlan.plans.portolan.dev everywhere",
    "Operator everywhere",
    "OperatorCondition everywhere",
    "OperatorGroup everywhere",
    "Subscription everywhere",
];

/// The time for which the objects below a healthy Deployment are still watched.
const LINGER: Duration = Duration::from_secs(30);
const MOMENT: Duration = Duration::from_secs(1);

fn opened_on_demand(stage: &Stage) -> Vec<String> {
    let always = BTreeSet::from(ALWAYS.map(str::to_owned));
    stage.open().difference(&always).cloned().collect()
}

#[tokio::test]
async fn healthy_operators_open_no_additional_watches() {
    let stage = Stage::of(&well(&["a", "b"]));
    let asking = Asking::at(&stage).await;
    assert_eq!(stage.open(), ALWAYS.map(str::to_owned).into());
    drop(asking);
    stage.until(BTreeSet::is_empty).await;
}

#[tokio::test]
async fn single_namespace_opens_only_namespaced_watches() {
    let stage = Stage::of(&well(&["a", "b"]));
    let namespace = Some("a-system".to_owned());
    let options = Options {
        namespace,
        ..Options::default()
    };
    let mut asking = Asking::of(stage.clone(), options).await;
    let open = [
        "ApiService everywhere",
        "CatalogSource everywhere",
        "ClusterServiceVersion a-system",
        "CustomResourceDefinition everywhere",
        "Deployment a-system",
        "InstallPlan a-system",
        "InstallPlan.plans.portolan.dev a-system",
        "OperatorCondition a-system",
        "OperatorGroup a-system",
        "Subscription a-system",
    ];
    assert_eq!(stage.open(), open.map(str::to_owned).into());
    let mut news = asking.listen("").await;
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    assert!(
        news.next_event()
            .await
            .starts_with("CatalogSource olm/shop")
    );
    assert_eq!(news.next_event().await, "synced");
}

#[tokio::test(start_paused = true)]
async fn pods_are_watched_while_their_deployment_fails() {
    let world = well(&["a", "b"]);
    let stage = Stage::of(&crashing(&world, "a", 4));
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    assert_eq!(opened_on_demand(&stage), [""; 0]);

    stage.show(&crashing(&failing(&world, "a"), "a", 4));
    let event = news.next_event().await;
    assert_eq!(
        event,
        "Subscription a-system/a NO CrashLooping DeploymentUnavailable"
    );
    let pods = [
        "Event a-system",
        "Pod a-system, operator=a",
        "ReplicaSet a-system, operator=a",
    ];
    assert_eq!(opened_on_demand(&stage), pods);
    let a = asking.named("a").await;
    let facts = facts(&a);
    let mut codes = facts.iter().filter(|fact| fact.code == "CrashLooping");
    let cause = codes.next().expect("the cause");
    assert!(cause.message.contains("operator"), "{}", cause.message);

    stage.show(&world);
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    sleep(LINGER).await;
    stage.until(|open| open.len() == ALWAYS.len()).await;
}

#[tokio::test(start_paused = true)]
async fn pods_of_flapping_deployment_stay_watched() {
    let world = well(&["a"]);
    let fails = crashing(&failing(&world, "a"), "a", 4);
    let stage = Stage::of(&world);
    let mut news = Asking::at(&stage).await.synced().await;
    for _ in 0..3 {
        stage.show(&fails);
        let event = news.until("Subscription a-system/a NO CrashLooping DeploymentUnavailable");
        // After the first event, an operator and the objects below it are sent in one event.
        assert!(event.await.len() <= 1);
        stage.show(&world);
        assert_eq!(news.next_event().await, "Subscription a-system/a YES");
        sleep(LINGER - MOMENT).await;
        assert_eq!(opened_on_demand(&stage).len(), 3);
    }
    assert_eq!(
        ["Pod", "ReplicaSet", "Event"].map(|kind| stage.begun(kind)),
        [1; 3]
    );
    sleep(MOMENT).await;
    stage.until(|open| open.len() == ALWAYS.len()).await;
}

#[tokio::test]
async fn pods_of_other_deployments_are_not_the_cause() {
    let world = crashing(&failing(&well(&["a"]), "a"), "a", 4);
    let foreign = edited(&world, "ReplicaSet", "a-1", |set| {
        set["metadata"]["ownerReferences"][0]["uid"] = json!("of-another");
    });
    let stage = Stage::of(&foreign);
    let a = Asking::at(&stage).await.named("a").await;
    let facts = facts(&a);
    assert!(
        facts.iter().all(|fact| fact.code != "CrashLooping"),
        "{facts:#?}"
    );
    assert!(is(&a, State::No));
}

/// Returns a world with the operators from this number on. All of them are unhealthy.
fn many(names: &[String], from: usize) -> World {
    let all: Vec<_> = names.iter().map(String::as_str).collect();
    let failed = all[from..].iter();
    failed.fold(well(&all), |world, name| failing(&world, name))
}

fn healed(world: &World, name: &str) -> World {
    edited(world, "Deployment", name, |deployment| {
        deployment["status"]["availableReplicas"] = json!(1);
        deployment["status"]["conditions"][0]["status"] = json!("True");
    })
}

fn pods(open: &BTreeSet<String>) -> Vec<String> {
    let pods = open.iter().filter(|name| name.starts_with("Pod "));
    pods.cloned().collect()
}

#[tokio::test(start_paused = true)]
async fn pods_of_at_most_64_deployments_are_watched() {
    let names: Vec<_> = (10..76).map(|number| format!("p{number}")).collect();
    let world = many(&names, 0);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    assert_eq!(pods(&stage.open()).len(), 64);
    let codes = async |asking: &mut Asking, name: &str| {
        let operator = asking.named(name).await;
        let facts = facts(&operator);
        facts.iter().any(|fact| fact.code == "CauseNotExamined")
    };
    assert!(!codes(&mut asking, "p73").await);
    assert!(codes(&mut asking, "p74").await);
    assert!(codes(&mut asking, "p75").await);

    stage.show(&healed(&world, "p20"));
    sleep(LINGER).await;
    let is_next = |open: &BTreeSet<String>| open.contains("Pod p74-system, operator=p74");
    stage.until(is_next).await;
    stage
        .until(|open| !open.contains("Pod p20-system, operator=p20"))
        .await;
    assert_eq!(pods(&stage.open()).len(), 64);
    asking
        .until("p20", |operator| is(operator, State::Yes))
        .await;
    assert!(!codes(&mut asking, "p74").await);
    assert!(codes(&mut asking, "p75").await);
}

#[tokio::test(start_paused = true)]
async fn watched_deployments_keep_their_watches_and_longest_failing_gets_the_next() {
    let names: Vec<_> = (10..76).map(|number| format!("p{number}")).collect();
    let stage = Stage::of(&many(&names, 1));
    let mut asking = Asking::at(&stage).await;
    let before = pods(&stage.open());
    assert_eq!(before.len(), 64);
    let is_open = |name: &str| {
        stage
            .open()
            .contains(&format!("Pod {name}-system, operator={name}"))
    };
    assert!(is_open("p74") && !is_open("p75"));

    // If the order depended on the name, this Deployment would come first.
    let all = many(&names, 0);
    stage.show(&all);
    let is_reported = |operator: &Operator| {
        let facts = facts(operator);
        facts.iter().any(|fact| fact.code == "CauseNotExamined")
    };
    asking.until("p10", is_reported).await;
    assert_eq!(pods(&stage.open()), before);

    // A slot becomes free when an operator no longer needs it.
    stage.show(&healed(&all, "p20"));
    sleep(LINGER - MOMENT).await;
    assert_eq!(pods(&stage.open()), before);
    assert_eq!(stage.begun("Pod"), 64);
    sleep(MOMENT * 2).await;
    assert!(is_open("p75") && !is_open("p20") && !is_open("p10"));
    assert!(is_reported(&asking.named("p10").await));
    assert_eq!(stage.begun("Pod"), 65);
}

#[tokio::test]
async fn deployment_scaled_to_zero_opens_no_watches() {
    let world = edited(&well(&["a"]), "Deployment", "a", |deployment| {
        deployment["spec"]["replicas"] = json!(0);
        for field in [
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
        ] {
            deployment["status"][field] = json!(0);
        }
    });
    let stage = Stage::of(&world);
    let a = Asking::at(&stage).await.named("a").await;
    assert!(is(&a, State::No), "{a:#?}");
    assert_eq!(opened_on_demand(&stage), [""; 0]);
}

#[tokio::test]
async fn copied_csvs_are_watched_only_for_missing_operators() {
    let world = well(&["a", "b"]);
    let missing = without(&world, |object| object["metadata"]["name"] == "a.v1.0.0");
    let stage = Stage::of(&missing);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    assert_eq!(opened_on_demand(&stage), ["CopiedCsv a-system"]);
    let mut a = asking.named("a").await;
    assert_eq!(a.facts.remove(0).code, "NotInstalled");

    let copied = edited(&world, "ClusterServiceVersion", "a.v1.0.0", |csv| {
        csv["metadata"]["labels"]["olm.copiedFrom"] = json!("elsewhere");
    });
    stage.show(&copied);
    assert!(news.next_event().await.contains("OnlyCopied"));
    stage.show(&world);
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    stage.until(|open| open.len() == ALWAYS.len()).await;
}
