//! When an Operator may move: windows that are closed, Policies that change, and bindings that are broken.

use jiff::Timestamp;
use portolan_rig::{Failure, PATIENCE, Seen, until};

use super::stage::{Harbor, harbor_with_policies, version, wish};
use crate::operatorpolicy::windows::{CLOSED, next_minute, opening};

const GROUP: &str = "operators.operatorframework.io/v1alpha1";
/// Open but for a minute or two of the year.
pub(super) const OPEN: &str = "schedule: [{start: '*/2 * * * *', end: '0 0 1 1 *'}]";

const POLICIES: &str = "upgradepolicies.operators.operatorframework.io";
const BINDINGS: &str = "upgradepolicybindings.operators.operatorframework.io";

/// As much of it as kubectl looks at.
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

/// A Policy with this spec.
pub(super) fn policy(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: {GROUP}\nkind: Policy\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"
    )
}

/// A binding of all Operators to these Policies.
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

/// A harbor with ferry at 1.0.0, where versions up to 1.3.0 are to be had.
pub(super) async fn with_ferry(story: &str) -> Result<Option<Harbor>, Failure> {
    let all = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor_with_policies(story, &all).await? else {
        return Ok(None);
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    Ok(Some(harbor))
}

pub(super) const WAITS: [&str; 3] = ["Installing", "False", "TimeRestricted"];

#[tokio::test]
async fn a_closed_window_holds_it_until_the_policies_let_it_go() -> Result<(), Failure> {
    let Some(harbor) = with_ferry("operators-windows").await? else {
        return Ok(());
    };
    rejects_rules_that_take_long_to_parse(&harbor).await?;
    let closed = policy("rare", CLOSED) + &binding("all", "*", &["rare"]);
    // The one that nobody names yet is known by the time that somebody does.
    harbor.apply(&(policy("never", CLOSED) + &closed)).await?;
    harbor.operator("ferry", wish("1.1.0")).await?;
    let said = harbor.until("ferry", WAITS).await?;
    let expected =
        "ferry.v1.1.0 waits: Policy rare (by PolicyBinding all) opens its next window at ";
    assert!(said.starts_with(expected), "{said}");
    let plans = harbor.plan_names().await?;
    assert_eq!(
        plans,
        [("ferry-1".to_owned(), false), ("ferry-2".to_owned(), true)]
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));
    let columns = "-o=custom-columns=A:.status.bindings,W:.status.windows[*].opens";
    let told = harbor.kubectl(&["get", POLICIES, "rare", columns]).await?;
    let (_, told) = told.split_once('\n').unwrap_or_default();
    assert!(told.starts_with("[all]   "), "{told}");
    assert_eq!(told.matches("-01-01T00:00:00Z").count(), 3, "{told}");

    // What opens lets it go on, unaided.
    harbor.apply(&policy("rare", OPEN)).await?;
    harbor.until_installed("ferry", "1.1.0").await?;

    // Of two that are bound both must allow.
    harbor
        .apply(&binding("all", "*", &["rare", "never"]))
        .await?;
    harbor.operator("ferry", wish("1.2.0")).await?;
    let said = harbor.until("ferry", WAITS).await?;
    assert!(
        said.contains("Policy never (by PolicyBinding all)"),
        "{said}"
    );
    assert!(!said.contains("Policy rare"), "{said}");

    // A binding that names what is not there has no effect.
    harbor.kubectl(&["delete", POLICIES, "never"]).await?;
    harbor.until_installed("ferry", "1.2.0").await?;
    harbor.types_until_broken("all").await?;

    // A window opens though nobody does anything.
    harbor.apply(&closed).await?;
    harbor.operator("ferry", wish("1.3.0")).await?;
    harbor.until("ferry", WAITS).await?;
    let opens = next_minute().map_err(Failure::read("the next minute"))?;
    harbor.apply(&policy("rare", &opening(opens))).await?;
    harbor.until_installed("ferry", "1.3.0").await?;
    assert!(Timestamp::now() >= opens, "{opens} was waited for");
    others_stay_what_they_are(&harbor).await
}

/// Rejects, in the status, rules that would take the engine seconds and gigabytes to parse. The rest of the test needs the
/// same controller.
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
        assert!(message.contains("more than 128 operators"), "{message}");
    }
    assert!(harbor.is_alive().await?);
    Ok(())
}

impl Harbor {
    /// Waits as people do until a PolicyBinding names what is not there, and reads what it says of it.
    async fn types_until_broken(&self, binding: &str) -> Result<(), Failure> {
        let broken = "--for=condition=Broken";
        let wait = ["wait", broken, BINDINGS, binding, "--timeout=180s"];
        self.kubectl(&wait).await?;
        let wide = ["get", BINDINGS, binding, "-o=wide", "--no-headers"];
        let told = self.kubectl(&wide).await?;
        assert!(
            told.contains("names what is not there: Policy never"),
            "{told}"
        );
        let about = format!("involvedObject.name={binding}");
        let events = ["get", "events", "-A", "--field-selector", &about, "-o=name"];
        // It is made a moment after the status.
        until("an event of the binding", PATIENCE, async || {
            let told = self.kubectl(&events).await?;
            Ok(if told.is_empty() {
                Seen::NotYet("none".to_owned())
            } else {
                assert_eq!(told.lines().count(), 1, "{told}");
                Seen::Yes(())
            })
        })
        .await?;
        let counted = "portolan_upgrade_policies_broken_bindings";
        self.until_metric(&format!("{counted}{{binding=\"{binding}\"}} 1"))
            .await
    }
}

/// Where Open Cluster Management is, `kubectl get policy` means theirs.
async fn others_stay_what_they_are(harbor: &Harbor) -> Result<(), Failure> {
    harbor.apply(THEIRS).await?;
    let established = "--for=condition=Established";
    let theirs = "crd/policies.policy.open-cluster-management.io";
    harbor
        .kubectl(&["wait", established, theirs, "--timeout=180s"])
        .await?;
    harbor.apply(THEIR_POLICY).await?;
    for word in ["policy", "policies"] {
        let told = harbor.kubectl(&["get", word, "-A", "-o=name"]).await?;
        assert_eq!(told, "policy.policy.open-cluster-management.io/theirs\n");
    }
    Ok(())
}

/// Nobody says whether it may: then it does not, until somebody does.
#[tokio::test]
async fn while_approval_is_away_no_hop_begins() -> Result<(), Failure> {
    let Some(mut harbor) = with_ferry("operators-consent").await? else {
        return Ok(());
    };
    harbor.kill_approval();
    harbor.operator("ferry", wish("1.1.0")).await?;
    let silent = ["Installing", "Unknown", "ConsentUnavailable"];
    let said = harbor.until("ferry", silent).await?;
    assert!(
        said.starts_with("nobody says whether ferry.v1.1.0 may begin: approval"),
        "{said}"
    );
    assert_eq!(harbor.runs("ferry").await?.as_deref(), Some("1.0.0"));

    // It is at another address now.
    harbor.kill();
    harbor
        .start_approval("approval", Some("system:masters"))
        .await?;
    harbor.start().await?;
    harbor.until_installed("ferry", "1.1.0").await
}
