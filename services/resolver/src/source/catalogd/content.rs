//! Reads a catalog from the body of a response while the body arrives.
//!
//! ```text
//! async:    body --pieces--> |queue|
//! blocking:                  |queue| -> (unzip) -> Reader -> Catalog
//! ```
//!
//! The queue is short. If the body arrives faster than it is read, the rest of the body waits in
//! the network. A special item in the queue marks the end of the body. If the queue ends without
//! this item, because the connection broke or the caller stopped waiting, reading fails.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::time::Duration;

use flate2::bufread::MultiGzDecoder;
use http::{HeaderMap, Response, header};
use http_body_util::BodyExt as _;
use hyper::body::{Body as _, Buf as _, Bytes, Incoming};
use portolan_core_catalog::{Catalog, Limits, Reader};
use thiserror::Error;
use tokio::sync::mpsc;
use tokio::task::{JoinError, spawn_blocking};
use tokio::time::{Instant, timeout, timeout_at};

use super::{AskCatalogd, FILE, Options};

/// The maximum number of pieces of the body in the queue. A piece from hyper has at most about 400
/// KiB.
const QUEUE: usize = 4;

/// The number of bytes that are decompressed at a time.
const BUFFER: usize = 128 << 10;

/// The reason why the content of a catalogd server cannot be read.
#[derive(Debug, Error)]
pub enum ReadCatalogd {
    /// The request has failed.
    #[error(transparent)]
    Ask(#[from] AskCatalogd),
    /// The response is not a catalog, or the server does not indicate its end.
    #[error("the response is not a catalog: {0}")]
    Form(String),
    /// The response is incomplete.
    #[error(transparent)]
    Receive(#[from] Receive),
    /// The response is compressed with gzip and damaged.
    #[error("cannot unzip the catalog")]
    Unzip(#[source] io::Error),
    /// The content cannot be decompressed, or written to disk.
    #[error("cannot copy the catalog")]
    Copy(#[source] io::Error),
    /// The content is too large.
    #[error("the catalog has more than {0} bytes")]
    TooLong(u64),
    /// The process is shutting down, or the reading thread panicked.
    #[error("cannot read the catalog in the background")]
    Join(#[from] JoinError),
}

/// A piece of the body. None marks the end of the body.
type Piece = Option<Bytes>;

/// The body of a response as a reader.
struct Pieces {
    queue: mpsc::Receiver<Piece>,
    /// The unread bytes of the last piece.
    piece: Bytes,
    has_ended: bool,
}

/// Reads the body of a response.
pub(super) async fn read(
    answer: Response<Incoming>,
    options: &Options,
) -> Result<Catalog, ReadCatalogd> {
    let limits = options.limits;
    taken(answer, options, move |body| parse(body, limits)).await
}

/// Copies the body of a response to a file.
pub(super) async fn copy(
    answer: Response<Incoming>,
    options: &Options,
    mut to: File,
) -> Result<(), ReadCatalogd> {
    let limit = options.limits.file;
    let written = taken(answer, options, move |body| {
        let mut body = body.take(limit.saturating_add(1));
        io::copy(&mut body, &mut to).map_err(ReadCatalogd::Copy)
    });
    match written.await? {
        bytes if bytes > limit => Err(ReadCatalogd::TooLong(limit)),
        _ => Ok(()),
    }
}

/// Passes the body of a response to a blocking reader while the body arrives.
async fn taken<T: Send + 'static>(
    answer: Response<Incoming>,
    options: &Options,
    take: impl FnOnce(Box<dyn BufRead>) -> Result<T, ReadCatalogd> + Send + 'static,
) -> Result<T, ReadCatalogd> {
    let has_gzip_encoding = has_gzip_encoding(&answer)?;
    let (pieces, queue) = mpsc::channel(QUEUE);
    let taking = spawn_blocking(move || {
        let pieces = Pieces::new(queue);
        take(if has_gzip_encoding {
            let unzipped = MultiGzDecoder::new(pieces);
            Box::new(BufReader::with_capacity(BUFFER, unzipped))
        } else {
            Box::new(pieces)
        })
    });
    let received = pour(Receiving::new(answer.into_body(), options), pieces).await;
    let taken = taking.await?;
    received?;
    taken
}

/// Checks that the response can be a catalog. Returns true if the response is compressed with gzip.
fn has_gzip_encoding(answer: &Response<Incoming>) -> Result<bool, ReadCatalogd> {
    let headers = answer.headers();
    let kind = word(headers, header::CONTENT_TYPE);
    if kind.starts_with("text/html") {
        // Such a response comes from a proxy, or is a login page. Parsed as YAML, it would be an
        // empty catalog.
        return Err(ReadCatalogd::Form(format!("it is {kind}")));
    }
    let is_framed = answer.body().size_hint().exact().is_some()
        || headers.contains_key(header::TRANSFER_ENCODING);
    match word(headers, header::CONTENT_ENCODING).as_str() {
        "gzip" | "x-gzip" => Ok(true),
        "" | "identity" if is_framed => Ok(false),
        "" | "identity" => Err(ReadCatalogd::Form(
            "the response has no end marker, so truncation could not be detected".to_owned(),
        )),
        other => Err(ReadCatalogd::Form(format!(
            "it has the unsupported encoding {other:?}"
        ))),
    }
}

fn word(headers: &HeaderMap, name: header::HeaderName) -> String {
    let value = headers.get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().trim().to_ascii_lowercase()
}

/// Adds the body to the queue, until the body ends or the reader stops reading.
async fn pour(mut body: Receiving, pieces: mpsc::Sender<Piece>) -> Result<(), Receive> {
    loop {
        let piece = body.next().await?;
        let is_last = piece.is_none();
        if pieces.send(piece).await.is_err() || is_last {
            return Ok(());
        }
    }
}

fn parse(body: impl BufRead, limits: Limits) -> Result<Catalog, ReadCatalogd> {
    let mut reader = Reader::with_limits(FILE, limits);
    if feed(body, &mut reader).map_err(ReadCatalogd::Unzip)? {
        Ok(Catalog::of([reader.finish()]))
    } else {
        Err(ReadCatalogd::TooLong(limits.file))
    }
}

/// Passes all content to the reader. Returns false if the reader stops before the end of the
/// content.
fn feed(mut from: impl BufRead, reader: &mut Reader) -> io::Result<bool> {
    loop {
        let bytes = from.fill_buf()?;
        let length = bytes.len();
        if length == 0 {
            return Ok(true);
        }
        if reader.feed(bytes).is_break() {
            return Ok(false);
        }
        from.consume(length);
    }
}

// === impl Pieces ===

impl Pieces {
    fn new(queue: mpsc::Receiver<Piece>) -> Self {
        Self {
            queue,
            piece: Bytes::new(),
            has_ended: false,
        }
    }
}

impl BufRead for Pieces {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.piece.is_empty() && !self.has_ended {
            match self.queue.blocking_recv() {
                Some(Some(piece)) => self.piece = piece,
                Some(None) => self.has_ended = true,
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        Ok(&self.piece)
    }

    fn consume(&mut self, length: usize) {
        self.piece.advance(length);
    }
}

impl Read for Pieces {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = self.fill_buf()?.read(into)?;
        self.consume(length);
        Ok(length)
    }
}

/// The reason why a response is incomplete.
#[derive(Debug, Error)]
pub enum Receive {
    /// The connection broke before the end of the response.
    #[error("cannot receive the response")]
    Broken(#[source] hyper::Error),
    /// The server has stopped sending data.
    #[error("no data was received for {0:?}")]
    Stalled(Duration),
    /// The server sends too slowly.
    #[error("the response was not complete within {0:?}")]
    BlockingCall(Duration),
}

/// A body that is being received.
#[derive(Debug)]
pub(super) struct Receiving {
    body: Incoming,
    stall: Duration,
    whole: Duration,
    deadline: Instant,
}

// === impl Receiving ===

impl Receiving {
    pub(super) fn new(body: Incoming, options: &Options) -> Self {
        Self {
            body,
            stall: options.stall,
            whole: options.whole,
            deadline: Instant::now() + options.whole,
        }
    }

    /// Returns the next bytes, or None at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Receive> {
        loop {
            let frame = timeout(self.stall, self.body.frame());
            let frame = timeout_at(self.deadline, frame)
                .await
                .map_err(|_| Receive::BlockingCall(self.whole))?
                .map_err(|_| Receive::Stalled(self.stall))?;
            match frame.transpose().map_err(Receive::Broken)? {
                None => return Ok(None),
                // Trailers have no content.
                Some(frame) => match frame.into_data() {
                    Ok(bytes) => return Ok(Some(bytes)),
                    Err(_) => continue,
                },
            }
        }
    }
}
