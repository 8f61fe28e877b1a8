use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rstest::rstest;

use super::*;

mod flood;

/// A cluster whose tokens are user names. Counts the reviews.
#[derive(Debug, Clone, Default)]
struct Town {
    may: Arc<Mutex<BTreeSet<(String, String)>>>,
    away: Arc<Mutex<bool>>,
    tokens: Arc<AtomicUsize>,
    permissions: Arc<AtomicUsize>,
}

impl Town {
    fn permit(&self, user: &str, namespace: &str) {
        let mut may = self.may.lock().expect("a lock");
        may.insert((user.to_owned(), namespace.to_owned()));
    }

    fn go_away(&self, is_away: bool) {
        *self.away.lock().expect("a lock") = is_away;
    }

    async fn answers(&self) -> Result<(), Unanswered> {
        // Other callers arrive while the cluster processes the request.
        tokio::task::yield_now().await;
        if *self.away.lock().expect("a lock") {
            Err(Unanswered::Silent)
        } else {
            Ok(())
        }
    }

    /// Returns the numbers of token reviews and of access reviews.
    fn asked(&self) -> (usize, usize) {
        let count = |of: &AtomicUsize| of.load(Ordering::Relaxed);
        (count(&self.tokens), count(&self.permissions))
    }
}

impl Reviews for Town {
    async fn whose(&self, token: &str) -> Result<TokenOwner, Unanswered> {
        self.tokens.fetch_add(1, Ordering::Relaxed);
        self.answers().await?;
        Ok(match token {
            "forged" => TokenOwner::Nobody("it is forged".to_owned()),
            name => TokenOwner::User(UserInfo {
                username: Some(name.to_owned()),
                ..UserInfo::default()
            }),
        })
    }

    async fn may(&self, user: &UserInfo, wanted: &Wanted) -> Result<May, Unanswered> {
        self.permissions.fetch_add(1, Ordering::Relaxed);
        self.answers().await?;
        let user = user.username.clone().unwrap_or_default();
        let may = self.may.lock().expect("a lock");
        let everywhere = (user.clone(), String::new());
        let here = (user, wanted.namespace.clone());
        Ok(if may.contains(&everywhere) || may.contains(&here) {
            May::Yes
        } else {
            May::No("no role says so".to_owned())
        })
    }
}

const HEALTH: &str = "portolan.health.v1.Health";

/// A request with this token.
type Question = (&'static str, &'static str, String);

fn asked(service: &'static str, namespace: &'static str, token: &str) -> Question {
    (service, namespace, token.to_owned())
}

/// Returns the code and the message of a rejection. Returns an empty text if the request is
/// permitted.
async fn rejection(gate: &Authorizer<Town>, question: Question) -> String {
    match reach(gate, question).await {
        Ok(_) => String::new(),
        Err(status) => format!("{:?}: {}", status.code(), status.message()),
    }
}

async fn reach(gate: &Authorizer<Town>, question: Question) -> Result<Permitted, Status> {
    let (service, namespace, token) = question;
    let token = Some(token).filter(|token| !token.is_empty());
    let caller = gate.identify(token.map(Bearer), None).await?;
    let asked = Asked {
        service: service.to_owned(),
        namespace: namespace.to_owned(),
    };
    caller.permit(asked).await
}

#[rstest]
#[case::permitted_everywhere(asked(HEALTH, "", "ada"), "")]
#[case::permitted_namespace(asked(HEALTH, "harbor", "ada"), "")]
#[case::permitted_in_a_namespace(asked(HEALTH, "harbor", "bob"), "")]
#[case::another_namespace(
    asked(HEALTH, "canal", "bob"),
    "PermissionDenied: bob cannot get health of the API group portolan.dev in namespace canal (no \
     role says so); a role with this rule permits it"
)]
#[case::in_all(
    asked("portolan.approval.v1.Approval", "", "bob"),
    "PermissionDenied: bob cannot get reviews of the API group portolan.dev in all namespaces (no \
     role says so); a role with this rule permits it"
)]
#[case::without_a_token(
    asked(HEALTH, "", ""),
    "Unauthenticated: this server requires a token of the cluster for the audience portolan.dev, \
     as `authorization: Bearer TOKEN`; create a token with `kubectl create token NAME --audience \
     portolan.dev`"
)]
#[case::invalid_token(
    asked(HEALTH, "", "forged"),
    "Unauthenticated: the cluster does not recognize the token: it is forged"
)]
#[case::reflection(asked("grpc.reflection.v1.ServerReflection", "", "bob"), "")]
#[case::reflection_without_a_token(
    asked("grpc.reflection.v1.ServerReflection", "", "forged"),
    "Unauthenticated: the cluster does not recognize the token: it is forged"
)]
#[case::of_catalogs_which_all_namespaces_see(
    asked("portolan.resolver.v1.Resolver", "harbor", "bob"),
    "PermissionDenied: bob cannot get upgrades of the API group portolan.dev in all namespaces \
     (no role says so); a role with this rule permits it"
)]
#[case::of_causes_which_name_cluster_scoped_objects(
    asked("portolan.diagnosis.v1.Diagnosis", "harbor", "bob"),
    "PermissionDenied: bob cannot get diagnoses of the API group portolan.dev in all namespaces (no \
     role says so); a role with this rule permits it"
)]
#[case::a_service_without_a_permission(
    asked("portolan.new.v1.New", "", "ada"),
    "PermissionDenied: no permission exists for portolan.new.v1.New, so no user can call it"
)]
#[tokio::test]
async fn access_review_decides_the_permission(#[case] asked: Question, #[case] wanted: &str) {
    let town = Town::default();
    town.permit("ada", "");
    town.permit("bob", "harbor");
    assert_eq!(rejection(&Authorizer::new(town), asked).await, wanted);
}

#[tokio::test(start_paused = true)]
async fn cached_answer_expires_and_is_requested_again() {
    let town = Town::default();
    let gate = Authorizer::new(town.clone());
    let ask = || rejection(&gate, asked(HEALTH, "harbor", "bob"));
    assert_ne!(ask().await, "");
    town.permit("bob", "harbor");
    assert_ne!(ask().await, "", "a no holds as well");
    assert_eq!(town.asked(), (1, 1));
    tokio::time::advance(HOLDS).await;
    assert_eq!(ask().await, "");
    assert_eq!(town.asked(), (2, 3), "also how far the answer may reach");
    town.may.lock().expect("a lock").clear();
    assert_eq!(
        ask().await,
        "",
        "who loses a permission keeps it for a while"
    );
    assert_eq!(town.asked(), (2, 3));
    tokio::time::advance(HOLDS).await;
    assert_ne!(ask().await, "");
}

#[tokio::test(start_paused = true)]
async fn cached_callers_are_admitted_while_the_cluster_is_unreachable() {
    let town = Town::default();
    town.permit("ada", "");
    let gate = Authorizer::new(town.clone());
    let ask = |who: &'static str| rejection(&gate, asked(HEALTH, "", who));
    assert_eq!(ask("ada").await, "");
    town.go_away(true);
    assert_eq!(ask("ada").await, "");
    let away = "Unavailable: the cluster failed to authenticate the caller; the log of this server has the reason";
    assert_eq!(ask("eve").await, away);
    let before = town.asked();
    assert_eq!(ask("eve").await, away);
    assert_eq!(town.asked(), before, "it is left alone for a moment");
    tokio::time::advance(HOLDS).await;
    assert_eq!(ask("ada").await, away, "what held does so no longer");
    town.go_away(false);
    tokio::time::advance(RESTS).await;
    assert_eq!(ask("ada").await, "");
}

#[tokio::test(start_paused = true)]
async fn concurrent_calls_share_one_access_review() {
    let town = Town::default();
    town.permit("ada", "");
    let gate = Authorizer::new(town.clone());
    let ask = || rejection(&gate, asked(HEALTH, "", "ada"));
    let all = futures::future::join_all((0..100).map(|_| ask())).await;
    assert!(all.iter().all(String::is_empty), "{all:?}");
    assert_eq!(town.asked(), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn caller_cache_is_bounded() {
    let town = Town::default();
    let gate = Authorizer::new(town.clone());
    for caller in 0..3 * CALLERS {
        rejection(&gate, asked(HEALTH, "", &format!("caller-{caller}"))).await;
    }
    let (known, refused) = gate.0.users.len();
    assert!(known <= CALLERS && refused == 0, "{known}, {refused}");
}

/// A request for one namespace requires access to that namespace only.
#[tokio::test]
async fn scope_of_a_result_matches_the_permissions() {
    let town = Town::default();
    town.permit("ada", "");
    town.permit("bob", "harbor");
    let gate = Authorizer::new(town);
    for (token, wanted) in [("ada", Permitted::All), ("bob", Permitted::Namespace)] {
        let reported = reach(&gate, asked(HEALTH, "harbor", token)).await;
        assert_eq!(reported.expect("an answer"), wanted, "{token}");
    }
}
