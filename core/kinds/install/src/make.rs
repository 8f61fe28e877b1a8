//! A plan made of manifests: in which stage each of them is, what lies beside the plan, and its name.
//!
//! ```text
//! manifests -- placed in namespaces, read one by one --> Members, or all Flaws
//!    Members -- by kind --> stages -- Secrets, and what is too large, lie beside it --> spec
//!       spec -- digest of what never changes --> NAME-0b5e1c2d
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

/// The label of a plan that was made here, and of what lies beside it: the name without the digest,
/// which all versions of the plan have.
pub const PLAN_NAME: Label = Label::new("plans.portolan.dev/name");

/// The group and version of what is made.
const API_VERSION: &str = "plans.portolan.dev/v1alpha1";
/// The number of digits of the digest in the name of a plan.
const DIGITS: usize = 8;
/// The longest name that still is one with a digest behind it: labels have no more than 63 letters.
const LONGEST_NAME: usize = 63 - 1 - DIGITS;

/// The parameters with which a plan is made.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The name without the digest.
    pub name: String,
    /// The namespace of the plan. Manifests that name no namespace lie there, too, if their kind is
    /// known to be namespaced.
    pub namespace: Option<String>,
    pub service_account: String,
    pub predecessors: Predecessors,
    /// None leaves it out.
    pub on_plan_deletion: Option<Disposition>,
    /// None leaves it out.
    pub collisions: Option<Collisions>,
    /// Whether every manifest lies beside the plan, and not only those that must.
    pub is_split: bool,
    /// Set if annotations of Helm, Argo CD and kapp order the manifests.
    pub heeds_annotations: bool,
}

/// The plans whose place a plan takes that is made.
#[derive(Debug, Clone, PartialEq)]
pub enum Predecessors {
    None,
    /// Those of these names. The plan merges them if they are of different lineages.
    Named(Vec<String>),
    /// This one. If it has the same manifests, the plan is made as it is.
    Read(Box<InstallPlan>),
    /// All of the same name without the digest that are there before it, and what is left of those
    /// that are gone already: the caller need not know their names.
    OfSameName,
}

/// A plan that was made.
#[derive(Debug, Clone, PartialEq)]
pub struct Made {
    /// The ResourceManifests and Secrets that it refers to.
    pub beside: Vec<Value>,
    pub plan: Value,
}

/// Why no plan can be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The place of the manifest among all; None if it is about the plan as a whole.
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
    /// All objects, in the order in which they are to be applied.
    pub fn objects(&self) -> impl Iterator<Item = &Value> {
        self.beside.iter().chain([&self.plan])
    }
}

/// Makes a plan of manifests.
///
/// # Guarantees
/// The same manifests give the same plan, and what else never changes of it is in its name: two plans
/// of one name differ at most in `replaces` and in what may be edited.
///
/// # Errors
/// All that is wrong with the manifests and with the recipe.
pub fn make(manifests: &[Value], recipe: &Recipe) -> Result<Made, Vec<Flaw>> {
    match &recipe.predecessors {
        Predecessors::None => make_for(manifests, recipe, Occasion::Install),
        Predecessors::Named(_) => make_for(manifests, recipe, Occasion::Upgrade),
        Predecessors::OfSameName => make_for(manifests, recipe, Occasion::Either),
        Predecessors::Read(plan) => {
            // The plan that was read may be the first one, with its hooks of an installation.
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
            "there is no manifest; name files that have some",
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

/// The plan as it is applied: without a status.
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
                "{name:?} cannot be the name of a plan: it has lower-case letters, digits and hyphens \
                 alone, and no more than {LONGEST_NAME} of them, as a digest comes behind it"
            )));
        }
        let namespace = self.namespace.as_deref();
        if let Some(namespace) = namespace.filter(|it| !is_label(it) || it.len() > 63) {
            flaws.push(Flaw::of_plan(format!(
                "{namespace:?} cannot be the name of a namespace: it has lower-case letters, digits \
                 and hyphens alone"
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

    /// The name with the digest of what never changes of a plan.
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
    /// Returns the `replaces` of a plan; None leaves it out. `name` is the name without the digest,
    /// and `own` the name with it.
    fn written(&self, name: &str, own: &str) -> Result<Option<Value>, Flaw> {
        Ok(match self {
            Self::None => None,
            Self::Named(plans) if plans.iter().any(|plan| plan == own) => {
                return Err(Flaw::of_plan(format!(
                    "{own} has these manifests already, so that there is nothing to replace it by"
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
                // No plan has the bare name. As one that is gone it stands for all that are gone:
                // what they left is taken over, where labels find no plan any more.
                Some(json!([{"name": name}, {"labelSelector": labels}]))
            }
        })
    }
}

/// The first digits of a digest.
fn digits(digest: &str, count: usize) -> &str {
    let (_, digits) = digest.split_once(':').unwrap_or(("", digest));
    digits.get(..count).unwrap_or(digits)
}

/// Whether a text is a label of RFC 1123, however long.
fn is_label(text: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !text.is_empty() && text.chars().all(is_inner) && !text.starts_with('-') && !text.ends_with('-')
}
