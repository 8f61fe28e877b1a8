//! Tests the time windows of upgrades: closed windows, changed Policies, and broken bindings.

use jiff::Timestamp;
use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{Harbor, harbor_with_policies, spec_at, version};
use crate::operatorpolicy::windows::{CLOSED, next_minute, opening};

const GROUP: &str = "operators.operatorframework.io/v1alpha1";
/// A schedule that is always open except for one or two minutes per year.
pub(super) const OPEN: &str = "schedule: [{start: '*/2 * * * *', end: '0 0 1 1 *'}]";

const POLICIES: &str = "upgradepolicies.operators.operatorframework.io";
const BINDINGS: &str = "upgradepolicybindings.operators.operatorframework.io";

/// A CRD for the Policy of Open Cluster Management, with only the fields that kubectl needs.
const THEIRS: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: policies.policy.open-cluster-management.io}
spec:
  group: policy.open-cluster-management.io
  names: {kind: Policy, listKind: PolicyList, plural: policies, singular: policy, shortNames: [plc]}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}
";
const THEIR_POLICY: &str = "
apiVersion: policy.open-cluster-management.io/v1
kind: Policy
metadata: {name: theirs, namespace: default}
";

/// Returns a Policy with this spec.
pub(super) fn policy(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: {GROUP}\nkind: Policy\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"
    )
}

/// Returns a binding of an Operator (or of all Operators, `*`) to these Policies.
pub(super) fn binding(name: &str, subject: &str, policies: &[&str]) -> String {
    let policies: Vec<_> = policies
        .iter()
        .map(|it| format!("{{kind: policy, name: {it}}}"))
        .collect();
    format!(
        "apiVersion: {GROUP}\nkind: PolicyBinding\nmetadata: {{name: {name}}}\nspec:\n  subjects: \
         [{{kind: operator, name: '{subject}'}}]\n  policyRef: [{}]\n---\n",
        policies.join(", ")
    )
}

/// Returns a harbor with the installed operator ferry 1.0.0. Its catalog also contains the versions
/// up to 1.3.0.
pub(super) async fn with_ferry(test: &str) -> Result<Option<Harbor>, Failure> {
    let all = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor_with_policies(test, &all).await? else {
        return Ok(None);
    };
    harbor.operator("ferry", spec_at("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    Ok(Some(harbor))
}

pub(super) const WAITS: [&str; 3] = ["Installing", "False", "TimeRestricted"];

#[tokio::test]
async fn closed_window_blocks_an_upgrade_until_policies_allow_it() -> Result<(), Failure> {
    let Some(harbor) = with_ferry("operators-windows").await? else {
        return Ok(());
    };
    rejects_rules_that_take_long_to_parse(&harbor).await?;
    let closed = policy("rare", CLOSED) + &binding("all", "*", &["rare"]);
    // The controller reads the Policy `never` here, while no binding refers to it.
    harbor.apply(&(policy("never", CLOSED) + &closed)).await?;
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let message = harbor.until("ferry", WAITS).await?;
    let expected =
        "ferry.v1.1.0 waits: Policy rare (by PolicyBinding all) opens its next time window at ";
    assert!(message.starts_with(expected), "{message}");
    let plans = harbor.plan_names().await?;
    assert_eq!(
        plans,
        [("ferry-1".to_owned(), false), ("ferry-2".to_owned(), true)]
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let columns = "-o=custom-columns=A:.status.bindings,W:.status.windows[*].opens";
    let listed = harbor.kubectl(&["get", POLICIES, "rare", columns]).await?;
    let (_, listed) = listed.split_once('\n').unwrap_or_default();
    assert!(listed.starts_with("[all]   "), "{listed}");
    assert_eq!(listed.matches("-01-01T00:00:00Z").count(), 3, "{listed}");

    // When the window opens, the controller releases the plan automatically.
    harbor.apply(&policy("rare", OPEN)).await?;
    harbor.until_installed("ferry", "1.1.0").await?;

    // All bound Policies must allow the upgrade.
    harbor
        .apply(&binding("all", "*", &["rare", "never"]))
        .await?;
    harbor.operator("ferry", spec_at("1.2.0")).await?;
    let message = harbor.until("ferry", WAITS).await?;
    assert!(
        message.contains("Policy never (by PolicyBinding all)"),
        "{message}"
    );
    assert!(!message.contains("Policy rare"), "{message}");

    // A binding ignores a missing Policy.
    harbor.kubectl(&["delete", POLICIES, "never"]).await?;
    harbor.until_installed("ferry", "1.2.0").await?;
    harbor.waits_until_broken("all").await?;

    // The window opens at its time, without a change of an object.
    harbor.apply(&closed).await?;
    harbor.operator("ferry", spec_at("1.3.0")).await?;
    harbor.until("ferry", WAITS).await?;
    let opens = next_minute().map_err(Failure::read("the next minute"))?;
    harbor.apply(&policy("rare", &opening(opens))).await?;
    harbor.until_installed("ferry", "1.3.0").await?;
    assert!(Timestamp::now() >= opens, "{opens} was waited for");
    kubectl_still_means_policies_of_others(&harbor).await
}

/// Rejects rules whose parsing would take seconds and gigabytes. Their statuses contain the reason.
/// The controller must survive this, because the other parts of the test use it.
async fn rejects_rules_that_take_long_to_parse(harbor: &Harbor) -> Result<(), Failure> {
    for (at, part) in [(1, "1 +\\n"), (2, "-\\n"), (3, "1 |\\n")] {
        let times = 15_600 / (part.len() - 1);
        let rule = format!("opaPolicy: \"allow if {}1 > 0\"", part.repeat(times));
        harbor.apply(&policy(&format!("long-{at}"), &rule)).await?;
    }
    for name in ["long-1", "long-2", "long-3"] {
        let refused = "--for=condition=Accepted=False";
        let wait = ["wait", refused, POLICIES, name, "--timeout=180s"];
        harbor.kubectl(&wait).await?;
        let message = "-o=jsonpath={.status.conditions[0].message}";
        let message = harbor.kubectl(&["get", POLICIES, name, message]).await?;
        let expected = "spec.opaPolicy is refused: line 129, column ";
        assert!(message.starts_with(expected), "{message}");
        assert!(
            message.contains("more than 128 nested operators"),
            "{message}"
        );
    }
    assert!(harbor.is_alive().await?);
    Ok(())
}

impl Harbor {
    /// Waits until a PolicyBinding reports a missing Policy, in the output of kubectl, in an event
    /// and in the metrics.
    async fn waits_until_broken(&self, binding: &str) -> Result<(), Failure> {
        let broken = "--for=condition=Broken";
        let wait = ["wait", broken, BINDINGS, binding, "--timeout=180s"];
        self.kubectl(&wait).await?;
        let wide = ["get", BINDINGS, binding, "-o=wide", "--no-headers"];
        let message = self.kubectl(&wide).await?;
        assert!(
            message.contains("names missing objects: Policy never"),
            "{message}"
        );
        let about = format!("involvedObject.name={binding}");
        let events = ["get", "events", "-A", "--field-selector", &about, "-o=name"];
        // The controller creates the event a moment after it writes the status.
        until("an event of the binding", PATIENCE, async || {
            let message = self.kubectl(&events).await?;
            Ok(if message.is_empty() {
                Seen::NotYet("no event".to_owned())
            } else {
                assert_eq!(message.lines().count(), 1, "{message}");
                Seen::Yes(())
            })
        })
        .await?;
        let counted = "portolan_upgrade_policies_broken_bindings";
        self.until_metric(&format!("{counted}{{binding=\"{binding}\"}} 1"))
            .await
    }
}

/// If Open Cluster Management is installed, `kubectl get policy` still prints its Policies.
async fn kubectl_still_means_policies_of_others(harbor: &Harbor) -> Result<(), Failure> {
    harbor.apply(THEIRS).await?;
    let established = "--for=condition=Established";
    let theirs = "crd/policies.policy.open-cluster-management.io";
    harbor
        .kubectl(&["wait", established, theirs, "--timeout=180s"])
        .await?;
    harbor.apply(THEIR_POLICY).await?;
    for word in ["policy", "policies"] {
        let message = harbor.kubectl(&["get", word, "-A", "-o=name"]).await?;
        assert_eq!(message, "policy.policy.open-cluster-management.io/theirs\n");
    }
    Ok(())
}

/// No hop starts while the approval service is unavailable. When the service is available again,
/// the upgrade continues.
#[tokio::test]
async fn unavailable_approval_service_blocks_hops() -> Result<(), Failure> {
    let Some(mut harbor) = with_ferry("operators-consent").await? else {
        return Ok(());
    };
    harbor.kill_approval();
    harbor.operator("ferry", spec_at("1.1.0")).await?;
    let silent = ["Installing", "Unknown", "PolicyServiceUnavailable"];
    let message = harbor.until("ferry", silent).await?;
    assert!(
        message.starts_with("it is unknown if policies allow ferry.v1.1.0: approval"),
        "{message}"
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));

    // The approval service now has another address.
    harbor.kill();
    harbor
        .start_approval("approval", Some("system:masters"))
        .await?;
    harbor.start().await?;
    harbor.until_installed("ferry", "1.1.0").await
}
