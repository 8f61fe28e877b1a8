//! Tests one complete Review with every field. The scenarios omit the fields of the plan.

use super::kit::*;
use crate::*;

#[test]
fn review_contains_its_plan_and_the_objects_of_the_decision() {
    let World(mut all) = world(
        "
        sub etcd auto: etcd.v1 > etcd.v2
        sub vault: vault.v1 > vault.v1
        plan install-a 7: etcd.v2 over etcd.v1 from market/community
        policy p/etcd: etcd allows etcd.v2 with updates
        ",
    );
    all.plans[0].uid = Some("0b1d".to_owned());
    all.plans[0].resource_version = Some("4711".to_owned());
    let yes = || Verdict {
        state: State::Yes,
        reasons: Vec::new(),
    };
    let etcd = BundleReview {
        name: "etcd.v2".to_owned(),
        package: Some(package("etcd")),
        version: identity("etcd.v2").version,
        replaces: "etcd.v1".to_owned(),
        installed: Some(InstalledBundle {
            name: "etcd.v1".to_owned(),
            version: None,
        }),
        catalog: "market/community".to_owned(),
        source: Some(Source::Lookup),
        subscription: "etcd".to_owned(),
        verdict: yes(),
        allowances: vec![Allowance {
            policy: policy_id("p/etcd"),
            consent: "etcd.v2".parse().unwrap(),
            needed_by: Vec::new(),
        }],
        fixes: Vec::new(),
    };
    let forced = Reason {
        state: State::Yes,
        code: ApprovalCode::ForcedManual,
        object: ("InstallPlan", HOME.to_owned(), "install-a".to_owned()),
        message:
            "Subscription etcd has automatic approval, but waits because Subscription vault in the \
             same namespace is Manual"
                .to_owned(),
    };
    let expected = Review {
        plan: "install-a".to_owned(),
        uid: Some("0b1d".to_owned()),
        resource_version: Some("4711".to_owned()),
        phase: "RequiresApproval".to_owned(),
        is_approved: false,
        is_manual: true,
        waits: true,
        verdict: yes(),
        bundles: vec![etcd],
        policies: all.policies.clone(),
        remarks: vec![forced],
    };
    similar_asserts::assert_eq!(review(&all), [expected]);
}
