//! Makes a plan from manifests. This includes its stages, its name, and the objects that store
//! manifests beside the plan.
//!
//! ```text
//! manifests -- placed in namespaces, read one by one --> Members, or all Flaws
//!    Members -- by kind --> stages -- Secrets and large manifests are stored beside it --> spec
//!       spec -- digest of the immutable fields --> NAME-0b5e1c2d
//! ```

mod annotations;
mod kapp;
mod kinds;
mod reading;
mod stages;
mod stored;

use std::collections::BTreeSet;

use portolan_api::plan::{Collisions, Disposition, InstallPlan, Intent};
use portolan_core_olm::Label;
use serde_json::{Map, Value, json};

use crate::manifest::digest;
use kinds::Brought;
use reading::{Occasion, Reading};
use stages::stages;
use stored::Store;

pub use stored::description;

/// The label of a plan that `plan make` created, and of the objects that store its manifests. The
/// value is the plan name without the digest. It is the same for all versions of the plan.
pub const PLAN_NAME: Label = Label::new("plans.portolan.dev/name");

/// The group and version of the objects that `plan make` creates.
const API_VERSION: &str = "plans.portolan.dev/v1alpha1";
/// The number of digits of the digest in a plan name.
const DIGITS: usize = 8;
/// The maximum length of a name without the digest, so that the name with its digest fits in a
/// label.
const LONGEST_NAME: usize = 63 - 1 - DIGITS;

/// The settings for a new plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The plan name without the digest.
    pub name: String,
    /// The namespace of the plan. Also used for manifests without a namespace, if their kind is
    /// known to be namespaced.
    pub namespace: Option<String>,
    pub service_account: String,
    pub predecessors: Predecessors,
    /// The `onPlanDeletion` of the plan. None omits the field.
    pub on_plan_deletion: Option<Disposition>,
    /// The `collisions` of the plan. None omits the field.
    pub collisions: Option<Collisions>,
    /// True to store every manifest beside the plan. False to store only manifests beside the plan
    /// that cannot be part of it.
    pub is_split: bool,
    /// True if the annotations of Helm, Argo CD and kapp determine the order of manifests.
    pub heeds_annotations: bool,
}

/// The plans that the new plan replaces.
#[derive(Debug, Clone, PartialEq)]
pub enum Predecessors {
    None,
    /// The plans with these names. If they belong to several lineages, the new plan merges the
    /// lineages.
    Named(Vec<String>),
    /// This plan. If the manifests are unchanged, the result is the same plan.
    Read(Box<InstallPlan>),
    /// The existing and deleted plans whose names without the digest equal the name of the new
    /// plan. The caller does not need to know their full names.
    OfSameName,
}

/// A new plan, with the objects that store its manifests beside it.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The ResourceManifests and Secrets that store manifests of the plan.
    pub beside: Vec<Value>,
    pub plan: Value,
}

/// A reason why a plan cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The index of the manifest with the flaw. None if the flaw is about the whole plan.
    pub manifest: Option<usize>,
    pub sentence: String,
}

impl Flaw {
    fn of_plan(sentence: impl Into<String>) -> Self {
        Self {
            manifest: None,
            sentence: sentence.into(),
        }
    }
}

impl Made {
    /// Returns the plan and the objects beside it, in the order in which they must be applied.
    pub fn objects(&self) -> impl Iterator<Item = &Value> {
        self.beside.iter().chain([&self.plan])
    }
}

/// Makes a plan from manifests.
///
/// # Guarantees
///
/// The same manifests give the same plan. The plan name contains a digest of the immutable fields.
/// `replaces` is not part of the digest. Two plans with the same name therefore differ only in
/// `replaces` and in editable fields.
///
/// # Errors
///
/// Returns all flaws of the manifests and of the recipe.
pub fn make(manifests: &[Value], recipe: &Recipe) -> Result<Made, Vec<Flaw>> {
    match &recipe.predecessors {
        Predecessors::None => make_for(manifests, recipe, Occasion::Install),
        Predecessors::Named(_) => make_for(manifests, recipe, Occasion::Upgrade),
        Predecessors::OfSameName => make_for(manifests, recipe, Occasion::Either),
        Predecessors::Read(plan) => {
            // The previous plan may be the first version, which also contains install hooks.
            let name = json!(plan.metadata.name);
            let first = make_for(manifests, recipe, Occasion::Install);
            match first {
                Ok(made) if made.plan["metadata"]["name"] == name => Ok(made),
                Ok(_) | Err(_) => make_for(manifests, recipe, Occasion::Upgrade),
            }
        }
    }
}

fn make_for(manifests: &[Value], recipe: &Recipe, occasion: Occasion) -> Result<Made, Vec<Flaw>> {
    let mut flaws = recipe.flaws();
    let brought = Brought::by(manifests);
    let reading = Reading {
        recipe,
        brought: &brought,
        occasion,
    };
    let read = reading.all(manifests, &mut flaws);
    if manifests.is_empty() {
        flaws.push(Flaw::of_plan(
            "no manifests found; name files that contain manifests",
        ));
    }
    if !flaws.is_empty() {
        return Err(flaws);
    }
    let mut store = Store::of(recipe);
    let stages = stages(&read, &brought, &mut store).map_err(|flaw| vec![flaw])?;
    let plan = recipe.plan(stages).map_err(|flaw| vec![flaw])?;
    let intent = Intent::parse(&plan);
    intent.map_err(|refusals| vec![Flaw::of_plan(refusals.to_string())])?;
    let plan = object(&plan);
    if let Some(flaw) = stored::too_large(&plan) {
        return Err(vec![flaw]);
    }
    Ok(Made {
        beside: store.into_objects(),
        plan,
    })
}

/// Returns the manifest of the plan without its status.
fn object(plan: &InstallPlan) -> Value {
    let mut object = json!(plan);
    if let Some(fields) = object.as_object_mut() {
        fields.remove("status");
    }
    object
}

impl Recipe {
    fn flaws(&self) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        let name = &self.name;
        if !is_label(name) || name.len() > LONGEST_NAME {
            flaws.push(Flaw::of_plan(format!(
                "{name:?} cannot be the name of a plan: a name has at most {LONGEST_NAME} \
                 lower-case letters, digits and hyphens, because Portolan appends a digest to the \
                 name"
            )));
        }
        let namespace = self.namespace.as_deref();
        if let Some(namespace) = namespace.filter(|it| !is_label(it) || it.len() > 63) {
            flaws.push(Flaw::of_plan(format!(
                "{namespace:?} cannot be the name of a namespace: it can contain only lower-case \
                 letters, digits and hyphens"
            )));
        }
        flaws
    }

    fn plan(&self, stages: Vec<Value>) -> Result<InstallPlan, Flaw> {
        let mut spec = Map::new();
        spec.insert("serviceAccountName".into(), json!(self.service_account));
        spec.insert("stages".into(), stages.into());
        let name = self.named(&spec.clone().into());
        if let Some(replaces) = self.predecessors.written(&self.name, &name)? {
            spec.insert("replaces".into(), replaces);
        }
        if let Some(disposition) = self.on_plan_deletion {
            let word = match disposition {
                Disposition::Keep => "Keep",
                Disposition::Delete => "Delete",
            };
            spec.insert("lifecycle".into(), json!({"onPlanDeletion": word}));
        }
        if let Some(collisions) = self.collisions {
            let word = match collisions {
                Collisions::Refuse => "Refuse",
                Collisions::IfUnowned => "IfUnowned",
                Collisions::Adopt => "Adopt",
            };
            spec.insert("collisions".into(), json!(word));
        }
        let mut plan = InstallPlan::new(&name, Value::from(spec).into());
        plan.metadata.namespace.clone_from(&self.namespace);
        plan.metadata.labels = Some([(PLAN_NAME.name().to_owned(), self.name.clone())].into());
        Ok(plan)
    }

    /// Returns the name with the digest of the plan's immutable fields.
    fn named(&self, fixed: &Value) -> String {
        format!("{}-{}", self.name, digits(&digest(fixed), DIGITS))
    }

    fn metadata(&self, name: &str) -> Value {
        let mut metadata = json!({"name": name, "labels": {(PLAN_NAME.name()): self.name}});
        if let Some(namespace) = &self.namespace {
            metadata["namespace"] = json!(namespace);
        }
        metadata
    }
}

impl Predecessors {
    /// Returns the value of `replaces`, or None to omit the field. `name` is the plan name without
    /// the digest, and `own` is the full name.
    fn written(&self, name: &str, own: &str) -> Result<Option<Value>, Flaw> {
        Ok(match self {
            Self::None => None,
            Self::Named(plans) if plans.iter().any(|plan| plan == own) => {
                return Err(Flaw::of_plan(format!(
                    "{own} already contains these manifests, so no new plan is needed"
                )));
            }
            Self::Named(plans) => {
                let names: BTreeSet<_> = plans.iter().collect();
                let names = names.into_iter().map(|plan| json!({"name": plan}));
                Some(names.collect())
            }
            Self::Read(plan) => match plan.metadata.name.as_deref() {
                Some(before) if before != own => Some(json!([{"name": before}])),
                Some(_) | None => plan.spec.as_json().get("replaces").cloned(),
            },
            Self::OfSameName => {
                let labels = json!({"matchLabels": {(PLAN_NAME.name()): name}});
                // All names of plans contain a digest. A name without a digest in `replaces`
                // selects the objects that deleted plans with this name have left. The label
                // selector no longer finds deleted plans.
                Some(json!([{"name": name}, {"labelSelector": labels}]))
            }
        })
    }
}

/// Returns the first digits of a digest.
fn digits(digest: &str, count: usize) -> &str {
    let (_, digits) = digest.split_once(':').unwrap_or(("", digest));
    digits.get(..count).unwrap_or(digits)
}

/// Returns true if the text is a label according to RFC 1123, but of any length.
fn is_label(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}
