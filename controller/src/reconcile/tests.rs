use portolan_api::ConditionType;
use portolan_decide::Said;
use rstest::rstest;

use super::*;

fn policy() -> Arc<OperatorPolicy> {
    let mut policy = OperatorPolicy::new("ferry", serde_json::json!({}).into());
    policy.metadata.namespace = Some("west".to_owned());
    policy.metadata.resource_version = Some("7".to_owned());
    Arc::new(policy)
}

fn group(before: Option<&str>, after: &str) -> Echo {
    Echo {
        kind: "OperatorGroup".to_owned(),
        namespace: Some("harbor".to_owned()),
        name: "harbor".to_owned(),
        before: before.map(str::to_owned),
        after: EchoAfter::Version(after.to_owned()),
    }
}

fn done(echo: Option<Echo>) -> Written {
    Written {
        outcome: Outcome::Done { uid: None },
        echo,
        policy: None,
    }
}

fn refused() -> Written {
    Written {
        outcome: Outcome::Refused("no".to_owned()),
        echo: None,
        policy: None,
    }
}

/// What was written: echoes, and whether something was done.
fn round(echoes: Vec<Echo>, has_acted: bool, failure: Option<&str>) -> Round {
    Round {
        echoes,
        has_acted,
        failure: failure.map(str::to_owned),
        ..Round::default()
    }
}

#[rstest]
#[case::nothing(vec![], None, round(vec![], false, None))]
#[case::a_status(vec![], Some("8"), round(vec![echo(&policy(), "8".to_owned())], false, None))]
#[case::an_object(
    vec![done(Some(group(None, "1")))], None, round(vec![group(None, "1")], true, None)
)]
#[case::an_object_that_was_so_already(
    vec![done(Some(group(Some("1"), "1")))],
    None,
    round(vec![group(Some("1"), "1")], false, None)
)]
#[case::an_object_and_one_that_was_refused(
    vec![done(Some(group(None, "1"))), refused()],
    Some("8"),
    round(vec![group(None, "1"), echo(&policy(), "8".to_owned())], true, Some("no"))
)]
fn a_round_says_what_was_written(
    #[case] written: Vec<Written>,
    #[case] version: Option<&str>,
    #[case] expected: Round,
) {
    let version = Ok(version.map(str::to_owned));
    assert_eq!(Round::of(written, version, &policy()), expected);
}

fn step(action: Action) -> Step {
    Step {
        action,
        of: ConditionType::ValidPolicySpec,
        done: Said {
            of: ConditionType::ValidPolicySpec,
            status: portolan_decide::Status::True,
            reason: portolan_decide::Word::Ours(portolan_api::Reason::PolicyValidated),
            message: String::new(),
            violates: false,
            since: None,
        },
        related: Vec::new(),
    }
}

#[rstest]
#[case::released_while_it_goes(true, Action::Release, done(None), true)]
#[case::released_while_it_stays(false, Action::Release, done(None), false)]
#[case::held(true, Action::Hold, done(None), false)]
#[case::not_released(true, Action::Release, refused(), false)]
fn a_policy_is_let_go(
    #[case] is_leaving: bool,
    #[case] action: Action,
    #[case] written: Written,
    #[case] is_so: bool,
) {
    let mut policy = (*policy()).clone();
    let now = k8s_openapi::apimachinery::pkg::apis::meta::v1::Time(Timestamp::UNIX_EPOCH);
    policy.metadata.deletion_timestamp = is_leaving.then_some(now);
    assert_eq!(is_let_go(&policy, &[step(action)], &[written]), is_so);
}
