use rstest::rstest;

use super::*;
use crate::read;

fn catalog(spec: &str, status: &str) -> ClusterCatalog {
    let text = format!(r#"{{"spec": {spec}, "status": {status}}}"#);
    let (catalog, faults) = read::<ClusterCatalog>(&text).expect("a ClusterCatalog");
    assert_eq!(faults, []);
    catalog
}

const SERVED: &str = r#"{"urls": {"base": "https://catalogd.olmv1.svc/catalogs/shop"}}"#;
const URL: &str = "https://catalogd.olmv1.svc/catalogs/shop/api/v1/all";

#[rstest]
#[case::plain("{}", SERVED)]
#[case::given(r#"{"availabilityMode": "Available"}"#, SERVED)]
#[case::slash(
    "{}",
    r#"{"urls": {"base": "https://catalogd.olmv1.svc/catalogs/shop/"}}"#
)]
fn content_url_is_below_the_base_url(#[case] spec: &str, #[case] status: &str) {
    assert_eq!(catalog(spec, status).all_url(), Ok(URL.to_owned()));
}

#[rstest]
#[case::switched_off(
    r#"{"availabilityMode": "Unavailable"}"#,
    SERVED,
    "spec.availabilityMode is Unavailable"
)]
#[case::new("{}", "{}", "status.urls.base is empty")]
#[case::empty("{}", r#"{"urls": {"base": ""}}"#, "status.urls.base is empty")]
#[case::failing(
    "{}",
    r#"{"conditions": [
        {"type": "Serving", "status": "False", "message": "not serving"},
        {"type": "Progressing", "status": "True", "message": "no such image"}
    ]}"#,
    "status.urls.base is empty: no such image"
)]
fn unavailable_catalog_has_no_content_url(
    #[case] spec: &str,
    #[case] status: &str,
    #[case] why: &str,
) {
    let url = catalog(spec, status).all_url();
    assert_eq!(url.map_err(|error| error.to_string()), Err(why.to_owned()));
}

#[test]
fn cluster_catalog_with_every_field_is_read() {
    let read = catalog(
        r#"{
            "source": {"type": "Image", "image": {
                "ref": "r.example/c:v1", "pollIntervalMinutes": 5
            }},
            "priority": 7
        }"#,
        r#"{
            "resolvedSource": {"type": "Image", "image": {"ref": "r.example/c@sha256:00"}},
            "lastUnpacked": "2026-01-02T03:04:05Z"
        }"#,
    );
    let image = |reference: &str| CatalogImageSource {
        image: CatalogImage {
            r#ref: reference.to_owned(),
        },
    };
    let expected = ClusterCatalog {
        metadata: ObjectMeta::default(),
        spec: ClusterCatalogSpec {
            source: image("r.example/c:v1"),
            priority: 7,
            availability: Availability::default(),
        },
        status: ClusterCatalogStatus {
            resolved_source: Some(image("r.example/c@sha256:00")),
            last_unpacked: Some(Time("2026-01-02T03:04:05Z".parse().expect("a time"))),
            ..ClusterCatalogStatus::default()
        },
    };
    assert_eq!(read, expected);
}
