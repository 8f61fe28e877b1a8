//! Tests of lists of operators in pages.

use portolan_proto::health::v1 as pb;
use tonic::Code;

use crate::{Asking, Stage, well, without};

async fn page(asking: &mut Asking, size: u32, token: &str) -> (Vec<String>, String) {
    let request = pb::ListOperatorsRequest {
        namespace: String::new(),
        page_size: size,
        page_token: token.to_owned(),
    };
    let page = asking.client.list_operators(request).await;
    let page = page.expect("a page").into_inner();
    let names = page.operators.into_iter().map(|operator| {
        let subject = operator.subject.expect("a subject");
        subject.name
    });
    (names.collect(), page.next_page_token)
}

#[tokio::test]
async fn pages_follow_each_other_to_the_last() {
    let mut asking = Asking::at(&Stage::of(&well(&["e", "d", "c", "b", "a"]))).await;
    let (names, token) = page(&mut asking, 2, "").await;
    assert_eq!(names, ["a", "b"]);
    let (names, token) = page(&mut asking, 2, &token).await;
    assert_eq!(names, ["c", "d"]);
    let (names, token) = page(&mut asking, 2, &token).await;
    assert_eq!((names, token), (vec!["e".to_owned()], String::new()));
    let (names, token) = page(&mut asking, 0, "").await;
    assert_eq!((names.len(), token), (5, String::new()));
    let (names, token) = page(&mut asking, 5, "").await;
    assert_eq!((names.len(), token), (5, String::new()));
}

#[tokio::test]
async fn unchanged_operators_appear_once_across_changing_pages() {
    let world = well(&["b", "c", "d", "e", "f"]);
    let stage = Stage::of(&world);
    let mut asking = Asking::at(&stage).await;
    let (names, token) = page(&mut asking, 2, "").await;
    assert_eq!(names, ["b", "c"]);

    // The last operator on the page is removed. One operator is added before it, and one operator
    // after it.
    let mut news = asking.synced().await;
    let next = well(&["a", "b", "c", "d", "dd", "e", "f"]);
    stage.show(&without(&next, |object| {
        object["metadata"]["namespace"] == "c-system"
    }));
    for _ in 0..3 {
        news.next_event().await;
    }
    let (names, token) = page(&mut asking, 2, &token).await;
    assert_eq!(names, ["d", "dd"]);
    let (names, token) = page(&mut asking, 2, &token).await;
    assert_eq!((names.concat(), token), ("ef".to_owned(), String::new()));
}

#[tokio::test]
async fn lists_only_operators_of_requested_namespace() {
    let mut asking = Asking::at(&Stage::of(&well(&["a", "b"]))).await;
    let request = pb::ListOperatorsRequest {
        namespace: "b-system".to_owned(),
        ..pb::ListOperatorsRequest::default()
    };
    let page = asking
        .client
        .list_operators(request)
        .await
        .expect("a page")
        .into_inner();
    let [b] = page.operators.as_slice() else {
        panic!("one operator: {page:?}");
    };
    assert_eq!(b.package, "b");
}

#[tokio::test]
async fn invalid_page_token_is_refused() {
    let mut asking = Asking::at(&Stage::of(&well(&["a"]))).await;
    for token in ["7", "Subscription/a", "Pod/a/b"] {
        let request = pb::ListOperatorsRequest {
            page_token: token.to_owned(),
            ..pb::ListOperatorsRequest::default()
        };
        let refused = asking
            .client
            .list_operators(request)
            .await
            .expect_err("a refusal");
        let message = "page_token: the token is not the next_page_token of a response";
        assert_eq!(
            (refused.code(), refused.message()),
            (Code::InvalidArgument, message)
        );
    }
}
