//! Translates the annotations with which Helm, Argo CD and kapp order and keep objects to settings
//! of a plan.
//!
//! ```text
//! Namespaces, CRDs -> hooks before -> the rest, by waves or by kapp's rules -> hooks after
//! ```

mod hooks;

use portolan_api::plan::Disposition;
use serde_json::{Map, Value, json};

use super::kinds::MadeStage;
use super::reading::Reading;
use crate::manifest::Member;
use crate::object::text;
use hooks::hook;

const HELM_HOOK: &str = "helm.sh/hook";
const HELM_WEIGHT: &str = "helm.sh/hook-weight";
const HELM_POLICY: &str = "helm.sh/resource-policy";
const ARGO_HOOK: &str = "argocd.argoproj.io/hook";
const ARGO_WAVE: &str = "argocd.argoproj.io/sync-wave";
const ARGO_OPTIONS: &str = "argocd.argoproj.io/sync-options";
const KAPP_STRATEGY: &str = "kapp.k14s.io/delete-strategy";
/// The annotations of hooks whose objects are deleted, each with the values that request the
/// deletion.
const DELETE_POLICIES: [(&str, &[&str]); 2] = [
    (
        "helm.sh/hook-delete-policy",
        &["hook-succeeded", "hook-failed"],
    ),
    (
        "argocd.argoproj.io/hook-delete-policy",
        &["HookSucceeded", "HookFailed"],
    ),
];
/// The prefixes of annotations that define an order which plans do not support.
const HELM_ORDERS: [&str; 2] = ["helm.sh/depends-on", "helm.sh/resource-group"];

const PRUNE_SAFE: &str = "is made with --prune-safe can be an installation or an upgrade";

/// The position of a manifest in the order of stages. Manifests with the same position are sorted
/// by their kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    pub(super) phase: Phase,
    /// The weight of a Helm hook, or the sync wave of Argo CD.
    pub(super) weight: i64,
    /// The number of steps that kapp's rules put before this manifest.
    pub(super) step: usize,
}

/// The phase in which a manifest is applied, relative to the objects without annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Namespaces and CRDs. They have no annotations that set their position.
    Definitions,
    Before,
    Main,
    After,
}

/// The settings of a manifest in a plan, as its annotations require.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ordered {
    pub(super) turn: Turn,
    /// True if the manifest becomes a Job that the plan runs between stages.
    pub(super) is_hook_job: bool,
    on_removal: Option<Disposition>,
    on_plan_deletion: Option<Disposition>,
}

impl Turn {
    /// Returns true if no annotation sets the position of the manifest.
    pub(super) fn is_usual(self) -> bool {
        let Self {
            phase,
            weight,
            step,
        } = self;
        matches!(phase, Phase::Definitions | Phase::Main) && weight == 0 && step == 0
    }

    /// Returns the start of the stage name for this position. Empty for the default position.
    pub(super) fn prefix(self) -> String {
        let phase = match self.phase {
            Phase::Definitions | Phase::Main => None,
            Phase::Before => Some("before".to_owned()),
            Phase::After => Some("after".to_owned()),
        };
        let number = match self.weight {
            0 => None,
            weight if weight < 0 => Some(format!("minus-{}", weight.unsigned_abs())),
            weight => Some(weight.to_string()),
        };
        let wave = (phase.is_none() && number.is_some()).then(|| "wave".to_owned());
        let step = (self.step > 0).then(|| format!("step-{}", self.step));
        let parts = [phase, wave, number, step].into_iter().flatten();
        parts.map(|part| part + "-").collect()
    }
}

impl Ordered {
    /// Returns the position of a manifest whose annotations set no position.
    pub(super) fn by_kind(stage: MadeStage) -> Self {
        let phase = match stage {
            MadeStage::Definitions => Phase::Definitions,
            MadeStage::Settings
            | MadeStage::Workloads
            | MadeStage::Registrations
            | MadeStage::CustomResources => Phase::Main,
        };
        Self {
            turn: Turn {
                phase,
                weight: 0,
                step: 0,
            },
            is_hook_job: false,
            on_removal: None,
            on_plan_deletion: None,
        }
    }

    /// Reads the annotations of a manifest.
    ///
    /// # Errors
    ///
    /// Returns a sentence for each annotation that plans do not support. The name of the object
    /// precedes the sentence.
    pub(super) fn read(member: &Member, reading: &Reading<'_>) -> Result<Self, Vec<String>> {
        let mut ordered = Self::by_kind(reading.brought.stage(&member.identity.kind));
        let mut flaws = unordered(&member.manifest);
        match weight(&member.manifest) {
            Ok(0) => {}
            Ok(weight) => ordered.weigh(weight),
            Err(flaw) => flaws.push(flaw),
        }
        match hook(&member.manifest, reading.occasion) {
            Ok(None) => {}
            Ok(Some(phase)) => {
                ordered.is_hook_job = member.identity.kind.is("batch", "Job");
                flaws.extend(unfit(member, reading));
                if phase != Phase::Main {
                    ordered.turn.phase = phase;
                    // Helm and Argo CD keep the objects that a hook needs, so the plan keeps them
                    // too.
                    ordered.on_removal = Some(Disposition::Keep);
                    ordered.on_plan_deletion = Some(Disposition::Keep);
                }
            }
            Err(flaw) => flaws.push(flaw),
        }
        ordered.keep(&member.manifest);
        if flaws.is_empty() {
            Ok(ordered)
        } else {
            Err(flaws)
        }
    }

    /// Returns true if an annotation of Helm or Argo CD sets the position.
    pub(super) fn is_elsewhere(&self) -> bool {
        self.is_hook_job || !self.turn.is_usual()
    }

    /// Moves the manifest to this step of kapp's rules.
    pub(super) fn comes_in(&mut self, step: usize) {
        self.turn.step = step;
        if step > 0 {
            self.turn.phase = Phase::Main;
        }
    }

    fn weigh(&mut self, weight: i64) {
        self.turn.weight = weight;
        self.turn.phase = Phase::Main;
    }

    fn keep(&mut self, manifest: &Value) {
        let says = |key, word: &str| words(manifest, key).any(|said| said == word);
        let is_kept = says(HELM_POLICY, "keep") || says(KAPP_STRATEGY, "orphan");
        let option = |name: &str| {
            ["false", "confirm"]
                .iter()
                .any(|value| says(ARGO_OPTIONS, &format!("{name}={value}")))
        };
        if is_kept || option("Prune") {
            self.on_removal = Some(Disposition::Keep);
        }
        if is_kept || option("Delete") {
            self.on_plan_deletion = Some(Disposition::Keep);
        }
    }

    /// Returns the lifecycle of the resource in the plan. Null for the default lifecycle.
    pub(super) fn lifecycle(&self) -> Value {
        let kept = [
            ("onRemoval", self.on_removal),
            ("onPlanDeletion", self.on_plan_deletion),
        ];
        let kept = kept.into_iter().filter(|(_, said)| said.is_some());
        let kept: Map<_, _> = kept
            .map(|(key, _)| (key.to_owned(), json!("Keep")))
            .collect();
        if kept.is_empty() {
            Value::Null
        } else {
            kept.into()
        }
    }
}

fn annotation<'m>(manifest: &'m Value, key: &str) -> Option<&'m str> {
    manifest
        .pointer("/metadata/annotations")?
        .get(key)?
        .as_str()
}

/// Returns the comma-separated values of an annotation. Empty if it is missing.
fn words<'m>(manifest: &'m Value, key: &str) -> impl Iterator<Item = &'m str> {
    let said = annotation(manifest, key).unwrap_or_default();
    said.split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// Returns a sentence for each annotation that defines an unsupported order.
fn unordered(manifest: &Value) -> Vec<String> {
    let annotations = manifest
        .pointer("/metadata/annotations")
        .and_then(Value::as_object);
    let keys = annotations.into_iter().flat_map(Map::keys);
    let keys = keys.filter(|key| HELM_ORDERS.iter().any(|start| key.starts_with(start)));
    let flaws = keys.map(|key| {
        format!(
            "has the annotation {key}, which a plan cannot represent; write {ARGO_WAVE} \
                 instead"
        )
    });
    flaws.collect()
}

fn weight(manifest: &Value) -> Result<i64, String> {
    let weights = [ARGO_WAVE, HELM_WEIGHT].into_iter();
    let mut weights = weights.filter_map(|key| Some((key, annotation(manifest, key)?)));
    let Some((key, said)) = weights.next() else {
        return Ok(0);
    };
    let weight = said.trim().parse::<i32>().map(i64::from);
    weight.map_err(|_| format!("has the annotation {key}: {said:?}; write an integer"))
}

/// Returns the reasons why a hook cannot become part of a plan. Empty if it can.
fn unfit(member: &Member, reading: &Reading<'_>) -> Vec<String> {
    let kind = &member.identity.kind;
    if kind.is("batch", "Job") {
        return unfit_job(member, reading);
    }
    let mut flaws = Vec::new();
    if !reading.brought.is_setting(kind) {
        flaws.push(format!(
            "is a hook of the kind {kind}, but only Jobs can be hooks of a plan; convert the \
             object to a Job, or remove the hook annotation"
        ));
    }
    for (key, deleting) in DELETE_POLICIES {
        if words(&member.manifest, key).any(|word| deleting.contains(&word)) {
            let said = annotation(&member.manifest, key).unwrap_or_default();
            flaws.push(format!(
                "has the annotation {key}: {said}, but a plan deletes no object when a Job ends; \
                 remove the annotation to keep the object"
            ));
        }
    }
    flaws
}

/// Returns the reasons why a hook cannot become a Job of the plan. Empty if it can. The Jobs of a
/// plan run in its namespace and as its ServiceAccount.
fn unfit_job(member: &Member, reading: &Reading<'_>) -> Vec<String> {
    let recipe = reading.recipe;
    let mut flaws = Vec::new();
    let namespace = member.identity.namespace.as_deref().unwrap_or_default();
    if recipe.namespace.as_deref() != Some(namespace) {
        flaws.push(format!(
            "is a hook in the namespace {namespace}, but the Jobs of a plan run in the namespace \
             of the plan; set the namespace {namespace} with -n, or leave the object out"
        ));
    }
    let account = text(&member.manifest, "/spec/template/spec/serviceAccountName");
    let own = &recipe.service_account;
    if !account.is_empty() && account != own {
        flaws.push(format!(
            "is a hook that runs as the ServiceAccount {account}, but the Jobs of a plan run as \
             the ServiceAccount of the plan, {own}; remove spec.template.spec.serviceAccountName, \
             or leave the object out"
        ));
    }
    flaws
}

/// Converts a hook to a Job of a stage. The TTL is removed, because the Job is deleted together
/// with the plan.
pub(super) fn job(member: &Member) -> Value {
    let metadata = |key: &str| member.manifest.pointer(&format!("/metadata/{key}"));
    let mut template = json!({"spec": member.manifest["spec"]});
    if let Some(spec) = template["spec"].as_object_mut() {
        spec.remove("ttlSecondsAfterFinished");
    }
    for key in ["annotations", "labels"] {
        if let Some(said) = metadata(key) {
            template["metadata"][key] = said.clone();
        }
    }
    json!({"name": member.identity.name, "template": template})
}
