//! Forwards one request of a client and its response, frame by frame.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONNECTION, HeaderName, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, Request, Response};
use http_body::{Body, Frame, SizeHint};
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use thiserror::Error;
use tokio::sync::oneshot;

use super::State;
use super::answer::answer;
use super::rules::{Action, Matcher, Seen};
use super::upstream::{Failure, Line, Upstream};

/// Headers that apply to a single connection and are not forwarded.
const HOP_HEADERS: [HeaderName; 4] = [
    CONNECTION,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
];

#[derive(Debug, Error)]
#[error("the proxy cut this request off")]
struct Cut;

/// The effect of the rules on an exchange, before the request is forwarded.
enum Fate {
    Pass { lose_answer: bool },
    Elsewhere(Upstream),
    Answer(u16),
    Cut,
}

/// A function that the proxy calls after the upstream has responded.
type Call = Arc<dyn Fn() + Send + Sync>;

/// The exchanges that are in progress.
#[derive(Debug, Default)]
pub(super) struct Exchanges(Mutex<Running>);

#[derive(Debug, Default)]
struct Running {
    next: u64,
    open: BTreeMap<u64, (Seen, oneshot::Sender<()>)>,
}

/// One exchange: a request and its response, until the end of the response body.
#[derive(Debug)]
struct Exchange {
    number: u64,
    cut: oneshot::Receiver<()>,
    exchanges: Arc<Exchanges>,
}

/// The body of a response. Reading it fails after its exchange is cut.
#[derive(Debug)]
pub(super) struct Relayed {
    body: Incoming,
    exchange: Exchange,
}

pub(super) async fn relay(
    request: Request<Incoming>,
    line: Arc<Line>,
    state: Arc<State>,
) -> Result<Response<Either<Relayed, Full<Bytes>>>, Failure> {
    let seen = Seen::of(&request);
    let mut exchange = Exchanges::begin(&state.exchanges, seen.clone());
    let actions = state.rules.note(&seen);
    let answer = tokio::select! {
        answer = settle(request, &seen, actions, &line, &state) => answer?,
        Ok(()) = &mut exchange.cut => return Err(Cut.into()),
    };
    Ok(match answer {
        Either::Left(upstream) => upstream.map(|body| Either::Left(Relayed { body, exchange })),
        Either::Right(own) => own.map(Either::Right),
    })
}

/// Returns the response of the upstream, or a response of the proxy itself.
async fn settle(
    request: Request<Incoming>,
    seen: &Seen,
    actions: Vec<Action>,
    line: &Line,
    state: &State,
) -> Result<Either<Response<Incoming>, Response<Full<Bytes>>>, Failure> {
    let (fate, afterwards) = prepare(actions).await;
    let (answer, lose_answer) = match fate {
        Fate::Cut => return Err(Cut.into()),
        Fate::Answer(status) => {
            return Ok(Either::Right(answer(seen, request.headers(), status)));
        }
        Fate::Pass { lose_answer } => {
            let answer = forward(request, line, &state.upstream, state).await?;
            (answer, lose_answer)
        }
        Fate::Elsewhere(other) => {
            let answer = forward(request, &Line::default(), &other, state).await?;
            (answer, false)
        }
    };
    afterwards.iter().for_each(|call| call());
    if lose_answer {
        Err(Cut.into())
    } else {
        Ok(Either::Left(answer))
    }
}

async fn prepare(actions: Vec<Action>) -> (Fate, Vec<Call>) {
    let (mut fate, mut afterwards) = (None, Vec::new());
    for action in actions {
        match action {
            Action::Delay(pause) => tokio::time::sleep(pause).await,
            Action::Call(function) => function(),
            Action::Answer(status) => fate = fate.or(Some(Fate::Answer(status))),
            Action::Elsewhere(other) => fate = fate.or(Some(Fate::Elsewhere(other))),
            Action::CutBefore => fate = fate.or(Some(Fate::Cut)),
            Action::CutAfter => fate = fate.or(Some(Fate::Pass { lose_answer: true })),
            Action::CallAfter(function) => afterwards.push(function),
        }
    }
    let pass = Fate::Pass { lose_answer: false };
    (fate.unwrap_or(pass), afterwards)
}

async fn forward(
    mut request: Request<Incoming>,
    line: &Line,
    upstream: &Upstream,
    state: &State,
) -> Result<Response<Incoming>, Failure> {
    drop_hop_headers(request.headers_mut());
    let mut answer = line.send(upstream, &state.gate, request).await?;
    drop_hop_headers(answer.headers_mut());
    Ok(answer)
}

fn drop_hop_headers(headers: &mut HeaderMap) {
    for name in &HOP_HEADERS {
        headers.remove(name);
    }
}

impl Exchanges {
    pub(super) fn cut(&self, matcher: &Matcher) -> usize {
        let mut running = self.running();
        let meant = running
            .open
            .extract_if(.., |_, (seen, _)| matcher.matches(seen));
        meant.filter_map(|(_, (_, cut))| cut.send(()).ok()).count()
    }

    fn begin(exchanges: &Arc<Self>, seen: Seen) -> Exchange {
        let (sender, cut) = oneshot::channel();
        let mut running = exchanges.running();
        let number = running.next;
        running.next += 1;
        running.open.insert(number, (seen, sender));
        Exchange {
            number,
            cut,
            exchanges: exchanges.clone(),
        }
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        self.exchanges.running().open.remove(&self.number);
    }
}

impl Body for Relayed {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        if let Poll::Ready(Ok(())) = Pin::new(&mut self.exchange.cut).poll(context) {
            return Poll::Ready(Some(Err(Cut.into())));
        }
        Pin::new(&mut self.body)
            .poll_frame(context)
            .map_err(Into::into)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
