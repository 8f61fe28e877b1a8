//! Tests rejections and warnings of the webhook, as kubectl prints them. An invalid PolicyBinding
//! is rejected by its CRD.

use portolan_rig::Failure;
use portolan_webhook::Terms;

use super::stage::{Pier, pier};

pub(super) const WRONG_OPERATOR: &str = "
apiVersion: operators.operatorframework.io/v1alpha1
kind: Operator
metadata: {name: ferry.v1}
spec: {packageName: ferry, version: '>=2.0.0 <1.0.0'}
";
const WRONG_POLICY: &str = "
apiVersion: operators.operatorframework.io/v1alpha1
kind: Policy
metadata: {name: weekends}
spec:
  schedule: [{start: 61 0 * * 6, end: 59 23 * * 0, timeZone: Europe/Atlantis}]
  opaPolicy: |
    allow if {
      x := := 1
    }
";
/// A Policy with a rule whose parsing would take seconds and gigabytes. `PART` is replaced with a
/// long expression.
const LONG_POLICY: &str = "
apiVersion: operators.operatorframework.io/v1alpha1
kind: Policy
metadata: {name: long}
spec: {opaPolicy: \"allow if PART1 > 0\"}
";
const TOO_LONG: &str = "The Policy \"long\" is invalid: spec.opaPolicy: is refused: line 129, \
 column 3: has an expression with more than 128 nested operators and brackets; move a part of it \
 into another rule";
const WRONG_OPERATOR_POLICY: &str = "
apiVersion: policy.open-cluster-management.io/v1beta1
kind: OperatorPolicy
metadata: {name: ferry, namespace: default}
spec:
  remediationAction: enforce
  subscription: {name: ferry, namespace: Harbor, channel: 'a b'}
  allowedCSVs: [ferry.v1.0.0, 'ferry v2']
";
const WRONG_PLAN: &str = "
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {name: ferry, namespace: default}
spec:
  serviceAccountName: installer
  replaces: [{name: ferry}]
  stages:
  - name: all
    resources:
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}
";
const WRONG_MANIFESTS: &str = "
apiVersion: plans.portolan.dev/v1alpha1
kind: InstallPlan
metadata: {name: ferry, namespace: default}
spec:
  serviceAccountName: installer
  stages:
  - name: all
    resources:
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}
    - manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: default}}
    - manifest: {kind: Secret, metadata: {generateName: b-, namespace: default}}
";

/// Manifests with errors that the CRDs do not detect, and the output of kubectl for them.
const REFUSALS: &[(&str, &str)] = &[
    (
        WRONG_OPERATOR,
        "The Operator \"ferry.v1\" is invalid: \n* metadata.name: has a dot, which is not allowed \
         in the name of an InstallPlan; write a hyphen\n* spec.version: is \">=2.0.0 <1.0.0\", \
         which contains no version",
    ),
    (
        WRONG_POLICY,
        "The Policy \"weekends\" is invalid: \n\
         * spec.schedule[0].start: has an invalid minute, \"61\"; write *, a number from 0 to 59, a range such as \
         0-59, or either */N or a range with a step\n\
         * spec.schedule[0].timeZone: is \"Europe/Atlantis\", which is not a time zone; write a \
         name from the IANA database, such as \"Europe/Berlin\"\n\
         * spec.opaPolicy: is refused: line 2, column 8: expecting expression",
    ),
    (
        WRONG_OPERATOR_POLICY,
        "The OperatorPolicy \"ferry\" is invalid: \n* spec.subscription.namespace: is \"Harbor\", \
         which cannot be a namespace; write at most 63 lower-case letters, digits and hyphens, \
         and start and end with a letter or digit\n* spec.subscription.channel: \"a b\" is not a \
         channel name: at column 2, \" \" is not an ASCII letter, digit, hyphen, dot, underscore \
         or plus sign\n* spec.allowedCSVs[1]: \"ferry v2\" is not a bundle name: at column 6, \" \
         \" is not an ASCII letter, digit, hyphen, dot, underscore or plus sign",
    ),
    (
        WRONG_PLAN,
        "The InstallPlan \"ferry\" is invalid: spec.replaces: names the plan itself; name the \
         previous plan, or remove the field",
    ),
    (
        WRONG_MANIFESTS,
        "The InstallPlan \"ferry\" is invalid: \n* spec.stages[0].resources[1]: (ConfigMap \
         default/a) is already listed at spec.stages[0].resources[0]; remove one of the two \
         entries\n* \
         spec.stages[0].resources[2]: has no apiVersion; write an API group and version, such as \
         apps/v1\n* \
         spec.stages[0].resources[2]: has metadata.generateName, which creates another object \
         each time; set metadata.name",
    ),
];

/// A PolicyBinding that refers to missing objects.
const BINDING: &str = "
apiVersion: operators.operatorframework.io/v1alpha1
kind: PolicyBinding
metadata: {name: weekends}
spec:
  subjects: [{kind: operator, name: ferry}]
  policyRef: [{kind: policy, name: weekends}]
";

/// Specs of invalid PolicyBindings, and parts of the messages that kubectl prints. The CRD rejects
/// them before the API server calls the webhook.
const WRONG_BINDINGS: &[(&str, &[&str])] = &[
    (
        "{subjects: [{kind: deployment, name: ferry}], policyRef: [{name: weekends}]}",
        &["spec.subjects[0].kind: Invalid value: \"deployment\": "],
    ),
    (
        "{subjects: [{kind: operatorPolicy, name: ferry}], policyRef: [{name: weekends}]}",
        &[
            "spec.subjects[0]: Invalid value: ",
            ": namespace is required for an OperatorPolicy unless name is *, and not allowed for an \
             Operator",
        ],
    ),
    (
        "{subjects: [{kind: operator, name: ferry, apiGroup: policy.open-cluster-management.io}], \
         policyRef: [{name: weekends}]}",
        &[
            ": apiGroup must be operators.operatorframework.io for an Operator, and \
             policy.open-cluster-management.io for an OperatorPolicy",
        ],
    ),
    (
        "{subjects: [{kind: operator, name: '*'}], policyRef: []}",
        &["spec.policyRef: Invalid value: 0: spec.policyRef in body should have at least 1 items"],
    ),
    (
        "{subjects: [{kind: operator, name: 'a b'}], policyRef: [{name: Weekends}]}",
        &[
            "spec.subjects[0].name: Invalid value: \"a b\": ",
            "spec.policyRef[0].name: Invalid value: \"Weekends\": ",
        ],
    ),
    (
        "{subjects: [{kind: operator, name: '*'}]}",
        &["spec.policyRef: Required value"],
    ),
];

#[tokio::test]
async fn admission_rejects_with_the_messages_of_conditions() -> Result<(), Failure> {
    let Some(pier) = pier(Terms::default()).await? else {
        return Ok(());
    };
    for (wrong, expected) in REFUSALS {
        let output = pier.applies(wrong).await?;
        assert_eq!(output, Err((*expected).to_owned()));
    }
    for (wrong, expected) in WRONG_BINDINGS {
        let output = pier.applies(&binding(wrong)).await?;
        let output = output.expect_err("the CRD must reject it");
        let begin = "The PolicyBinding \"weekends\" is invalid: ";
        assert!(output.starts_with(begin), "{output}");
        assert!(expected.iter().all(|it| output.contains(it)), "{output}");
    }
    let long = LONG_POLICY.replace("PART", &"1 +\\n".repeat(3900));
    let output = pier.applies(&long).await?;
    assert_eq!(output, Err(TOO_LONG.to_owned()));
    warns_about_doubtful_objects(&pier).await?;
    pier.assert_no_forbidden_requests()
}

fn binding(spec: &str) -> String {
    format!(
        "apiVersion: operators.operatorframework.io/v1alpha1\nkind: PolicyBinding\n\
         metadata: {{name: weekends}}\nspec: {spec}\n"
    )
}

/// The API server writes an object with missing references, and returns a warning.
async fn warns_about_doubtful_objects(pier: &Pier) -> Result<(), Failure> {
    let output = pier.warns(BINDING).await?;
    let expected = "Warning: the PolicyBinding names missing objects: Operator ferry, Policy \
                    weekends; create these objects, or remove them from the PolicyBinding";
    assert_eq!(output.lines().next(), Some(expected), "{output}");
    let made = ["get", "upgradepolicybinding", "weekends", "-o=name"];
    pier.types(&made).await?;
    Ok(())
}
