//! The schema of the spec, for API servers and for `kubectl explain`.
//!
//! It has one default, that of `remediationAction`: any other would make a policy look as if it had
//! fields of the form that it is not in. What is no text, but may be a template and so one, has no
//! type here. Fields that are not known to `subscription` and `operatorGroup` are let in, so
//! that a status can name them. The parse asks for all of it once more.

use schemars::Schema;
use serde_json::{Value, json};

use crate::operator_policy::intent::{
    DELETE_GROUPS, DESIGN_KINDS, DESIGN_ONLY, ESTABLISHED_ONLY, ESTABLISHED_REQUIRED, Form,
};
use crate::refusal::{Flaw, Refusal};
use crate::schema::{PRESERVE, object, with, word};
use crate::words::{
    COMPLIANCE_EFFECTS, DESIGN_GROUP_REMOVAL, GROUP_REMOVALS, PRESENCES, REMEDIATIONS, REMOVALS,
    SEVERITIES, STATUS_EFFECTS, UPGRADE_APPROVALS,
};

/// The longest text: a template may be long.
const LONGEST_TEXT: u32 = 16_384;
/// The longest list.
const MOST_ITEMS: u32 = 1_000;

pub(super) fn spec() -> Schema {
    let mut remediation = word(
        "Whether the cluster is changed (enforce) or only what differs is told (inform).",
        REMEDIATIONS,
    );
    remediation["default"] = json!("inform");
    let schema = object(
        "Which operator is wanted. With allowedCSVs it is written in the design form, without it \
         in the established form, which needs complianceType and upgradeApproval.",
        json!({
            "allowedCSVs": allowed(),
            "complianceConfig": compliance_config(),
            "complianceType": word(
                "Established form: whether the operator must be there or must not.",
                PRESENCES,
            ),
            "operatorGroup": operator_group(),
            "remediationAction": remediation,
            "removalBehavior": removal_behavior(),
            "severity": word("Severity that is reported while the policy is violated.", SEVERITIES),
            "statusConfig": status_config(),
            "subscription": subscription(),
            "upgradeApproval": word(
                "Established form: whether upgrades of an installed operator are approved.",
                UPGRADE_APPROVALS,
            ),
            "versions": texts(
                "Established form: what may be installed, each the name of a \
                 ClusterServiceVersion or package@range. Commas split. Empty allows any.",
            ),
        }),
    );
    let schema = with(schema, "required", json!(["subscription"]));
    let schema = with(schema, "x-kubernetes-validations", json!(rules()));
    Schema::try_from(schema).expect("a schema must be an object")
}

fn allowed() -> Value {
    let texts = texts(
        "Design form: what may be installed, each the name of a ClusterServiceVersion, \
         package@range such as etcd@>=0.9.2 <1.0.0, or \"*\" for any.",
    );
    with(texts, "minItems", json!(1))
}

fn subscription() -> Value {
    open(
        "The Subscription that is wanted: the spec of OLM's kind, and its namespace.",
        json!({
            "channel": text("The channel; that of the catalog by default."),
            "config": anything("What OLM adds to the Deployments of the operator."),
            "installPlanApproval": text(
                "Design form: Automatic or Manual; always Manual where allowedCSVs restricts.",
            ),
            "name": text("The package, and so the Subscription."),
            "namespace": text("The namespace of the operator."),
            "source": text("The CatalogSource."),
            "sourceNamespace": text("The namespace of the CatalogSource."),
            "startingCSV": text("The ClusterServiceVersion to begin with."),
        }),
    )
}

fn operator_group() -> Value {
    open(
        "The OperatorGroup that is wanted: the spec of OLM's kind, its name and its namespace. \
         Without it any will do, and one for all namespaces is made where there is none.",
        json!({
            "name": text("Its name."),
            "namespace": text("Its namespace, that of the Subscription."),
            "selector": anything("Selects the namespaces that the operator watches."),
            "serviceAccountName": text("The ServiceAccount that OLM acts as."),
            "staticProvidedAPIs": anything("Whether OLM leaves the list of provided APIs alone."),
            "target": anything(
                "Design form: the namespaces that the operator watches, by namespaces or selector.",
            ),
            "targetNamespaces": anything(
                "Established form: the namespaces that the operator watches.",
            ),
            "upgradeStrategy": text("Default or TechPreviewUnsafeFailForward."),
        }),
    )
}

fn removal_behavior() -> Value {
    let removed = |what: &str| word(what, REMOVALS);
    object(
        "What is removed with the operator: in the design form when the policy is deleted, in the \
         established form with complianceType mustnothave.",
        json!({
            "apiServiceDefinitions": removed("Design form: APIServices; kept by default."),
            "clusterServiceVersions": removed("ClusterServiceVersions; deleted by default."),
            "customResourceDefinitions": removed(
                "CustomResourceDefinitions with all their objects; kept by default.",
            ),
            "installPlans": removed("Design form: InstallPlans; kept by default."),
            "operatorGroups": word(
                "OperatorGroups; deleted by default if nothing else uses them. Delete is of the \
                 design form.",
                GROUP_REMOVALS,
            ),
            "subscriptions": removed("Subscriptions; deleted by default."),
        }),
    )
}

fn compliance_config() -> Value {
    let effect = |what: &str| word(what, COMPLIANCE_EFFECTS);
    object(
        "Established form: what makes the policy NonCompliant.",
        json!({
            "catalogSourceUnhealthy": effect("The catalog is missing or not well."),
            "deploymentsUnavailable": effect(
                "Deployments are not available; NonCompliant by default.",
            ),
            "deprecationsPresent": effect("The package, channel or bundle is deprecated."),
            "minorChannelUpgradeAvailable": effect("A channel of a later minor version is there."),
            "upgradesAvailable": effect("An upgrade waits for approval."),
        }),
    )
}

fn status_config() -> Value {
    let effect = |what: &str| word(what, STATUS_EFFECTS);
    object(
        "Design form: what is only a condition and what makes the policy NonCompliant.",
        json!({
            "catalogSourceUnhealthy": effect("The catalog is missing or not well."),
            "deploymentsUnavailable": effect(
                "Deployments are not available; NonCompliant by default.",
            ),
            "upgradesAvailable": effect("An upgrade waits for approval."),
            "upgradesProgressing": effect("An upgrade is on its way; NonCompliant by default."),
        }),
    )
}

fn text(description: &str) -> Value {
    json!({"description": description, "type": "string", "maxLength": LONGEST_TEXT})
}

fn texts(description: &str) -> Value {
    json!({
        "description": description,
        "type": "array",
        "maxItems": MOST_ITEMS,
        "items": {"type": "string", "maxLength": LONGEST_TEXT},
    })
}

fn anything(description: &str) -> Value {
    json!({"description": description, PRESERVE: true})
}

fn open(description: &str, properties: Value) -> Value {
    with(object(description, properties), PRESERVE, json!(true))
}

/// Tells the forms apart.
const IS_DESIGN: &str = "has(self.allowedCSVs)";
/// True of a stored policy that is in neither form. A write while another CRD was served may have
/// dropped its allowedCSVs. Its status and finalizers must stay writable.
const WAS_NEITHER: &str = "(oldSelf.hasValue() && !has(oldSelf.value().allowedCSVs) && \
    !has(oldSelf.value().complianceType))";

/// The rules, in the Common Expression Language. Each asks whether fields are there or compares one
/// with a word, so that none costs more with the size of a policy.
fn rules() -> Vec<Value> {
    let required = ESTABLISHED_REQUIRED.iter().map(|(name, way_out)| {
        let rule = format!("{IS_DESIGN} || {WAS_NEITHER} || has(self.{name})");
        one(&rule, name, Flaw::Missing(way_out), "FieldValueRequired")
    });
    let established = ESTABLISHED_ONLY.iter().map(|(name, instead)| {
        let rule = format!("!{IS_DESIGN} || !has(self.{name})");
        other_form(&rule, name, Form::Design, instead)
    });
    let design = DESIGN_ONLY.iter().map(|(name, instead)| {
        let rule = format!("{IS_DESIGN} || {WAS_NEITHER} || !has(self.{name})");
        other_form(&rule, name, Form::Established, instead)
    });
    let kinds = DESIGN_KINDS.iter().map(|(kind, instead)| {
        let name = format!("removalBehavior.{kind}");
        let rule = format!(
            "{IS_DESIGN} || {WAS_NEITHER} || !has(self.removalBehavior) || !has(self.{name})"
        );
        other_form(&rule, &name, Form::Established, instead)
    });
    let rules = required.chain(established).chain(design).chain(kinds);
    rules.chain([deleted_groups()]).collect()
}

fn deleted_groups() -> Value {
    let name = "removalBehavior.operatorGroups";
    let rule = format!(
        "{IS_DESIGN} || {WAS_NEITHER} || !has(self.removalBehavior) || !has(self.{name}) || \
         self.{name} != '{DESIGN_GROUP_REMOVAL}'"
    );
    other_form(&rule, name, Form::Established, DELETE_GROUPS)
}

fn other_form(rule: &str, name: &str, form: Form, instead: &'static str) -> Value {
    let flaw = Flaw::OtherForm { form, instead };
    one(rule, name, flaw, "FieldValueForbidden")
}

fn one(rule: &str, name: &str, flaw: Flaw, reason: &str) -> Value {
    let field = format!("spec.{name}");
    let message = Refusal { field, flaw }.to_string();
    let mut one = json!({
        "rule": rule,
        "message": message,
        "reason": reason,
        "fieldPath": format!(".{name}"),
    });
    if rule.contains(WAS_NEITHER) {
        one["optionalOldSelf"] = json!(true);
    }
    one
}
