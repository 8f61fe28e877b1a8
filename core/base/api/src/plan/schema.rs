//! The schemas of the specs of InstallPlan and ResourceManifest, for API servers and for
//! `kubectl explain`. The parser checks everything again, with the same messages.
//!
//! No field has a default in the schema. So API servers store a plan as its author wrote it, and
//! the parser handles omitted fields.

use schemars::Schema;
use serde_json::{Value, json};

use super::intent::{
    ALL_OBJECTS, ALL_PLANS, BOTH_SOURCES, COLLISIONS, DELETIONS, DISPOSITIONS, DRIFTS, FOUND,
    IMMUTABLES, LONGEST_KIND, LONGEST_POINTER, LONGEST_RULE, MOMENTS, MOST_IGNORED, MOST_JOBS,
    MOST_REPLACES, MOST_RESOURCES, MOST_RETRIES, MOST_RULES, MOST_STAGES, MOST_TAKEN,
    MOST_TRANSFORMATIONS, NO_RESOURCES, NO_SOURCE, ONE_PREDECESSOR, ONE_REF, ONE_SCOPE,
    ONE_SELECTION, ORDERS, WAITS,
};
use super::manifest::ONE_BODY;
use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::schema::{
    LABEL, PRESERVE, RULES, at_least_one, bounded, count, finished, list, never, object, rule,
    same, selector, subdomain, text, with, word,
};

/// The pattern of a custom kind with its API group, which contains at least one dot.
const KIND: &str = r"^[A-Za-z][A-Za-z0-9]*(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$";
/// The pattern of the digest of a ResourceManifest.
const DIGEST: &str = "^sha256:[0-9a-f]{64}$";
const LONGEST_DIGEST: usize = 71;
/// The pattern of a JSON pointer to a field.
const POINTER: &str = "^(/([^/~]|~[01])+)+$";
/// The maximum length of a compressed manifest, which must fit into a request to an API server.
const LONGEST_COMPRESSED: u32 = 3 << 20;

/// The immutable fields of an InstallPlan, each with the remedy in the error message.
const NEVER: [(&str, &str); 2] = [
    (
        "serviceAccountName",
        "is immutable; create another InstallPlan for the other ServiceAccount",
    ),
    (
        "stages",
        "is immutable; create another InstallPlan with the other stages",
    ),
];
const MANIFEST_NEVER: &str = "the spec of a ResourceManifest is immutable; create another \
                              ResourceManifest, and an InstallPlan that refers to it";

const REPLACES_NEVER: &str =
    "spec.replaces is immutable; create another InstallPlan that replaces this one";

const TRANSFORMATIONS_NEVER: &str =
    "spec.transformations is immutable; create another InstallPlan with the other transformations";

/// The CEL rule that requires the same stages in the same order. For a list with map keys, API
/// servers do not compare the order, but the order of stages matters.
const SAME_STAGES: &str =
    "self == oldSelf && self.map(stage, stage.name) == oldSelf.map(stage, stage.name)";

pub(super) fn install_plan() -> Schema {
    let [account, stages] = NEVER.map(|(name, never)| format!("spec.{name} {never}"));
    let schema = object(
        "The manifests to apply, their order, and the ServiceAccount that applies them. \
         serviceAccountName, stages, replaces and transformations are immutable. To apply other \
         manifests, create another InstallPlan that replaces this one.",
        json!({
            "abandonAfterSeconds": with(
                count(
                    "The number of seconds after which a blocked deletion of the plan is \
                     abandoned. At least 30. The count starts again when the deletion makes \
                     progress. Objects that are not deleted yet are kept. If not set, the deletion \
                     waits without limit.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "collisions": word(
                "The handling of existing objects that were not applied by this plan or by a \
                 replaced plan. Refuse (the default): the object is not changed, and the plan \
                 waits. IfUnowned: the plan takes the object over if the object has no other \
                 owner. Adopt: the plan takes the object over, including the fields that other \
                 clients own.",
                COLLISIONS,
            ),
            "lifecycle": object(
                "The lifecycle settings for the objects of the plan. The lifecycle field of a \
                 resource overrides these settings.",
                json!({
                    "onDeletion": on_deletion(" Defaults to Report."),
                    "onDrift": on_drift(" Defaults to Report."),
                    "onFound": word(
                        "The handling of objects that existed before the plan. The setting \
                         applies when the plan is deleted, or when a later plan does not contain \
                         the object. Keep (the default): the object is kept. Own: once the whole \
                         plan is applied, the controller treats the object as if the plan had \
                         created it.",
                        FOUND,
                    ),
                    "onPlanDeletion": on_plan_deletion(" Defaults to Keep."),
                }),
            ),
            "replaces": predecessors(),
            "serviceAccountName": with(
                subdomain(
                    "The name of the ServiceAccount that performs all operations of the plan. The \
                     ServiceAccount is in the namespace of the plan. The author of the plan needs \
                     permission to impersonate this ServiceAccount. Immutable.",
                ),
                RULES,
                json!([never("self == oldSelf", &account)]),
            ),
            "stages": with(
                stages_schema(),
                RULES,
                json!([never(SAME_STAGES, &stages), few_resources()]),
            ),
            "suspend": {
                "description": "If true, the plan is suspended: the controller writes nothing for \
                                the plan. Objects that are already applied are kept. Defaults to \
                                false.",
                "type": "boolean",
            },
            "transformations": transformations(),
        }),
    );
    let schema = with(schema, "required", json!(["serviceAccountName", "stages"]));
    // A rule on the field itself would not prevent users from adding the field later.
    finished(with(
        schema,
        RULES,
        json!([
            never(&same("replaces"), REPLACES_NEVER),
            never(&same("transformations"), TRANSFORMATIONS_NEVER),
        ]),
    ))
}

pub(super) fn resource_manifest() -> Schema {
    let digest = "The digest of the manifest: sha256: and the SHA-256 of the canonical JSON of the \
                  manifest, in lower-case hexadecimal digits. A manifest is not applied if its \
                  digest differs.";
    let schema = object(
        "The manifest of one object. Set either manifest or compressed. Immutable.",
        json!({
            "compressed": with(
                text("The manifest as JSON, compressed with gzip, in base64."),
                "maxLength",
                json!(LONGEST_COMPRESSED),
            ),
            "digest": bounded(digest, DIGEST, LONGEST_DIGEST),
            "manifest": manifest(),
        }),
    );
    let schema = with(schema, "required", json!(["digest"]));
    let either = format!("{HAS_MANIFEST} != has(self.compressed)");
    let rules = json!([
        never("self == oldSelf", MANIFEST_NEVER),
        rule(&either, ONE_BODY)
    ]);
    finished(with(schema, RULES, rules))
}

/// Returns the schema of `transformations`.
fn transformations() -> Value {
    let some = |description: &str| bounded(description, "^(?s:.)", LONGEST_SUBDOMAIN);
    let namespace = || bounded("The namespace.", LABEL, LONGEST_LABEL);
    let from = object(
        "A selection of objects. Set either name or labelSelector, and either namespace or \
         allNamespaces.",
        json!({
            "allNamespaces": {
                "description": "If true, objects in all namespaces are selected. Must also be true \
                                for cluster-scoped objects. Defaults to false.",
                "type": "boolean",
            },
            "apiVersion": some("The API group and version, such as apps/v1."),
            "kind": some(
                "The kind, such as Deployment. CustomResourceDefinition, Namespace and \
                 PersistentVolumeClaim are not allowed.",
            ),
            "labelSelector": some_labels(ALL_OBJECTS, "The labels of the selected objects."),
            "name": some("The name of an object. A missing object is ignored."),
            "namespace": namespace(),
        }),
    );
    let from = with(from, "required", json!(["apiVersion", "kind"]));
    let from = with(
        from,
        RULES,
        json!([
            rule("has(self.name) != has(self.labelSelector)", ONE_SELECTION),
            rule(
                "has(self.namespace) != (has(self.allNamespaces) && self.allNamespaces)",
                ONE_SCOPE,
            ),
        ]),
    );
    let to = object(
        "An object of the plan.",
        json!({
            "apiVersion": some("The API group and version, such as apps/v1."),
            "kind": some("The kind, such as Deployment."),
            "name": some("The name of the object."),
            "namespace": namespace(),
        }),
    );
    let to = with(to, "required", json!(["apiVersion", "kind", "name"]));
    let few = |description: &str, item| {
        let list = at_least_one(list(description, item));
        with(list, "maxItems", json!(MOST_TRANSFORMATIONS))
    };
    let one = object(
        "A transformation. It deletes existing objects, because objects of this plan replace them.",
        json!({
            "from": few("The objects to delete. The objects are selected once, when the deletion \
                         starts. Deleting the plan does not create these objects again.", from),
            "max": with(
                count(
                    "The maximum number of selected objects. If more objects are selected, no \
                     object is deleted, and the plan waits. Defaults to 20.",
                ),
                "maximum",
                json!(MOST_TAKEN),
            ),
            "order": word(
                "The time of the deletion. After (the default): the objects are deleted once all \
                 objects of the field `to` meet the waitFor requirement of their stage. Before: \
                 the objects are deleted before the first object of the field `to` is applied.",
                MOMENTS,
            ),
            "to": few("The objects of the plan that replace the deleted objects.", to),
        }),
    );
    let one = with(one, "required", json!(["from", "to"]));
    let description = "The transformations. Each transformation selects existing objects and \
                       deletes them, because objects of this plan replace them. Objects of other \
                       plans are never deleted. Immutable.";
    with(
        list(description, one),
        "maxItems",
        json!(MOST_TRANSFORMATIONS),
    )
}

/// Returns the schema of `replaces`.
fn predecessors() -> Value {
    let one = object(
        "One or more InstallPlans in the same namespace. Set either name or labelSelector.",
        json!({
            "labelSelector": some_labels(
                ALL_PLANS,
                "The labels of the InstallPlans. Only InstallPlans that were created before this \
                 plan are selected.",
            ),
            "name": subdomain(
                "The name of an InstallPlan. An InstallPlan that does not exist is treated as \
                 replaced.",
            ),
        }),
    );
    let either = rule("has(self.name) != has(self.labelSelector)", ONE_PREDECESSOR);
    let one = with(one, RULES, json!([either]));
    let description = "The InstallPlans that this plan replaces. Objects in both plans are kept, \
                       and unchanged manifests are not written again. Objects that only \
                       the replaced plans created are deleted once this plan is ready. If the \
                       list contains several plans that do not replace each other, this plan \
                       merges these plans. Immutable.";
    with(list(description, one), "maxItems", json!(MOST_REPLACES))
}

/// Returns the schema of a label selector that must have at least one requirement. `all` is the
/// error message for an empty selector.
fn some_labels(all: &str, description: &str) -> Value {
    let some = "(has(self.matchLabels) && size(self.matchLabels) > 0) || \
                (has(self.matchExpressions) && size(self.matchExpressions) > 0)";
    with(selector(description), RULES, json!([rule(some, all)]))
}

fn stages_schema() -> Value {
    let stage = object(
        "A group of resources. All of them are applied before the next stage starts.",
        json!({
            "deadlineSeconds": with(
                count(
                    "The number of seconds after which the stage is reported as stuck. The \
                     controller still continues to apply the stage. Defaults to 600.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "jobs": jobs(),
            "name": bounded(
                "The name of the stage. Unique within the plan.",
                LABEL,
                LONGEST_LABEL,
            ),
            "order": word(
                "The order in which resources are applied. InOrder (the default): one after \
                 another, in the order of the list. Any: in parallel, except that a resource waits \
                 for the resources that it needs.",
                ORDERS,
            ),
            "ready": ready(
                "Readiness rules for custom kinds. Without a rule, an object is ready when its \
                 Ready condition is True. An object without a Ready condition is ready at once. \
                 If the plan also contains the CustomResourceDefinition, an object without a \
                 Ready condition is ready once its status is set.",
            ),
            "resources": with(
                list(
                    "The objects to apply, one per item. The list may be empty only if the stage \
                     has Jobs.",
                    resource(),
                ),
                "maxItems",
                json!(MOST_RESOURCES),
            ),
            "waitFor": word(
                "The requirement that must be met before the next stage starts. Ready (the \
                 default): all objects of this stage exist and are ready. Applied: all objects of \
                 this stage are written.",
                WAITS,
            ),
        }),
    );
    let stage = with(stage, "required", json!(["name", "resources"]));
    let some = "size(self.resources) > 0 || (has(self.jobs) && size(self.jobs) > 0)";
    let sentence = format!("resources {NO_RESOURCES}");
    let stage = with(stage, RULES, json!([rule(some, &sentence)]));
    let description =
        "The stages of the plan. The stages are applied one after another. Immutable.";
    let stages = at_least_one(list(description, stage));
    let stages = with(stages, "maxItems", json!(MOST_STAGES));
    let stages = with(stages, "x-kubernetes-list-type", json!("map"));
    with(stages, "x-kubernetes-list-map-keys", json!(["name"]))
}

/// Returns the schema of readiness rules for custom resources.
pub(crate) fn ready(description: &str) -> Value {
    let rule = object(
        "A readiness rule for the objects of a kind.",
        json!({
            "cel": with(
                bounded(
                    "A CEL expression of type bool, such as self.status.phase == 'Running'. The \
                     variable self is the object. The object is ready if the expression is true. \
                     The object is not ready while the expression uses a missing field.",
                    "^(?s:.)",
                    LONGEST_RULE,
                ),
                "minLength",
                json!(1),
            ),
            "kind": bounded(
                "The kind and its API group, such as Ship.ferry.example.",
                KIND,
                LONGEST_KIND,
            ),
        }),
    );
    let rule = with(rule, "required", json!(["cel", "kind"]));
    let rules = list(description, rule);
    let rules = with(rules, "maxItems", json!(MOST_RULES));
    let rules = with(rules, "x-kubernetes-list-type", json!("map"));
    with(rules, "x-kubernetes-list-map-keys", json!(["kind"]))
}

fn jobs() -> Value {
    let retries = count("The number of times that a failed Job is run again. Defaults to 0.");
    let job = object(
        "A Job that must complete before the next stage starts.",
        json!({
            "name": bounded(
                "The name of the Job. Unique within the stage.",
                LABEL,
                LONGEST_LABEL,
            ),
            "retries": with(retries, "maximum", json!(MOST_RETRIES)),
            "template": free(
                "The template of the Job, with metadata and spec, as in spec.jobTemplate of a \
                 CronJob. The Pods of the Job run as the ServiceAccount of the plan.",
            ),
        }),
    );
    let job = with(job, "required", json!(["name", "template"]));
    let description = "The Jobs that run once the waitFor requirement of the stage is met. The \
                       Jobs run in the namespace of the plan. They run one after another, or in \
                       parallel if the order is Any.";
    with(list(description, job), "maxItems", json!(MOST_JOBS))
}

fn resource() -> Value {
    let reference = object(
        "A reference to the manifest in the namespace of the plan. Set either name or secret.",
        json!({
            "name": subdomain("The name of a ResourceManifest."),
            "secret": subdomain(
                "The name of a Secret with immutable: true. The key manifest of the Secret \
                 contains the manifest as JSON. This JSON may be compressed with gzip.",
            ),
        }),
    );
    let either = rule("has(self.name) != has(self.secret)", ONE_REF);
    let resource = object(
        "An object to apply. Set either manifest or ref.",
        json!({
            "lifecycle": exceptions(),
            "manifest": manifest(),
            "ref": with(reference, RULES, json!([either])),
        }),
    );
    let some = format!("{HAS_MANIFEST} || has(self.ref)");
    let one = format!("!{HAS_MANIFEST} || !has(self.ref)");
    let rules = json!([rule(&some, NO_SOURCE), rule(&one, BOTH_SOURCES)]);
    with(resource, RULES, rules)
}

fn exceptions() -> Value {
    let pointer = with(
        text("A JSON pointer, such as /spec/replicas."),
        "maxLength",
        json!(LONGEST_POINTER),
    );
    let pointer = with(pointer, "pattern", json!(POINTER));
    let ignored = list(
        "The fields that other clients may change. Changes of these fields are kept and not \
         reported as drift.",
        pointer,
    );
    object(
        "The lifecycle settings for this object. They override the lifecycle settings of the plan.",
        json!({
            "ignore": with(ignored, "maxItems", json!(MOST_IGNORED)),
            "onDeletion": on_deletion(" Defaults to the setting of the plan."),
            "onDrift": on_drift(" Defaults to the setting of the plan."),
            "onImmutable": word(
                "The action when an immutable field of the object must change. Fail (the default): \
                 the change is reported and not applied. Recreate: the object is deleted and \
                 created again, if this plan or a replaced plan created it.",
                IMMUTABLES,
            ),
            "onPlanDeletion": on_plan_deletion(" Defaults to the setting of the plan."),
            "onRemoval": word(
                "The action when a plan that replaces this plan does not contain the object. \
                 Delete: the object is deleted. Keep: the object is kept. Defaults to Delete. \
                 CustomResourceDefinitions, Namespaces and PersistentVolumeClaims are kept by \
                 default, also when the plan is deleted.",
                DISPOSITIONS,
            ),
        }),
    )
}

fn on_drift(default: &str) -> Value {
    let sentence = "The action when another client changes an applied object. Report: the change \
                    is reported. Revert: the object is applied again. Seal: as Revert, and fields \
                    that other clients added below spec, data, binaryData, rules, subjects and \
                    webhooks are removed.";
    word(&format!("{sentence}{default}"), DRIFTS)
}

fn on_deletion(default: &str) -> Value {
    let sentence = "The action when another client deletes an applied object. Report: the deletion \
                    is reported. Recreate: the object is created again.";
    word(&format!("{sentence}{default}"), DELETIONS)
}

fn on_plan_deletion(default: &str) -> Value {
    let sentence = "The action when the plan is deleted. Keep: the object is kept. Delete: the \
                    object is deleted if the plan created it.";
    word(&format!("{sentence}{default}"), DISPOSITIONS)
}

/// Returns the schema of a manifest.
///
/// The schema is a map of arbitrary values, for two reasons:
/// - The schema is no embedded resource, because API servers change and drop metadata in embedded
///   resources. The manifest would then differ from what its author wrote.
/// - The schema is no object with unknown fields. API servers treat two such objects as equal if
///   only the names of their fields differ, so `self == oldSelf` would not detect such a change.
fn manifest() -> Value {
    free("The complete manifest of the object, with apiVersion, kind and metadata.name.")
}

fn free(description: &str) -> Value {
    json!({
        "description": description,
        "type": "object",
        "additionalProperties": {PRESERVE: true, "nullable": true},
    })
}

/// CEL does not know the type of a map of arbitrary values. `dyn` turns the type check off.
const HAS_MANIFEST: &str = "has(dyn(self).manifest)";

/// Returns the CEL rule that limits the number of resources in all stages together.
fn few_resources() -> Value {
    let count = "self.map(stage, size(stage.resources)).sum()";
    let message = format!("spec.stages has too many resources; the limit is {MOST_RESOURCES}");
    rule(&format!("{count} <= {MOST_RESOURCES}"), &message)
}
