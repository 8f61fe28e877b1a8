use std::time::Duration;

use futures::FutureExt as _;

use super::Fence;
use crate::lease::clock::Moment;

#[test]
fn fence_permits_until_its_deadline() {
    let fence = Fence::closed();
    assert!(!fence.permits());
    fence.put_off(Moment::now().plus(Duration::from_secs(600)));
    assert!(fence.permits());
    fence.put_off(Moment::now());
    assert!(!fence.permits());
}

#[tokio::test]
async fn closed_fence_blocks_new_work_and_waits_for_running_work() {
    let fence = Fence::open();
    let pass = fence.pass();
    assert!(pass.is_some());
    fence.shut();
    assert!(fence.pass().is_none());
    assert_eq!(fence.fallen().now_or_never(), None, "what runs may go on");
    assert_eq!(fence.quiet().now_or_never(), None);
    drop(pass);
    assert_eq!(fence.quiet().now_or_never(), Some(()));
}

#[tokio::test]
async fn fallen_fence_stops_running_work() {
    let fence = Fence::open();
    let pass = fence.pass();
    fence.fall();
    assert_eq!(fence.fallen().now_or_never(), Some(()));
    drop(pass);
}
