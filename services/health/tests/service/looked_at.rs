//! What is looked at: no more than is needed, and no longer.

use std::collections::BTreeSet;

use portolan_health::Reach;
use portolan_proto::health::v1::verdict::State;
use serde_json::json;

use crate::{Asking, Stage, crashing, edited, facts, failing, is, well, without};

const ALWAYS: [&str; 9] = [
    "ApiService everywhere",
    "CatalogSource everywhere",
    "ClusterServiceVersion everywhere",
    "CustomResourceDefinition everywhere",
    "Deployment everywhere",
    "InstallPlan everywhere",
    "OperatorCondition everywhere",
    "OperatorGroup everywhere",
    "Subscription everywhere",
];

fn besides(stage: &Stage) -> Vec<String> {
    let always = BTreeSet::from(ALWAYS.map(str::to_owned));
    stage.open().difference(&always).cloned().collect()
}

#[tokio::test]
async fn nothing_below_operators_that_are_well() {
    let stage = Stage::of(&well(&["a", "b"]));
    let asking = Asking::at(&stage).await;
    assert_eq!(stage.open(), ALWAYS.map(str::to_owned).into());
    drop(asking);
    stage.until(BTreeSet::is_empty).await;
}

#[tokio::test]
async fn one_namespace_where_that_is_asked_for() {
    let stage = Stage::of(&well(&["a", "b"]));
    let namespace = Some("a-system".to_owned());
    let reach = Reach {
        namespace,
        ..Reach::default()
    };
    let mut asking = Asking::of(stage.clone(), reach).await;
    let open = [
        "ApiService everywhere",
        "CatalogSource everywhere",
        "ClusterServiceVersion a-system",
        "CustomResourceDefinition everywhere",
        "Deployment a-system",
        "InstallPlan a-system",
        "OperatorCondition a-system",
        "OperatorGroup a-system",
        "Subscription a-system",
    ];
    assert_eq!(stage.open(), open.map(str::to_owned).into());
    let mut news = asking.listen("").await;
    assert_eq!(news.told().await, "Subscription a-system/a YES");
    assert!(news.told().await.starts_with("CatalogSource olm/shop"));
    assert_eq!(news.told().await, "synced");
}

#[tokio::test]
async fn the_pods_of_a_deployment_that_fails_while_it_does() {
    let world = well(&["a", "b"]);
    let stage = Stage::of(&crashing(&world, "a", 4));
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    assert_eq!(besides(&stage), [""; 0]);

    stage.show(&crashing(&failing(&world, "a"), "a", 4));
    let told = news.told().await;
    assert_eq!(
        told,
        "Subscription a-system/a NO CrashLooping DeploymentUnavailable"
    );
    let pods = [
        "Event a-system",
        "Pod a-system, operator=a",
        "ReplicaSet a-system, operator=a",
    ];
    assert_eq!(besides(&stage), pods);
    let a = asking.named("a").await;
    let facts = facts(&a);
    let mut codes = facts.iter().filter(|fact| fact.code == "CrashLooping");
    let cause = codes.next().expect("the cause");
    assert!(cause.message.contains("operator"), "{}", cause.message);

    stage.show(&world);
    assert_eq!(news.told().await, "Subscription a-system/a YES");
    stage.until(|open| open.len() == ALWAYS.len()).await;
}

#[tokio::test]
async fn pods_of_others_are_no_cause() {
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

#[tokio::test]
async fn below_no_more_than_64_deployments() {
    let packages: Vec<_> = (10..76).map(|number| format!("p{number}")).collect();
    let names: Vec<_> = packages.iter().map(String::as_str).collect();
    let mut world = well(&names);
    for name in &names {
        world = failing(&world, name);
    }
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let pods = |open: &BTreeSet<String>| {
        let pods = open.iter().filter(|name| name.starts_with("Pod "));
        pods.cloned().collect::<Vec<_>>()
    };
    assert_eq!(pods(&stage.open()).len(), 64);
    let codes = async |asking: &mut Asking, name: &str| {
        let operator = asking.named(name).await;
        let facts = facts(&operator);
        facts.iter().any(|fact| fact.code == "CauseNotLookedFor")
    };
    assert!(!codes(&mut asking, "p73").await);
    assert!(codes(&mut asking, "p74").await);
    assert!(codes(&mut asking, "p75").await);

    let healed = edited(&world, "Deployment", "p20", |deployment| {
        deployment["status"]["availableReplicas"] = json!(1);
        deployment["status"]["conditions"][0]["status"] = json!("True");
    });
    stage.show(&healed);
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

#[tokio::test]
async fn nothing_below_a_deployment_that_somebody_set_to_nothing() {
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
    assert_eq!(besides(&stage), [""; 0]);
}

#[tokio::test]
async fn copies_where_an_operator_is_missing_and_only_there() {
    let world = well(&["a", "b"]);
    let missing = without(&world, |object| object["metadata"]["name"] == "a.v1.0.0");
    let stage = Stage::of(&missing);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    assert_eq!(besides(&stage), ["CopiedCsv a-system"]);
    let mut a = asking.named("a").await;
    assert_eq!(a.facts.remove(0).code, "NotInstalled");

    let copied = edited(&world, "ClusterServiceVersion", "a.v1.0.0", |csv| {
        csv["metadata"]["labels"]["olm.copiedFrom"] = json!("elsewhere");
    });
    stage.show(&copied);
    assert!(news.told().await.contains("OnlyCopied"));
    stage.show(&world);
    assert_eq!(news.told().await, "Subscription a-system/a YES");
    stage.until(|open| open.len() == ALWAYS.len()).await;
}
