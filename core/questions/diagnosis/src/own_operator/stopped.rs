//! Explains the effects of an Operator whose Pods do not run, and finds settings that refer to
//! missing objects.

use portolan_api::operator::Operator;
use portolan_core_names::text::{cite, listed};
use serde_json::{Value, json};

use super::OperatorCase;
use crate::code::Matter;
use crate::command::create;
use crate::cure::Cure;
use crate::rollout::TYPED;
use crate::{Cause, Code, Object, Procedure, State};

/// A variable in `spec.config.env` of an Operator that refers to a Secret or a ConfigMap.
struct Variable<'a> {
    /// The index in the list.
    at: usize,
    name: &'a str,
    /// The key in the Secret or ConfigMap.
    key: &'a str,
}

impl OperatorCase<'_> {
    /// Returns a sentence about the custom resources if no Pod of the installed version runs. Empty
    /// if a Pod runs, or if the workloads were not read.
    pub(super) fn effect(self, causes: &[Cause]) -> String {
        let is_stopped = causes
            .iter()
            .any(|cause| cause.state == State::Broken && cause.code.matter() == Matter::Workload);
        let kinds = self.kinds();
        if !is_stopped || kinds.is_empty() || self.has_ready_pod() {
            return String::new();
        }
        format!(
            "Meanwhile, its custom resources ({}) remain, but changes to them have no effect, and \
             failures are not repaired. It is unknown if the workloads that it has created before \
             still run.",
            listed(kinds.iter().map(|kind| cite(kind)))
        )
    }

    /// Returns true if a workload of the installed version has a ready Pod, or if no workload was
    /// read.
    fn has_ready_pod(self) -> bool {
        let plan = self.plan(Code::MembersNotReady);
        let status = plan.and_then(|plan| plan.status.as_ref());
        let lineages: Vec<_> = status.iter().flat_map(|it| it.lineages()).collect();
        let all = self.workloads.all.iter();
        let own: Vec<_> = all
            .filter(|it| lineages.iter().any(|lineage| **lineage == it.lineage))
            .collect();
        own.is_empty() || own.iter().any(|it| it.ready > 0)
    }

    /// Returns the kinds of the CRDs in the plan of the installed version.
    fn kinds(self) -> Vec<String> {
        let Some(plan) = self.plan(Code::MembersNotReady) else {
            return Vec::new();
        };
        let spec = plan.spec.as_json();
        let stages = items(&spec["stages"]);
        let resources = stages.flat_map(|stage| items(&stage["resources"]));
        let manifests = resources.map(|resource| &resource["manifest"]);
        let crds = manifests.filter(|it| it["kind"] == "CustomResourceDefinition");
        let kinds = crds.filter_map(|crd| crd["spec"]["names"]["kind"].as_str());
        kinds.map(str::to_owned).collect()
    }

    /// If the cause is a missing Secret or ConfigMap, adds the variables in `spec.config.env` that
    /// refer to it. Does not change other causes.
    pub(super) fn configured(self, cause: Cause) -> Cause {
        let object = &cause.at_fault;
        let variables = variables(self.operator, &object.kind, &object.name);
        let is_missing = cause.code == Code::ContainerNotCreated && cause.is_at_fault_missing();
        if variables.is_empty() || !is_missing {
            return cause;
        }
        let mut keys: Vec<_> = variables.iter().map(|it| cite(it.key)).collect();
        keys.sort();
        keys.dedup();
        let noun = if keys.len() == 1 { "key" } else { "keys" };
        let action = format!(
            "Create {object} with the {noun} {}, to which spec.config.env of Operator {} refers. Kubernetes \
             then starts the container by itself.",
            listed(keys.clone()),
            self.name
        );
        let creation = creation(object, &keys);
        let names = listed(variables.iter().map(|it| cite(it.name)));
        let (noun, them) = if variables.len() == 1 {
            ("variable", "it")
        } else {
            ("variables", "them")
        };
        let title = format!(
            "If the operator does not need {noun} {names}, remove {them} from spec.config.env of \
             Operator {}.",
            self.name
        );
        let without = self.without(&variables, &title);
        let who = cause.responsible.who.clone();
        cause.cured(Cure::advised(&who, &action, vec![creation, without]))
    }

    /// Returns the change that removes these variables. Each removal fails if the variable has moved
    /// in the list since it was read. Only a cluster administrator can change an Operator.
    fn without(self, variables: &[Variable<'_>], title: &str) -> Procedure {
        let removals = variables.iter().rev().flat_map(|variable| {
            let path = format!("/spec/config/env/{}", variable.at);
            let name = format!("{path}/name");
            [
                json!({"op": "test", "path": name, "value": variable.name}),
                json!({"op": "remove", "path": path}),
            ]
        });
        let patch = removals.collect();
        let risk = "The operator then runs without these settings.";
        Procedure::command(title, self.target().patch(&patch), risk)
    }
}

/// Returns the command that creates a Secret or ConfigMap with these keys. A person inserts the
/// values.
fn creation(object: &Object, keys: &[String]) -> Procedure {
    let what = if object.kind == "Secret" {
        "secret generic"
    } else {
        "configmap"
    };
    let values = keys.iter().map(|key| format!("--from-literal={key}=VALUE"));
    let each = if keys.len() == 1 {
        "VALUE"
    } else {
        "each VALUE"
    };
    let title = format!("Create {object}. Replace {each} with the right value.");
    Procedure::command(&title, create(what, object, values), TYPED)
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// Returns the variables of the Operator that refer to this Secret or ConfigMap.
fn variables<'a>(operator: &'a Operator, kind: &str, name: &str) -> Vec<Variable<'a>> {
    let field = match kind {
        "Secret" => "secretKeyRef",
        "ConfigMap" => "configMapKeyRef",
        _ => return Vec::new(),
    };
    let all = items(&operator.spec.as_json()["config"]["env"]);
    let referring = all.enumerate().filter_map(|(at, variable)| {
        let reference = &variable["valueFrom"][field];
        let is_meant = reference["name"] == *name;
        is_meant.then_some(Variable {
            at,
            name: variable["name"].as_str()?,
            key: reference["key"].as_str()?,
        })
    });
    referring.collect()
}
