use k8s_openapi::api::core::v1::Event;
use kube::{Api, Client, Config};
use portolan_kit::Proxy;

use super::Fence;
use crate::lease::clock::Moment;

const FORBIDDEN: u16 = 403;

/// Starts a proxy that responds to every request. Returns it with a client that uses it.
async fn pair(fence: &Fence) -> (Proxy, Client) {
    let proxy = Proxy::before("http://127.0.0.1:1").await;
    proxy.answer("/", FORBIDDEN, usize::MAX);
    let url = proxy.url().parse().expect("a URL");
    let client = fence.client(Config::new(url)).expect("a client");
    (proxy, client)
}

/// Tries to create an event. Returns true if there was a response.
async fn is_answered(client: &Client) -> bool {
    let events: Api<Event> = Api::namespaced(client.clone(), "here");
    let made = events.create(&Default::default(), &Event::default()).await;
    matches!(made, Err(kube::Error::Api(status)) if status.code == FORBIDDEN)
}

#[tokio::test]
async fn connection_sends_no_data_after_the_fence_falls() {
    let fence = Fence::open();
    let (proxy, client) = pair(&fence).await;
    assert!(is_answered(&client).await);
    fence.fall();
    assert!(!is_answered(&client).await, "by the connection of before");
    assert!(!is_answered(&client).await, "by a new one");
    assert_eq!(proxy.requests().len(), 1);
}

/// Blocking the only thread has the same effect as stopping the process.
#[tokio::test]
async fn paused_process_sends_no_writes_after_its_lease_expired() {
    let fence = Fence::closed();
    let (proxy, client) = pair(&fence).await;
    assert!(
        is_answered(&client).await,
        "reads are allowed before leadership"
    );
    let left = std::time::Duration::from_millis(50);
    fence.put_off(Moment::now().plus(left));
    std::thread::sleep(left);
    assert!(!is_answered(&client).await);
    assert_eq!(proxy.requests().len(), 1);
}

#[tokio::test]
async fn closed_fence_allows_requests_of_running_work() {
    let fence = Fence::open();
    let (_proxy, client) = pair(&fence).await;
    fence.shut();
    assert!(is_answered(&client).await);
}
