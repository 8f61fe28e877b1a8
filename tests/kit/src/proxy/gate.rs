//! A gate for the bytes of connections. While the gate is closed, reads and writes wait, and do not
//! fail.

use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

#[derive(Debug, Default)]
pub(super) struct Gate(Mutex<Passage>);

#[derive(Debug, Default)]
struct Passage {
    closed: bool,
    waiting: Vec<Waker>,
}

impl Gate {
    pub(super) fn close(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
    }

    pub(super) fn open(&self) {
        let mut passage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        passage.closed = false;
        passage.waiting.drain(..).for_each(Waker::wake);
    }

    fn poll_open(&self, context: &Context<'_>) -> Poll<()> {
        let mut passage = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !passage.closed {
            return Poll::Ready(());
        }
        let waker = context.waker();
        if !passage
            .waiting
            .iter()
            .any(|waiting| waiting.will_wake(waker))
        {
            passage.waiting.push(waker.clone());
        }
        Poll::Pending
    }
}

/// A connection whose bytes pass through the gate.
#[derive(Debug)]
pub(super) struct Gated {
    stream: TcpStream,
    gate: Arc<Gate>,
}

impl Gated {
    pub(super) fn new(stream: TcpStream, gate: Arc<Gate>) -> Self {
        Self { stream, gate }
    }
}

impl AsyncRead for Gated {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        ready!(self.gate.poll_open(context));
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Gated {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.gate.poll_open(context));
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.gate.poll_open(context));
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.gate.poll_open(context));
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
