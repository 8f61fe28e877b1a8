//! Tests of batches of queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::stream::{self, Stream, StreamExt};
use portolan_kit::assert_same;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::{batch_find_path_response, batch_list_upgrades_response};
use portolan_resolver::snapshot::SourceObject;
use portolan_resolver::{Catalogs, Resolver};
use portolan_shell::client::local;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tonic::{Code, Streaming};

use crate::streams::{Client, Demo, PATIENCE, Port, client_of};

/// The number of queries that the server has read from the client.
type Taken = Arc<AtomicUsize>;

const BUNDLES: usize = 50;

/// Returns a catalog with a chain of upgrades, so that each bundle has a different result.
fn chain() -> Demo {
    let versions: Vec<_> = (0..BUNDLES).map(|patch| format!("1.0.{patch}")).collect();
    Demo::of(&format!("a: {}", versions.join(" -> ")))
}

/// Returns the name of a pseudo-random bundle. Every seventh name belongs to no bundle.
fn wild(number: usize) -> String {
    match number % 7 {
        0 => "no bundle name".to_owned(),
        _ => format!("a.v1.0.{}", number * 7919 % BUNDLES),
    }
}

fn upgrades(number: usize) -> pb::BatchListUpgradesRequest {
    pb::BatchListUpgradesRequest {
        question: Some(pb::ListUpgradesRequest {
            package: "a".to_owned(),
            installed: wild(number),
            ..Default::default()
        }),
    }
}

fn path(number: usize) -> pb::BatchFindPathRequest {
    pb::BatchFindPathRequest {
        question: Some(pb::FindPathRequest {
            package: "a".to_owned(),
            installed: wild(number),
            ..Default::default()
        }),
    }
}

/// Returns an endless stream of queries with the maximum length, and the number of queries that the
/// server has read.
fn endless() -> (impl Stream<Item = pb::BatchListUpgradesRequest>, Taken) {
    let taken = Taken::default();
    let count = taken.clone();
    let questions = stream::iter(1_usize..).map(move |number| {
        count.fetch_add(1, Ordering::Relaxed);
        let mut asked = upgrades(number);
        let question = asked.question.get_or_insert_default();
        question.installed_version = format!("1.0.0+{}", "x".repeat(240));
        asked
    });
    (questions, taken)
}

async fn begin(
    mut client: Client,
    questions: impl Stream<Item = pb::BatchListUpgradesRequest> + Send + 'static,
) -> Streaming<pb::BatchListUpgradesResponse> {
    let answers = client.batch_list_upgrades(questions).await;
    answers.expect("a batch must begin").into_inner()
}

/// Returns the name of the bundle that a response or an error is about.
fn about(answer: pb::BatchListUpgradesResponse) -> String {
    match answer.outcome.expect("there must be an outcome") {
        batch_list_upgrades_response::Outcome::Answer(answer) => {
            answer.installed.expect("it must say which").name
        }
        batch_list_upgrades_response::Outcome::Refused(refusal) => refusal.field,
    }
}

fn expected(number: usize) -> String {
    match number % 7 {
        0 => "installed".to_owned(),
        _ => wild(number),
    }
}

const MANY: usize = 10_000;

#[tokio::test]
async fn ten_thousand_upgrades_are_answered_in_order() {
    let port = chain().port().await;
    let answers = begin(port.client(), stream::iter((0..MANY).map(upgrades))).await;
    let answer: Vec<_> = answers
        .map(|answer| about(answer.expect("an answer")))
        .collect()
        .await;
    let expected: Vec<_> = (0..MANY).map(expected).collect();
    assert!(
        answer == expected,
        "the order of answers is that of questions"
    );
}

#[tokio::test]
async fn ten_thousand_paths_are_found_in_order() {
    let port = chain().port().await;
    let mut client = port.client();
    let questions = stream::iter((0..MANY).map(path));
    let answers = client
        .batch_find_path(questions)
        .await
        .expect("a batch must begin");
    let answers = answers.into_inner().map(|answer| {
        match answer.expect("an answer").outcome.expect("an outcome") {
            batch_find_path_response::Outcome::Answer(answer) => {
                answer.installed.expect("it must say which").name
            }
            batch_find_path_response::Outcome::Refused(refusal) => refusal.field,
        }
    });
    let answer: Vec<_> = answers.collect().await;
    let expected: Vec<_> = (0..MANY).map(expected).collect();
    assert!(
        answer == expected,
        "the order of answers is that of questions"
    );
}

#[tokio::test]
async fn batch_question_before_the_first_read_is_unavailable() {
    let catalogs = Catalogs::new();
    let name = "demo".parse().expect("a name");
    catalogs.place(
        &name,
        SourceObject::local("Folder", "demo".to_owned()),
        0.into(),
    );
    let resolver = || Resolver::new(catalogs.watch());
    let uncached = Client::new(local(resolver().uncached()));
    let cached = Client::new(local(resolver().into_service()));
    for mut client in [uncached, cached] {
        let questions = stream::iter([upgrades(1)]);
        let answers = client.batch_list_upgrades(questions).await;
        let mut answers = answers.expect("a batch must begin").into_inner();
        let answer = answers.message().await.expect("no failure");
        let outcome = answer.and_then(|answer| answer.outcome);
        let Some(batch_list_upgrades_response::Outcome::Refused(refusal)) = outcome else {
            panic!("nothing was read: {outcome:?}");
        };
        assert_eq!(refusal.code, "UNAVAILABLE", "{refusal:?}");
    }
}

/// A connection buffers some megabytes of queries and responses. When these buffers are full, no
/// more data is accepted.
#[tokio::test]
async fn queries_of_a_client_that_reads_no_responses_are_limited() {
    let port = chain().port().await;
    let (questions, taken) = endless();
    let mut answers = begin(port.client(), questions).await;
    let settled = still(&taken).await;
    assert!(
        settled < MANY,
        "{settled} questions were taken and no answer was read"
    );

    for number in 1..=2 * settled {
        let answer = timeout(PATIENCE, answers.message())
            .await
            .expect("it must go on");
        let answer = answer.expect("no failure").expect("an answer");
        assert_same!(about(answer), expected(number));
    }
    assert!(taken.load(Ordering::Relaxed) > settled);
}

/// The only slot is taken by a client that reads nothing and has disconnected.
#[tokio::test]
async fn batch_ends_with_the_connection_of_its_client() {
    let port = chain().port_with(["--max-concurrent-calls=1"]).await;
    let (url, line) = line_to(&port).await;
    let (questions, taken) = endless();
    let answers = begin(client_of(&url), questions).await;
    still(&taken).await;
    let mut other = port.client();
    let batch = || stream::iter([upgrades(1)]);
    let busy = other.batch_list_upgrades(batch()).await;
    let busy = busy.map(drop).map_err(|status| status.code());
    assert_eq!(busy, Err(Code::ResourceExhausted));
    // A unary call has a separate slot.
    let question = upgrades(1).question.unwrap_or_default();
    let answered = other.list_upgrades(question).await;
    assert!(answered.is_ok(), "{answered:?}");

    line.abort();
    let free = async {
        while other.batch_list_upgrades(batch()).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    let free = timeout(PATIENCE, free).await;
    assert!(free.is_ok(), "a closed connection must free its place");
    drop(answers);
}

/// Forwards one connection to the server. Aborting the task breaks the connection.
async fn line_to(port: &Port) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await;
    let listener = listener.expect("a free port must be there");
    let address = listener.local_addr().expect("a listener has an address");
    let server = port.url.trim_start_matches("http://").to_owned();
    let line = tokio::spawn(async move {
        let (mut near, _) = listener.accept().await.expect("a client must connect");
        let far = TcpStream::connect(server).await;
        let mut far = far.expect("the server must accept");
        // Copies data until a connection ends or the task is aborted.
        let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
    });
    (format!("http://{address}"), line)
}

/// Waits until the server reads no more queries, or has read too many. Returns the number of
/// queries that were read.
async fn still(taken: &Taken) -> usize {
    let mut before = 0;
    loop {
        tokio::time::sleep(Duration::from_millis(300)).await;
        let now = taken.load(Ordering::Relaxed);
        if (now > 0 && now == before) || now > MANY {
            return now;
        }
        before = now;
    }
}

#[tokio::test]
async fn batch_uses_the_catalogs_from_its_start() {
    let demo = Demo::of("a: 1.0.0 -> 1.1.0");
    let (questions, _) = endless();
    let mut answers = begin(demo.local(), questions).await;
    let mut digest = async || {
        let answer = answers
            .message()
            .await
            .expect("no failure")
            .expect("an answer");
        match answer.outcome.expect("an outcome") {
            batch_list_upgrades_response::Outcome::Answer(answer) => {
                answer.catalogs[0].digest.clone()
            }
            batch_list_upgrades_response::Outcome::Refused(refusal) => panic!("{refusal:?}"),
        }
    };
    let before = digest().await;
    demo.change("a: 1.0.0 -> 1.1.0 -> 1.2.0");
    assert_eq!(digest().await, before);
    drop(answers);

    let (questions, _) = endless();
    answers = begin(demo.local(), questions).await;
    let answer = answers
        .message()
        .await
        .expect("no failure")
        .expect("an answer");
    let Some(batch_list_upgrades_response::Outcome::Answer(answer)) = answer.outcome else {
        panic!("it must be answered");
    };
    assert_ne!(answer.catalogs[0].digest, before);
}
