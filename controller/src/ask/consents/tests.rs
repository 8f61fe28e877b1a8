use std::collections::{BTreeMap, VecDeque};

use futures::stream::BoxStream;
use jiff::Timestamp;
use portolan_api::policy::SubjectKind;
use portolan_core_approval::consent::{Ground, Move, Object, OperatorId, Version};
use portolan_proto::approval::v1::approval_server::{self, ApprovalServer};
use portolan_proto::basis::v1 as basis;
use portolan_shell::client;
use rstest::rstest;
use similar_asserts::assert_eq;
use tonic::{Request, Response};

use super::*;

type Answered<T> = Result<Response<T>, Status>;

/// A fake approval service. It returns these responses one after the other, and then repeats the
/// last response.
#[derive(Debug, Clone)]
struct Fake(Arc<Mutex<(VecDeque<FakeAnswer>, usize)>>);

type FakeAnswer = Result<pb::ReviewUpgradeResponse, Status>;

impl Fake {
    fn asked(&self) -> usize {
        self.0.lock().unwrap().1
    }
}

#[tonic::async_trait]
impl approval_server::Approval for Fake {
    type WatchStream = BoxStream<'static, Result<pb::WatchResponse, Status>>;
    type WatchUpgradesStream = BoxStream<'static, Result<pb::WatchUpgradesResponse, Status>>;

    async fn review_plan(
        &self,
        _: Request<pb::ReviewPlanRequest>,
    ) -> Answered<pb::ReviewPlanResponse> {
        panic!("plans must not be reviewed")
    }

    async fn review_namespace(
        &self,
        _: Request<pb::ReviewNamespaceRequest>,
    ) -> Answered<pb::ReviewNamespaceResponse> {
        panic!("plans must not be reviewed")
    }

    async fn review_upgrade(
        &self,
        request: Request<pb::ReviewUpgradeRequest>,
    ) -> Answered<pb::ReviewUpgradeResponse> {
        assert_eq!(request.get_ref().at, Timestamp::UNIX_EPOCH.to_string());
        let mut state = self.0.lock().unwrap();
        let (answers, asked) = &mut *state;
        *asked += 1;
        let answer = if answers.len() > 1 {
            answers.pop_front()
        } else {
            answers.front().cloned()
        };
        answer.expect("an answer").map(Response::new)
    }

    async fn watch(&self, _: Request<pb::WatchRequest>) -> Answered<Self::WatchStream> {
        panic!("no watch must be opened")
    }

    async fn watch_upgrades(
        &self,
        _: Request<pb::WatchUpgradesRequest>,
    ) -> Answered<Self::WatchUpgradesStream> {
        panic!("no watch must be opened")
    }
}

fn stage<const N: usize>(answers: [FakeAnswer; N]) -> (Fake, Arc<ChangeQueue>, Consents) {
    let fake = Fake(Arc::new(Mutex::new((answers.into(), 0))));
    let changes = Arc::new(ChangeQueue::default());
    let clock = Clock(Arc::new(|| Timestamp::UNIX_EPOCH));
    let client = ApprovalClient::new(client::local(ApprovalServer::new(fake.clone())));
    let consents = Consents::new(client, changes.clone(), clock);
    (fake, changes, consents)
}

fn question(generation: u32) -> ConsentQuestion {
    let ground = Ground {
        object: Object {
            kind: "PolicyBinding",
            namespace: String::new(),
            name: "all".to_owned(),
        },
        uid: "uid-1".to_owned(),
        generation,
        is_broken: false,
    };
    ConsentQuestion {
        asked: Move {
            operator: OperatorId {
                kind: SubjectKind::Operator,
                namespace: String::new(),
                name: "ferry".to_owned(),
            },
            package: "ferry".to_owned(),
            labels: BTreeMap::new(),
            from: None,
            to: Version::default(),
        },
        grounds: Some([ground].into()),
    }
}

fn verdict(
    state: pb::verdict::State,
    code: &str,
    next: &str,
    generation: u32,
) -> pb::ReviewUpgradeResponse {
    let object = basis::ObjectRef {
        kind: "PolicyBinding".to_owned(),
        name: "all".to_owned(),
        ..basis::ObjectRef::default()
    };
    pb::ReviewUpgradeResponse {
        verdict: Some(pb::Verdict {
            state: state.into(),
            reasons: vec![basis::Reason {
                code: code.to_owned(),
                message: "It is so.".to_owned(),
                object: None,
            }],
        }),
        next: next.to_owned(),
        grounds: vec![pb::Ground {
            object: Some(basis::Observed {
                object: Some(object),
                uid: "uid-1".to_owned(),
                ..basis::Observed::default()
            }),
            generation,
            broken: false,
        }],
        ..pb::ReviewUpgradeResponse::default()
    }
}

fn withheld(until: Option<i64>) -> Answer<PolicyDecision> {
    Answer::Known(PolicyDecision::Withheld {
        why: vec!["It is so".to_owned()],
        until: until.map(|at| Timestamp::from_second(at).expect("a time")),
    })
}

fn silent(why: &str) -> Answer<PolicyDecision> {
    Answer::Unavailable(why.to_owned())
}

#[rstest]
#[case::yes(
    pb::verdict::State::Yes,
    "Allowed",
    "",
    Answer::Known(PolicyDecision::Given)
)]
#[case::a_window(
    pb::verdict::State::NotYet,
    "TimeRestricted",
    "1970-01-01T00:01:00Z",
    withheld(Some(60))
)]
#[case::a_last_window(pb::verdict::State::No, "TimeRestricted", "", withheld(None))]
#[case::a_rule(pb::verdict::State::No, "DeniedByRule", "", withheld(None))]
#[case::a_rule_of_time(
    pb::verdict::State::NotYet,
    "DeniedByRule",
    "1970-01-01T00:01:00Z",
    withheld(Some(60))
)]
#[case::not_all_is_seen(
    pb::verdict::State::NotYet,
    "NotObserved",
    "",
    silent("approval: It is so")
)]
#[tokio::test]
async fn consent_follows_the_answer_of_the_service(
    #[case] state: pb::verdict::State,
    #[case] code: &str,
    #[case] next: &str,
    #[case] expected: Answer<PolicyDecision>,
) {
    let (_, _, consents) = stage([Ok(verdict(state, code, next, 1))]);
    assert_eq!(consents.ask(&question(1)).await, expected);
}

/// Both processes watch the same objects, but not at the same speed.
#[tokio::test(start_paused = true)]
async fn answer_is_used_once_its_grounds_are_observed() {
    let old = verdict(pb::verdict::State::Yes, "NoPolicyBinding", "", 1);
    let new = verdict(pb::verdict::State::No, "DeniedByRule", "", 2);
    let (fake, _, consents) = stage([Ok(old.clone()), Ok(old.clone()), Ok(new)]);
    assert_eq!(consents.ask(&question(2)).await, withheld(None));
    assert_eq!(fake.asked(), 3);

    let (fake, _, consents) = stage([Ok(old)]);
    let why = "the approval service has not yet observed the same Policies and PolicyBindings as \
     this controller";
    assert_eq!(consents.ask(&question(2)).await, silent(why));
    assert_eq!(fake.asked(), LOOKS.0);
}

/// The next response may be different, so a response is not cached.
#[tokio::test]
async fn consent_is_not_cached_between_questions() {
    let answer = verdict(pb::verdict::State::Yes, "Allowed", "", 1);
    let (fake, _, consents) = stage([Ok(answer)]);
    for _ in 0..2 {
        assert_eq!(
            consents.ask(&question(1)).await,
            Answer::Known(PolicyDecision::Given)
        );
    }
    assert_eq!(fake.asked(), 2);
}

#[tokio::test(start_paused = true)]
async fn silent_service_is_retried_with_backoff() {
    let answer = verdict(pb::verdict::State::Yes, "Allowed", "", 1);
    let gone = || Err(Status::unavailable("it is not ready."));
    let (_, changes, consents) = stage([gone(), gone(), gone(), Ok(answer)]);
    let began = Instant::now();
    for expected in [1, 3, 7] {
        let reported = consents.ask(&question(1)).await;
        assert_eq!(reported, silent("approval: it is not ready"));
        assert_eq!(changes.next().await, [Topic::Everything]);
        assert_eq!(began.elapsed().as_secs(), expected);
    }
    assert_eq!(
        consents.ask(&question(1)).await,
        Answer::Known(PolicyDecision::Given)
    );
}
