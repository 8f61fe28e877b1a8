//! The deadline and the readiness rules for the plans of an Operator.

use portolan_api::operator::Intent;
use portolan_api::plan::{ResourceManifest, Stored};
use portolan_core_install::{digest, opened};
use serde_json::{Value, json};

/// The deadline of a plan, and the rules that define when custom resources are ready.
pub(crate) struct Waits<'a> {
    progress_deadline_seconds: Option<u32>,
    readiness: &'a [Value],
}

impl<'a> Waits<'a> {
    pub(crate) fn of(intent: &'a Intent) -> Self {
        Self {
            progress_deadline_seconds: intent.progress_deadline_seconds,
            readiness: &intent.readiness,
        }
    }

    /// Returns a digest of these settings. Empty for default settings.
    pub(crate) fn digest(&self) -> String {
        match (self.progress_deadline_seconds, self.readiness) {
            (None, []) => String::new(),
            (seconds, rules) => digest(&json!({"seconds": seconds, "rules": rules})),
        }
    }

    /// Adds the settings to the stages of a plan. A stage gets a rule only if it contains objects
    /// of the rule's kind. In `objects`, the objects that belong to the plan must precede the plan.
    pub(crate) fn write(&self, objects: &mut [Value]) {
        let Some((plan, beside)) = objects.split_last_mut() else {
            return;
        };
        let stages = plan["spec"]["stages"].as_array_mut();
        for stage in stages.into_iter().flatten() {
            if let Some(seconds) = self.progress_deadline_seconds {
                stage["deadlineSeconds"] = seconds.into();
            }
            let rules: Vec<_> = self.rules(stage, beside);
            if !rules.is_empty() {
                stage["ready"] = rules.into();
            }
        }
    }

    /// Returns the rules for the objects of a stage.
    fn rules(&self, stage: &Value, beside: &[Value]) -> Vec<Value> {
        if self.readiness.is_empty() {
            return Vec::new();
        }
        let resources = stage["resources"].as_array().into_iter().flatten();
        let kinds: Vec<_> = resources.filter_map(|it| kind(it, beside)).collect();
        let rules = self.readiness.iter();
        let used = rules.filter(|rule| kinds.iter().any(|kind| rule["kind"] == **kind));
        used.cloned().collect()
    }
}

/// Returns the kind of a resource with its group, such as `Ship.ferry.example`. Returns None if the
/// kind is unknown.
fn kind(resource: &Value, beside: &[Value]) -> Option<String> {
    let stored = match resource.pointer("/ref/name") {
        Some(name) => Some(stored(
            beside.iter().find(|it| it["metadata"]["name"] == *name)?,
        )?),
        None => None,
    };
    let manifest = stored.as_ref().unwrap_or(&resource["manifest"]);
    let (group, _) = manifest["apiVersion"].as_str()?.split_once('/')?;
    Some(format!("{}.{group}", manifest["kind"].as_str()?))
}

/// Returns the manifest in a ResourceManifest.
fn stored(object: &Value) -> Option<Value> {
    let spec = object["spec"].clone();
    let stored = Stored::parse(&ResourceManifest::new("stored", spec.into())).ok()?;
    opened(stored.body).ok()
}

#[cfg(test)]
mod tests {
    use portolan_core_install::pack;
    use similar_asserts::assert_eq;

    use super::*;

    /// A rule in a stage without objects of the rule's kind would make the plan invalid.
    #[test]
    fn adds_readiness_rule_only_to_stages_with_its_kind() {
        let ship = json!({"apiVersion": "ferry.example/v1", "kind": "Ship"});
        let rope = json!({"apiVersion": "ferry.example/v1", "kind": "Rope"});
        let rule = |kind: &str| json!({"kind": kind, "cel": "self.status.done == true"});
        let [ships, ropes, others] = [
            "Ship.ferry.example",
            "Rope.ferry.example",
            "Other.ferry.example",
        ]
        .map(rule);
        let readiness = [ships.clone(), ropes.clone(), others];
        let waits = Waits {
            progress_deadline_seconds: Some(60),
            readiness: &readiness,
        };
        let beside = json!({
            "metadata": {"name": "stored"},
            "spec": {"digest": digest(&rope), "compressed": pack(&rope)},
        });
        let config_map = json!({"apiVersion": "v1", "kind": "ConfigMap"});
        let plan = json!({"spec": {"stages": [
            {"resources": [{"manifest": config_map}]},
            {"resources": [{"manifest": ship}, {"ref": {"name": "stored"}}]},
        ]}});
        let mut objects = [beside, plan];
        waits.write(&mut objects);
        let stages = &objects[1]["spec"]["stages"];
        assert_eq!(stages[0].get("ready"), None);
        assert_eq!(stages[1]["ready"], json!([ships, ropes]));
        assert_eq!(
            [&stages[0], &stages[1]].map(|it| it["deadlineSeconds"].clone()),
            [60, 60]
        );
    }
}
