//! Tests of two resolvers that read the same folders and share a name. A client cannot distinguish
//! the resolvers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use portolan_contract::{Names, Running, flags, run, within};
use portolan_kit::{TempFolder, catalog};
use portolan_proto::DESCRIPTORS;
use portolan_proto::resolver::v1 as pb;
use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_resolver::source::{self, SourceAccess};
use portolan_resolver::{Catalogs, Resolver};
use portolan_shell::client::{Connection, Terms, local, remote_at};
use portolan_shell::{Readiness, ServeFlags, Server};
use prost::Message;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::{Response, Status};

type Client = ResolverClient<Connection>;

/// A resolver that watches two folders. Dropping this value stops the resolver.
struct Replica {
    running: Running,
    _following: JoinSet<()>,
}

/// Clients that share one connection and send requests all the time.
struct Asking {
    told: watch::Sender<Told>,
    _tasks: JoinSet<()>,
}

/// The answers that the clients have received so far.
#[derive(Debug, Default)]
struct Told {
    /// The number of answers for each digest of the catalogs.
    answers: BTreeMap<String, usize>,
    /// The answers that do not match their digest, and the failed calls.
    wrong: BTreeSet<String>,
}

/// The correct answers for each digest, in the order of the requests.
type Right = BTreeMap<String, Vec<Vec<u8>>>;

const BEFORE: &str = "skiff[stable, fast]: 1.0.0 -> 1.1.0 -> 2.0.0; 2.0.0 covers >=1.0.0 <2.0.0
                      sloop: 1.0.0 requires skiff >=1.0.0";
const AFTER: &str = "skiff[stable, fast]: 1.0.0 -> 1.1.0 -> 2.0.0 -> 2.1.0; 2.1.0 skips 1.0.0
                     sloop: 1.0.0 -> 1.1.0 requires skiff >=2.0.0";

/// A second catalog. No request is about its package.
const OTHER: &str = "barge: 1.0.0";

fn follow(folders: [&Path; 2]) -> (Catalogs, JoinSet<()>) {
    let [ships, others] = folders.map(Path::display);
    let given = [format!("ships={ships}"), format!("others={others}")];
    let given = given.map(|flag| flag.parse().expect("the flag must parse"));
    let catalogs = Catalogs::new();
    let following = source::watch(given.into(), &SourceAccess::default(), &catalogs);
    (catalogs, following.expect("the folders must be there"))
}

async fn settled(catalogs: &Catalogs) {
    let mut snapshot = catalogs.watch();
    let settled = within(snapshot.wait_for(|snapshot| snapshot.is_settled())).await;
    drop(settled.expect("the catalogs must live"));
}

async fn replica(folders: [&Path; 2], flags: ServeFlags) -> Replica {
    let (catalogs, following) = follow(folders);
    let ready = Readiness::pending();
    let service = Resolver::new(catalogs.watch()).into_service();
    let server = Server::new(flags, DESCRIPTORS).host(service, ready.clone());
    let running = run(server, ready).await;
    settled(&catalogs).await;
    running.ready.set_ready();
    Replica {
        running,
        _following: following,
    }
}

/// Returns the digest of the folders and the correct answers, computed without a server.
async fn right(folders: [&Path; 2]) -> (String, Vec<Vec<u8>>) {
    let (catalogs, _following) = follow(folders);
    settled(&catalogs).await;
    let mut client = Client::new(local(Resolver::new(catalogs.watch()).into_service()));
    let mut answers = Vec::new();
    let mut digests = String::new();
    for number in 0..QUESTIONS {
        let (digest, answer) = ask(&mut client, number).await.expect("an answer");
        digests = digest;
        answers.push(answer);
    }
    (digests, answers)
}

const QUESTIONS: usize = 8;

/// Returns the digest in the response to the request with this number, and the bytes of the
/// response.
async fn ask(client: &mut Client, number: usize) -> Result<(String, Vec<u8>), Status> {
    let (package, installed) = match number % 3 {
        0 => ("skiff", "skiff.v1.0.0"),
        1 => ("skiff", "skiff.v1.1.0"),
        _ => ("sloop", "sloop.v1.0.0"),
    };
    let (package, installed) = (package.to_owned(), installed.to_owned());
    match number {
        0..3 => {
            let question = pb::ListUpgradesRequest {
                package,
                installed,
                ..Default::default()
            };
            let answer = client.list_upgrades(question).await?;
            Ok(read(&answer, |answer| &answer.catalogs))
        }
        3..6 => {
            let question = pb::FindPathRequest {
                package,
                installed,
                ..Default::default()
            };
            let answer = client.find_path(question).await?;
            Ok(read(&answer, |answer| &answer.catalogs))
        }
        _ => {
            let question = pb::GetGraphRequest {
                package,
                ..Default::default()
            };
            let answer = client.get_graph(question).await?;
            Ok(read(&answer, |answer| &answer.catalogs))
        }
    }
}

fn read<T: Message>(
    answer: &Response<T>,
    catalogs: impl Fn(&T) -> &Vec<pb::CatalogRef>,
) -> (String, Vec<u8>) {
    let answer = answer.get_ref();
    let digests = catalogs(answer).iter().map(|it| it.digest.as_str());
    (digests.collect(), answer.encode_to_vec())
}

// === impl Asking ===

impl Asking {
    fn over(connection: &Connection, right: &Right) -> Self {
        let right = Arc::new(right.clone());
        let told = watch::Sender::default();
        let mut tasks = JoinSet::new();
        for first in 0..QUESTIONS {
            let client = Client::new(connection.clone());
            tasks.spawn(ask_on(client, first, right.clone(), told.clone()));
        }
        Self {
            told,
            _tasks: tasks,
        }
    }

    /// Waits until the clients have received this number of additional answers with this digest.
    async fn answered(&self, digest: &str, count: usize) {
        let of = |told: &Told| told.answers.get(digest).copied().unwrap_or_default();
        let mut told = self.told.subscribe();
        let wanted = of(&told.borrow()) + count;
        let answered = within(told.wait_for(|told| of(told) >= wanted)).await;
        drop(answered.expect("the load must live as long as its test"));
    }

    fn all_was_right(&self) {
        assert_eq!(self.told.borrow().wrong, BTreeSet::new());
    }
}

async fn ask_on(mut client: Client, first: usize, right: Arc<Right>, told: watch::Sender<Told>) {
    let mut number = first;
    loop {
        let answer = ask(&mut client, number).await;
        told.send_modify(|told| match answer {
            Ok((digest, answer)) => {
                if right
                    .get(&digest)
                    .is_none_or(|right| right[number] != answer)
                {
                    told.wrong.insert(format!("question {number} of {digest}"));
                }
                *told.answers.entry(digest).or_default() += 1;
            }
            Err(failure) => {
                told.wrong.insert(failure.to_string());
            }
        });
        number = (number + 1) % QUESTIONS;
    }
}

fn connect(names: &Names) -> Connection {
    let terms = Terms {
        refresh: Duration::from_millis(60),
        ..Terms::queries(DESCRIPTORS, Duration::from_secs(60))
    };
    remote_at("http://resolver.test:50051", names.clone(), terms).expect("the URL must be one")
}

/// Waits until a replica has received calls that are not health checks.
async fn asked(replica: &Replica) {
    let is_question = |sample: &String| sample.contains("resolver.v1");
    let asked = async {
        loop {
            let begun = replica.running.samples("grpc_server_started_total").await;
            if begun.iter().any(is_question) {
                return;
            }
        }
    };
    within(asked).await;
}

#[tokio::test]
async fn clients_do_not_notice_the_restart_of_one_of_two_replicas() {
    let (ships, others) = (catalog(BEFORE).temp(), catalog(OTHER).temp());
    let folders: [&Path; 2] = [&ships, &others];
    let (digest, answers) = right(folders).await;
    let first = replica(folders, flags()).await;
    let mut second = replica(folders, flags()).await;
    let names = Names::of(&[&first.running, &second.running]);
    let asking = Asking::over(&connect(&names), &[(digest.clone(), answers)].into());
    for is_killed in [false, true] {
        asked(&second).await;
        let listen = second.running.grpc;
        if is_killed {
            second.running.kill().await
        } else {
            second.running.stop();
            second.running.wait_for_end().await;
        }
        asking.answered(&digest, 200).await;
        second = replica(folders, ServeFlags { listen, ..flags() }).await;
    }
    asked(&second).await;
    asking.answered(&digest, 200).await;
    asking.all_was_right();
}

/// Writes the files one after the other. Pauses between them, so that a reader may read an
/// incomplete state.
async fn change(folder: &Path, text: &str) {
    let changed = catalog(text).temp();
    for package in ["skiff", "sloop"] {
        let file = Path::new(package).join("catalog.yaml");
        let text = std::fs::read(changed.join(&file)).expect("it must be readable");
        let (half, rest) = text.split_at(text.len() / 2);
        std::fs::write(folder.join(&file), half).expect("it must be writable");
        tokio::time::sleep(Duration::from_millis(50)).await;
        std::fs::write(folder.join(&file), [half, rest].concat()).expect("it must be writable");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn each_response_matches_one_content_while_a_folder_changes() {
    let (ships, others) = (catalog(BEFORE).temp(), catalog(OTHER).temp());
    let later: TempFolder = catalog(AFTER).temp();
    let folders: [&Path; 2] = [&ships, &others];
    let (before, old) = right(folders).await;
    let (after, new) = right([&later, &others]).await;
    assert_ne!(before, after);
    let both: Right = [(before.clone(), old), (after.clone(), new)].into();
    let (first, second) = (
        replica(folders, flags()).await,
        replica(folders, flags()).await,
    );
    let names = Names::of(&[&first.running, &second.running]);
    let asking = Asking::over(&connect(&names), &both);
    asking.answered(&before, 200).await;

    for (text, digest) in [(AFTER, &after), (BEFORE, &before), (AFTER, &after)] {
        change(&ships, text).await;
        asking.answered(digest, 200).await;
    }
    // Waits until each replica has read the change. A separate client asks each replica.
    for replica in [&first, &second] {
        let names = Names::of(&[&replica.running]);
        let alone = Asking::over(&connect(&names), &both);
        alone.answered(&after, 200).await;
        alone.all_was_right();
    }
    asking.all_was_right();
}
