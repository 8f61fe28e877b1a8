//! Pods that are ill on demand.

use kube::api::{DynamicObject, ListParams, Patch, PatchParams};
use kube::{Api, Client, ResourceExt as _};
use serde_json::json;

use crate::failure::Failure;
use crate::kind::Kind;

/// The annotation, on a live pod or in a pod template, that keeps pods from becoming ready.
pub const POD_STATE: &str = "rig.test/pod-state";

/// The values that [`POD_STATE`] may have. Without it, a pod is Running and Ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PodState {
    /// Running, but its readiness probe fails.
    Unready,
    /// Running, its container in CrashLoopBackOff after five restarts with exit code 1.
    CrashLooping,
    /// Pending: its image cannot be pulled.
    Unpullable,
    /// Pending: its container is being created and never gets further.
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
/// A change is for the pods that there are: one that replaces them begins healthy. Pods that are to
/// be ill from the start have the annotation in their template.
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

    /// Lets every pod that the label selector matches crash; returns how many there are.
    ///
    /// # Errors
    /// There is none, or the API server refuses.
    pub async fn crash_looping(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::CrashLooping)).await
    }

    /// Lets no image of these pods be found.
    ///
    /// # Errors
    /// As [`Pods::crash_looping`].
    pub async fn unpullable(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Unpullable)).await
    }

    /// Takes these pods back to before their containers started.
    ///
    /// # Errors
    /// As [`Pods::crash_looping`].
    pub async fn pending(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Pending)).await
    }

    /// Lets the readiness probes of these pods fail.
    ///
    /// # Errors
    /// As [`Pods::crash_looping`].
    pub async fn unready(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, Some(PodState::Unready)).await
    }

    /// Makes these pods well again.
    ///
    /// # Errors
    /// As [`Pods::crash_looping`].
    pub async fn ready(&self, selector: &str) -> Result<usize, Failure> {
        self.turn(selector, None).await
    }

    async fn turn(&self, selector: &str, state: Option<PodState>) -> Result<usize, Failure> {
        let matching = ListParams::default().labels(selector);
        let pods = self.pods.list(&matching).await?.items;
        if pods.is_empty() {
            // A test that changed nothing would go on and prove nothing.
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
