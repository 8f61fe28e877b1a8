//! A stream that is closed if the peer does not read for too long.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A stream whose writes fail if the peer does not read for too long.
#[derive(Debug)]
pub(crate) struct Patient<S> {
    stream: S,
    patience: Duration,
    /// The time until which the peer must read the pending bytes.
    until: Pin<Box<Sleep>>,
    is_waiting: bool,
}

// === impl Patient ===

impl<S> Patient<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Self {
            stream,
            patience,
            until: Box::pin(sleep(patience)),
            is_waiting: false,
        }
    }

    /// Returns the result of a write. Returns an error if no byte could be written for too long.
    fn waited<T>(
        &mut self,
        cx: &mut Context<'_>,
        came: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if came.is_ready() {
            self.is_waiting = false;
            return came;
        }
        if !std::mem::replace(&mut self.is_waiting, true) {
            self.until.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.until.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        let came = Pin::new(&mut own.stream).poll_write(cx, bytes);
        own.waited(cx, came)
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let came = Pin::new(&mut own.stream).poll_flush(cx);
        own.waited(cx, came)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let own = self.get_mut();
        let came = Pin::new(&mut own.stream).poll_shutdown(cx);
        own.waited(cx, came)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let own = self.get_mut();
        let came = Pin::new(&mut own.stream).poll_write_vectored(cx, slices);
        own.waited(cx, came)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn stalled_reader_times_out_and_slow_reader_does_not() {
        let (ours, mut theirs) = tokio::io::duplex(4);
        let mut ours = Patient::new(ours, PATIENCE);
        ours.write_all(b"full").await.expect("room");
        let began = Instant::now();
        let (written, ()) = tokio::join!(ours.write_all(b"next"), async {
            for _ in 0..4 {
                tokio::time::sleep(PATIENCE - Duration::from_secs(1)).await;
                theirs.read_u8().await.expect("a byte");
            }
        });
        written.expect("it must be slow and no more");
        assert!(began.elapsed() > PATIENCE);

        let given_up = ours.write_all(b"more").await;
        let kind = given_up.map_err(|error| error.kind());
        assert_eq!(kind, Err(io::ErrorKind::TimedOut));
    }
}
