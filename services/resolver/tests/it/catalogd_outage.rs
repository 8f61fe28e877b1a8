//! Tests with a watched catalogd that fails and becomes available again. The tests advance the time
//! to the next request.

use std::time::Duration;

use portolan_kit::catalog;
use portolan_kit::catalogd::{Catalogd, Trouble};
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::catalog::State;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_proto::resolver::v1::watch_catalogs_response::Event;
use portolan_resolver::source::{self, SourceAccess};
use portolan_resolver::{Catalogs, Resolver};
use portolan_shell::client::{Connection, local};
use tokio::time::timeout;
use tonic::Streaming;

const PATIENCE: Duration = Duration::from_secs(20);

/// The poll interval of a catalogd, plus a short extra time.
const NEXT: Duration = Duration::from_secs(31);

async fn until_state(news: &mut Streaming<pb::WatchCatalogsResponse>, state: State) -> pb::Catalog {
    let wanted = async {
        loop {
            let message = news.message().await.expect("there must be no failure");
            if let Some(Event::Changed(catalog)) = message.and_then(|message| message.event)
                && catalog.state() == state
            {
                return catalog;
            }
        }
    };
    let wanted = timeout(PATIENCE, wanted).await;
    wanted.unwrap_or_else(|_| panic!("the catalog must become {state:?}"))
}

/// Advances the time.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

async fn recommended(client: &mut ResolverClient<Connection>) -> (String, bool) {
    let question = pb::ListUpgradesRequest {
        package: "a".to_owned(),
        installed: "a.v1.0.0".to_owned(),
        ..Default::default()
    };
    let answer = client.list_upgrades(question).await;
    let answer = answer.expect("there must be an answer").into_inner();
    (answer.recommended, answer.catalogs[0].stale)
}

#[tokio::test]
async fn answers_use_the_last_content_until_new_content_arrives() {
    let server = Catalogd::of("demo", catalog("a: 1.0.0 -> 1.1.0").to_json_lines()).await;
    let flag = format!("demo={}", server.url());
    let given = vec![flag.parse().expect("the flag must parse")];
    let catalogs = Catalogs::new();
    let _following =
        source::watch(given, &SourceAccess::default(), &catalogs).expect("it must be sound");
    let service = Resolver::new(catalogs.watch()).into_service();
    let mut client = ResolverClient::new(local(service));
    let news = client.watch_catalogs(pb::WatchCatalogsRequest {}).await;
    let mut news = news.expect("a watch must begin").into_inner();
    let before = until_state(&mut news, State::Serving).await;

    // The next request returns the same content, which is not a change.
    let revision = catalogs.watch().borrow().revision;
    pass(NEXT).await;
    while server.asked().len() < 2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(server.statuses(), [200, 304]);
    assert_eq!(catalogs.watch().borrow().revision, revision);

    server.make(Trouble::Status(500));
    // At this time, the response "not modified" has been received, and the pause before the next
    // request has begun.
    tokio::time::sleep(Duration::from_millis(100)).await;
    pass(NEXT).await;
    let stale = until_state(&mut news, State::Stale).await;
    assert_eq!(stale.digest, before.digest);
    assert_eq!(stale.reasons[0].code, "ReadCatalogd");
    let last = ("a.v1.1.0".to_owned(), true);
    assert_eq!(recommended(&mut client).await, last);

    server.replace(catalog("a: 1.0.0 -> 1.2.0").to_json_lines());
    server.behave();
    let after = until_state(&mut news, State::Serving).await;
    assert_ne!(after.digest, before.digest);
    let newest = ("a.v1.2.0".to_owned(), false);
    assert_eq!(recommended(&mut client).await, newest);
}
