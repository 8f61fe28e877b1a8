//! What is told of one bundle, by whatever its catalog has of it.

use portolan_kit::catalog;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::Resolver;
use portolan_resolver::source::{self, SourceAccess};
use portolan_shell::client;

/// Catalogs with manifests inside have no metadata beside them.
#[tokio::test]
async fn people_see_what_the_manifests_say_where_the_catalog_has_no_metadata() {
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
    let told = asked.await.expect("there must be an answer").into_inner();
    let modes: Vec<_> = told
        .install_modes
        .iter()
        .filter(|mode| mode.supported)
        .map(|mode| mode.name.as_str())
        .collect();
    assert_eq!((told.display_name.as_str(), &*told.version), ("a", "1.0.0"));
    assert_eq!(modes, ["AllNamespaces", "OwnNamespace", "SingleNamespace"]);
    assert_eq!(told.not_given, [""; 0]);
}
