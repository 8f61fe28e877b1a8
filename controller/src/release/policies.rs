//! The operations on the spec of a policy that are necessary to remove its finalizer.

use kube::Api;
use kube::api::{DynamicObject, ObjectMeta};
use portolan_api::{FINALIZER, OperatorPolicySpec};
use portolan_runtime::holds;
use serde_json::{Value, json};

use super::{HeldKind, Trouble, answer};
use crate::observe::Schema;

/// The error for a policy that is not being deleted. Removing the finalizer would drop fields of
/// the policy.
pub(super) const LOSSY: &str = "the OperatorPolicy CRD on this cluster lacks spec.allowedCSVs, and \
    a write would permanently drop this field from this policy; apply the CRD of Portolan and run \
    this command again, or delete the policy";

/// The error for a policy that is not being deleted. Removing the finalizer may drop fields of the
/// policy, because the CRD could not be read.
pub(super) const MAYBE_LOSSY: &str = "the OperatorPolicy CRD on this cluster cannot be read, and a \
 write may permanently drop fields from this policy; run this command again when the CRD can be \
 read, or delete the policy";

// === impl HeldKind ===

impl HeldKind {
    /// Returns the operations on the spec of an object. There are none for all kinds except
    /// policies.
    pub(super) async fn spec(
        &self,
        api: &Api<DynamicObject>,
        live: &ObjectMeta,
        is_invalid: bool,
        schema: &Schema,
    ) -> Result<Vec<Value>, Trouble> {
        if self.finalizer != FINALIZER {
            return Ok(Vec::new());
        }
        let name = live.name.as_deref().unwrap_or_default();
        let mut policy = answer(api.get(name)).await?;
        let spec = OperatorPolicySpec::from(policy.data["spec"].take());
        match live.deletion_timestamp {
            Some(_) => Ok(leaving_spec(&spec, is_invalid)),
            None => staying_spec(&spec, schema).map_err(Trouble::Other),
        }
    }
}

/// Returns the operations on the spec of a policy that is not being deleted. They make the patch
/// fail if the API server would drop fields that the served CRD lacks. If the policy was read with
/// `allowedCSVs`, the served CRD has this field.
pub(super) fn staying_spec(
    spec: &OperatorPolicySpec,
    schema: &Schema,
) -> Result<Vec<Value>, String> {
    let json = spec.as_json();
    let has_form = !json["complianceType"].is_null() || !json["allowedCSVs"].is_null();
    match schema {
        _ if has_form => {}
        Schema::Whole => {}
        Schema::Lacking => return Err(LOSSY.to_owned()),
        Schema::Unread => return Err(MAYBE_LOSSY.to_owned()),
        Schema::Unreadable(why) => return Err(format!("{MAYBE_LOSSY}: {why}")),
    }
    Ok(spec.paths().iter().map(|path| holds(path)).collect())
}

/// Returns the operations on the spec of a policy that is being deleted. The API server rejects
/// every write to an invalid policy. Therefore the spec is replaced with the smallest spec that
/// every OperatorPolicy CRD accepts. Controllers no longer use this spec.
pub(super) fn leaving_spec(spec: &OperatorPolicySpec, is_invalid: bool) -> Vec<Value> {
    if !is_invalid {
        return Vec::new();
    }
    let least = json!({
        "complianceType": "musthave",
        "remediationAction": "inform",
        "subscription": {"name": spec.as_json()["subscription"]["name"]},
        "upgradeApproval": "None",
    });
    vec![json!({"op": "add", "path": "/spec", "value": least})]
}
