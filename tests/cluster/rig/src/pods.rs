//! Pods that fail on demand.

use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use crate::failure::Failure;
use crate::kind::Kind;

/// The annotation, on a live pod or in a pod template, that keeps pods from becoming ready.
pub const POD_STATE: &str = "rig.test/pod-state";

/// The values of [`POD_STATE`]. Without this annotation, a Pod is Running and Ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodState {
    /// Running, but its readiness probe fails.
    Unready,
    /// Running, but its container is in CrashLoopBackOff after five restarts with exit code 1.
    CrashLooping,
    /// Pending: its image cannot be pulled.
    Unpullable,
    /// Pending: its container is being created, and never starts.
    Pending,
}

impl PodState {
    /// The value of the annotation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unready => "unready",
            Self::CrashLooping => "crash-looping",
            Self::Unpullable => "unpullable",
            Self::Pending => "pending",
        }
    }
}

/// The pods of a namespace.
///
/// A change affects the existing pods. Pods that replace them start healthy. To make Pods fail from
/// the start, set the annotation in their template.
#[derive(Clone, Debug)]
pub struct Pods {
    pods: Api<DynamicObject>,
}

impl Pods {
    pub(crate) fn of(client: &Client, namespace: &str) -> Self {
        Self {
            pods: Kind::Pod.within(client, namespace),
        }
    }

    /// Makes every pod that the label selector matches crash. Returns the number of pods.
    /// # Errors
    /// No pod matches, or the API server rejects the change.
    pub async fn crash_looping(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::CrashLooping)).await
    }

    /// Makes the images of these pods unpullable.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn unpullable(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Unpullable)).await
    }

    /// Resets these pods to the state before their containers started.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn pending(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Pending)).await
    }

    /// Makes the readiness probes of these pods fail.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn unready(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Unready)).await
    }

    /// Makes these pods ready again.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn ready(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, None).await
    }

    async fn turn(&self, selector: &str, state: Option<PodState>) -> Result<usize, Failure> {
        let matching = ListParams::default().labels(selector);
        let pods = self.pods.list(&matching).await?.items;
        if pods.is_empty() {
            // A test that changes nothing would continue and prove nothing.
            return Err(Failure::Read {
                what: format!("the selector {selector}"),
                source: "no pod matches it".into(),
            });
        }
        let change = json!({"metadata": {"annotations": {POD_STATE: state.map(PodState::as_str)}}});
        for pod in &pods {
            self.pods
                .patch(
                    &pod.name_any(),
                    &PatchParams::default(),
                    &Patch::Merge(&change),
                )
                .await?;
        }
        Ok(pods.len())
    }
}
