//! One connection to a registry. The loss of the connection is detected.

use std::error::Error as StdError;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use std::{io, iter};

use futures::FutureExt as _;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};
use tonic::Status;
use tonic::transport::{Channel, Endpoint};
use tower::{BoxError, ServiceExt as _};

use crate::registry::{Address, Dialer};

/// The timeout for opening a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The timeout for opening a connection over the network if the API server can also forward the
/// connection. It is short, because forwarding needs time, too. The second value is additional time
/// for name resolution, which may also hang.
const SHORT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_millis(500));

/// The TCP keepalive settings: the idle time, the interval, and the number of unanswered probes
/// after which the connection is closed.
const KEEP_ALIVE: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);

/// The error for a connection that cannot be opened.
#[derive(Debug, Error)]
#[error("cannot connect to {address}{}", besides(forward_error.as_ref()))]
pub struct Connect {
    address: Address,
    stage: ConnectStage,
    /// The error of forwarding through the API server. None if forwarding was not tried.
    forward_error: Option<BoxError>,
    source: BoxError,
}

/// The steps to open a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectStage {
    /// Looking up the host name.
    Name,
    /// Opening the TCP connection.
    Connection,
    /// Starting HTTP/2.
    Greeting,
}

/// The error that a name cannot be resolved.
#[derive(Debug, Error)]
#[error("cannot look up the name of the host")]
struct LookUp(#[source] io::Error);

/// A connection that never reconnects. Therefore data from two servers is never combined.
#[derive(Debug)]
pub struct Connection {
    channel: Channel,
    /// The sender of a channel. Its only receiver is in [`Held`], so the channel closes when the
    /// connection ends.
    held: watch::Sender<()>,
}

/// The byte stream of a connection, with the receiver of a channel. Both are dropped when the
/// connection ends for any reason.
struct Held<S> {
    stream: S,
    _held: watch::Receiver<()>,
}

// === impl Connect ===

impl Connect {
    pub fn stage(&self) -> ConnectStage {
        self.stage
    }

    /// Returns the error of forwarding through the API server. Returns None if forwarding was not
    /// tried.
    pub fn forward_error(&self) -> Option<&BoxError> {
        self.forward_error.as_ref()
    }
}

fn besides(forward_error: Option<&BoxError>) -> String {
    let why = forward_error.map(|why| format!(" (nor through the API server: {why})"));
    why.unwrap_or_default()
}

// === impl ConnectStage ===

impl ConnectStage {
    fn of(error: &(dyn StdError + 'static)) -> Self {
        let causes = iter::successors(error.source(), |cause| (*cause).source());
        if { causes }.any(|cause| cause.is::<LookUp>()) {
            Self::Name
        } else {
            Self::Connection
        }
    }
}

// === impl Connection ===

impl Connection {
    /// Opens a connection. The connection does not use HTTP/2 pings, because registries use
    /// grpc-go. grpc-go closes a connection that sends pings more often than every five minutes, or
    /// more often than every two hours if the connection is idle. Instead, TCP keepalive probes of
    /// the kernel detect the loss of a machine. No server rejects these probes.
    ///
    /// # Errors
    /// Returns an error if neither the network nor forwarding through the API server reaches the
    /// registry.
    pub async fn open(address: &Address, dialer: &Dialer) -> Result<Self, Connect> {
        let dialed = if dialer.can_forward_to(address) {
            dial_in_short(address).await
        } else {
            dial(address, CONNECT_TIMEOUT).await
        };
        let error = match dialed {
            Ok(stream) => return Self::greet(address, stream).await,
            Err(error) => error,
        };
        match dialer.forward(address).await {
            Some(Ok(stream)) => Self::greet(address, stream).await,
            Some(Err(why)) => Err(Connect {
                forward_error: Some(why),
                ..error
            }),
            None => Err(error),
        }
    }

    async fn greet<S>(address: &Address, stream: S) -> Result<Self, Connect>
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (held, receiver) = watch::channel(());
        let mut only = Some(TokioIo::new(Held {
            stream,
            _held: receiver,
        }));
        let take = tower::service_fn(move |_| {
            let taken = only.take();
            async move { taken.ok_or_else(|| io::Error::from(io::ErrorKind::NotConnected)) }
        });
        let endpoint = Endpoint::from(address.uri());
        let channel = endpoint.connect_with_connector(take).await;
        let channel = channel.map_err(|error| Connect {
            address: address.clone(),
            stage: ConnectStage::Greeting,
            forward_error: None,
            source: error.into(),
        })?;
        Ok(Self { channel, held })
    }

    /// Waits until the connection is lost. Returns immediately if the connection is already lost.
    pub async fn lost(&self) {
        self.held.closed().await;
    }

    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    pub fn is_lost(&self) -> bool {
        self.held.is_closed()
    }
}

/// Opens a connection over the network, with the short timeout.
async fn dial_in_short(address: &Address) -> Result<TcpStream, Connect> {
    let (limit, look_up) = SHORT;
    let dialed = timeout(limit + look_up, dial(address, limit)).await;
    dialed.unwrap_or_else(|_| {
        Err(Connect {
            address: address.clone(),
            stage: ConnectStage::Name,
            forward_error: None,
            source: LookUp(io::ErrorKind::TimedOut.into()).into(),
        })
    })
}

/// Opens a connection over the network.
async fn dial(address: &Address, limit: Duration) -> Result<TcpStream, Connect> {
    let names = GaiResolver::new().map_err(LookUp);
    let mut connector = HttpConnector::new_with_resolver(names);
    let (after, every, times) = KEEP_ALIVE;
    connector.set_connect_timeout(Some(limit));
    connector.set_keepalive(Some(after));
    connector.set_keepalive_interval(Some(every));
    connector.set_keepalive_retries(Some(times));
    connector.set_nodelay(true);
    let stream = connector.oneshot(address.uri()).await;
    let stream = stream.map_err(|error| Connect {
        address: address.clone(),
        stage: ConnectStage::of(&error),
        forward_error: None,
        source: error.into(),
    })?;
    Ok(stream.into_inner())
}

// === impl Held ===

impl<S: AsyncRead + Unpin> AsyncRead for Held<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Held<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The reason why a request got no response, not even an error status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unanswered {
    /// No response arrived in time.
    #[error("no data was received in time")]
    Silent,
    /// The client cannot decode the reply.
    #[error("the response cannot be decoded")]
    Unreadable,
}

/// Waits for the response until the deadline. Also catches panics, because no registry may crash
/// the process. Some responses cause a panic of the client. An example in tonic 0.14 is invalid
/// base64 in `grpc-status-details-bin`.
///
/// # Errors
/// Returns an error if the server does not respond in time, or if the client panics.
pub async fn within<T>(deadline: Instant, asked: impl Future<Output = T>) -> Result<T, Unanswered> {
    let asked = AssertUnwindSafe(asked).catch_unwind();
    let answered = timeout_at(deadline, asked).await;
    let answered = answered.map_err(|_| Unanswered::Silent)?;
    answered.map_err(|_| Unanswered::Unreadable)
}

/// Returns true if the registry has sent this status. If there was no response, the client creates
/// the status, and the status has a source.
pub fn is_told(status: &Status) -> bool {
    status.source().is_none()
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};

    use super::*;

    #[tokio::test]
    async fn timeout_and_panic_of_a_request_are_errors() {
        let now = Instant::now();
        assert_eq!(within(now, ready(7)).await, Ok(7));
        assert_eq!(within(now, pending::<u8>()).await, Err(Unanswered::Silent));
        let absurd = async { panic!("no base64") };
        let given_up: Result<u8, _> = within(now, absurd).await;
        assert_eq!(given_up, Err(Unanswered::Unreadable));
    }
}
