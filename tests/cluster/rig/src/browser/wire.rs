//! Sends and receives messages of the DevTools protocol over pipes. Each message is a JSON text,
//! followed by a zero byte.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::failure::Failure;

/// The maximum time to wait for a response. The time is long, because the machine may be busy with
/// a build.
const PATIENCE: Duration = Duration::from_secs(60);

/// The pipes to Chromium, and the messages that were received.
#[derive(Debug)]
pub(super) struct Wire {
    to: tokio::sync::Mutex<ChildStdin>,
    heard: Arc<Mutex<Heard>>,
}

#[derive(Debug, Default)]
struct Heard {
    last: u64,
    asked: BTreeMap<u64, oneshot::Sender<Value>>,
    /// The events of each session, in the order in which they arrived.
    events: BTreeMap<String, Vec<Value>>,
}

impl Wire {
    /// Connects to Chromium over standard input and standard output of the child process.
    pub(super) fn of(child: &mut Child) -> Result<Arc<Self>, Failure> {
        let pipes = child.stdin.take().zip(child.stdout.take());
        let missing = || Failure::touch("talk to Chromium")(io::ErrorKind::BrokenPipe.into());
        let (to, from) = pipes.ok_or_else(missing)?;
        let heard = Arc::<Mutex<Heard>>::default();
        // This task ends when Chromium closes its pipe.
        tokio::spawn(listen(from, Arc::clone(&heard)));
        let to = tokio::sync::Mutex::new(to);
        Ok(Arc::new(Self { to, heard }))
    }

    /// Sends a request to a session, and returns the response. Without a session, sends the request
    /// to the browser.
    pub(super) async fn call(
        &self,
        session: &str,
        method: &str,
        params: Value,
    ) -> Result<Value, Failure> {
        let (answer, answered) = oneshot::channel();
        let number = {
            let mut heard = lock(&self.heard);
            heard.last += 1;
            let number = heard.last;
            heard.asked.insert(number, answer);
            number
        };
        let mut message = json!({"id": number, "method": method, "params": params});
        if !session.is_empty() {
            message["sessionId"] = session.into();
        }
        let text = format!("{message}\0");
        let lost = || Failure::touch(format!("have Chromium do {method}"));
        self.to
            .lock()
            .await
            .write_all(text.as_bytes())
            .await
            .map_err(lost())?;
        let reply = timeout(PATIENCE, answered).await;
        let reply = reply.map_err(|_| lost()(io::ErrorKind::TimedOut.into()))?;
        let reply = reply.map_err(|_| lost()(io::ErrorKind::BrokenPipe.into()))?;
        match reply.get("error") {
            None => Ok(reply["result"].clone()),
            Some(error) => Err(lost()(io::Error::other(error.to_string()))),
        }
    }

    /// Returns the events of a session, in order.
    pub(super) fn events(&self, session: &str) -> Vec<Value> {
        let heard = lock(&self.heard);
        heard.events.get(session).cloned().unwrap_or_default()
    }

    pub(super) fn forget_events(&self, session: &str) {
        lock(&self.heard).events.remove(session);
    }
}

async fn listen(from: ChildStdout, heard: Arc<Mutex<Heard>>) {
    let mut messages = BufReader::new(from).split(0);
    while let Ok(Some(message)) = messages.next_segment().await {
        let Ok(message) = serde_json::from_slice::<Value>(&message) else {
            continue;
        };
        let mut heard = lock(&heard);
        match message["id"].as_u64() {
            Some(number) => {
                if let Some(answer) = heard.asked.remove(&number) {
                    // Ignores an error: the caller may have stopped waiting.
                    let _ = answer.send(message);
                }
            }
            None => {
                let session = message["sessionId"].as_str().unwrap_or_default().to_owned();
                heard.events.entry(session).or_default().push(message);
            }
        }
    }
    // Chromium has ended. Dropping the senders makes all pending calls fail.
    lock(&heard).asked.clear();
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}
