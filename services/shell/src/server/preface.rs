//! The HTTP/2 connection preface, which a client must send first.

use std::future::pending;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The number of bytes of the preface.
const LENGTH: usize = 24;

/// The maximum time for a client to send the preface.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A connection that reports when the client has sent the complete preface. The server itself reads
/// and checks the preface.
#[derive(Debug)]
pub(super) struct PrefaceStream<S> {
    stream: S,
    missing: usize,
    /// The sender of the report. None after the report is sent.
    whole: Option<oneshot::Sender<()>>,
}

/// Reports that the client did not send the preface in time.
#[derive(Debug)]
pub(super) struct Silence(oneshot::Receiver<()>);

/// Wraps a connection to observe its preface.
pub(super) fn heard<S>(stream: S) -> (PrefaceStream<S>, Silence) {
    let (whole, silence) = oneshot::channel();
    let heard = PrefaceStream {
        stream,
        missing: LENGTH,
        whole: Some(whole),
    };
    (heard, Silence(silence))
}

// === impl PrefaceStream ===

impl<S: AsyncRead + Unpin> AsyncRead for PrefaceStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        let read = buffer.filled().len() - before;
        self.missing = self.missing.saturating_sub(read);
        if self.missing == 0
            && let Some(whole) = self.whole.take()
        {
            // Sending fails only if the receiver was dropped. Then the connection is ending, so the
            // error is ignored.
            let _ = whole.send(());
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for PrefaceStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

// === impl Silence ===

impl Silence {
    /// Returns when the time for the preface is over. Never returns if the preface arrived in time.
    pub(super) async fn expire(self) {
        let Self(whole) = self;
        if timeout(PATIENCE, whole).await.is_ok() {
            pending().await
        }
    }
}
