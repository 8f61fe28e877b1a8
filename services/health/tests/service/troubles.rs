//! Tests with kinds that cannot be observed, from the beginning or later.

use std::time::Duration;

use portolan_kit::World;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::get_operator_request::Handle;
use portolan_proto::health::v1::verdict;
use portolan_world::{State, Trouble};
use rstest::rstest;
use serde_json::json;
use tonic::Code;

use crate::{Asking, Stage, edited, is, state, well};

fn stale() -> State {
    State::Stale {
        trouble: Trouble::Silent(Duration::from_secs(15)),
        since: "2026-11-22T09:00:00Z".parse().expect("a time"),
    }
}

fn forbidden() -> State {
    State::Unknown {
        trouble: Trouble::Forbidden("no".to_owned()),
        since: "2026-11-22T09:00:00Z".parse().expect("a time"),
    }
}

#[tokio::test]
async fn stale_kind_is_not_observed_until_it_is_listed_again() {
    let stage = Stage::of(&well(&["a", "b"]));
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    stage.turn("Deployment", stale());
    assert_eq!(
        news.next_event().await,
        "Subscription a-system/a NOT_YET NotObserved"
    );
    assert_eq!(
        news.next_event().await,
        "Subscription b-system/b NOT_YET NotObserved"
    );
    let a = asking.named("a").await;
    let reasons = a.verdict.expect("a verdict").reasons;
    let since = "as of 2026-11-22T09:00:00Z: the API server has not answered for 15s";
    assert!(reasons[0].message.ends_with(since), "{reasons:?}");
    stage.turn("Deployment", None);
    assert_eq!(news.next_event().await, "Subscription a-system/a YES");
    assert_eq!(news.next_event().await, "Subscription b-system/b YES");
}

#[tokio::test]
async fn stale_catalogs_are_reported_as_stale() {
    let stage = Stage::of(&well(&[]));
    let mut news = Asking::at(&stage).await.synced().await;
    stage.turn("CatalogSource", stale());
    let event = "CatalogSource olm/shop NOT_YET NotObserved RegistryNotProbed";
    assert_eq!(news.next_event().await, event);
    stage.turn("CatalogSource", None);
    assert_eq!(
        news.next_event().await,
        "CatalogSource olm/shop NOT_YET RegistryNotProbed"
    );
}

#[rstest]
#[case::operator_groups("OperatorGroup")]
#[case::operators("ClusterServiceVersion")]
#[case::deployments("Deployment")]
#[tokio::test]
async fn forbidden_kind_is_not_observed(#[case] kind: &'static str) {
    let stage = Stage::of(&well(&["a"]));
    stage.turn(kind, forbidden());
    let a = Asking::at(&stage).await.named("a").await;
    assert!(is(&a, verdict::State::NotYet), "{a:#?}");
    let reasons = a.verdict.expect("a verdict").reasons;
    let said = reasons.iter().find(|reason| reason.code == "NotObserved");
    assert!(
        said.expect("why").message.contains("forbidden: no"),
        "{reasons:?}"
    );
}

/// Returns two operators in one namespace.
fn neighbors() -> World {
    let harbor = portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", "127.0.0.1:1")
        .namespace("harbor")
        .operator_group();
    ["ferry", "pilot"].iter().fold(harbor, |world, package| {
        let csv = format!("{package}.v1.0.0");
        world
            .subscription(package, "stable")
            .installed(&csv)
            .csv(&csv, "Succeeded")
            .edit(|csv| csv["spec"]["customresourcedefinitions"] = json!({}))
            .deployment(package, 1, 1)
    })
}

#[rstest]
#[case::its_subscription("Subscription", "ferry", "/spec/channel", true)]
#[case::its_csv("ClusterServiceVersion", "ferry.v1.0.0", "/spec/version", true)]
#[case::its_deployment("Deployment", "ferry", "/spec/paused", true)]
#[case::the_group_of_all("OperatorGroup", "harbor", "/spec/targetNamespaces", false)]
#[tokio::test]
async fn partly_unreadable_object_affects_only_its_operator(
    #[case] kind: &str,
    #[case] name: &str,
    #[case] field: &str,
    #[case] is_one: bool,
) {
    let world = neighbors();
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let mut news = asking.synced().await;
    let odd = edited(&world, kind, name, |object| {
        let (parent, last) = field.rsplit_once('/').expect("a path");
        let parent = object.pointer_mut(parent).expect("it must be there");
        parent[last] = json!({"odd": [7]});
    });
    stage.show(&odd);
    let event = news.next_event().await;
    assert!(event.starts_with("Subscription harbor/ferry NO"), "{event}");
    assert!(event.contains("NotObserved"), "{event}");
    let pilot = asking.named("pilot").await;
    let state = state(pilot.verdict.as_ref());
    assert_eq!(state == "YES", is_one, "{pilot:#?}");
    assert_eq!(state.contains("NotObserved"), !is_one, "{pilot:#?}");
}

#[tokio::test]
async fn unserved_kind_has_no_objects_and_no_effect() {
    let stage = Stage::of(&well(&["a"]));
    stage.turn("OperatorCondition", State::NotServed);
    stage.turn("InstallPlan", State::NotServed);
    let a = Asking::at(&stage).await.named("a").await;
    assert!(is(&a, verdict::State::Yes), "{a:#?}");
}

#[tokio::test]
async fn forbidden_operators_are_unavailable_not_missing() {
    let stage = Stage::of(&well(&["a"]));
    stage.turn("Subscription", forbidden());
    let mut asking = Asking::at(&stage).await;
    let refused = asking
        .operator("", Handle::Subscription("a".to_owned()))
        .await;
    let refused = refused.expect_err("it must be refused");
    let message = "operators cannot be read: Subscriptions are unknown \
                   since 2026-11-22T09:00:00Z: forbidden: no";
    assert_eq!(
        (refused.code(), refused.message()),
        (Code::Unavailable, message)
    );
    let list = pb::ListOperatorsRequest::default();
    let listed = asking.client.list_operators(list.clone()).await;
    let listed = listed.expect("what is known").into_inner();
    assert_eq!(listed.operators[0].csv, "a.v1.0.0");

    let blind = Stage::of(&well(&["a"]));
    blind.turn("Subscription", forbidden());
    blind.turn("ClusterServiceVersion", forbidden());
    let mut asking = Asking::at(&blind).await;
    let refused = asking.client.list_operators(list).await;
    assert_eq!(
        refused.expect_err("it must be refused").code(),
        Code::Unavailable
    );
}

#[tokio::test]
async fn forbidden_catalogs_are_unavailable_not_missing() {
    let stage = Stage::of(&well(&["a"]));
    stage.turn("CatalogSource", forbidden());
    let mut asking = Asking::at(&stage).await;
    let request = pb::GetCatalogRequest {
        name: "shop".to_owned(),
        ..pb::GetCatalogRequest::default()
    };
    let refused = asking.client.get_catalog(request).await;
    assert_eq!(
        refused.expect_err("it must be refused").code(),
        Code::Unavailable
    );
    let refused = asking
        .client
        .list_catalogs(pb::ListCatalogsRequest::default())
        .await;
    assert_eq!(
        refused.expect_err("it must be refused").code(),
        Code::Unavailable
    );
    let a = asking.named("a").await;
    assert!(
        is(&a, verdict::State::Yes),
        "an installed operator needs none: {a:#?}"
    );
}
