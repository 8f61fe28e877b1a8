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
        if workload.kind.is("", "Pod") {
            return PodsSeen::of(found, vec![found.clone()]);
        }
        let Some(selector) = selector(found) else {
            return PodsSeen::Judged(None);
        };
        let page = ListParams::default().limit(MOST).labels_from(&selector);
        let beside = ResourceRef::new("v1", "Pod", workload.namespace.as_deref(), "");
        match self.theirs.page(&beside, &page).await {
            Ok(pods) => {
                let pods = pods.items.into_iter().map(|pod| json!(pod));
                PodsSeen::of(found, pods.collect())
            }
            Err(WriteFailure::Refused(why) | WriteFailure::Lost(why)) => PodsSeen::Unlisted(why),
            Err(failure @ (WriteFailure::Conflict(_) | WriteFailure::FieldsOwned(_))) => {
                PodsSeen::Unlisted(failure.to_string())
            }
        }
    }
}

/// Returns the selector of a workload. Returns None if it selects all Pods or is invalid.
fn selector(workload: &Value) -> Option<Selector> {
    let selector: LabelSelector =
        serde_json::from_value(workload.pointer("/spec/selector")?.clone()).ok()?;
    let selector = Selector::try_from(selector).ok()?;
    (!selector.selects_all()).then_some(selector)
}
