//! Lists the Pods of a workload.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use kube::api::ListParams;
use kube::core::Selector;
use portolan_core_install::{ObjectRead, ObjectRef, Observation, PodsSeen};
use portolan_runtime::{ResourceRef, WriteFailure};
use serde_json::{Value, json};

use super::Looker;

/// The maximum number of Pods of a workload that are checked.
const MOST: u32 = 500;

impl Looker<'_> {
    /// Returns the Pods of a workload, or the reason why they cannot be listed.
    pub(super) async fn pods(&self, seen: &Observation, workload: &ObjectRef) -> PodsSeen {
        let Some(ObjectRead::Present(found)) = seen.objects.get(workload) else {
            return PodsSeen::Judged(None);
        };
        let namespace = workload.namespace.as_deref();
        if workload.kind.is("", "Pod") {
            return self.judged(found, vec![found.clone()], namespace).await;
        }
        let Some(selector) = selector(found) else {
            return PodsSeen::Judged(None);
        };
        let page = ListParams::default().limit(MOST).labels_from(&selector);
        let beside = ResourceRef::new("v1", "Pod", namespace, "");
        match self.theirs.page(&beside, &page).await {
            Ok(pods) => {
                let pods = pods.items.into_iter().map(|pod| json!(pod));
                self.judged(found, pods.collect(), namespace).await
            }
            Err(WriteFailure::Refused(why) | WriteFailure::Lost(why)) => PodsSeen::Unlisted(why),
            Err(failure @ (WriteFailure::Conflict(_) | WriteFailure::FieldsOwned(_))) => {
                PodsSeen::Unlisted(failure.to_string())
            }
        }
    }

    /// Evaluates the Pods of a workload. Events are read only if the Pods do not show why they
    /// fail.
    async fn judged(
        &self,
        workload: &Value,
        pods: Vec<Value>,
        namespace: Option<&str>,
    ) -> PodsSeen {
        let events = match PodsSeen::reported_in_events(workload, &pods) {
            Some(uid) => self.warnings(&uid, namespace).await,
            None => Vec::new(),
        };
        PodsSeen::of(workload, pods, events)
    }

    /// Returns the warning Events about an object. Returns no Events if the ServiceAccount cannot
    /// list Events. The status then contains fewer details.
    async fn warnings(&self, uid: &str, namespace: Option<&str>) -> Vec<Value> {
        let about = format!("type=Warning,involvedObject.uid={uid}");
        let page = ListParams::default().limit(MOST).fields(&about);
        let beside = ResourceRef::new("v1", "Event", namespace, "");
        let listed = self.theirs.page(&beside, &page).await;
        let events = listed.map(|listed| listed.items).unwrap_or_default();
        events.into_iter().map(|event| json!(event)).collect()
    }
}

/// Returns the label selector of a workload. Returns None if the selector is invalid, or if it
/// selects all Pods.
fn selector(workload: &Value) -> Option<Selector> {
    let selector: LabelSelector =
        serde_json::from_value(workload.pointer("/spec/selector")?.clone()).ok()?;
    let selector = Selector::try_from(selector).ok()?;
    (!selector.selects_all()).then_some(selector)
}
