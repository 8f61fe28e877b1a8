//! Parses the spec of an InstallPlan.

mod ready;
mod transformation;

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::LabelSelector;
use serde_json::{Map, Value};

use super::InstallPlan;
use crate::place::ManifestPlace;
use crate::refusal::{Refusal, Refusals};
use crate::selector::{is_empty_selector, is_match, parse_selector};
use crate::words::Words;
pub(crate) use ready::rules as ready_rules;
use transformation::transformations;

pub use ready::ReadyRule;
pub(super) use ready::{LONGEST_KIND, LONGEST_RULE, MOST_RULES};
pub(super) use transformation::{
    ALL_OBJECTS, MOMENTS, MOST_TAKEN, MOST_TRANSFORMATIONS, ONE_SCOPE, ONE_SELECTION,
};
pub use transformation::{Moment, Selection, Selector, Target, Transformation};

const SPEC_FIELDS: &[&str] = &[
    "abandonAfterSeconds",
    "collisions",
    "lifecycle",
    "replaces",
    "serviceAccountName",
    "stages",
    "suspend",
    "transformations",
];
const LIFECYCLE_FIELDS: &[&str] = &["onDeletion", "onDrift", "onFound", "onPlanDeletion"];
const REPLACES_FIELDS: &[&str] = &["labelSelector", "name"];
const STAGE_FIELDS: &[&str] = &[
    "deadlineSeconds",
    "jobs",
    "name",
    "order",
    "ready",
    "resources",
    "waitFor",
];
const JOB_FIELDS: &[&str] = &["name", "retries", "template"];
const RESOURCE_FIELDS: &[&str] = &["lifecycle", "manifest", "ref"];
const EXCEPTION_FIELDS: &[&str] = &[
    "ignore",
    "onDeletion",
    "onDrift",
    "onImmutable",
    "onPlanDeletion",
    "onRemoval",
];
const REF_FIELDS: &[&str] = &["name", "secret"];

pub(super) const FOUND: &Words<OnFound> = &[("Keep", OnFound::Keep), ("Own", OnFound::Own)];
pub(super) const COLLISIONS: &Words<Collisions> = &[
    ("Refuse", Collisions::Refuse),
    ("IfUnowned", Collisions::IfUnowned),
    ("Adopt", Collisions::Adopt),
];
pub(super) const DISPOSITIONS: &Words<Disposition> =
    &[("Keep", Disposition::Keep), ("Delete", Disposition::Delete)];
pub(super) const DRIFTS: &Words<OnDrift> = &[
    ("Report", OnDrift::Report),
    ("Revert", OnDrift::Revert),
    ("Seal", OnDrift::Seal),
];
pub(super) const DELETIONS: &Words<OnDeletion> = &[
    ("Report", OnDeletion::Report),
    ("Recreate", OnDeletion::Recreate),
];
pub(super) const IMMUTABLES: &Words<OnImmutable> = &[
    ("Fail", OnImmutable::Fail),
    ("Recreate", OnImmutable::Recreate),
];
pub(super) const ORDERS: &Words<Order> = &[("InOrder", Order::InOrder), ("Any", Order::Any)];
pub(super) const WAITS: &Words<WaitFor> =
    &[("Applied", WaitFor::Applied), ("Ready", WaitFor::Ready)];

/// The maximum number of stages of a plan.
pub(super) const MOST_STAGES: usize = 100;
/// The maximum number of entries of `replaces`.
pub const MOST_REPLACES: usize = 20;
/// The maximum number of resources in all stages of a plan.
pub(super) const MOST_RESOURCES: usize = 10_000;
/// The maximum number of Jobs in a stage.
pub(super) const MOST_JOBS: usize = 20;
/// The maximum number of retries of a failed Job.
pub(super) const MOST_RETRIES: u32 = 100;
/// The maximum number of fields in `ignore` of a resource.
pub(super) const MOST_IGNORED: usize = 50;
/// The maximum length of a JSON pointer to an ignored field.
pub(super) const LONGEST_POINTER: usize = 500;
/// The default deadline of a stage, in seconds.
const DEADLINE: u32 = 600;

/// The error message for a resource, or for its `ref`, that has both of two exclusive fields.
pub(super) const BOTH_SOURCES: &str = "has both a manifest and a ref; remove one of the two fields";
pub(super) const NO_SOURCE: &str = "has neither a manifest nor a ref; write one of the two fields";
/// The error message for a stage without resources and Jobs.
pub(super) const NO_RESOURCES: &str =
    "is empty; write at least one resource or Job, or remove the stage";
pub(super) const ALL_PLANS: &str = "selects all plans; write matchLabels or matchExpressions";
pub(super) const ONE_PREDECESSOR: &str =
    "must have either the name of an InstallPlan or a labelSelector";
const NO_POINTER: &str = "must be a JSON pointer to a field of the object, such as /spec/replicas";
pub(super) const ONE_REF: &str = "must have either the name of a ResourceManifest or a secret";

/// The parsed spec of an InstallPlan. The manifests in it are not parsed.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// The ServiceAccount that performs all operations. It is in the namespace of the plan.
    pub service_account: String,
    /// True if the controller must not write any objects at present.
    pub is_suspended: bool,
    pub collisions: Collisions,
    /// The default action on the objects of the plan when the plan is deleted.
    pub on_plan_deletion: Disposition,
    /// The default action on an object that another client changed.
    pub on_drift: OnDrift,
    /// The default action on an object that another client deleted.
    pub on_deletion: OnDeletion,
    /// The action on objects that existed before the plan.
    pub on_found: OnFound,
    /// The time to wait for a blocked deletion, in seconds. None if the time is unlimited.
    pub abandon_after_seconds: Option<u32>,
    /// The plans that this plan replaces.
    pub replaces: Vec<Replaces>,
    /// The stages in order. There is at least one stage. Their names are unique.
    pub stages: Vec<Stage>,
    /// The existing objects that are replaced by objects of the plan.
    pub transformations: Vec<Transformation>,
}

/// A plan that another plan in its namespace replaces.
#[derive(Debug, Clone, PartialEq)]
pub enum Replaces {
    /// The plan with this name.
    Name(String),
    /// The older plans that this selector selects. It has at least one requirement.
    Labels(LabelSelector),
}

/// A stage: resources that are applied before the next stage starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Stage {
    /// The name, which is a label as defined in RFC 1123.
    pub name: String,
    pub order: Order,
    /// The resources. There is at least one, unless the stage has Jobs.
    pub resources: Vec<Resource>,
    pub wait_for: WaitFor,
    /// The readiness rules for custom resources. Each kind has at most one rule.
    pub ready: Vec<ReadyRule>,
    /// The Jobs that run before the next stage starts. They run after the resources meet the
    /// `waitFor` requirement. Their names are unique.
    pub jobs: Vec<Job>,
    /// The time in seconds after which the stage is reported as stuck. The stage continues even
    /// then.
    pub deadline_seconds: u32,
}

/// One resource of a stage: a manifest and its options.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    pub source: Source,
    pub lifecycle: Lifecycle,
}

/// A Job that runs after the resources of its stage.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The name, which is a label as defined in RFC 1123.
    pub name: String,
    /// The metadata and spec of the Job.
    pub template: Map<String, Value>,
    /// The number of times that a failed Job is retried.
    pub retries: u32,
}

/// The lifecycle settings of a resource. They override the settings of its plan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Lifecycle {
    /// The action when the plan is deleted. If None, the setting of the plan applies.
    pub on_plan_deletion: Option<Disposition>,
    /// The action when a later plan does not contain the object. If None, the default of its kind
    /// applies.
    pub on_removal: Option<Disposition>,
    /// The action when another client changes the object. If None, the setting of the plan applies.
    pub on_drift: Option<OnDrift>,
    /// The action when another client deletes the object. If None, the setting of the plan applies.
    pub on_deletion: Option<OnDeletion>,
    /// The action when an immutable field must change.
    pub on_immutable: OnImmutable,
    /// JSON pointers to the fields that other clients may change.
    pub ignore: Vec<String>,
}

/// The source of a resource's manifest.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// The plan contains the manifest.
    Inline(Value),
    /// The manifest is in this ResourceManifest in the namespace of the plan.
    ResourceManifest(String),
    /// The manifest is in this Secret in the namespace of the plan.
    Secret(String),
}

/// Determines the order in which the resources of a stage are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// One resource after another, in the order of the list.
    InOrder,
    /// In parallel, except resources that depend on other resources.
    Any,
}

/// The requirement that all resources of a stage must meet before the next stage starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitFor {
    /// Every resource is applied.
    Applied,
    /// Every resource is also ready.
    Ready,
}

/// The action on an object that a plan no longer needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Disposition {
    /// The object is kept and no longer belongs to the plan.
    Keep,
    /// The object is deleted.
    Delete,
}

/// The action on an object if another client changed fields that the plan applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDrift {
    /// The change is only reported.
    Report,
    /// The object is applied again.
    Revert,
    /// The object is applied again, and fields that other clients added are removed.
    Seal,
}

/// The action on an object that another client deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDeletion {
    /// The deletion is only reported.
    Report,
    /// The object is created again.
    Recreate,
}

/// The action on an object if an immutable field must change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnImmutable {
    /// The problem is reported, and the object is unchanged.
    #[default]
    Fail,
    /// The object is deleted and created again.
    Recreate,
}

/// The action on an existing object that no plan of the lineage has applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collisions {
    /// The object is not changed, and the plan waits.
    Refuse,
    /// The object is adopted if it has no other owner.
    IfUnowned,
    /// The object is adopted.
    Adopt,
}

/// The action on an object that existed before the plan, when the plan or a later plan no longer
/// contains it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFound {
    /// The object is kept.
    Keep,
    /// The object is handled as if the plan had created it. This applies after the whole plan was
    /// applied.
    Own,
}

impl Intent {
    /// Parses a plan. No other code parses its spec.
    ///
    /// # Errors
    /// Returns all errors of the spec at once.
    pub fn parse(plan: &InstallPlan) -> Result<Self, Refusals> {
        let spec = ManifestPlace::new("spec", plan.spec.as_json());
        let mut refused = Vec::new();
        let draft = draft(&spec, &mut refused);
        let own = plan.metadata.name.as_deref().unwrap_or_default();
        refuse_itself(own, draft.as_ref(), &spec, &mut refused);
        Refusals::unless(refused, draft)
    }
}

/// Parses the spec. Returns None only if a field is invalid.
fn draft(spec: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Intent> {
    spec.require("write the manifests to apply", refused);
    spec.only(SPEC_FIELDS, refused)?;
    let account = spec.field("serviceAccountName");
    account.require(
        "write the ServiceAccount that applies the manifests",
        refused,
    );
    let service_account = account.subdomain("a ServiceAccount", refused);
    let is_suspended = spec.field("suspend").flag(refused);
    let collisions = spec.field("collisions").word(COLLISIONS, refused);
    let lifecycle = spec.field("lifecycle");
    lifecycle.only(LIFECYCLE_FIELDS, refused);
    let on_plan_deletion = lifecycle
        .field("onPlanDeletion")
        .word(DISPOSITIONS, refused);
    let on_drift = lifecycle.field("onDrift").word(DRIFTS, refused);
    let on_deletion = lifecycle.field("onDeletion").word(DELETIONS, refused);
    let on_found = lifecycle.field("onFound").word(FOUND, refused);
    let abandon_after_seconds = spec.field("abandonAfterSeconds").count(refused);
    let replaces = replaces(&spec.field("replaces"), refused);
    let stages = stages(&spec.field("stages"), refused);
    let transformations = transformations(&spec.field("transformations"), refused);
    Some(Intent {
        service_account: service_account?,
        is_suspended: is_suspended.unwrap_or(false),
        collisions: collisions.unwrap_or(Collisions::Refuse),
        on_plan_deletion: on_plan_deletion.unwrap_or(Disposition::Keep),
        on_drift: on_drift.unwrap_or(OnDrift::Report),
        on_deletion: on_deletion.unwrap_or(OnDeletion::Report),
        on_found: on_found.unwrap_or(OnFound::Keep),
        abandon_after_seconds,
        replaces,
        stages: stages?,
        transformations,
    })
}

fn replaces(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Vec<Replaces> {
    let places = place.list(refused).unwrap_or_default();
    if place.exceeds(MOST_REPLACES, (places.len(), "entries"), refused) {
        return Vec::new();
    }
    places
        .iter()
        .filter_map(|place| predecessor(place, refused))
        .collect()
}

fn predecessor(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Replaces> {
    place.only(REPLACES_FIELDS, refused)?;
    let (name, labels) = (place.field("name"), place.field("labelSelector"));
    match (name.is_given(), labels.is_given()) {
        (true, false) => name
            .subdomain("an InstallPlan", refused)
            .map(Replaces::Name),
        (false, true) => some_selector(&labels, ALL_PLANS, refused).map(Replaces::Labels),
        (true, true) | (false, false) => {
            place.refuse_value(ONE_PREDECESSOR, refused);
            None
        }
    }
}

/// Parses a label selector. If it has no requirements, adds a refusal with the message `if_empty`.
fn some_selector(
    labels: &ManifestPlace<'_>,
    if_empty: &str,
    refused: &mut Vec<Refusal>,
) -> Option<LabelSelector> {
    let before = refused.len();
    let selector = parse_selector(labels, refused)?;
    if refused.len() == before && is_empty_selector(&selector) {
        labels.refuse_value(if_empty, refused);
    }
    Some(selector)
}

fn refuse_itself(
    own: &str,
    draft: Option<&Intent>,
    spec: &ManifestPlace<'_>,
    refused: &mut Vec<Refusal>,
) {
    let replaces = draft.map_or(&[][..], |intent| &intent.replaces);
    let is_own = |one: &Replaces| matches!(one, Replaces::Name(name) if name == own);
    if replaces.iter().any(is_own) {
        let sentence = "names the plan itself; name the previous plan, or remove the field";
        spec.field("replaces").refuse_value(sentence, refused);
    }
}

impl Replaces {
    /// Returns true if this selects a plan with this name and these labels.
    pub fn matches(&self, name: &str, labels: &BTreeMap<String, String>) -> bool {
        match self {
            Self::Name(own) => own == name,
            Self::Labels(selector) => is_match(selector, labels),
        }
    }
}

fn stages(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Vec<Stage>> {
    place.require("write at least one stage with resources", refused);
    if place.is_empty_list() {
        let way_out = "is empty; write at least one stage with resources";
        place.refuse_value(way_out, refused);
    }
    let places = place.list(refused)?;
    if place.exceeds(MOST_STAGES, (places.len(), "stages"), refused) {
        return None;
    }
    let mut stages: Vec<Stage> = Vec::with_capacity(places.len());
    for place in &places {
        let Some(stage) = stage(place, refused) else {
            continue;
        };
        if stages.iter().any(|other| other.name == stage.name) {
            let sentence = format!(
                "is {:?}, which is the name of an earlier stage; write another name",
                stage.name
            );
            place.field("name").refuse_value(sentence, refused);
        }
        stages.push(stage);
    }
    let resources: usize = stages.iter().map(|stage| stage.resources.len()).sum();
    place.exceeds(MOST_RESOURCES, (resources, "resources"), refused);
    Some(stages)
}

fn stage(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Stage> {
    place.only(STAGE_FIELDS, refused)?;
    let name = place.field("name");
    name.require("write a name, such as definitions", refused);
    let name = name.label("a stage", refused);
    let order = place.field("order").word(ORDERS, refused);
    let wait_for = place.field("waitFor").word(WAITS, refused);
    let deadline = place.field("deadlineSeconds").count(refused);
    let list = place.field("resources");
    list.require("write at least one resource", refused);
    let jobs = jobs(&place.field("jobs"), refused);
    if list.is_empty_list() && jobs.is_empty() {
        list.refuse_value(NO_RESOURCES, refused);
    }
    let resources = list.list(refused)?;
    let resources: Vec<_> = resources
        .iter()
        .filter_map(|place| resource(place, refused))
        .collect();
    let ready = ready_rules(&place.field("ready"), refused);
    Some(Stage {
        name: name?,
        order: order.unwrap_or(Order::InOrder),
        resources,
        wait_for: wait_for.unwrap_or(WaitFor::Ready),
        ready,
        jobs,
        deadline_seconds: deadline.unwrap_or(DEADLINE),
    })
}

fn jobs(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Vec<Job> {
    let places = place.list(refused).unwrap_or_default();
    if place.exceeds(MOST_JOBS, (places.len(), "Jobs"), refused) {
        return Vec::new();
    }
    let mut jobs: Vec<Job> = Vec::with_capacity(places.len());
    for place in &places {
        let Some(job) = job(place, refused) else {
            continue;
        };
        if jobs.iter().any(|other| other.name == job.name) {
            let sentence = format!(
                "is {:?}, which is the name of an earlier Job; write another name",
                job.name
            );
            place.field("name").refuse_value(sentence, refused);
        }
        jobs.push(job);
    }
    jobs
}

fn job(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Job> {
    place.only(JOB_FIELDS, refused)?;
    let (name, template) = (place.field("name"), place.field("template"));
    name.require("write a name, such as migrate", refused);
    template.require("write the template of a Job, with its spec", refused);
    let name = name.label("a Job", refused);
    let retries = place.field("retries");
    let count = retries.count(refused).unwrap_or(0);
    if count > MOST_RETRIES {
        retries.refuse_value(
            format!("is {count}; at most {MOST_RETRIES} are allowed"),
            refused,
        );
    }
    Some(Job {
        template: template.object(refused)?.clone(),
        name: name?,
        retries: count,
    })
}

fn resource(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Resource> {
    place.only(RESOURCE_FIELDS, refused)?;
    let lifecycle = lifecycle(&place.field("lifecycle"), refused);
    let (manifest, reference) = (place.field("manifest"), place.field("ref"));
    let source = match (manifest.is_given(), reference.is_given()) {
        (true, false) => Source::Inline(Value::Object(manifest.object(refused)?.clone())),
        (false, true) => referred(&reference, refused)?,
        (true, true) => {
            place.refuse_value(BOTH_SOURCES, refused);
            return None;
        }
        (false, false) => {
            place.refuse_value(NO_SOURCE, refused);
            return None;
        }
    };
    Some(Resource { source, lifecycle })
}

fn lifecycle(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Lifecycle {
    if place.only(EXCEPTION_FIELDS, refused).is_none() {
        return Lifecycle::default();
    }
    let mut disposition = |name| place.field(name).word(DISPOSITIONS, refused);
    Lifecycle {
        on_plan_deletion: disposition("onPlanDeletion"),
        on_removal: disposition("onRemoval"),
        on_drift: place.field("onDrift").word(DRIFTS, refused),
        on_deletion: place.field("onDeletion").word(DELETIONS, refused),
        on_immutable: place
            .field("onImmutable")
            .word(IMMUTABLES, refused)
            .unwrap_or_default(),
        ignore: ignored(&place.field("ignore"), refused),
    }
}

fn ignored(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Vec<String> {
    let pointers = place.texts(refused);
    place.exceeds(MOST_IGNORED, (pointers.len(), "fields"), refused);
    for (place, pointer) in &pointers {
        if !is_pointer(pointer) {
            place.refuse_value(NO_POINTER, refused);
        }
    }
    let pointers = pointers.into_iter();
    pointers.map(|(_, pointer)| pointer.to_owned()).collect()
}

/// Returns true if the text is a JSON pointer to a field that a plan may ignore. The pointer must
/// not refer to the whole object, or to a field that identifies the object.
fn is_pointer(text: &str) -> bool {
    let mut steps = text.split('/');
    let begins = steps.next() == Some("");
    let is_escaped = |step: &str| {
        let mut tildes = step.split('~').skip(1);
        !step.is_empty() && tildes.all(|after| after.starts_with(['0', '1']))
    };
    begins && (2..=LONGEST_POINTER).contains(&text.len()) && steps.all(is_escaped)
}

fn referred(place: &ManifestPlace<'_>, refused: &mut Vec<Refusal>) -> Option<Source> {
    place.only(REF_FIELDS, refused)?;
    let (name, secret) = (place.field("name"), place.field("secret"));
    match (name.is_given(), secret.is_given()) {
        (true, false) => name
            .subdomain("a ResourceManifest", refused)
            .map(Source::ResourceManifest),
        (false, true) => secret.subdomain("a Secret", refused).map(Source::Secret),
        (true, true) | (false, false) => {
            place.refuse_value(ONE_REF, refused);
            None
        }
    }
}
