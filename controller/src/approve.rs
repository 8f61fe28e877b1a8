//! The approval of an InstallPlan of OLM by a user.

use std::error::Error;
use std::fmt;

use kube::api::{ApiResource, DynamicObject, Patch, PatchParams};
use kube::core::Status;
use kube::{Api, Client};
use portolan_api::MANAGER;
use portolan_core_olm::InstallPlan;
use serde_json::{Value, json};

/// Approves InstallPlans of OLM. Makes no other changes.
#[derive(Clone)]
pub struct PlanApprover {
    client: Client,
    is_dry_run: bool,
}

/// One version of an InstallPlan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanState {
    /// The namespace.
    pub namespace: String,
    /// The name.
    pub name: String,
    /// The uid.
    pub uid: String,
    /// The resourceVersion of the InstallPlan.
    pub resource_version: String,
}

/// The reason why an InstallPlan was not read or approved.
#[derive(Debug)]
pub enum PlanNotApproved {
    /// The InstallPlan has changed since it was read, or was deleted.
    Changed,
    /// The API server refuses the request, with this message.
    Refused(String),
    /// The API server does not respond.
    Unanswered(Box<kube::Error>),
}

// === impl PlanApprover ===

impl fmt::Debug for PlanApprover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PlanApprover");
        let shown = shown.field("is_dry_run", &self.is_dry_run);
        shown.finish_non_exhaustive()
    }
}

impl PlanApprover {
    /// Creates an approver. In a dry run, the API server stores nothing.
    pub fn of(client: Client, is_dry_run: bool) -> Self {
        Self { client, is_dry_run }
    }

    /// Returns the complete InstallPlan.
    ///
    /// # Errors
    /// Returns [`PlanNotApproved::Changed`] if the InstallPlan has another version than `state`.
    pub async fn read(&self, state: &PlanState) -> Result<Value, PlanNotApproved> {
        let plan = self.api(state).get(&state.name).await?;
        let metadata = &plan.metadata;
        let found = (metadata.uid.as_ref(), metadata.resource_version.as_ref());
        if found != (Some(&state.uid), Some(&state.resource_version)) {
            return Err(PlanNotApproved::Changed);
        }
        serde_json::to_value(plan).map_err(|error| PlanNotApproved::Refused(error.to_string()))
    }

    /// Sets `spec.approved` if the InstallPlan still has this version.
    ///
    /// # Errors
    /// Returns [`PlanNotApproved::Changed`] if the InstallPlan has another version than `state`.
    pub async fn approve(&self, state: &PlanState) -> Result<(), PlanNotApproved> {
        let PlanState {
            name,
            uid,
            resource_version,
            ..
        } = state;
        // The API server compares the uid and the resourceVersion with the stored object.
        let same = json!({"uid": uid, "resourceVersion": resource_version});
        let patch = Patch::Merge(json!({"metadata": same, "spec": {"approved": true}}));
        let params = PatchParams {
            dry_run: self.is_dry_run,
            field_manager: Some(MANAGER.to_owned()),
            ..PatchParams::default()
        };
        self.api(state).patch(name, &params, &patch).await?;
        Ok(())
    }

    fn api(&self, state: &PlanState) -> Api<DynamicObject> {
        let resource = ApiResource::erase::<InstallPlan>(&());
        Api::namespaced_with(self.client.clone(), &state.namespace, &resource)
    }
}

/// Returns true if the error reports a different uid. Then the object was deleted and created
/// again.
fn is_of_another_object(status: &Status) -> bool {
    let mut causes = status.details.iter().flat_map(|it| &it.causes);
    causes.any(|cause| cause.field == "metadata.uid")
}

// === impl PlanNotApproved ===

impl From<kube::Error> for PlanNotApproved {
    fn from(error: kube::Error) -> Self {
        match error {
            kube::Error::Api(status) if [404, 409].contains(&status.code) => Self::Changed,
            kube::Error::Api(status) if is_of_another_object(&status) => Self::Changed,
            kube::Error::Api(status) if status.code < 500 => Self::Refused(status.message.clone()),
            other => Self::Unanswered(Box::new(other)),
        }
    }
}

impl fmt::Display for PlanNotApproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed => f.write_str("the InstallPlan has changed"),
            Self::Refused(message) => f.write_str(message),
            Self::Unanswered(_) => f.write_str("cannot query the cluster"),
        }
    }
}

impl Error for PlanNotApproved {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unanswered(error) => Some(error),
            Self::Changed | Self::Refused(_) => None,
        }
    }
}
