use portolan_kit::{assert_same, world};
use rstest::rstest;

use super::*;
use crate::read;

fn source(spec: &str, status: &str) -> CatalogSource {
    let text = format!(r#"{{"spec": {spec}, "status": {status}}}"#);
    let (source, faults) = read::<CatalogSource>(&text).expect("a CatalogSource");
    assert_eq!(faults, []);
    source
}

const SERVED: &str = r#"{"registryService": {
    "serviceName": "shop", "serviceNamespace": "olm", "port": "50051", "protocol": "grpc"
}}"#;

#[rstest]
#[case::its_own(r#"{"address": "10.0.0.7:50051"}"#, "{}", "10.0.0.7:50051")]
#[case::its_own_before_the_service(r#"{"address": "a:1", "image": "b"}"#, SERVED, "a:1")]
#[case::of_the_service(
    r#"{"image": "registry.example/shop:v1"}"#,
    SERVED,
    "shop.olm.svc:50051"
)]
#[case::of_a_config_map(r#"{"sourceType": "internal"}"#, SERVED, "shop.olm.svc:50051")]
fn returns_address_of_catalog_source(
    #[case] spec: &str,
    #[case] status: &str,
    #[case] address: &str,
) {
    assert_eq!(source(spec, status).address(), Ok(address.to_owned()));
}

#[rstest]
#[case::new("{}", NoAddress::NoService)]
#[case::stamped(
    r#"{"registryService": {"createdAt": "2026-01-01T00:00:00Z"}}"#,
    NoAddress::NoService
)]
#[case::half(
    r#"{"registryService": {"serviceName": "shop", "serviceNamespace": "olm"}}"#,
    NoAddress::HalfService("port")
)]
fn catalog_source_without_an_address_gives_the_reason(
    #[case] status: &str,
    #[case] why: NoAddress,
) {
    assert_eq!(source("{}", status).address(), Err(why));
}

#[test]
fn catalog_source_with_every_field_is_read() {
    let shop = world()
        .namespace("olm")
        .catalog_source("shop", "10.0.0.7:50051");
    let shop = shop.edit(|shop| {
        shop["spec"]["priority"] = (-100).into();
        shop["spec"]["publisher"] = "us".into();
        shop["spec"]["secrets"] = ["pull"].as_slice().into();
        shop["spec"]["grpcPodConfig"]["nodeSelector"] = "is skipped".into();
        shop["status"]["connectionState"]["lastConnect"] = "2026-01-02T03:04:05Z".into();
        shop["status"]["latestImageRegistryPoll"] = "is skipped".into();
    });
    let text = shop.objects()[1].to_string();
    let (shop, faults) = read::<CatalogSource>(&text).expect("a CatalogSource");

    let expected = CatalogSource {
        metadata: ObjectMeta {
            name: Some("shop".into()),
            namespace: Some("olm".into()),
            ..ObjectMeta::default()
        },
        spec: CatalogSourceSpec {
            source_type: SourceType::Grpc,
            address: "10.0.0.7:50051".into(),
            secrets: vec!["pull".into()],
            priority: -100,
            display_name: "shop".into(),
            publisher: "us".into(),
            ..CatalogSourceSpec::default()
        },
        status: CatalogSourceStatus {
            connection: Some(ConnectionState {
                address: "10.0.0.7:50051".into(),
                state: RegistryState::Ready,
                since: Some(Time("2026-01-02T03:04:05Z".parse().expect("a time"))),
            }),
            ..CatalogSourceStatus::default()
        },
    };
    assert_same!(shop, expected);
    assert_eq!(faults, []);
}

#[test]
fn unknown_enum_values_are_kept() {
    let strange = source(
        r#"{"sourceType": "oci"}"#,
        r#"{"connectionState": {"lastObservedState": "ASLEEP"}}"#,
    );
    assert_eq!(strange.spec.source_type.to_string(), "oci");
    let connection = strange.status.connection.expect("a connection");
    assert_eq!(connection.state, RegistryState::Other("ASLEEP".into()));
}
