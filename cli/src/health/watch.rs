//! `portolan health --watch`: prints changes of health when they happen.

mod only;
mod rows;
mod screen;

use std::convert::Infallible;
use std::ops::ControlFlow;
use std::time::Duration;

use portolan_proto::health::v1::watch_response::{Event, Reset};
use portolan_proto::health::v1::{
    GetOperatorRequest, ListOperatorsRequest, Operator, WatchRequest, WatchResponse,
    get_operator_request,
};
use tokio::time::{sleep, timeout};
use tokio_stream::StreamExt;
use tonic::{Code, Status, Streaming};

use self::only::Only;
use self::screen::Screen;
use super::handle::Handle;
use crate::exit::{self, Exit};
use crate::facts::{DEADLINE, HealthConnection};
use crate::failure::Failure;
use crate::print::{self, Format};

/// The minimum and the maximum pause before the next stream, after a stream has ended.
const RESTS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// The time without an event after which a stream counts as broken. A healthy server sends an event
/// every half minute, even if nothing changes.
const SILENCE: Duration = Duration::from_secs(100);

/// A watch of health. If its stream ends, the watch starts another stream.
struct Watching {
    health: HealthConnection,
    namespace: String,
    /// The only object that is shown. None if all objects are shown.
    only: Option<Only>,
    screen: Screen,
}

/// The reason why a stream ended.
struct StreamEnd {
    status: Status,
    /// True if the server had sent all current objects before the stream ended.
    is_synced: bool,
}

/// The result of a stream: the command ends because the output is closed, or only the stream has
/// ended.
type StreamOutcome = ControlFlow<Exit, StreamEnd>;

/// Watches until a signal stops the command. A stop by a signal counts as success.
pub(super) async fn until_stopped(
    watched: impl Future<Output = Result<Exit, Failure>>,
) -> Result<Exit, Failure> {
    let mut stops = std::pin::pin!(exit::stops()?);
    tokio::select! {
        biased;
        _ = stops.next() => Ok(Exit::Answered),
        ended = watched => ended,
    }
}

/// Shows all objects, or only the object that the handle selects. Returns when the output is
/// closed.
pub(super) async fn run(
    mut health: HealthConnection,
    namespace: &str,
    handle: Option<&Handle>,
    format: Format,
) -> Result<Exit, Failure> {
    let only = find_object(&mut health, namespace, handle).await?;
    let namespace = match &only {
        Some(only) => only.namespace().to_owned(),
        None => namespace.to_owned(),
    };
    let watching = Watching {
        health,
        screen: Screen::new(format, super::no_operators(&namespace)),
        namespace,
        only,
    };
    match watching.follow().await? {
        ControlFlow::Break(said) => Ok(said),
        ControlFlow::Continue(never) => match never {},
    }
}

/// Finds the object that the handle selects, so that an unknown handle fails immediately. Without a
/// handle, sends a request that fails if the server cannot list operators, because a watch would
/// report no error.
async fn find_object(
    health: &mut HealthConnection,
    namespace: &str,
    handle: Option<&Handle>,
) -> Result<Option<Only>, Failure> {
    match handle {
        Some(Handle::Operator(handle)) => {
            let answer = super::operator(health, namespace, handle.clone()).await?;
            let subject = answer.operator.and_then(|operator| operator.subject);
            Ok(subject.map(|subject| Only::new(subject, Some(handle.clone()))))
        }
        Some(Handle::Catalog(name)) => {
            let answer = super::catalog(health, namespace, name.clone()).await?;
            let subject = answer.catalog.and_then(|catalog| catalog.subject);
            Ok(subject.map(|subject| Only::new(subject, None)))
        }
        None => {
            let request = ListOperatorsRequest {
                namespace: namespace.to_owned(),
                page_size: 1,
                ..ListOperatorsRequest::default()
            };
            health.query(request).await.map(|_| None)
        }
    }
}

// === impl Watching ===

impl Watching {
    /// Reads streams, one after the other. Returns an error only if the first stream cannot be
    /// started.
    async fn follow(mut self) -> Result<ControlFlow<Exit, Infallible>, Failure> {
        let first = self.begin().await;
        let mut stream = first.map_err(|status| self.health.failure(&status))?;
        let mut rest = RESTS.0;
        loop {
            let lost = match self.read(stream).await? {
                ControlFlow::Break(said) => return Ok(ControlFlow::Break(said)),
                ControlFlow::Continue(lost) => lost,
            };
            if lost.is_synced {
                rest = RESTS.0;
            }
            stream = self.begin_again(lost.status, &mut rest).await;
            if let ControlFlow::Break(said) = self.show_event(&reset()).await? {
                return Ok(ControlFlow::Break(said));
            }
        }
    }

    async fn begin(&mut self) -> Result<Streaming<WatchResponse>, Status> {
        let request = WatchRequest {
            namespace: self.namespace.clone(),
        };
        let begun = self.health.try_query(request);
        match timeout(DEADLINE, begun).await {
            Ok(begun) => begun,
            Err(_) => Err(Status::deadline_exceeded("the server does not answer")),
        }
    }

    /// Starts a new stream. Prints a warning about the lost connection only if the first attempt
    /// fails.
    async fn begin_again(&mut self, lost: Status, rest: &mut Duration) -> Streaming<WatchResponse> {
        let mut is_told = false;
        loop {
            sleep(*rest).await;
            *rest = (*rest * 2).min(RESTS.1);
            match self.begin().await {
                Ok(stream) => {
                    if is_told {
                        print::note("The watch continues.");
                    }
                    return stream;
                }
                Err(status) => {
                    tracing::debug!(error = %status, "the server is still unavailable");
                    if !std::mem::replace(&mut is_told, true) {
                        print::warn(&format!(
                            "the watch was interrupted ({}); retrying until the server answers",
                            lost.message()
                        ));
                    }
                }
            }
        }
    }

    /// Reports events until the stream ends.
    async fn read(
        &mut self,
        mut stream: Streaming<WatchResponse>,
    ) -> Result<StreamOutcome, Failure> {
        let mut is_synced = false;
        loop {
            let lost = |status| Ok(ControlFlow::Continue(StreamEnd { status, is_synced }));
            let told = match timeout(SILENCE, stream.message()).await {
                Ok(Ok(Some(told))) => told,
                Ok(Ok(None)) => return lost(Status::unavailable("the server ended the watch")),
                Ok(Err(status)) => return lost(status),
                Err(_) => return lost(Status::unavailable("the server sends no data")),
            };
            is_synced |= matches!(told.event, Some(Event::Synced(_)));
            if let ControlFlow::Break(said) = self.show_event(&told).await? {
                return Ok(ControlFlow::Break(said));
            }
        }
    }

    /// Shows an event if it is about a shown object. Returns `Break` if the output is closed, which
    /// is not an error.
    async fn show_event(&mut self, told: &WatchResponse) -> Result<ControlFlow<Exit>, Failure> {
        let (Some(only), Some(event)) = (&mut self.only, &told.event) else {
            return self.show(told);
        };
        let is_of_interest = only.take(event);
        let lost = only.lost(event).cloned();
        if is_of_interest && self.show(told)?.is_break() {
            return Ok(ControlFlow::Break(Exit::Answered));
        }
        let Some(found) = self.look_for(lost).await else {
            return Ok(ControlFlow::Continue(()));
        };
        self.show(&WatchResponse {
            event: Some(Event::Operator(found)),
            ..told.clone()
        })
    }

    /// Finds the operator of a handle again after its previous object was removed. From now on, the
    /// watch shows the new object. Returns the new operator if the stream has already sent it and
    /// will not send it again.
    async fn look_for(&mut self, lost: Option<get_operator_request::Handle>) -> Option<Operator> {
        let request = GetOperatorRequest {
            namespace: self.namespace.clone(),
            handle: Some(lost?),
        };
        let operator = match self.health.try_query(request).await {
            Ok(answer) => answer.operator?,
            Err(status) => {
                if status.code() != Code::NotFound {
                    print::warn(status.message());
                }
                return None;
            }
        };
        let is_told = self.only.as_mut()?.becomes(operator.subject.as_ref()?);
        is_told.then_some(operator)
    }

    fn show(&mut self, told: &WatchResponse) -> Result<ControlFlow<Exit>, Failure> {
        Ok(if self.screen.show(told)? {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(Exit::Answered)
        })
    }
}

/// Returns the event that starts a new stream. The new stream may come from another server, which
/// sends all objects again.
fn reset() -> WatchResponse {
    WatchResponse {
        event: Some(Event::Reset(Reset {})),
        ..WatchResponse::default()
    }
}
