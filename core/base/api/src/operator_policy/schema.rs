//! The schema of the spec, for API servers and for `kubectl explain`.
//!
//! Only `remediationAction` has a default. Any other default would add a field to a policy that may
//! belong to the other form. A field that is not a string but may be a template has no type,
//! because a template is a string. Unknown fields of `subscription` and `operatorGroup` are
//! allowed, so that a status can report them. The parser checks everything again.

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

/// The maximum length of a text. A text may be a long template.
const LONGEST_TEXT: u32 = 16_384;
/// The maximum number of items in a list.
const MOST_ITEMS: u32 = 1_000;

pub(super) fn spec() -> Schema {
    let mut remediation = word(
        "The action if the cluster does not match the policy. inform (the default): the \
         controller only reports the difference. enforce: the controller changes the cluster to \
         match the policy.",
        REMEDIATIONS,
    );
    remediation["default"] = json!("inform");
    let schema = object(
        "The desired operator and its allowed versions. If allowedCSVs is set, complianceType and \
         upgradeApproval are not allowed. If allowedCSVs is not set, both fields are required, as \
         in Open Cluster Management.",
        json!({
            "allowedCSVs": allowed(),
            "complianceConfig": compliance_config(),
            "complianceType": word(
                "The desired state. musthave: the operator must be installed. mustnothave: the \
                 operator must not be installed. Required if allowedCSVs is not set. Not allowed \
                 otherwise.",
                PRESENCES,
            ),
            "operatorGroup": operator_group(),
            "remediationAction": remediation,
            "removalBehavior": removal_behavior(),
            "severity": word("The severity that is reported while the cluster violates the \
                              policy.", SEVERITIES),
            "statusConfig": status_config(),
            "subscription": subscription(),
            "upgradeApproval": word(
                "The approval of upgrades. Automatic: all allowed upgrades are approved. None: \
                 only the first installation is approved. Required if allowedCSVs is not set. Not \
                 allowed otherwise.",
                UPGRADE_APPROVALS,
            ),
            "versions": texts(
                "The allowed versions. Each item is the name of a ClusterServiceVersion, or a \
                 range such as etcd@>=0.9.2 <1.0.0. An item can contain several names and ranges, \
                 separated by commas. If empty, all versions are allowed. Not allowed if \
                 allowedCSVs is set.",
            ),
        }),
    );
    let schema = with(schema, "required", json!(["subscription"]));
    let schema = with(schema, "x-kubernetes-validations", json!(rules()));
    Schema::try_from(schema).expect("a schema must be an object")
}

fn allowed() -> Value {
    let texts = texts(
        "The allowed versions. Each item is the name of a ClusterServiceVersion, a range such as \
         etcd@>=0.9.2 <1.0.0, or \"*\" for all versions. If set, complianceType, upgradeApproval, \
         versions and complianceConfig are not allowed.",
    );
    with(texts, "minItems", json!(1))
}

fn subscription() -> Value {
    open(
        "The desired Subscription: the spec of an OLM Subscription, and its namespace.",
        json!({
            "channel": text("The channel. Defaults to the default channel of the package."),
            "config": anything("The settings that OLM adds to the Deployments of the operator, as \
                                in spec.config of an OLM Subscription."),
            "installPlanApproval": text(
                "The value of installPlanApproval in the Subscription: Automatic (the default) or \
                 Manual. If allowedCSVs or a PolicyBinding restricts the versions, the value is \
                 always Manual. Requires allowedCSVs.",
            ),
            "name": text("The name of the package, and of the Subscription. Required."),
            "namespace": text(
                "The namespace of the operator. Defaults to the namespace that the package \
                 suggests.",
            ),
            "source": text(
                "The name of the CatalogSource. Defaults to the CatalogSource that has the \
                 package.",
            ),
            "sourceNamespace": text("The namespace of the CatalogSource."),
            "startingCSV": text(
                "The first ClusterServiceVersion to install. Defaults to the newest allowed \
                 version. If all versions are allowed, OLM chooses the first version.",
            ),
        }),
    )
}

fn operator_group() -> Value {
    open(
        "The desired OperatorGroup: its name, its namespace, and the fields of the spec of an OLM \
         OperatorGroup. If not set, the existing OperatorGroup of the namespace is used. If no \
         OperatorGroup exists, an OperatorGroup for all namespaces is created.",
        json!({
            "name": text(
                "The name of the OperatorGroup. Defaults to the name of the namespace if \
                 allowedCSVs is set. Required otherwise.",
            ),
            "namespace": text(
                "The namespace of the OperatorGroup. It must equal the namespace of the \
                 Subscription.",
            ),
            "selector": anything("The labels of the namespaces that the operator watches."),
            "serviceAccountName": text(
                "The ServiceAccount that OLM uses to install the operator. Defaults to the \
                 ServiceAccount of OLM.",
            ),
            "staticProvidedAPIs": anything(
                "If true, OLM does not write the provided APIs into the OperatorGroup. Defaults to \
                 false.",
            ),
            "target": anything(
                "The namespaces that the operator watches. Set either target.namespaces or \
                 target.selector. Defaults to all namespaces. Requires allowedCSVs.",
            ),
            "targetNamespaces": anything(
                "The namespaces that the operator watches. Defaults to all namespaces. Not allowed \
                 if allowedCSVs is set.",
            ),
            "upgradeStrategy": text(
                "The upgrade strategy: Default or TechPreviewUnsafeFailForward. With \
                 TechPreviewUnsafeFailForward, OLM can upgrade an operator that has failed.",
            ),
        }),
    )
}

fn removal_behavior() -> Value {
    let removed = |what: &str| word(what, REMOVALS);
    object(
        "The objects to remove together with the operator. If allowedCSVs is set, these objects \
         are removed when the policy is deleted. Otherwise, they are removed if complianceType is \
         mustnothave. An object that the policy did not create is removed only if this field names \
         its kind.",
        json!({
            "apiServiceDefinitions": removed(
                "Keep (the default) or Delete. This field has no effect: OLM always deletes an \
                 APIService together with its ClusterServiceVersion. Requires allowedCSVs.",
            ),
            "clusterServiceVersions": removed(
                "The action on ClusterServiceVersions: Delete (the default) or Keep.",
            ),
            "customResourceDefinitions": removed(
                "The action on CustomResourceDefinitions and all their custom resources: Keep (the \
                 default) or Delete.",
            ),
            "installPlans": removed(
                "The action on InstallPlans: Keep or Delete. If not set, an InstallPlan is \
                 deleted only if it waits for approval and another Subscription also uses it. All \
                 other InstallPlans are then kept. Requires allowedCSVs.",
            ),
            "operatorGroups": word(
                "The action on OperatorGroups. Keep: the OperatorGroup is kept. DeleteIfUnused \
                 (the default): the OperatorGroup is deleted if nothing uses it. Delete: the \
                 OperatorGroup is deleted if nothing uses it except the Subscription and the \
                 ClusterServiceVersion of this policy. Delete requires allowedCSVs.",
                GROUP_REMOVALS,
            ),
            "subscriptions": removed("The action on Subscriptions: Delete (the default) or Keep."),
        }),
    )
}

fn compliance_config() -> Value {
    let effect = |what: &str| word(what, COMPLIANCE_EFFECTS);
    object(
        "The compliance of the policy in each situation. Compliant: the situation does not change \
         the compliance. NonCompliant: the policy becomes NonCompliant. Not allowed if allowedCSVs \
         is set.",
        json!({
            "catalogSourceUnhealthy": effect(
                "The compliance of the policy while a CatalogSource is missing or unhealthy. \
                 Defaults to Compliant.",
            ),
            "deploymentsUnavailable": effect(
                "The compliance of the policy while Deployments are unavailable. Defaults to \
                 NonCompliant.",
            ),
            "deprecationsPresent": effect(
                "The compliance of the policy if the package, channel or bundle is deprecated. \
                 Defaults to Compliant.",
            ),
            "minorChannelUpgradeAvailable": effect(
                "The compliance of the policy if a channel with a later minor version is \
                 available. Defaults to Compliant.",
            ),
            "upgradesAvailable": effect(
                "The compliance of the policy while an upgrade waits for approval. Defaults to \
                 Compliant.",
            ),
        }),
    )
}

fn status_config() -> Value {
    let effect = |what: &str| word(what, STATUS_EFFECTS);
    object(
        "The report about each situation. Condition: a condition \
         reports the situation, and the compliance does not change. NonCompliant: a condition \
         reports the situation, and the policy becomes NonCompliant. Requires allowedCSVs.",
        json!({
            "catalogSourceUnhealthy": effect(
                "The report while a CatalogSource is missing or unhealthy. Defaults to Condition.",
            ),
            "deploymentsUnavailable": effect(
                "The compliance of the policy while Deployments are unavailable. Defaults to \
                 NonCompliant.",
            ),
            "upgradesAvailable": effect(
                "The report while an upgrade waits for approval. Defaults to Condition.",
            ),
            "upgradesProgressing": effect(
                "The compliance of the policy while an upgrade is in progress. Defaults to \
                 NonCompliant.",
            ),
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

/// The CEL expression that is true if the policy has the design form.
const IS_DESIGN: &str = "has(self.allowedCSVs)";
/// The CEL expression that is true if the stored policy has neither form. This happens if the
/// policy was written while another CRD was installed, which dropped `allowedCSVs`. The status and
/// finalizers of such a policy must remain writable.
const WAS_NEITHER: &str = "(oldSelf.hasValue() && !has(oldSelf.value().allowedCSVs) && \
    !has(oldSelf.value().complianceType))";

/// Returns the CEL rules. Each rule only checks if fields exist, or compares a field with a
/// constant. So the cost of a rule does not depend on the size of the policy.
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
