//! Sets the health of Pods, so that they fail when a test requests it.

use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use crate::failure::Failure;
use crate::kind::Kind;

/// The annotation with which a test sets the state of a Pod, on an existing Pod or in a Pod
/// template.
pub const POD_STATE: &str = "rig.test/pod-state";

/// The values of [`POD_STATE`]. A Pod without this annotation is Running and Ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodState {
    /// The Pod is Running, but its readiness probe fails.
    Unready,
    /// The Pod is Running, but its container is in CrashLoopBackOff. It has restarted five times
    /// with exit code 1.
    CrashLooping,
    /// The Pod is Pending, because its image cannot be pulled.
    Unpullable,
    /// The Pod is Pending, because its container never starts.
    Pending,
}

impl PodState {
    /// Returns the value of the annotation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Unready => "unready",
            Self::CrashLooping => "crash-looping",
            Self::Unpullable => "unpullable",
            Self::Pending => "pending",
        }
    }
}

/// The Pods of a namespace.
///
/// A change affects only existing Pods. Pods that replace them are healthy. To make Pods fail from
/// their start, set the annotation in their Pod template.
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

    /// Makes all Pods that the label selector matches crash repeatedly. Returns the number of Pods.
    /// # Errors
    /// No pod matches, or the API server rejects the change.
    pub async fn crash_looping(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::CrashLooping)).await
    }

    /// Makes the images of all Pods that the selector matches impossible to pull. Returns the
    /// number of Pods.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn unpullable(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Unpullable)).await
    }

    /// Resets all Pods that the selector matches to the state before their containers start.
    /// Returns the number of Pods.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn pending(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Pending)).await
    }

    /// Makes the readiness probes of all Pods that the selector matches fail. Returns the number of
    /// Pods.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn unready(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Unready)).await
    }

    /// Makes all Pods that the selector matches ready again. Returns the number of Pods.
    /// # Errors
    /// See [`Pods::crash_looping`].
    pub async fn ready(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, None).await
    }

    async fn turn(&self, selector: &str, state: Option<PodState>) -> Result<usize, Failure> {
        let matching = ListParams::default().labels(selector);
        let pods = self.pods.list(&matching).await?.items;
        if pods.is_empty() {
            // Without this error, a test with a wrong selector would change nothing and still pass.
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
