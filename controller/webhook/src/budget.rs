//! How much of what is asked is in memory at a time: what is read of a request takes many times its bytes, and whoever
//! reaches the port may ask.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::CONTENT_LENGTH;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;
use tokio::time::timeout;

/// The bytes of a share, and how many shares there are. A request of more takes all of them.
const SHARE: u64 = 256 * 1024;
const SHARES: u32 = 32;
/// The maximum time that a request waits for its shares: less than API servers wait for an answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// Has requests wait until there is room for them.
pub(crate) fn bounded(routes: Router) -> Router {
    let budget = Arc::new(Semaphore::new(SHARES as usize));
    routes.layer(from_fn_with_state(budget, answered))
}

async fn answered(State(budget): State<Arc<Semaphore>>, request: Request, next: Next) -> Response {
    let shares = budget.acquire_many(shares(request.headers()));
    let Ok(Ok(_held)) = timeout(PATIENCE, shares).await else {
        let sentence = "too much is asked at a time; ask again";
        return (StatusCode::SERVICE_UNAVAILABLE, sentence).into_response();
    };
    next.run(request).await
}

/// The shares of a request; all of them where it does not say how long it is.
fn shares(headers: &HeaderMap) -> u32 {
    let length = headers.get(CONTENT_LENGTH);
    let length = length.and_then(|it| it.to_str().ok()?.parse::<u64>().ok());
    let shares = length.and_then(|length| u32::try_from(length.div_ceil(SHARE)).ok());
    shares.map_or(SHARES, |shares| shares.clamp(1, SHARES))
}

#[cfg(test)]
mod tests {
    use axum::body::{Body, to_bytes};
    use axum::routing::post;
    use rstest::rstest;
    use tokio::sync::Notify;
    use tower::ServiceExt as _;

    use super::*;

    #[rstest]
    #[case::small(Some("10"), 1)]
    #[case::empty(Some("0"), 1)]
    #[case::a_share(Some("262144"), 1)]
    #[case::more(Some("262145"), 2)]
    #[case::more_than_all(Some("99999999999999999999"), SHARES)]
    #[case::nothing_said(None, SHARES)]
    fn a_request_takes_shares_by_its_length(#[case] length: Option<&str>, #[case] expected: u32) {
        let mut headers = HeaderMap::new();
        if let Some(length) = length {
            headers.insert(CONTENT_LENGTH, length.parse().expect("a header"));
        }
        assert_eq!(shares(&headers), expected);
    }

    #[tokio::test(start_paused = true)]
    async fn who_finds_no_room_is_told_so_after_a_while() {
        let goes_on = Arc::new(Notify::new());
        let waits = goes_on.clone();
        let routes = post(move || async move { waits.notified().await });
        let routes = bounded(Router::new().route("/", routes));
        let ask = |length: &str| {
            let request = Request::post("/").header(CONTENT_LENGTH, length);
            let request = request.body(Body::empty()).expect("a request");
            tokio::spawn(routes.clone().oneshot(request))
        };
        let large = ask("8388608");
        tokio::task::yield_now().await;
        let second = ask("1").await.expect("it ends").expect("an answer");
        assert_eq!(second.status(), StatusCode::SERVICE_UNAVAILABLE);
        let told = to_bytes(second.into_body(), 1024).await.expect("a body");
        assert_eq!(told, "too much is asked at a time; ask again");
        goes_on.notify_one();
        let large = large.await.expect("it ends").expect("an answer");
        assert_eq!(large.status(), StatusCode::OK);
    }
}
