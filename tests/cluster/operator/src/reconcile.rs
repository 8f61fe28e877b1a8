//! Creates a ConfigMap with the timetable of each Ferry.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kube::api::{Api, ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Client, ResourceExt as _};
use serde_json::{Value, json};

use crate::webhook::{GROUP, seats};

const MANAGER: &str = "ferry-operator";
const RETRY: Duration = Duration::from_secs(5);

struct Context {
    client: Client,
    ferries: ApiResource,
}

/// Reconciles Ferries in this API version until the process ends.
pub(crate) async fn run(client: Client, version: &str) {
    let ferries = ApiResource::from_gvk(&GroupVersionKind::gvk(GROUP, version, "Ferry"));
    let all: Api<DynamicObject> = Api::all_with(client.clone(), &ferries);
    let context = Arc::new(Context {
        client,
        ferries: ferries.clone(),
    });
    let config = watcher::Config::default();
    Controller::new_with(all, config, ferries)
        .run(reconcile, retry, context)
        .for_each(async |result| {
            if let Err(error) = result {
                eprintln!("error: {error}");
            }
        })
        .await;
}

async fn reconcile(ferry: Arc<DynamicObject>, at: Arc<Context>) -> Result<Action, kube::Error> {
    let namespace = ferry.namespace().unwrap_or_default();
    let name = ferry.name_any();
    let maps = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
    let maps: Api<DynamicObject> = Api::namespaced_with(at.client.clone(), &namespace, &maps);
    let map = timetable(&ferry, &at.ferries);
    let params = PatchParams::apply(MANAGER).force();
    let map_name = format!("{name}-timetable");
    maps.patch(&map_name, &params, &Patch::Apply(map)).await?;
    let ferries: Api<DynamicObject> =
        Api::namespaced_with(at.client.clone(), &namespace, &at.ferries);
    let status =
        json!({"status": {"ready": true, "observedGeneration": ferry.metadata.generation}});
    if ferry.data.get("status") != status.get("status") {
        let params = PatchParams::default();
        ferries
            .patch_status(&name, &params, &Patch::Merge(status))
            .await?;
        println!("ferry {namespace}/{name} is ready");
    }
    Ok(Action::await_change())
}

fn retry(_: Arc<DynamicObject>, _: &kube::Error, _: Arc<Context>) -> Action {
    Action::requeue(RETRY)
}

fn timetable(ferry: &DynamicObject, kind: &ApiResource) -> Value {
    let name = ferry.name_any();
    json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {
            "name": format!("{name}-timetable"),
            "ownerReferences": [{
                "apiVersion": kind.api_version, "kind": kind.kind, "name": name,
                "uid": ferry.metadata.uid, "controller": true,
            }],
        },
        "data": {"seats": seats(&ferry.data).unwrap_or_default().to_string()},
    })
}
