//! When an Operator may move: windows that are closed, Policies that change, and bindings that are broken.

use portolan_rig::Failure;

use super::stage::{Harbor, harbor_with_policies, version, wish};

const GROUP: &str = "operators.operatorframework.io/v1alpha1";
/// Open for a minute of the year.
const CLOSED: &str = "schedule: [{start: '0 0 1 1 *', end: '1 0 1 1 *'}]";
/// Open but for a minute or two of the year.
const OPEN: &str = "schedule: [{start: '*/2 * * * *', end: '0 0 1 1 *'}]";

/// A Policy with this spec.
fn policy(name: &str, spec: &str) -> String {
    format!(
        "apiVersion: {GROUP}\nkind: Policy\nmetadata: {{name: {name}}}\nspec: {{{spec}}}\n---\n"
    )
}

/// A binding of all Operators to these Policies.
fn binding(name: &str, subject: &str, policies: &[&str]) -> String {
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
async fn with_ferry(story: &str) -> Result<Option<Harbor>, Failure> {
    let all = ["1.0.0", "1.1.0", "1.2.0", "1.3.0"].map(|it| version("ferry", it));
    let Some(harbor) = harbor_with_policies(story, &all).await? else {
        return Ok(None);
    };
    harbor.operator("ferry", wish("1.0.0")).await?;
    harbor.until_installed("ferry", "1.0.0").await?;
    Ok(Some(harbor))
}

const WAITS: [&str; 3] = ["Installing", "False", "TimeRestricted"];

#[tokio::test]
async fn a_closed_window_holds_it_until_the_policies_let_it_go() -> Result<(), Failure> {
    let Some(harbor) = with_ferry("operators-windows").await? else {
        return Ok(());
    };
    let closed = policy("rare", CLOSED) + &binding("all", "*", &["rare"]);
    harbor.apply(&closed).await?;
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

    // What opens lets it go on, unaided.
    harbor.apply(&policy("rare", OPEN)).await?;
    harbor.until_installed("ferry", "1.1.0").await?;

    // Of two that are bound both must allow.
    let two = policy("never", CLOSED) + &binding("all", "*", &["rare", "never"]);
    harbor.apply(&two).await?;
    harbor.operator("ferry", wish("1.2.0")).await?;
    let said = harbor.until("ferry", WAITS).await?;
    assert!(
        said.contains("Policy never (by PolicyBinding all)"),
        "{said}"
    );
    assert!(!said.contains("Policy rare"), "{said}");

    // A binding that names what is not there has no effect.
    let policies = [
        "delete",
        "upgradepolicies.operators.operatorframework.io",
        "never",
    ];
    harbor.kubectl(&policies).await?;
    harbor.until_installed("ferry", "1.2.0").await
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
