//! The schemas of both specs, for API servers and for `kubectl explain`. The parse asks for all of
//! it once more, in the same words.
//!
//! No field has a default: what is left out means what the parse says, and a plan stays as it is
//! written.

use schemars::Schema;
use serde_json::{Value, json};

use super::intent::{
    ALL_OBJECTS, ALL_PLANS, BOTH_SOURCES, COLLISIONS, DELETIONS, DISPOSITIONS, DRIFTS, FOUND,
    IMMUTABLES, LONGEST_KIND, LONGEST_POINTER, LONGEST_RULE, MOMENTS, MOST_IGNORED, MOST_JOBS,
    MOST_REPLACES, MOST_RESOURCES, MOST_RETRIES, MOST_RULES, MOST_STAGES, MOST_TAKEN,
    MOST_TRANSFORMATIONS, NO_SOURCE, ONE_PREDECESSOR, ONE_REF, ONE_SCOPE, ONE_SELECTION, ORDERS,
    WAITS,
};
use super::manifest::ONE_BODY;
use crate::place::{LONGEST_LABEL, LONGEST_SUBDOMAIN};
use crate::schema::{
    LABEL, PRESERVE, RULES, at_least_one, bounded, count, finished, list, never, object, rule,
    same, selector, subdomain, text, with, word,
};

/// A kind of a CustomResourceDefinition and its group, which has a dot at least.
const KIND: &str = r"^[A-Za-z][A-Za-z0-9]*(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?){2,}$";
/// A digest, as a ResourceManifest has it.
const DIGEST: &str = "^sha256:[0-9a-f]{64}$";
const LONGEST_DIGEST: usize = 71;
/// A JSON pointer to a field.
const POINTER: &str = "^(/([^/~]|~[01])+)+$";
/// No API server reads a request that is longer.
const LONGEST_COMPRESSED: u32 = 3 << 20;

/// The fields that an InstallPlan never changes, and what to do instead.
const NEVER: [(&str, &str); 2] = [
    (
        "serviceAccountName",
        "never changes; write another InstallPlan that names the other ServiceAccount",
    ),
    (
        "stages",
        "never changes; write another InstallPlan that has the other stages",
    ),
];
const MANIFEST_NEVER: &str = "the spec of a ResourceManifest never changes; write another ResourceManifest, and an \
     InstallPlan that refers to it";

const REPLACES_NEVER: &str =
    "spec.replaces never changes; write another InstallPlan that replaces this one";

const TRANSFORMATIONS_NEVER: &str =
    "spec.transformations never changes; write another InstallPlan that has the others";

/// A list whose items are told apart by a field counts as the same in any order, but stages are
/// applied in theirs.
const SAME_STAGES: &str =
    "self == oldSelf && self.map(stage, stage.name) == oldSelf.map(stage, stage.name)";

pub(super) fn install_plan() -> Schema {
    let [account, stages] = NEVER.map(|(name, never)| format!("spec.{name} {never}"));
    let schema = object(
        "What is applied, as whom, and in which order. serviceAccountName and stages never change: \
         to apply something else, write another InstallPlan.",
        json!({
            "abandonAfterSeconds": with(
                count(
                    "After how many seconds the deletion of the plan is given up where something \
                     keeps it from going on: what is left stays. Without it that is waited for.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "collisions": word(
                "What happens where an object exists already that no plan made: Refuse (the \
                 default) leaves it alone, and the plan waits; IfUnowned takes it over if nothing \
                 else owns it; Adopt takes it over.",
                COLLISIONS,
            ),
            "lifecycle": object(
                "What becomes of what the plan applied, where a resource says nothing else.",
                json!({
                    "onDeletion": on_deletion(" Report by default."),
                    "onDrift": on_drift(" Report by default."),
                    "onFound": word(
                        "What becomes of an object that was there before the plan, when the plan or a \
                         later one lets go of it: Keep (the default) leaves it as it is; with Own it \
                         counts as one that the plan made, from when all of the plan was applied.",
                        FOUND,
                    ),
                    "onPlanDeletion": on_plan_deletion(" Keep by default."),
                }),
            ),
            "replaces": predecessors(),
            "serviceAccountName": with(
                subdomain(
                    "The ServiceAccount, in the namespace of the plan, that does everything that \
                     is done for the plan. Whoever creates the plan needs the permission to \
                     impersonate it. It never changes.",
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
                "description": "Whether nothing is written for the plan for now. What is applied \
                                already stays. false by default.",
                "type": "boolean",
            },
            "transformations": transformations(),
        }),
    );
    let schema = with(schema, "required", json!(["serviceAccountName", "stages"]));
    // A rule of the field itself would let one come that was not there.
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
    let digest = "sha256: and the SHA-256 of the manifest as canonical JSON, in lower-case \
                  hexadecimal digits. A manifest that has another digest is not applied.";
    let schema = object(
        "The manifest of one object. It never changes.",
        json!({
            "compressed": with(
                text("The manifest as JSON, compressed by gzip, in base64."),
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

/// Returns the schema of what objects of the plan stand in for.
fn transformations() -> Value {
    let some = |description: &str| bounded(description, "^(?s:.)", LONGEST_SUBDOMAIN);
    let namespace = || bounded("A Namespace.", LABEL, LONGEST_LABEL);
    let from = object(
        "Objects that may exist: either name or labelSelector, and either namespace or allNamespaces.",
        json!({
            "allNamespaces": {
                "description": "Whether all namespaces are meant; also for objects that lie in none.",
                "type": "boolean",
            },
            "apiVersion": some("The group and version, such as apps/v1."),
            "kind": some("The kind, such as Deployment. CustomResourceDefinition, Namespace and PersistentVolumeClaim are refused."),
            "labelSelector": some_labels(ALL_OBJECTS, "Labels of the objects."),
            "name": some("The name of an object. One that is not there is none."),
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
            "apiVersion": some("The group and version, such as apps/v1."),
            "kind": some("The kind, such as Deployment."),
            "name": some("Its name."),
            "namespace": namespace(),
        }),
    );
    let to = with(to, "required", json!(["apiVersion", "kind", "name"]));
    let few = |description: &str, item| {
        let list = at_least_one(list(description, item));
        with(list, "maxItems", json!(MOST_TRANSFORMATIONS))
    };
    let one = object(
        "Objects that are deleted because objects of the plan stand in for them.",
        json!({
            "from": few("What is deleted, as it is when its turn comes. It is not created again when the plan goes.", from),
            "max": with(
                count("If more objects are selected, none is deleted, and the plan waits; 20 by default."),
                "maximum",
                json!(MOST_TAKEN),
            ),
            "order": word(
                "After (the default) deletes them once everything in to is as its stage waits for it; Before \
                 deletes them before the first of it is applied.",
                MOMENTS,
            ),
            "to": few("What stands in for them.", to),
        }),
    );
    let one = with(one, "required", json!(["from", "to"]));
    let description = "Objects that objects of the plan stand in for. Objects of other plans are never \
                       deleted. They never change.";
    with(
        list(description, one),
        "maxItems",
        json!(MOST_TRANSFORMATIONS),
    )
}

/// The plans whose place it takes.
fn predecessors() -> Value {
    let one = object(
        "Plans of the namespace: either name or labelSelector.",
        json!({
            "labelSelector": some_labels(
                ALL_PLANS,
                "Labels of plans that were there before this one.",
            ),
            "name": subdomain("The name of an InstallPlan. One that is not there is none."),
        }),
    );
    let either = rule("has(self.name) != has(self.labelSelector)", ONE_PREDECESSOR);
    let one = with(one, RULES, json!([either]));
    let description = "The plans whose place this one takes. Objects that both have are never absent, \
                       and one whose manifest is the same is not written; what only they made goes \
                       once this plan is ready. It never changes.";
    with(list(description, one), "maxItems", json!(MOST_REPLACES))
}

/// A selector of labels that is not empty, with what is said of one that is.
fn some_labels(all: &str, description: &str) -> Value {
    let some = "(has(self.matchLabels) && size(self.matchLabels) > 0) || \
                (has(self.matchExpressions) && size(self.matchExpressions) > 0)";
    with(selector(description), RULES, json!([rule(some, all)]))
}

fn stages_schema() -> Value {
    let stage = object(
        "Resources that are applied before the next stage begins.",
        json!({
            "deadlineSeconds": with(
                count(
                    "After how many seconds the stage is reported as stuck; 600 by default. Work \
                     on it goes on.",
                ),
                "maximum",
                json!(u32::MAX),
            ),
            "jobs": jobs(),
            "name": bounded(
                "The name of the stage, which no other stage of the plan has.",
                LABEL,
                LONGEST_LABEL,
            ),
            "order": word(
                "InOrder (the default) applies the resources one after the other, as they are \
                 written; Any applies them at the same time, except where one needs another.",
                ORDERS,
            ),
            "ready": ready(),
            "resources": with(
                at_least_one(list("What is applied, one object each.", resource())),
                "maxItems",
                json!(MOST_RESOURCES),
            ),
            "waitFor": word(
                "What the next stage waits for: Ready (the default), that every object of this \
                 stage is there and works; Applied, that every object is written.",
                WAITS,
            ),
        }),
    );
    let stage = with(stage, "required", json!(["name", "resources"]));
    let description = "The stages, which are applied one after the other. They never change.";
    let stages = at_least_one(list(description, stage));
    let stages = with(stages, "maxItems", json!(MOST_STAGES));
    let stages = with(stages, "x-kubernetes-list-type", json!("map"));
    with(stages, "x-kubernetes-list-map-keys", json!(["name"]))
}

fn ready() -> Value {
    let rule = object(
        "When objects of a kind in this stage are ready.",
        json!({
            "cel": with(
                bounded(
                    "A CEL expression over self, the object, that is plainly true or false: it is ready \
                     once this is true. A field that is not there yet makes it not ready.",
                    "^(?s:.)",
                    LONGEST_RULE,
                ),
                "minLength",
                json!(1),
            ),
            "kind": bounded(
                "The kind and its group, such as Ship.ferry.example.",
                KIND,
                LONGEST_KIND,
            ),
        }),
    );
    let rule = with(rule, "required", json!(["cel", "kind"]));
    let rules = list(
        "When objects are ready whose kinds only you know. Without one, an object that has a \
         condition Ready is ready when that is True, and any other one at once.",
        rule,
    );
    let rules = with(rules, "maxItems", json!(MOST_RULES));
    let rules = with(rules, "x-kubernetes-list-type", json!("map"));
    with(rules, "x-kubernetes-list-map-keys", json!(["kind"]))
}

fn jobs() -> Value {
    let retries = count("How often a Job that failed is run again; 0 by default.");
    let job = object(
        "A Job that must complete before the next stage begins.",
        json!({
            "name": bounded(
                "A name that no other Job of the stage has.",
                LABEL,
                LONGEST_LABEL,
            ),
            "retries": with(retries, "maximum", json!(MOST_RETRIES)),
            "template": free(
                "The Job, with metadata and spec, as in spec.jobTemplate of a CronJob. Its Pods run as \
                 the ServiceAccount of the plan.",
            ),
        }),
    );
    let job = with(job, "required", json!(["name", "template"]));
    let description = "Jobs that run in the namespace of the plan, once what the stage waits for is so. \
                       In order, one after the other; with order Any at the same time.";
    with(list(description, job), "maxItems", json!(MOST_JOBS))
}

fn resource() -> Value {
    let reference = object(
        "Where the manifest is, in the namespace of the plan: either name or secret.",
        json!({
            "name": subdomain("The name of a ResourceManifest."),
            "secret": subdomain(
                "The name of a Secret that has immutable: true, and under the key manifest the \
                 manifest as JSON, which may be compressed by gzip.",
            ),
        }),
    );
    let either = rule("has(self.name) != has(self.secret)", ONE_REF);
    let resource = object(
        "One object: either its manifest, or a ref to it.",
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
        "Fields that others may change: that is no drift, and what they have there stays.",
        pointer,
    );
    object(
        "What becomes of this object, other than what the plan says.",
        json!({
            "ignore": with(ignored, "maxItems", json!(MOST_IGNORED)),
            "onDeletion": on_deletion(" What the plan says by default."),
            "onDrift": on_drift(" What the plan says by default."),
            "onImmutable": word(
                "What happens where a field is to change that the API server never lets change: Fail \
                 (the default) reports it; Recreate deletes the object and creates it again, if this \
                 plan or one before it made it.",
                IMMUTABLES,
            ),
            "onPlanDeletion": on_plan_deletion(" What the plan says by default."),
            "onRemoval": word(
                "What becomes of the object when a plan that takes the place of this one lacks it: \
                 Delete (the default) deletes it, Keep leaves it. A CustomResourceDefinition, a \
                 Namespace and a PersistentVolumeClaim are kept by default, also when the plan is \
                 deleted.",
                DISPOSITIONS,
            ),
        }),
    )
}

fn on_drift(default: &str) -> Value {
    let sentence = "What happens when others change what the plan applied: Report reports it; \
                    Revert applies it again; Seal also removes what they add to the object below \
                    spec, data, binaryData, rules, subjects and webhooks.";
    word(&format!("{sentence}{default}"), DRIFTS)
}

fn on_deletion(default: &str) -> Value {
    let sentence = "What happens when others delete the object: Report reports it; Recreate \
                    creates it again.";
    word(&format!("{sentence}{default}"), DELETIONS)
}

fn on_plan_deletion(default: &str) -> Value {
    let sentence = "What becomes of it when the plan is deleted: Keep leaves it as it is, Delete \
                    deletes it if the plan made it.";
    word(&format!("{sentence}{default}"), DISPOSITIONS)
}

/// Any object of JSON, as it is.
///
/// It is no embedded resource: for such a one an API server changes and drops what it does not
/// like in the metadata, and the manifest would not be what its author wrote. It is a map of
/// whatever, and no object with unknown fields: of two such objects an API server finds equal those
/// that differ in the names of their fields alone, and `self == oldSelf` would let that change in.
fn manifest() -> Value {
    free("The object as it is to be, with apiVersion, kind, metadata.name and all else.")
}

fn free(description: &str) -> Value {
    json!({
        "description": description,
        "type": "object",
        "additionalProperties": {PRESERVE: true, "nullable": true},
    })
}

/// The type of a map of whatever is not known to rules, so a type has to be kept from being asked
/// for.
const HAS_MANIFEST: &str = "has(dyn(self).manifest)";

/// Each stage may have as many resources as the plan.
fn few_resources() -> Value {
    let count = "self.map(stage, size(stage.resources)).sum()";
    let message = format!("spec.stages has too many resources; the most are {MOST_RESOURCES}");
    rule(&format!("{count} <= {MOST_RESOURCES}"), &message)
}
