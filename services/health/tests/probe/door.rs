//! A proxy between the prober and a registry. It counts connections, and can be closed.

use std::net::SocketAddr;

use portolan_world::registry::Address;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::timeout;

use crate::SOON;

/// The action of the proxy for each connection.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Behind {
    /// The connection is forwarded to this server.
    Server(SocketAddr),
    /// The connection is accepted and closed.
    Closing,
    /// The connection is accepted, and nothing is sent.
    Silence,
    /// The connection is accepted, and these bytes are sent.
    Noise(&'static [u8]),
}

/// A proxy that accepts connections until this value is dropped or closed.
#[derive(Debug)]
pub(crate) struct Door {
    pub(crate) address: Address,
    pub(crate) socket: SocketAddr,
    seen: watch::Receiver<Seen>,
    cut: watch::Sender<u32>,
    task: JoinHandle<()>,
}

/// The connections that a proxy has accepted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The number of accepted connections.
    pub(crate) taken: u32,
    /// The number of ended connections.
    pub(crate) ended: u32,
}

// === impl Door ===

impl Door {
    pub(crate) async fn before(behind: Behind) -> Self {
        Self::at(SocketAddr::from(([127, 0, 0, 1], 0)), behind).await
    }

    /// Listens on this address, for example on the address of an earlier proxy.
    pub(crate) async fn at(socket: SocketAddr, behind: Behind) -> Self {
        let listener = TcpListener::bind(socket).await;
        let listener = listener.expect("the port must be free");
        let socket = listener.local_addr().expect("it must have an address");
        let (seen, receiver) = watch::channel(Seen::default());
        let cut = watch::Sender::default();
        Self {
            address: socket.to_string().parse().expect("it must parse"),
            socket,
            seen: receiver,
            task: tokio::spawn(take(listener, behind, seen, cut.clone())),
            cut,
        }
    }

    /// Closes all connections and accepts no more connections. After that, the port is free.
    pub(crate) async fn shut(&mut self) {
        self.task.abort();
        let ended = (&mut self.task).await;
        assert!(ended.is_err(), "a door never ends by itself");
    }

    /// Closes all open connections.
    pub(crate) fn cut(&self) {
        self.cut.send_modify(|times| *times += 1);
    }

    pub(crate) fn counts(&self) -> Seen {
        *self.seen.borrow()
    }

    /// Waits until the proxy has accepted enough connections.
    pub(crate) async fn until(&mut self, is_enough: impl FnMut(&Seen) -> bool) -> Seen {
        let enough = timeout(SOON, self.seen.wait_for(is_enough)).await;
        *enough.expect("it must be seen").expect("the door is there")
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn take(
    listener: TcpListener,
    behind: Behind,
    seen: watch::Sender<Seen>,
    cut: watch::Sender<u32>,
) {
    // When the task ends, this set is dropped, which closes all connections.
    let mut connections = JoinSet::new();
    loop {
        let (stream, _) = listener.accept().await.expect("it must take connections");
        seen.send_modify(|seen| seen.taken += 1);
        let (seen, mut cut) = (seen.clone(), cut.subscribe());
        connections.spawn(async move {
            tokio::select! {
                () = serve(stream, behind) => {}
                _ = cut.changed() => {}
            }
            seen.send_modify(|seen| seen.ended += 1);
        });
    }
}

/// Serves one connection until the peer closes the connection, or until there is no more data to
/// send.
async fn serve(mut stream: TcpStream, behind: Behind) {
    match behind {
        Behind::Closing => {}
        Behind::Silence => drain(&mut stream).await,
        Behind::Noise(noise) => {
            // The client may close the connection before it has read everything, so errors are
            // ignored.
            let _ = stream.write_all(noise).await;
            drain(&mut stream).await;
        }
        Behind::Server(server) => {
            let server = TcpStream::connect(server).await;
            let mut server = server.expect("the server must be there");
            let _ = copy_bidirectional(&mut stream, &mut server).await;
        }
    }
}

async fn drain(stream: &mut TcpStream) {
    let mut bytes = [0; 1024];
    while stream.read(&mut bytes).await.is_ok_and(|count| count > 0) {}
}
