//! Accepts connections for test servers, with or without TLS, until a server is dropped.

use std::convert::Infallible;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

/// A connection, with or without TLS.
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
    // The task owns the set of connections. Dropping the task therefore closes all connections.
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

/// Completes the TLS handshake. Returns None if the handshake fails, for example because the client
/// does not trust the server. This is not an error of the test server.
async fn greeted(stream: TcpStream, acceptor: Option<TlsAcceptor>) -> Option<Box<dyn Stream>> {
    match acceptor {
        Some(acceptor) => Some(Box::new(acceptor.accept(stream).await.ok()?)),
        None => Some(Box::new(stream)),
    }
}
