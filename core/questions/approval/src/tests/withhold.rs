//! Tests plans that policies allow, but whose approval must currently wait.

use similar_asserts::assert_eq;

use super::kit::*;
use crate::*;

const STORY: &str = "
    sub etcd: etcd.v1 > etcd.v2
    sub vault: - > vault.v1
    has etcd.v1
    plan a 3: etcd.v2 over etcd.v1; vault.v1
    policy p/etcd: etcd allows etcd.v2 with updates
    policy p/vault: vault allows vault.v1 with updates
";

fn reviewed(story: &str) -> Review {
    let [review] = review(&world(story).0).try_into().expect("one plan");
    review
}

fn held(by: &str) -> Vec<Reason> {
    vec![Reason {
        state: State::NotYet,
        code: ApprovalCode::TimeRestricted,
        object: ("Policy", String::new(), by.to_owned()),
        message: format!("{by} is closed"),
    }]
}

/// Returns restraints on policies. Each restraint names the plan and the bundle that the policy
/// allows.
fn restraints(all: &[(&str, &str, Vec<Reason>)]) -> Vec<Restraint> {
    let all = all.iter().map(|(bundle, policy, reasons)| Restraint {
        plan: "a".to_owned(),
        bundle: (*bundle).to_owned(),
        policy: policy_id(policy),
        reasons: reasons.clone(),
    });
    all.collect()
}

#[test]
fn bundle_waits_while_upgrade_policies_restrain_all_its_policies() {
    let review = reviewed(STORY);
    let asked: Vec<_> = review
        .approvals()
        .map(|(bundle, allowance)| (bundle.name.as_str(), allowance.policy.name.as_str()))
        .collect();
    assert_eq!(asked, [("etcd.v2", "etcd"), ("vault.v1", "vault")]);
    let closed = restraints(&[
        ("etcd.v2", "p/etcd", held("nights")),
        ("vault.v1", "p/vault", Vec::new()),
    ]);
    let now = review.clone().withhold(&closed);
    let states: Vec<_> = now.bundles.iter().map(|it| it.verdict.state).collect();
    assert_eq!(states, [State::NotYet, State::Yes]);
    assert_eq!(now.verdict, Verdict::of(held("nights")));
    let others = restraints(&[("etcd.v2", "p/vault", held("nights"))]);
    for free in [&[][..], &others] {
        assert_eq!(
            review.clone().withhold(free),
            review,
            "no policy withholds it"
        );
    }
    let World(mut namespace) = world(STORY);
    namespace.restraints = closed;
    assert_eq!(crate::review(&namespace), [now]);
}

#[test]
fn shared_restraint_is_reported_once() {
    let both = |worse: State| {
        let mut vault = held("nights");
        vault[0].state = worse;
        let etcd = ("etcd.v2", "p/etcd", held("nights"));
        restraints(&[etcd, ("vault.v1", "p/vault", vault)])
    };
    let now = reviewed(STORY).withhold(&both(State::NotYet));
    assert_eq!(now.verdict, Verdict::of(held("nights")));
    let worse = reviewed(STORY).withhold(&both(State::No));
    assert_eq!(worse.verdict.state, State::No);
    assert_eq!(worse.verdict.reasons.len(), 2);
}

#[test]
fn upgrade_policies_do_not_affect_denied_or_complete_plan() {
    let denied = reviewed(&STORY.replace("allows vault.v1", "allows vault.v2"));
    assert_eq!(denied.approvals().count(), 0);
    let closed = restraints(&[("etcd.v2", "p/etcd", held("nights"))]);
    assert_eq!(denied.clone().withhold(&closed), denied);
    let done = reviewed(&STORY.replace("plan a 3:", "plan a 3 Complete approved:"));
    assert_eq!(done.approvals().count(), 0);
}
