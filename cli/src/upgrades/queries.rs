//! `portolan upgrades --queries`: reads many queries and prints their answers in the same order. A
//! separate thread reads the lines, because a read may block forever. Each query is sent to the
//! resolver, and its pending answer is put into a short queue. While the queue is full, no line is
//! read. So a slow reader of the answers delays the queries, and memory use stays small. The
//! queries in the queue have no answer yet. They are sent again after a pause, perhaps to another
//! server, if the stream ends because its server stops, or if the server has just started and knows
//! no catalog yet. Repeated queries are harmless.

mod call;
mod input;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::str::FromStr;
use std::time::Duration;

use portolan_proto::resolver::v1::batch_list_upgrades_response::Outcome;
use portolan_proto::resolver::v1::{ListUpgradesRequest, Refusal};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep};

use self::call::{Broken, Call};
use self::input::{Input, InputLine};
use crate::exit::Exit;
use crate::facts::{CatalogArgs, ResolverConnection};
use crate::failure::Failure;
use crate::print;

/// The maximum number of queries that wait for an answer.
const UNDER_WAY: usize = 64;

/// The maximum number of times that a stream is started again without an answer in between.
const RENEWALS: u32 = 5;

/// The pause before a stream is started again for the first time. Each further pause is twice as
/// long.
const PAUSE: Duration = Duration::from_millis(250);

/// The file with the queries. `-` selects standard input.
#[derive(Debug, Clone)]
pub(super) struct Queries(String);

/// The output line for a query without an answer. It has only the key `refused`, which no answer
/// has.
#[derive(Debug, Serialize)]
struct Refused {
    refused: Refusal,
}

/// An output line that is not printed yet.
#[derive(Debug)]
enum Waiting {
    /// The answer to this query.
    Question(ListUpgradesRequest),
    /// The error for a line that is not a valid query.
    Refused(Refusal),
}

/// A stream of queries, and the lines that are not printed yet.
struct Batch {
    resolver: ResolverConnection,
    call: Call,
    /// The lines that are not printed yet, in the order of the input.
    waiting: VecDeque<Waiting>,
    /// The time at which the oldest query without an answer became the oldest one. Its time limit
    /// starts here.
    since: Instant,
    /// The number of times that the stream was started again since the last answer.
    renewals: u32,
    has_refused: bool,
    /// True while the reader of the output has not closed it.
    is_read: bool,
}

// === impl Queries ===

impl FromStr for Queries {
    type Err = Infallible;

    fn from_str(file: &str) -> Result<Self, Infallible> {
        Ok(Self(file.to_owned()))
    }
}

impl Queries {
    pub(super) async fn run(self, facts: &CatalogArgs) -> Result<Exit, Failure> {
        let input = Input::open(&self.0)?;
        let resolver = facts.connect().await?;
        let mut batch = Batch::begin(resolver).await?;
        batch.run(input.read().map_err(Failure::failed)?).await?;
        let has_refused = batch.has_refused;
        batch.call.end().await;
        Ok(Exit::no_if(has_refused))
    }
}

// === impl Batch ===

impl Batch {
    async fn begin(mut resolver: ResolverConnection) -> Result<Self, Failure> {
        let call = match Call::begin(&mut resolver, &[]).await {
            Ok(call) => call,
            Err(broken) => return Err(resolver.failure(&broken.into_status())),
        };
        Ok(Self {
            call,
            resolver,
            waiting: VecDeque::new(),
            since: Instant::now(),
            renewals: 0,
            has_refused: false,
            is_read: true,
        })
    }

    async fn run(
        &mut self,
        mut lines: mpsc::Receiver<Result<InputLine, Failure>>,
    ) -> Result<(), Failure> {
        let mut is_open = true;
        while self.is_read {
            let has_room = self.waiting.len() < UNDER_WAY;
            let answered = tokio::select! {
                line = lines.recv(), if is_open && has_room => {
                    is_open = line.is_some();
                    if let Some(line) = line {
                        self.take(line?);
                    }
                    Ok(None)
                }
                answer = self.call.answer(self.since), if !self.waiting.is_empty() => {
                    answer.map(Some)
                }
                else => break,
            };
            match answered {
                Ok(Some(outcome)) => self.print_answer(outcome)?,
                Ok(None) => {}
                Err(broken) => self.renew(broken).await?,
            }
            self.print_refused()?;
        }
        Ok(())
    }

    fn take(&mut self, line: InputLine) {
        if self.waiting.is_empty() {
            self.since = Instant::now();
        }
        self.waiting.push_back(match line {
            InputLine::Question(question) => {
                self.call.ask(question.clone());
                Waiting::Question(question)
            }
            InputLine::Refused(refused) => Waiting::Refused(refused),
        });
    }

    fn print_answer(&mut self, outcome: Outcome) -> Result<(), Failure> {
        self.renewals = 0;
        self.pop();
        match outcome {
            Outcome::Answer(answer) => self.is_read = print::json_line(&answer)?,
            Outcome::Refused(refused) => self.print_refusal(refused)?,
        }
        Ok(())
    }

    /// Prints the rejected lines at the start of the queue, up to the first query without an
    /// answer.
    fn print_refused(&mut self) -> Result<(), Failure> {
        while let Some(Waiting::Refused(refused)) = self.waiting.front() {
            let refused = refused.clone();
            self.pop();
            self.print_refusal(refused)?;
        }
        Ok(())
    }

    fn print_refusal(&mut self, refused: Refusal) -> Result<(), Failure> {
        self.has_refused = true;
        self.is_read = print::json_line(&Refused { refused })?;
        Ok(())
    }

    fn pop(&mut self) {
        self.waiting.pop_front();
        self.since = Instant::now();
    }

    /// Starts a new stream, and sends all queries without an answer again.
    async fn renew(&mut self, mut broken: Broken) -> Result<(), Failure> {
        loop {
            let status = match broken {
                Broken::Gone(status) if self.renewals < RENEWALS => status,
                Broken::Gone(status) | Broken::Failed(status) => {
                    return Err(self.resolver.failure(&status));
                }
            };
            tracing::debug!(error = %status, "sending the queries again");
            sleep(PAUSE * 2_u32.pow(self.renewals)).await;
            self.renewals += 1;
            let questions = self.unanswered();
            match Call::begin(&mut self.resolver, &questions).await {
                Ok(call) => {
                    self.call = call;
                    return Ok(());
                }
                Err(again) => broken = again,
            }
        }
    }

    fn unanswered(&self) -> Vec<ListUpgradesRequest> {
        let questions = self.waiting.iter().filter_map(|waiting| match waiting {
            Waiting::Question(question) => Some(question.clone()),
            Waiting::Refused(_) => None,
        });
        questions.collect()
    }
}
