//! A call that may have to be sent again to another replica.

use std::time::{Duration, Instant};

use bytes::Bytes;
use futures::{StreamExt, stream};
use http::request::Parts;
use http::{HeaderMap, Request, Response};
use http_body_util::{BodyExt, BodyStream, Full, StreamBody};
use tonic::body::Body;
use tonic::{Code, Status};
use tower::BoxError;

use super::balancer::Chosen;
use super::line::{Line, Reached};
use crate::limits::{client_timeout, timeout_value};
use crate::methods::Method;

/// The maximum size of a request that can be repeated. Also the maximum size of a response that is
/// read completely before it is returned.
const KEPT: usize = 4 * 1024 * 1024;

/// A call, kept in memory until it has a response.
#[derive(Debug)]
pub(super) struct Question {
    parts: Parts,
    body: KeptBody,
    answers_once: bool,
    began: Instant,
    given: Option<Duration>,
    repeated: bool,
}

#[derive(Debug)]
enum KeptBody {
    /// The whole body in memory. It can be sent again.
    Whole(Bytes),
    /// A body that can be sent only once. None after it was sent.
    Once(Option<Body>),
}

/// The result of sending a request once.
#[derive(Debug)]
pub(super) struct Attempt {
    pub(super) end: Result<Response<Body>, BoxError>,
    pub(super) progress: Progress,
}

/// The state of a call after an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// The request was not sent, or the server reports that it did not process the request.
    Unprocessed,
    /// There is no response, or the response is UNAVAILABLE. The server may have processed the
    /// request.
    Unknown,
    /// There is a response.
    Answered,
}

// === impl Question ===

impl Question {
    /// Reads and keeps the whole body of a request that consists of one message.
    pub(super) async fn keep(request: Request<Body>, method: &Method) -> Result<Self, BoxError> {
        let began = Instant::now();
        let (parts, body) = request.into_parts();
        let body = if method.asks_once {
            KeptBody::from(body.collect().await?.to_bytes())
        } else {
            KeptBody::Once(Some(body))
        };
        Ok(Self {
            given: client_timeout(&parts.headers),
            parts,
            body,
            answers_once: method.asks_once && !method.streams,
            began,
            repeated: false,
        })
    }

    /// Returns true if the request body is available, for the first attempt or for another attempt.
    pub(super) fn is_at_hand(&self) -> bool {
        !matches!(self.body, KeptBody::Once(None))
    }

    /// Sends the call to a replica. The returned response of a unary call is complete. The returned
    /// response of a stream has begun.
    pub(super) async fn ask(&mut self, chosen: Chosen<Line>) -> Attempt {
        let Chosen { line, running, .. } = chosen;
        let response = match line.ask(self.request()).await {
            Ok(response) => response,
            Err(unanswered) => {
                let progress = self.take_back(unanswered.request);
                return Attempt {
                    end: Err(unanswered.error.into()),
                    progress,
                };
            }
        };
        if self.answers_once {
            return Attempt::read(response).await;
        }
        // The closure owns `running`, so the call counts as running until its response is dropped.
        let held = response.map(|body| {
            Body::new(body.map_frame(move |frame| {
                let _running = &running;
                frame
            }))
        });
        Attempt::from(held)
    }

    fn request(&mut self) -> Request<Body> {
        let body = match &mut self.body {
            KeptBody::Whole(bytes) => Body::new(Full::new(bytes.clone())),
            KeptBody::Once(body) => body.take().unwrap_or_default(),
        };
        let mut request = Request::from_parts(self.parts.clone(), body);
        if let (true, Some(given)) = (std::mem::replace(&mut self.repeated, true), self.given) {
            let rest = given.saturating_sub(self.began.elapsed());
            request
                .headers_mut()
                .insert("grpc-timeout", timeout_value(rest));
        }
        request
    }

    fn take_back(&mut self, request: Reached) -> Progress {
        match request {
            Reached::Nowhere(body) => {
                if let KeptBody::Once(kept) = &mut self.body {
                    *kept = Some(body);
                }
                Progress::Unprocessed
            }
            Reached::Refused => Progress::Unprocessed,
            Reached::Somewhere => Progress::Unknown,
        }
    }
}

// === impl KeptBody ===

impl From<Bytes> for KeptBody {
    fn from(bytes: Bytes) -> Self {
        if bytes.len() <= KEPT {
            Self::Whole(bytes)
        } else {
            Self::Once(Some(Body::new(Full::new(bytes))))
        }
    }
}

// === impl Attempt ===

impl Attempt {
    /// Reads a response completely. If the response is interrupted, the call can be repeated.
    async fn read(response: Response<Body>) -> Self {
        let (head, mut body) = response.into_parts();
        let (mut frames, mut length, mut unavailable) = (Vec::new(), 0, false);
        while length <= KEPT
            && let Some(frame) = body.frame().await
        {
            let frame = match frame {
                Ok(frame) => frame,
                Err(error) => return Self::unknown(Err(error.into())),
            };
            length += frame.data_ref().map_or(0, Bytes::len);
            unavailable |= frame.trailers_ref().is_some_and(is_unavailable);
            frames.push(Ok(frame));
        }
        let rest = (length > KEPT).then(|| BodyStream::new(body));
        let frames = stream::iter(frames).chain(stream::iter(rest).flatten());
        let response = Response::from_parts(head, Body::new(StreamBody::new(frames)));
        if unavailable {
            Self::unknown(Ok(response))
        } else {
            Self::from(response)
        }
    }

    fn unknown(end: Result<Response<Body>, BoxError>) -> Self {
        let progress = Progress::Unknown;
        Self { end, progress }
    }
}

impl From<Response<Body>> for Attempt {
    fn from(response: Response<Body>) -> Self {
        if is_unavailable(response.headers()) {
            return Self::unknown(Ok(response));
        }
        Self {
            end: Ok(response),
            progress: Progress::Answered,
        }
    }
}

fn is_unavailable(headers: &HeaderMap) -> bool {
    let status = Status::from_header_map(headers);
    status.is_some_and(|status| status.code() == Code::Unavailable)
}
