//! A console with fake data, and a client that can send any bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::future::BoxFuture;
use futures::{FutureExt as _, stream};
use portolan_core_console::drawing::{Bundle, Graph};
use portolan_core_console::view::{
    Applied, Hidden, Origin, Overview, PageView, Plan, State, Unseen,
};
use portolan_core_console::{ConsolePage, Order};
use portolan_shell::Full;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{oneshot, watch};
use tokio::time::timeout;
use tokio_util::task::AbortOnDropHandle;

use crate::{Console, Source};

/// A secret text on the pages. Responses to rejected visitors must not contain this text.
pub(super) const CARGO: &str = "cargo-that-strangers-must-not-see";

/// The name of the operator whose page panics.
pub(super) const BUG: &str = "void";

/// The time limit for a response.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running console.
pub(super) struct Harbor {
    pub(super) address: SocketAddr,
    pub(super) urls: watch::Receiver<String>,
    pub(super) news: watch::Sender<u64>,
    looks: Arc<AtomicUsize>,
    stop: Option<oneshot::Sender<()>>,
    pub(super) running: AbortOnDropHandle<()>,
}

/// A response as received.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) code: u16,
    pub(super) head: String,
    pub(super) body: String,
}

/// A fake source of data with one plan, and a graph with one bundle.
struct Quay {
    news: watch::Receiver<u64>,
    looks: Arc<AtomicUsize>,
}

impl Source for Quay {
    fn look<'a>(&'a self, place: &'a ConsolePage) -> BoxFuture<'a, PageView> {
        self.looks.fetch_add(1, Ordering::SeqCst);
        let nothing = || Err(Unseen(CARGO.to_owned()));
        let view = match place {
            ConsolePage::Graph { name, .. } => PageView::Graph(Ok(Graph {
                package: name.clone(),
                bundles: vec![Bundle {
                    name: CARGO.to_owned(),
                    ..Bundle::default()
                }],
                ..Graph::default()
            })),
            ConsolePage::Operator { name, .. } if name == BUG => panic!("{BUG}"),
            ConsolePage::Operator { .. } => PageView::Operator(Err(Unseen(CARGO.to_owned()))),
            _ => PageView::Overview(Overview {
                operators: nothing(),
                catalogs: Err(Unseen(CARGO.to_owned())),
                plans: Ok(vec![Plan {
                    origin: Origin::Olm,
                    namespace: String::new(),
                    name: CARGO.to_owned(),
                    phase: String::new(),
                    state: State::Waiting,
                    why: Vec::new(),
                    bundles: Vec::new(),
                    fixes: Vec::new(),
                }]),
            }),
        };
        std::future::ready(view).boxed()
    }

    fn hidden<'a>(&'a self, _: &'a ConsolePage) -> BoxFuture<'a, Vec<Hidden>> {
        std::future::ready(Vec::new()).boxed()
    }

    fn may_apply(&self) -> bool {
        false
    }

    fn apply<'a>(&'a self, _: &'a Order) -> BoxFuture<'a, Applied> {
        unreachable!("apply is not allowed")
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.news.clone()
    }
}

// === impl Harbor ===

impl Harbor {
    pub(super) async fn open() -> Self {
        Self::open_for(None).await
    }

    /// Starts a console with this maximum number of connections.
    pub(super) async fn open_for(connections: Option<usize>) -> Self {
        let (news, seen) = watch::channel(0);
        let looks = Arc::default();
        let quay = Quay {
            news: seen,
            looks: Arc::clone(&looks),
        };
        let any = "127.0.0.1:0".parse().expect("an address");
        let console = Console::bind(any, quay, "the harbor".to_owned()).await;
        let mut console = console.expect("a port");
        if let Some(connections) = connections {
            console.full = Full::CloseOldest(connections);
        }
        let urls = console.urls();
        let url = urls.borrow().clone();
        let address = url["http://".len()..].split('/').next().expect("a host");
        let address = address.parse().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let stops = stream::once(async move {
            let _ = stopped.await;
        });
        Self {
            address,
            urls,
            news,
            looks,
            stop: Some(stop),
            running: AbortOnDropHandle::new(tokio::spawn(console.run(stops))),
        }
    }

    /// Returns the path and query of the address that the console printed last.
    pub(super) fn entrance(&self) -> String {
        let url = self.urls.borrow().clone();
        let host = format!("http://{}", self.address);
        url.strip_prefix(&host).expect("its own address").to_owned()
    }

    /// Logs in and returns the cookie.
    pub(super) async fn enter(&self) -> String {
        let response = self.get(&self.entrance(), "").await;
        assert_eq!(response.code, 303, "{response:?}");
        let cookie = response.header("set-cookie").expect("a cookie");
        cookie.split(';').next().expect("a value").to_owned()
    }

    /// Returns the response to a GET request with additional header lines.
    pub(super) async fn get(&self, target: &str, lines: &str) -> HttpResponse {
        let host = format!("Host: {}\r\n", self.address);
        let request = format!("GET {target} HTTP/1.1\r\n{host}{lines}Connection: close\r\n\r\n");
        self.response(request.as_bytes()).await.expect("an answer")
    }

    /// Sends bytes and returns the response. Returns None after a timeout, or if the server closes
    /// the connection without a response.
    pub(super) async fn response(&self, request: &[u8]) -> Option<HttpResponse> {
        self.response_within(PATIENCE, request).await
    }

    /// Sends bytes and returns the response, like [`response`](Self::response), but with another
    /// time limit.
    pub(super) async fn response_within(
        &self,
        patience: Duration,
        request: &[u8],
    ) -> Option<HttpResponse> {
        let mut stream = TcpStream::connect(self.address)
            .await
            .expect("a connection");
        stream.write_all(request).await.ok()?;
        let mut answer = Vec::new();
        // The server may keep the connection open after the response, so a timeout is no error.
        let _ = timeout(patience, stream.read_to_end(&mut answer)).await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = answer.split_once("\r\n\r\n")?;
        Some(HttpResponse {
            code: head.get(9..12)?.parse().ok()?,
            head: head.to_owned(),
            body: body.to_owned(),
        })
    }

    /// Returns the number of pages that the source has been asked for.
    pub(super) fn views(&self) -> usize {
        self.looks.load(Ordering::SeqCst)
    }

    pub(super) fn stop(&mut self) {
        self.stop.take().into_iter().for_each(|it| {
            let _ = it.send(());
        });
    }
}

// === impl HttpResponse ===

impl HttpResponse {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut of_name = lines.filter(|(it, _)| it.eq_ignore_ascii_case(name));
        of_name.next().map(|(_, value)| value)
    }
}
