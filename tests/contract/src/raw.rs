//! A gRPC client without automatic behavior. It has no timers and no retries, and the test decides
//! how data is split into frames.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::{BufMut, Bytes, BytesMut};
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, Request, Response};
use prost::Message;
use tokio::net::{TcpSocket, TcpStream};
use tonic::{Code, Status};

use crate::{ask, within};

/// The unary method that the fake implements.
pub const LIST_UPGRADES: &str = "/portolan.resolver.v1.Resolver/ListUpgrades";

/// The streaming method that the fake implements.
pub const WATCH_CATALOGS: &str = "/portolan.resolver.v1.Resolver/WatchCatalogs";

/// The streaming method for health, which each server offers.
pub const WATCH: &str = "/grpc.health.v1.Health/Watch";

/// The method for reflection, with which clients list the services of a server.
pub const REFLECT: &str = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

/// A client with one HTTP/2 connection.
#[derive(Debug)]
pub struct Raw {
    requests: SendRequest<Bytes>,
    server: SocketAddr,
}

/// A call that has started. The client may still send data.
#[derive(Debug)]
pub struct Begun {
    answer: Answer,
    request: SendStream<Bytes>,
}

/// The response to a call. Its header may have arrived already.
#[derive(Debug)]
enum Answer {
    Coming(ResponseFuture),
    Come(Response<RecvStream>),
}

/// The end of a call: the status that the server sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    /// The status code.
    pub code: Code,
    /// The message of the status.
    pub message: String,
}

/// Returns the bytes of a message with the gRPC length prefix.
pub fn frame(message: &impl Message) -> Bytes {
    let mut framed = BytesMut::new();
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.encoded_len()).expect("a test's message must be small"));
    message
        .encode(&mut framed)
        .expect("a buffer that grows must have room");
    framed.freeze()
}

// === impl End ===

impl End {
    /// Creates an end with this code and message.
    pub fn new(code: Code, message: &str) -> Self {
        let message = message.to_owned();
        Self { code, message }
    }

    /// Returns the end of a successful call.
    pub fn ok() -> Self {
        Self::new(Code::Ok, "")
    }
}

impl From<Status> for End {
    fn from(status: Status) -> Self {
        Self::new(status.code(), status.message())
    }
}

// === impl Raw ===

impl Raw {
    pub(crate) async fn connect(server: SocketAddr) -> Self {
        Self::connect_with(server, &h2::client::Builder::new()).await
    }

    /// Opens a connection. The receive window of each response has this number of bytes.
    pub(crate) async fn narrow(server: SocketAddr, window: u32) -> Self {
        let mut builder = h2::client::Builder::new();
        Self::connect_with(server, builder.initial_window_size(window)).await
    }

    pub(crate) async fn connect_from(server: SocketAddr, from: Ipv4Addr) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind((from, 0).into()).expect("an own address");
        let stream = socket.connect(server).await;
        let stream = stream.expect("the server must accept");
        Self::over(stream, server, &h2::client::Builder::new()).await
    }

    async fn connect_with(server: SocketAddr, builder: &h2::client::Builder) -> Self {
        let stream = TcpStream::connect(server)
            .await
            .expect("the server must accept");
        Self::over(stream, server, builder).await
    }

    async fn over(stream: TcpStream, server: SocketAddr, builder: &h2::client::Builder) -> Self {
        let (requests, connection) = within(builder.handshake(stream))
            .await
            .expect("the server must speak HTTP/2");
        tokio::spawn(connection);
        Self { requests, server }
    }

    /// Sends the fake a request about a package, and reads the whole response.
    pub async fn ask(&self, package: &str, timeout: Option<&str>) -> End {
        let question = frame(&ask(package));
        self.call(LIST_UPGRADES, timeout, [question]).await
    }

    /// Calls a method, and reads the whole response. Sends each piece in its own DATA frame.
    pub async fn call(
        &self,
        path: &str,
        timeout: Option<&str>,
        pieces: impl IntoIterator<Item = Bytes>,
    ) -> End {
        let begun = self.begin(path, timeout, pieces).await;
        begun.complete().end().await
    }

    /// Calls a method and sends these pieces, without ending the request.
    pub async fn begin(
        &self,
        path: &str,
        timeout: Option<&str>,
        pieces: impl IntoIterator<Item = Bytes>,
    ) -> Begun {
        let mut requests = within(self.requests.clone().ready())
            .await
            .expect("the connection must live");
        let (answer, mut request) = requests
            .send_request(self.request(path, timeout), false)
            .expect("the request must be well formed");
        for piece in pieces {
            if request.send_data(piece, false).is_err() {
                break;
            }
        }
        let answer = Answer::Coming(answer);
        Begun { answer, request }
    }

    /// Waits until the server announces that it accepts no more calls on this connection.
    pub async fn closing(&self) {
        let closing = async {
            while self.requests.clone().ready().await.is_ok() {
                tokio::task::yield_now().await
            }
        };
        within(closing).await;
    }

    fn request(&self, path: &str, timeout: Option<&str>) -> Request<()> {
        let request = Request::post(format!("http://{}{path}", self.server))
            .header("content-type", "application/grpc")
            .header("te", "trailers");
        match timeout {
            Some(timeout) => request.header("grpc-timeout", timeout),
            None => request,
        }
        .body(())
        .expect("the request must be well formed")
    }
}

// === impl Begun ===

impl Begun {
    /// Ends the request. The client sends no more data.
    pub fn complete(mut self) -> Self {
        // Ignores an error: a server that has already responded accepts no more frames.
        let _ = self.request.send_data(Bytes::new(), true);
        self
    }

    /// Waits until the header of the response has arrived.
    pub async fn head(&mut self) {
        if let Answer::Coming(answer) = &mut self.answer {
            self.answer = Answer::Come(come(answer).await);
        }
    }

    /// Reads the response to its end, and returns the status.
    pub async fn end(self) -> End {
        let Self { answer, request } = self;
        let answer = match answer {
            Answer::Coming(mut answer) => come(&mut answer).await,
            Answer::Come(answer) => answer,
        };
        let (parts, body) = answer.into_parts();
        let end = match status(&parts.headers) {
            Some(end) => end,
            None => within(trailers(body)).await,
        };
        drop(request);
        end
    }
}

async fn come(answer: &mut ResponseFuture) -> Response<RecvStream> {
    within(answer).await.expect("the server must answer")
}

fn status(headers: &HeaderMap) -> Option<End> {
    Status::from_header_map(headers).map(End::from)
}

async fn trailers(mut body: h2::RecvStream) -> End {
    while let Some(data) = body.data().await {
        let length = data.expect("the answer must not break off").len();
        body.flow_control()
            .release_capacity(length)
            .expect("what was received must be releasable");
    }
    let trailers = body.trailers().await.expect("the answer must end in order");
    status(&trailers.expect("the answer must have trailers")).expect("and a status in them")
}
