use std::sync::Arc;

use portolan_core_catalog::{Catalog, Reading};
use portolan_world::Key;
use rstest::rstest;
use serde_json::{Value, json};

use super::*;
use crate::snapshot::{CatalogState, ContentOrigin};
use crate::source::SourceAccess;

fn hub(spec: &Value, status: &Value) -> BTreeMap<CatalogName, NamedCatalog> {
    let object = json!({"metadata": {"name": "hub"}, "spec": spec, "status": status});
    let (object, _) = portolan_core_olm::read_value::<ClusterCatalog>(object).expect("an object");
    let view = View {
        objects: Arc::new([(Key::new("", "hub"), Arc::new(object))].into()),
        ..View::default()
    };
    named::named(&View::default(), &view)
}

/// Returns the state of a catalog as one line.
fn state_word(catalogs: &Catalogs, name: &CatalogName) -> String {
    match &catalogs.watch().borrow().offers[name].state {
        CatalogState::Pending => "pending".to_owned(),
        CatalogState::Serving { .. } => "serving".to_owned(),
        CatalogState::Stale { why, .. } => format!("stale: {why}"),
        CatalogState::Failed { why, .. } => format!("failed: {why}"),
    }
}

#[rstest]
#[case::is_switched_off(
    json!({"availabilityMode": "Unavailable"}),
    json!({}),
    "failed: spec.availabilityMode is Unavailable"
)]
#[case::fails(
    json!({}),
    json!({"conditions": [{"type": "Progressing", "status": "True", "message": "no such tag"}]}),
    "stale: status.urls.base is empty: no such tag"
)]
#[tokio::test]
async fn drops_content_only_if_cluster_catalog_is_disabled(
    #[case] spec: Value,
    #[case] status: Value,
    #[case] expected: &str,
) {
    let name: CatalogName = "hub".parse().expect("a name");
    let catalogs = Catalogs::new();
    let follower = Follower::new(&catalogs, &SourceAccess::default());
    let mut cluster = ClusterCatalogs::new(follower, Vec::new());
    cluster.turn_to(hub(&json!({}), &json!({}))).await;
    let content = Catalog::of::<Reading>([]);
    catalogs.read(&name, content, ContentOrigin::folder("hub".into()));
    assert_eq!(state_word(&catalogs, &name), "serving");

    cluster.turn_to(hub(&spec, &status)).await;
    assert_eq!(state_word(&catalogs, &name), expected);
}
