use std::sync::Arc;

use portolan_core_approval::{
    Allowance, Allows, ApprovalCode, BundleReview, Fix, Overlap, PolicyId, Review, Says, Source,
    Standing, State, Verdict, Withheld,
};
use portolan_core_names::{Consent, PackageName, Version};
use rstest::rstest;
use similar_asserts::assert_eq;

use super::*;

fn reason(state: State, code: ApprovalCode) -> Reason {
    Reason {
        state,
        code,
        object: ("InstallPlan", "harbor".into(), "install-1".into()),
        message: "It is so.".into(),
    }
}

fn encoded_reason(code: &str) -> basis::Reason {
    basis::Reason {
        code: code.into(),
        message: "It is so.".into(),
        object: Some(encode_object("InstallPlan", "harbor", "install-1")),
    }
}

fn id() -> PolicyId {
    PolicyId {
        namespace: "policies".into(),
        name: "ferry".into(),
        uid: Some("uid-policy".into()),
        generation: 3,
    }
}

fn encoded_id() -> basis::Observed {
    basis::Observed {
        object: Some(encode_object("OperatorPolicy", "policies", "ferry")),
        uid: "uid-policy".into(),
        resource_version: String::new(),
        digest: String::new(),
    }
}

fn consent() -> Consent {
    Consent::parse("ferry@>=1.0.0").expect("a consent")
}

fn policy(namespace: Option<&str>, says: Says) -> Standing {
    Standing {
        id: id(),
        package: PackageName::parse("ferry").expect("a package"),
        namespace: namespace.map(str::to_owned),
        cluster: Default::default(),
        says,
    }
}

fn allowing() -> Standing {
    let allows = Allows {
        consents: vec![consent()],
        field: "spec.versions",
        catalog: None,
        updates: true,
        dependencies: false,
    };
    policy(Some("harbor"), Says::Allows(allows))
}

fn encoded_allowing_policy() -> pb::Standing {
    pb::Standing {
        policy: Some(encoded_id()),
        generation: 3,
        package: "ferry".into(),
        namespace: "harbor".into(),
        consents: vec!["ferry@>=1.0.0".into()],
        allows_updates: true,
        allows_dependencies: false,
        withheld: None,
    }
}

fn bundle() -> BundleReview {
    BundleReview {
        name: "ferry.v1.1.0".into(),
        package: PackageName::parse("ferry").ok(),
        version: Version::parse("1.1.0").ok(),
        replaces: "ferry.v1.0.0".into(),
        installed: None,
        catalog: "olm/shop".into(),
        source: Some(Source::Step),
        subscription: "ferry".into(),
        verdict: Verdict {
            state: State::Yes,
            reasons: Vec::new(),
        },
        allowances: vec![Allowance {
            policy: id(),
            consent: consent(),
            needed_by: vec!["pier.v1.0.0".into()],
        }],
        fixes: vec![Fix {
            policy: None,
            field: "spec.versions",
            is_list: true,
            value: "ferry.v1.1.0".into(),
            message: "Add it.".into(),
        }],
    }
}

#[test]
fn review_is_encoded_with_all_fields() {
    let review = Review {
        plan: "install-1".into(),
        uid: Some("uid-plan".into()),
        resource_version: Some("12".into()),
        phase: "RequiresApproval".into(),
        is_approved: false,
        is_manual: true,
        waits: true,
        verdict: Verdict {
            state: State::NotYet,
            reasons: vec![reason(State::NotYet, ApprovalCode::NotObserved)],
        },
        bundles: vec![bundle()],
        policies: vec![allowing()],
        remarks: vec![reason(State::Yes, ApprovalCode::ForcedManual)],
    };
    let located = Located {
        namespace: "harbor".into(),
        review: Arc::new(review),
    };
    let expected = pb::Review {
        plan: Some(basis::Observed {
            object: Some(encode_object("InstallPlan", "harbor", "install-1")),
            uid: "uid-plan".into(),
            resource_version: "12".into(),
            digest: String::new(),
        }),
        phase: "RequiresApproval".into(),
        approved: false,
        manual: true,
        waits: true,
        verdict: Some(pb::Verdict {
            state: pb::verdict::State::NotYet.into(),
            reasons: vec![encoded_reason("NotObserved")],
        }),
        bundles: vec![pb::Bundle {
            name: "ferry.v1.1.0".into(),
            package: "ferry".into(),
            version: "1.1.0".into(),
            replaces: "ferry.v1.0.0".into(),
            catalog: "olm/shop".into(),
            identity: pb::bundle::Identity::Step.into(),
            subscription: "ferry".into(),
            verdict: Some(pb::Verdict {
                state: pb::verdict::State::Yes.into(),
                reasons: Vec::new(),
            }),
            allowances: vec![pb::Allowance {
                policy: Some(encoded_id()),
                generation: 3,
                consent: "ferry@>=1.0.0".into(),
                needed_by: vec!["pier.v1.0.0".into()],
            }],
            fixes: vec![pb::Fix {
                policy: Some(encode_object("OperatorPolicy", "", "")),
                field: "spec.versions".into(),
                value: "ferry.v1.1.0".into(),
                message: "Add it.".into(),
            }],
        }],
        policies: vec![encoded_allowing_policy()],
        remarks: vec![encoded_reason("ForcedManual")],
    };
    assert_eq!(encode_review(&located), expected);
    let response = encode_review_plan(&located);
    assert_eq!(response.review.as_ref(), Some(&expected));
    let change = Change::Review(located);
    assert_eq!(encode_change(&change), Event::Review(expected));
}

#[test]
fn gone_event_contains_its_plan() {
    let gone = Change::Gone(Subject {
        namespace: "harbor".into(),
        name: "install-1".into(),
    });
    let plan = Some(encode_object("InstallPlan", "harbor", "install-1"));
    assert_eq!(encode_change(&gone), Event::Gone(Gone { plan }));
}

#[rstest]
#[case::from_nothing(None, pb::bundle::Identity::Unspecified)]
#[case::from_a_lookup(Some(Source::Lookup), pb::bundle::Identity::Lookup)]
#[case::from_a_subscription(Some(Source::Subscription), pb::bundle::Identity::Subscription)]
fn bundle_identity_has_its_source(
    #[case] source: Option<Source>,
    #[case] expected: pb::bundle::Identity,
) {
    let review = BundleReview { source, ..bundle() };
    assert_eq!(reviews::encode_bundle(&review).identity(), expected);
}

#[rstest]
#[case::it_informs(Some("harbor"), Withheld::Inform, "PolicyInforms")]
#[case::it_forbids(Some("harbor"), Withheld::MustNotHave, "PolicyForbids")]
#[case::it_is_not_valid(Some("harbor"), Withheld::Invalid(vec!["no".into()]), "PolicyInvalid")]
#[case::it_overlaps(Some("harbor"), Withheld::Overlaps(Overlap::of([id(), PolicyId { name: "tug".into(), ..id() }])), "PolicyOverlaps")]
#[case::it_leaves(Some("harbor"), Withheld::Leaving, "PolicyTerminating")]
#[case::it_informs_about_a_place_unknown(None, Withheld::Inform, "PolicyInforms")]
fn reports_why_policy_allows_nothing(
    #[case] namespace: Option<&str>,
    #[case] withheld: Withheld,
    #[case] code: &str,
) {
    let mut standing = encode_policies(&[policy(namespace, Says::Withholds(withheld))]);
    let standing = standing.remove(0);
    let why = standing.withheld.clone().expect("a reason");
    assert_eq!(why.code, code);
    assert!(why.message.contains("policies/ferry"), "{why:?}");
    assert_eq!(why.object, encoded_id().object);
    let expected = pb::Standing {
        namespace: namespace.unwrap_or_default().into(),
        consents: Vec::new(),
        allows_updates: false,
        withheld: Some(why),
        ..encoded_allowing_policy()
    };
    assert_eq!(standing, expected);
}
