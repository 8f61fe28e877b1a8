//! Tests that each format of catalog content supplies the details of a bundle.

use portolan_kit::catalog;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::Resolver;
use portolan_resolver::source::{self, SourceAccess};
use portolan_shell::client;

/// A catalog with manifests has no separate metadata.
#[tokio::test]
async fn bundle_details_come_from_manifests_without_catalog_metadata() {
    let folder = catalog("a: 1.0.0").installable().temp();
    let flag = format!("demo={}", folder.display());
    let given = [flag.parse().expect("the flag must parse")];
    let snapshot = source::read(&given, &SourceAccess::default()).await;
    let snapshot = snapshot.expect("the folder must be readable");
    let service = Resolver::over(snapshot).into_service();
    let mut resolver = ResolverClient::new(client::local(service));
    let asked = resolver.get_bundle(pb::GetBundleRequest {
        package: "a".to_owned(),
        bundle: "a.v1.0.0".to_owned(),
        ..Default::default()
    });
    let answer = asked.await.expect("there must be an answer").into_inner();
    let modes: Vec<_> = answer
        .install_modes
        .iter()
        .filter(|mode| mode.supported)
        .map(|mode| mode.name.as_str())
        .collect();
    assert_eq!(
        (answer.display_name.as_str(), &*answer.version),
        ("a", "1.0.0")
    );
    assert_eq!(modes, ["AllNamespaces", "OwnNamespace", "SingleNamespace"]);
    assert_eq!(answer.not_given, [""; 0]);
}
