//! Complete objects of any kind, as the API server or the files contain them, for display.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use kube::api::{ApiResource, DynamicObject};
use kube::core::GroupVersionKind;
use kube::{Api, Client};
use portolan_core_names::{Gvk, ObjectRef};
use serde_json::Value;
use tokio::time::timeout;

use crate::Trouble;

/// Returns an object from the API server. Returns None if the object does not exist.
pub(crate) async fn of_cluster(
    object: &ObjectRef<Gvk>,
    client: Client,
    patience: Duration,
) -> Result<Option<Value>, Trouble> {
    let Gvk {
        group,
        version,
        kind,
    } = &object.kind;
    let kind = GroupVersionKind::gvk(group, version, kind);
    let resource = ApiResource::from_gvk(&kind);
    let objects: Api<DynamicObject> = match &object.namespace {
        Some(namespace) => Api::namespaced_with(client, namespace, &resource),
        None => Api::all_with(client, &resource),
    };
    let asked = timeout(patience, objects.get_opt(&object.name)).await;
    let object = asked.map_err(|_| Trouble::Silent(patience))?;
    let object = object.map_err(Trouble::of)?;
    Ok(object.and_then(|object| serde_json::to_value(object).ok()))
}

/// Returns these objects from manifests. If several objects have the same name, the first object is
/// returned.
pub(crate) fn of_files(root: &Path, names: &[ObjectRef<Gvk>]) -> BTreeMap<ObjectRef<Gvk>, Value> {
    let mut found = BTreeMap::new();
    super::files::each_object(root, &mut |api_version, kind, value| {
        let text = |field: &str| value["metadata"][field].as_str();
        let wanted = names.iter().find(|named| {
            named.kind.is(api_version, kind)
                && Some(named.name.as_str()) == text("name")
                && named.namespace.as_deref() == text("namespace")
        });
        if let Some(named) = wanted {
            found.entry(named.clone()).or_insert_with(|| value.clone());
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::fs;

    use http::Response;
    use kube::client::Body;
    use portolan_kit::TempFolder;
    use rstest::rstest;
    use serde_json::json;

    use super::*;
    use crate::{AnyWorld, Cluster, Files, Pace};

    fn updater() -> ObjectRef<Gvk> {
        let kind = Gvk::new("v1", "ConfigMap");
        ObjectRef::new(kind, "portolan", "portolan-updater")
    }

    #[rstest]
    #[case::absent(404, "NotFound", Ok(None))]
    #[case::forbidden(403, "Forbidden", Err(Trouble::Forbidden("no".to_owned())))]
    #[case::refused(503, "ServiceUnavailable", Err(Trouble::Refused { code: 503, message: "no".to_owned() }))]
    #[tokio::test]
    async fn not_found_differs_from_an_unavailable_object(
        #[case] code: u16,
        #[case] reason: &'static str,
        #[case] expected: Result<Option<Value>, Trouble>,
    ) {
        let service = tower::service_fn(move |_: http::Request<Body>| {
            let status = json!({
                "kind": "Status", "status": "Failure", "reason": reason, "code": code, "message": "no",
            });
            let answer = Response::builder().status(code);
            let answer = answer.body(Body::from(status.to_string().into_bytes()));
            std::future::ready(Ok::<_, Infallible>(answer.expect("a response")))
        });
        let client = Client::new(service, "default");
        let world = AnyWorld::Cluster(Cluster::of(client, Pace::default()));
        assert_eq!(world.object(updater()).await, expected);
        assert_eq!(world.written(vec![updater()]).await, BTreeMap::new());
    }

    #[tokio::test]
    async fn config_map_missing_in_a_dump_is_not_dumped() {
        let folder = TempFolder::empty();
        let world = AnyWorld::Files(Files::at(&folder));
        assert_eq!(world.object(updater()).await, Ok(None));
        fs::write(folder.join("dump.json"), "{}").expect("a file to write");
        let reported = world.object(updater()).await;
        let why = "a dump has no ConfigMaps".to_owned();
        assert_eq!(reported, Err(Trouble::NotDumped(why)));
        let config_map = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {"name": "portolan-updater", "namespace": "portolan"},
        });
        fs::write(folder.join("map.json"), config_map.to_string()).expect("a file to write");
        assert_eq!(world.object(updater()).await, Ok(Some(config_map)));
    }
}
