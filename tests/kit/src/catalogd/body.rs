//! HTTP bodies that end correctly, break or never end.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// The number of bytes in each chunk of a response.
const PIECE: usize = 16 << 10;

/// The body of a response, which is sent in chunks.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub(crate) bytes: Bytes,
    /// True if the response announces its length.
    pub(crate) is_sized: bool,
    pub(crate) ending: Ending,
}

/// The behavior after all bytes of the body are sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Ending {
    #[default]
    Whole,
    /// Flushes the earlier bytes and ends the body, although the response announced this number of
    /// additional bytes.
    Broken(u64),
    /// Breaks the connection after all earlier bytes are flushed.
    Breaks(u64),
    /// Sends no more bytes, and never ends the body.
    Never(u64),
}

impl Body for Content {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let length = self.bytes.len().min(PIECE);
        match (length, self.ending) {
            (1.., _) => Poll::Ready(Some(Ok(Frame::data(self.bytes.split_to(length))))),
            (0, Ending::Whole) => Poll::Ready(None),
            (0, Ending::Broken(missing)) => {
                self.ending = Ending::Breaks(missing);
                context.waker().wake_by_ref();
                Poll::Pending
            }
            (0, Ending::Breaks(_)) => {
                Poll::Ready(Some(Err(io::ErrorKind::ConnectionAborted.into())))
            }
            // The task is never woken again, so the body never ends.
            (0, Ending::Never(_)) => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_empty() && self.ending == Ending::Whole
    }

    fn size_hint(&self) -> SizeHint {
        let missing = match self.ending {
            Ending::Whole => 0,
            Ending::Broken(missing) | Ending::Breaks(missing) | Ending::Never(missing) => missing,
        };
        if self.is_sized {
            SizeHint::with_exact(self.bytes.len() as u64 + missing)
        } else {
            SizeHint::default()
        }
    }
}
