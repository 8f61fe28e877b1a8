//! The schema of the spec, for API servers and for `kubectl explain`.
//!
//! Only `remediationAction` has a default. Any other default would make a policy look as if it had
//! fields of the other form. A field that is not a string but may be a template has no type here,
//! because a template is a string. Unknown fields of `subscription` and `operatorGroup` are
//! allowed, so that a status can name them. The parser checks all of it again.

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
        "Action when the cluster differs from the policy. inform (the default): the difference is \
         reported. enforce: the cluster is changed.",
        REMEDIATIONS,
    );
    remediation["default"] = json!("inform");
    let schema = object(
        "The desired operator and its allowed versions. A policy with allowedCSVs has the design \
         form. A policy without it has the established form, which requires complianceType and \
         upgradeApproval.",
        json!({
            "allowedCSVs": allowed(),
            "complianceConfig": compliance_config(),
            "complianceType": word(
                "Established form: the desired state. musthave: the operator must be installed. \
                 mustnothave: the operator must not be installed. Required in this form.",
                PRESENCES,
            ),
            "operatorGroup": operator_group(),
            "remediationAction": remediation,
            "removalBehavior": removal_behavior(),
            "severity": word("The severity to report while the policy is violated.", SEVERITIES),
            "statusConfig": status_config(),
            "subscription": subscription(),
            "upgradeApproval": word(
                "Established form: approval of upgrades. Automatic: allowed upgrades are approved. \
                 None: only the first installation is approved. Required in this form.",
                UPGRADE_APPROVALS,
            ),
            "versions": texts(
                "Established form: the allowed versions. Each item is the name of a \
                 ClusterServiceVersion, or a range such as etcd@>=0.9.2 <1.0.0. An item can \
                 contain several, separated by commas. If empty, any version is allowed.",
            ),
        }),
    );
    let schema = with(schema, "required", json!(["subscription"]));
    let schema = with(schema, "x-kubernetes-validations", json!(rules()));
    Schema::try_from(schema).expect("a schema must be an object")
}

fn allowed() -> Value {
    let texts = texts(
        "Design form: the allowed versions. Each item is the name of a ClusterServiceVersion, a \
         range such as etcd@>=0.9.2 <1.0.0, or \"*\" for any version.",
    );
    with(texts, "minItems", json!(1))
}

fn subscription() -> Value {
    open(
        "The desired Subscription: the spec of an OLM Subscription, and its namespace.",
        json!({
            "channel": text("The channel. Defaults to the default channel of the package."),
            "config": anything("Settings that OLM adds to the Deployments of the operator."),
            "installPlanApproval": text(
                "Design form: the approval of InstallPlans in the Subscription, Automatic (the \
                 default) or Manual. Always Manual if allowedCSVs or a PolicyBinding restricts the \
                 versions.",
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
                 version, or to the choice of OLM if any version is allowed.",
            ),
        }),
    )
}

fn operator_group() -> Value {
    open(
        "The desired OperatorGroup: the spec of an OLM OperatorGroup, its name and its namespace. \
         By default any existing OperatorGroup is used. If none exists, an OperatorGroup for all \
         namespaces is created.",
        json!({
            "name": text(
                "The name of the OperatorGroup. Defaults to the name of the namespace in the \
                 design form, and is required in the established form.",
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
                "Design form: the namespaces that the operator watches. Set either namespaces or \
                 selector. Defaults to all namespaces.",
            ),
            "targetNamespaces": anything(
                "Established form: the namespaces that the operator watches. Defaults to all \
                 namespaces.",
            ),
            "upgradeStrategy": text(
                "The upgrade strategy: Default or TechPreviewUnsafeFailForward. \
                 TechPreviewUnsafeFailForward allows a failed operator to be replaced.",
            ),
        }),
    )
}

fn removal_behavior() -> Value {
    let removed = |what: &str| word(what, REMOVALS);
    object(
        "The objects to remove with the operator. Design form: they are removed when the policy is \
         deleted. Established form: they are removed with complianceType mustnothave. Objects that \
         the policy did not create are removed only if their kind is set here.",
        json!({
            "apiServiceDefinitions": removed(
                "Design form: Keep (the default) or Delete. This field has no effect. OLM deletes an \
                 APIService with its ClusterServiceVersion, and only then.",
            ),
            "clusterServiceVersions": removed(
                "Action on ClusterServiceVersions: Delete (the default) or Keep.",
            ),
            "customResourceDefinitions": removed(
                "Action on CustomResourceDefinitions and all their custom resources: Keep (the \
                 default) or Delete.",
            ),
            "installPlans": removed(
                "Design form: action on InstallPlans, Keep or Delete. By default they are kept, \
                 except an InstallPlan that waits for approval and is shared with another \
                 Subscription.",
            ),
            "operatorGroups": word(
                "Action on OperatorGroups. DeleteIfUnused (the default): an OperatorGroup is \
                 deleted if nothing else uses it. Delete (design form): the same, but the \
                 Subscription and ClusterServiceVersion of this policy do not count as users. \
                 Keep: it is kept.",
                GROUP_REMOVALS,
            ),
            "subscriptions": removed("Action on Subscriptions: Delete (the default) or Keep."),
        }),
    )
}

fn compliance_config() -> Value {
    let effect = |what: &str| word(what, COMPLIANCE_EFFECTS);
    object(
        "Established form: effects of observations. Compliant: the observation has no effect on \
         compliance. NonCompliant: the policy becomes NonCompliant.",
        json!({
            "catalogSourceUnhealthy": effect(
                "Effect of a missing or unhealthy CatalogSource. Defaults to Compliant.",
            ),
            "deploymentsUnavailable": effect(
                "Effect of unavailable Deployments. Defaults to NonCompliant.",
            ),
            "deprecationsPresent": effect(
                "Effect of a deprecated package, channel or bundle. Defaults to Compliant.",
            ),
            "minorChannelUpgradeAvailable": effect(
                "Effect of an available channel of a later minor version. Defaults to Compliant.",
            ),
            "upgradesAvailable": effect(
                "Effect of an upgrade that waits for approval. Defaults to Compliant.",
            ),
        }),
    )
}

fn status_config() -> Value {
    let effect = |what: &str| word(what, STATUS_EFFECTS);
    object(
        "Design form: effects of observations. Condition: the observation is reported only in a \
         condition. NonCompliant: the policy also becomes NonCompliant.",
        json!({
            "catalogSourceUnhealthy": effect(
                "Effect of a missing or unhealthy CatalogSource. Defaults to Condition.",
            ),
            "deploymentsUnavailable": effect(
                "Effect of unavailable Deployments. Defaults to NonCompliant.",
            ),
            "upgradesAvailable": effect(
                "Effect of an upgrade that waits for approval. Defaults to Condition.",
            ),
            "upgradesProgressing": effect(
                "Effect of an upgrade in progress. Defaults to NonCompliant.",
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

/// True if the policy has the design form.
const IS_DESIGN: &str = "has(self.allowedCSVs)";
/// True if a stored policy has neither form. A write while another CRD was served may have dropped
/// its allowedCSVs. Its status and finalizers must stay writable.
const WAS_NEITHER: &str = "(oldSelf.hasValue() && !has(oldSelf.value().allowedCSVs) && \
    !has(oldSelf.value().complianceType))";

/// The CEL rules. Each checks the presence of fields or compares a field with a word, so that the
/// cost is independent of the size of a policy.
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
