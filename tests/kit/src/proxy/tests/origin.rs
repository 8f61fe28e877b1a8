//! An upstream for tests. It responds with a description of each request.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

pub(super) type Body = UnsyncBoxBody<Bytes, Box<dyn std::error::Error + Send + Sync>>;

#[derive(Clone)]
pub(super) struct Origin {
    pub(super) address: SocketAddr,
    pub(super) state: Arc<State>,
}

#[derive(Default)]
pub(super) struct State {
    connections: AtomicUsize,
    hits: Mutex<Vec<String>>,
    /// The body of the next response to `/stream`.
    next: Mutex<Option<Body>>,
}

pub(super) fn text(text: impl Into<Bytes>) -> Body {
    Full::new(text.into())
        .map_err(|never: Infallible| match never {})
        .boxed_unsync()
}

/// Returns a body, and a sender with which the test adds data while the body is sent.
pub(super) fn channel() -> (mpsc::Sender<Frame<Bytes>>, Body) {
    let (sender, receiver) = mpsc::channel(1);
    let frames = ReceiverStream::new(receiver).map(Ok);
    (sender, StreamBody::new(frames).boxed_unsync())
}

impl Origin {
    pub(super) async fn start() -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let origin = Self {
            address,
            state: Arc::default(),
        };
        let serving = origin.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                tokio::spawn(serving.clone().serve(stream));
            }
        });
        origin
    }

    pub(super) async fn serve(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static) {
        self.state.connections.fetch_add(1, Ordering::SeqCst);
        let service = service_fn(move |request| {
            let answer = self.answer(request);
            async move { Ok::<_, Infallible>(answer) }
        });
        let stream = TokioIo::new(stream);
        // Ignores an error, because tests of cuts break connections on purpose.
        let _ = auto::Builder::new(TokioExecutor::new())
            .serve_connection(stream, service)
            .await;
    }

    pub(super) fn stream(&self) -> mpsc::Sender<Frame<Bytes>> {
        let (sender, body) = channel();
        *self.state.next.lock().unwrap() = Some(body);
        sender
    }

    pub(super) fn hits(&self) -> Vec<String> {
        self.state.hits.lock().unwrap().clone()
    }

    pub(super) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }

    fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let target = request.uri().path_and_query().unwrap();
        let hit = format!("{} {target}", request.method());
        self.state.hits.lock().unwrap().push(hit.clone());
        match request.uri().path() {
            "/stream" => {
                let body = self.state.next.lock().unwrap().take();
                let answer = Response::builder().header("trailer", "x-end");
                answer
                    .body(body.expect("a test must give the stream first"))
                    .unwrap()
            }
            "/echo" => Response::new(request.into_body().map_err(Into::into).boxed_unsync()),
            _ => Response::new(text(format!("{:?} {hit}", request.version()))),
        }
    }
}
