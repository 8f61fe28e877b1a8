//! Clients that send requests one after the other, without a pause.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use portolan_proto::resolver::v1::resolver_client::ResolverClient;
use portolan_shell::client::Connection;
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::{End, ask, within};

/// The number of calls that run at the same time.
const ASKING: usize = 8;

/// A continuous load on a single connection.
#[derive(Debug)]
pub struct Load {
    over: Arc<AtomicBool>,
    answers: watch::Sender<usize>,
    asking: JoinSet<Vec<End>>,
}

// === impl Load ===

impl Load {
    /// Starts to send requests.
    pub fn over(connection: &Connection) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let answers = watch::Sender::new(0);
        let mut asking = JoinSet::new();
        for _ in 0..ASKING {
            asking.spawn(ask_on(connection.clone(), over.clone(), answers.clone()));
        }
        Self {
            over,
            answers,
            asking,
        }
    }

    /// Waits for this many additional responses.
    pub async fn answered(&self, count: usize) {
        let mut answers = self.answers.subscribe();
        let wanted = *answers.borrow() + count;
        within(answers.wait_for(|answers| *answers >= wanted))
            .await
            .expect("the load must live as long as its test");
    }

    /// Stops the clients. Returns the ends of the calls that failed.
    pub async fn end(self) -> Vec<End> {
        self.over.store(true, Ordering::Relaxed);
        within(self.asking.join_all()).await.concat()
    }
}

async fn ask_on(
    connection: Connection,
    over: Arc<AtomicBool>,
    answers: watch::Sender<usize>,
) -> Vec<End> {
    let mut client = ResolverClient::new(connection);
    let mut failed = Vec::new();
    while !over.load(Ordering::Relaxed) {
        match client.list_upgrades(ask("ok")).await {
            Ok(_) => answers.send_modify(|answers| *answers += 1),
            Err(status) => failed.push(End::from(status)),
        }
    }
    failed
}
