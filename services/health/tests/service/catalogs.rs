//! Tests of verdicts on catalogs, and of probing their registries.

use portolan_health::Options;
use portolan_health::probe::Pace;
use portolan_kit::World;
use portolan_proto::health::v1 as pb;
use portolan_proto::health::v1::probe::Outcome;
use portolan_proto::health::v1::verdict::State;
use rstest::rstest;
use serde_json::json;
use tonic::Code;

use crate::{Asking, Stage, well};

/// An address on which no server listens.
const CLOSED: &str = "127.0.0.1:1";

fn shops() -> World {
    let shops = portolan_kit::world()
        .namespace("olm")
        .catalog_source("shop", CLOSED);
    shops
        .namespace("other")
        .catalog_source("shop", CLOSED)
        .catalog_source("bazaar", CLOSED)
}

async fn catalog(
    asking: &mut Asking,
    namespace: &str,
    name: &str,
) -> Result<pb::Catalog, tonic::Status> {
    let request = pb::GetCatalogRequest {
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    };
    let answer = asking.client.get_catalog(request).await?.into_inner();
    Ok(answer.catalog.expect("a catalog"))
}

#[tokio::test]
async fn registries_of_file_worlds_are_not_probed() {
    let mut asking = Asking::at(&Stage::of(&well(&[]))).await;
    let shop = catalog(&mut asking, "", "shop").await.expect("a catalog");
    let probe = pb::Probe {
        address: CLOSED.to_owned(),
        outcome: Outcome::NotProbed.into(),
        ..pb::Probe::default()
    };
    assert_eq!(shop.probe, Some(probe));
    assert_eq!(shop.connection_state, "READY");
}

#[tokio::test]
async fn settling_waits_for_the_first_probe_of_a_registry() {
    let stage = Stage::of(&well(&[]));
    let probes = Some(Pace::default());
    let options = Options {
        probes,
        ..Options::default()
    };
    let mut asking = Asking::of(stage.clone(), options).await;
    let shop = catalog(&mut asking, "olm", "shop")
        .await
        .expect("a catalog");
    let probe = shop.probe.expect("a probe");
    assert_eq!(
        (probe.outcome(), probe.address.as_str()),
        (Outcome::Failed, CLOSED)
    );
    assert!(probe.since.ends_with('Z'), "{probe:?}");
    assert_eq!(shop.verdict.expect("a verdict").state(), State::No);
    let mut news = asking.synced().await;
    stage.show(&portolan_kit::world());
    assert_eq!(news.next_event().await, "CatalogSource olm/shop gone");
}

#[tokio::test]
async fn registry_without_an_address_is_not_probed() {
    let shop = well(&[]).edit(|shop| shop["spec"]["address"] = json!("nowhere"));
    let stage = Stage::of(&shop);
    let probes = Some(Pace::default());
    let options = Options {
        probes,
        ..Options::default()
    };
    let mut asking = Asking::of(stage.clone(), options).await;
    let shop = catalog(&mut asking, "olm", "shop")
        .await
        .expect("a catalog");
    assert_eq!(shop.facts[0].code, "RegistryAddressUnknown");
}

#[rstest]
#[case::two(
    "",
    "shop",
    Code::InvalidArgument,
    "namespace: shop matches olm/shop, other/shop; select one"
)]
#[case::none(
    "",
    "shp",
    Code::NotFound,
    "there is no CatalogSource shp; did you mean shop?"
)]
#[case::elsewhere(
    "olm",
    "bazaar",
    Code::NotFound,
    "there is no CatalogSource bazaar in namespace olm; there is other/bazaar"
)]
#[tokio::test]
async fn invalid_catalog_question_is_refused(
    #[case] namespace: &str,
    #[case] name: &str,
    #[case] code: Code,
    #[case] message: &str,
) {
    let mut asking = Asking::at(&Stage::of(&shops())).await;
    let refused = catalog(&mut asking, namespace, name)
        .await
        .expect_err("a refusal");
    assert_eq!((refused.code(), refused.message()), (code, message));
}

#[tokio::test]
async fn catalogs_are_listed_by_namespace_and_name() {
    let mut asking = Asking::at(&Stage::of(&shops())).await;
    for (namespace, expected) in [
        ("", "olm/shop other/bazaar other/shop"),
        ("olm", "olm/shop"),
    ] {
        let namespace = namespace.to_owned();
        let listed = asking
            .client
            .list_catalogs(pb::ListCatalogsRequest { namespace })
            .await;
        let catalogs = listed.expect("a list").into_inner().catalogs;
        let names: Vec<_> = catalogs
            .into_iter()
            .filter_map(|catalog| catalog.subject)
            .map(|subject| format!("{}/{}", subject.namespace, subject.name))
            .collect();
        assert_eq!(names.join(" "), expected);
    }
}
