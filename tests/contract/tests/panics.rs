//! Tests that a panic in a handler affects only the call of this handler.

use portolan_contract::{End, Fake, served};
use tonic::Code;

#[tokio::test]
async fn panic_ends_only_its_own_call() {
    let fake = Fake::default();
    let running = served(fake.clone()).await;
    let raw = running.raw().await;
    let slow = raw.ask("slow", None);
    let others = async {
        fake.begun().await;
        let failed = raw.ask("panic", None).await;
        let after = raw.ask("ok", None).await;
        fake.permit();
        (failed, after)
    };
    // All calls use the same connection.
    let (slow, (failed, after)) = futures::join!(slow, others);
    let message = "the server failed on this call; its log has the details";
    assert_eq!(failed, End::new(Code::Internal, message));
    assert_eq!(after, End::ok());
    assert_eq!(slow, End::ok());
}
