//! The steps of one policy, on their way.

use std::sync::Arc;

use kube::api::{DynamicObject, Patch};
use portolan_api::OperatorPolicy;
use portolan_core_operatorpolicy::{Observed, Outcome, Report, Target};
use serde_json::{Value, json};

use super::Written;
use super::act::{parse, version};
use super::patch::Sight;
use super::place::Place;
use super::trail::Trail;
use portolan_runtime::{Expected, PendingWrite};

/// The steps of one policy, on their way.
#[derive(Debug)]
pub(super) struct Course<'a> {
    /// What the steps were decided from.
    pub(super) observed: &'a Observed,
    /// The policy as the steps so far have left it.
    pub(super) policy: Arc<OperatorPolicy>,
    pub(super) report: &'a Report,
    pub(super) trail: Trail,
}

// === impl Course ===

impl<'a> Course<'a> {
    pub(super) fn new(observed: &'a Observed, report: &'a Report) -> Self {
        Self {
            observed,
            policy: observed.policy.clone(),
            report,
            trail: Trail::default(),
        }
    }

    /// A patch that fits the object only as it was seen, and as this process left it since.
    pub(super) fn patch(
        &self,
        target: &Target,
        operations: Vec<Value>,
    ) -> Result<Patch<()>, Outcome> {
        let seen = &target.resource_version;
        let sight = Sight {
            uid: &target.uid,
            version: self.trail.current(&Place::from(target).key(), seen),
        };
        Ok(Patch::Json(parse(sight.patch(operations))?))
    }

    pub(super) fn wrote(&mut self, target: &Target, object: &DynamicObject) -> Written {
        let place = Place::from(target);
        let seen = &target.resource_version;
        let before = self.trail.current(&place.key(), seen).to_owned();
        let after = version(object);
        self.trail.wrote(place.key(), seen, &after);
        Written::done(place.pending(Some(&before), after))
    }

    /// The policy was written.
    pub(super) fn rewrote(&mut self, policy: OperatorPolicy) -> Written {
        let before = self.policy.metadata.resource_version.clone();
        let metadata = policy.metadata.clone();
        let is_gone = metadata.deletion_timestamp.is_some()
            && metadata.finalizers.is_none_or(|all| all.is_empty());
        let after = match is_gone {
            true => Expected::Gone(metadata.uid.unwrap_or_default()),
            false => Expected::Version(metadata.resource_version.unwrap_or_default()),
        };
        let is_new = before.clone().map(Expected::Version).as_ref() != Some(&after);
        let pending = PendingWrite {
            kind: "OperatorPolicy".to_owned(),
            namespace: metadata.namespace,
            name: metadata.name.unwrap_or_default(),
            before,
            after,
        };
        self.policy = Arc::new(policy);
        Written {
            outcome: Outcome::Done { uid: None },
            pending: is_new.then_some(pending),
            policy: Some(self.policy.clone()),
        }
    }

    /// A manifest for the version that the object has by now, and the version that was seen.
    pub(super) fn up_to_date(&self, manifest: &Value, place: &Place) -> (Value, Option<String>) {
        let mut manifest = manifest.clone();
        let seen = manifest.pointer("/metadata/resourceVersion");
        let seen = seen.and_then(Value::as_str).map(str::to_owned);
        if let Some(seen) = &seen {
            let current = self.trail.current(&place.key(), seen);
            manifest["metadata"]["resourceVersion"] = json!(current);
        }
        (manifest, seen)
    }
}
