//! `portolan upgrades --queries`: many questions in, as many answers out, in their order.
//!
//! A thread reads the lines, for reading may wait for ever. What a line asks goes to the resolver,
//! and what is to be printed for it goes into a queue: the next answer, or why it is no question.
//! Both queues are short. A reader of ours that is slow holds up the printing, that the resolver,
//! that the questions, and that the thread.

mod input;
mod line;

use std::convert::Infallible;
use std::str::FromStr;

use portolan_proto::resolver::v1::batch_list_upgrades_response::Outcome;
use portolan_proto::resolver::v1::{BatchListUpgradesRequest, BatchListUpgradesResponse, Refusal};
use serde::Serialize;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};

use self::input::{Input, Line};
use crate::exit::Said;
use crate::facts::{Connected, DEADLINE, Facts};
use crate::failure::Failure;
use crate::print;

/// Questions under way at one time.
const UNDER_WAY: usize = 64;

/// Where questions are read from.
#[derive(Debug, Clone)]
pub(super) struct Queries {
    /// A path, or `-`.
    file: String,
}

/// A line for a question without an answer, told apart from one by its only key.
#[derive(Debug, Serialize)]
struct Refused {
    refused: Refusal,
}

/// The questions of a stream and the answers to them.
struct Asked {
    lines: mpsc::Receiver<Line>,
    answers: Streaming<BatchListUpgradesResponse>,
    has_refused: bool,
}

// === impl Queries ===

impl FromStr for Queries {
    type Err = Infallible;

    fn from_str(file: &str) -> Result<Self, Infallible> {
        Ok(Self {
            file: file.to_owned(),
        })
    }
}

impl Queries {
    pub(super) async fn run(self, facts: &Facts) -> Result<Said, Failure> {
        let input = Input::open(&self.file).map_err(Failure::refused)?;
        let mut resolver = facts.connect_for_stream().await?;
        let (questions, asked) = mpsc::channel::<BatchListUpgradesRequest>(UNDER_WAY);
        let (told, lines) = mpsc::channel(UNDER_WAY);
        input.read(questions, told).map_err(Failure::failed)?;
        let questions = ReceiverStream::new(asked);
        let answers = resolver.ask(async |client| client.batch_list_upgrades(questions).await);
        let asked = Asked {
            lines,
            answers: answers.await?,
            has_refused: false,
        };
        asked.print(&resolver).await
    }
}

// === impl Asked ===

impl Asked {
    async fn print(mut self, resolver: &Connected) -> Result<Said, Failure> {
        while let Some(line) = self.lines.recv().await {
            let is_read = match line {
                Line::Question => {
                    let answer = self.answer().await;
                    self.print_answer(answer.map_err(|status| resolver.failure(&status))?)?
                }
                Line::Refused(refused) => self.print_refused(refused)?,
                Line::Unread(error) => return Err(Failure::failed(error)),
            };
            if !is_read {
                break;
            }
        }
        Ok(Said::no_if(self.has_refused))
    }

    /// The next answer; it may be the first one for hours, but not that long after its question.
    async fn answer(&mut self) -> Result<Outcome, Status> {
        let next = tokio::time::timeout(DEADLINE, self.answers.message());
        let late = |_| Status::deadline_exceeded(format!("no answer within {DEADLINE:?}"));
        let answer = next.await.map_err(late)??;
        let outcome = answer.and_then(|answer| answer.outcome);
        outcome.ok_or_else(|| Status::internal("the server left a question without an answer"))
    }

    fn print_answer(&mut self, outcome: Outcome) -> Result<bool, Failure> {
        match outcome {
            Outcome::Answer(answer) => print::json_line(&answer),
            Outcome::Refused(refused) => self.print_refused(refused),
        }
    }

    fn print_refused(&mut self, refused: Refusal) -> Result<bool, Failure> {
        self.has_refused = true;
        print::json_line(&Refused { refused })
    }
}
