//! The common part of servers for tests: they accept connections, over TLS or without it, until
//! they end.

use std::convert::Infallible;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A connection, whatever is below it.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// Serves each connection.
pub(crate) async fn listen<F>(
    listener: TcpListener,
    acceptor: Option<TlsAcceptor>,
    serve: impl Fn(Box<dyn Stream>) -> F + Clone + Send + 'static,
) -> Infallible
where
    F: Future<Output = ()> + Send + 'static,
{
    // Dropped with this task, the set ends every connection.
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                let (acceptor, serve) = (acceptor.clone(), serve.clone());
                connections.spawn(async move {
                    if let Some(stream) = greeted(stream, acceptor).await {
                        serve(stream).await;
                    }
                });
            },
            Some(_) = connections.join_next() => {}
        }
    }
}

/// None for a client that does not trust us and leaves; that is no failure of the server.
async fn greeted(stream: TcpStream, acceptor: Option<TlsAcceptor>) -> Option<Box<dyn Stream>> {
    match acceptor {
        Some(acceptor) => Some(Box::new(acceptor.accept(stream).await.ok()?)),
        None => Some(Box::new(stream)),
    }
}
