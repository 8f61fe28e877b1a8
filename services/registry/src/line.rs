//! The one connection to a registry, and the moment of its loss.

use std::error::Error as StdError;
use std::io;
use std::iter;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::GaiResolver;
use hyper_util::rt::TokioIo;
use thiserror::Error;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::transport::{Channel, Endpoint};
use tower::{BoxError, ServiceExt as _};

use crate::{Address, Roads};

/// How long a connection may take to come up.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The same where there is a detour, for which there has to be time; and how much longer the name may
/// be looked up, as where names are looked up nobody may answer either.
const SHORT: (Duration, Duration) = (Duration::from_secs(1), Duration::from_millis(500));

/// When the kernel asks whether a silent peer is still there, how often, and how often in vain
/// before it is taken for gone.
const KEEP_ALIVE: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);

/// A connection that did not come up.
#[derive(Debug, Error)]
#[error("connect to {address}{}", besides(detour.as_ref()))]
pub struct Connect {
    address: Address,
    stage: Stage,
    /// Why the detour does not lead there either, where there is one.
    detour: Option<BoxError>,
    source: BoxError,
}

/// How far it is from an address to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The name of the host is looked up.
    Name,
    /// Somebody has to take the connection.
    Connection,
    /// HTTP/2 begins on it.
    Greeting,
}

/// A name that could not be looked up.
#[derive(Debug, Error)]
#[error("look up the name of the host")]
struct LookUp(#[source] io::Error);

/// A connection. When it is lost it stays so: another one is another [`Line`], so that nothing ever
/// is put together from the answers of two servers.
#[derive(Debug)]
pub struct Line {
    channel: Channel,
    /// The bytes flow through a [`Held`], which has the only receiver.
    held: watch::Sender<()>,
}

/// The bytes of a connection. Whatever ends it drops this, and so what it holds.
struct Held<S> {
    stream: S,
    _held: watch::Receiver<()>,
}

// === impl Connect ===

impl Connect {
    /// What failed.
    pub fn stage(&self) -> Stage {
        self.stage
    }

    /// Why the detour does not lead there either; None where there is none.
    pub fn detour(&self) -> Option<&BoxError> {
        self.detour.as_ref()
    }
}

fn besides(detour: Option<&BoxError>) -> String {
    let why = detour.map(|why| format!(" (nor through the API server: {why})"));
    why.unwrap_or_default()
}

// === impl Stage ===

impl Stage {
    fn of(error: &(dyn StdError + 'static)) -> Self {
        let causes = iter::successors(error.source(), |cause| (*cause).source());
        match { causes }.any(|cause| cause.is::<LookUp>()) {
            true => Self::Name,
            false => Self::Connection,
        }
    }
}

// === impl Line ===

impl Line {
    /// Pings of HTTP/2 are left out: grpc-go, of which registries are made, closes a connection
    /// that pings more often than every five minutes, and an idle one every two hours. The kernel's
    /// probes find a machine that is gone, and no server minds them.
    ///
    /// # Errors
    /// The name is not known, or nobody answers there, and no other road leads there.
    pub async fn open(address: &Address, roads: &Roads) -> Result<Self, Connect> {
        let dialed = match roads.have_a_detour_to(address) {
            true => dial_in_short(address).await,
            false => dial(address, CONNECT_TIMEOUT).await,
        };
        let error = match dialed {
            Ok(stream) => return Self::greet(address, stream).await,
            Err(error) => error,
        };
        match roads.detour(address).await {
            Some(Ok(stream)) => Self::greet(address, stream).await,
            Some(Err(why)) => Err(Connect {
                detour: Some(why),
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
            stage: Stage::Greeting,
            detour: None,
            source: error.into(),
        })?;
        Ok(Self { channel, held })
    }

    /// Waits until the connection is lost, which it may be already.
    pub async fn lost(&self) {
        self.held.closed().await;
    }

    /// What a generated client talks through.
    pub fn channel(&self) -> Channel {
        self.channel.clone()
    }

    /// Whether the connection is lost.
    pub fn is_lost(&self) -> bool {
        self.held.is_closed()
    }
}

/// A connection over the network, soon.
async fn dial_in_short(address: &Address) -> Result<TcpStream, Connect> {
    let (limit, look_up) = SHORT;
    let dialed = timeout(limit + look_up, dial(address, limit)).await;
    dialed.unwrap_or_else(|_| {
        Err(Connect {
            address: address.clone(),
            stage: Stage::Name,
            detour: None,
            source: LookUp(io::ErrorKind::TimedOut.into()).into(),
        })
    })
}

/// A connection over the network.
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
        stage: Stage::of(&error),
        detour: None,
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
