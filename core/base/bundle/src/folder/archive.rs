//! Reads the bytes of a layer: gzip or zstd, and tar in the variants of Docker and buildah.

use std::io::{self, Read, Take};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Content, Entry, Limits};
use crate::fault::Code;

type Refused = (Code, String);

/// The first bytes of a stream of gzip.
const GZIP: &[u8] = b"\x1f\x8b";

/// The first bytes of a frame of zstd.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// The memory that every zstd decoder should provide for a frame, and that programs request by
/// default.
const WINDOW: u64 = 8 << 20;

/// The bytes after the first byte of a frame without content.
const SKIPPED: &[u8] = b"\x2a\x4d\x18";

/// The length of a header, and the unit of all lengths.
const BLOCK: usize = 512;
/// The maximum length of a header with names.
const LONGEST_HEADER: usize = 1 << 20;

/// Returns a reader that decompresses an archive on the fly, so that it needs little memory.
pub(super) fn unzipping<'b>(bytes: &'b [u8]) -> Result<Box<dyn Read + 'b>, Refused> {
    let unread = [("bzip2", &b"BZh"[..]), ("xz", b"\xfd7zXZ\0")];
    if let Some((name, _)) = unread.iter().find(|(_, magic)| bytes.starts_with(magic)) {
        return Err(refused(&format!(
            "compressed with {name}, which is not supported; use gzip, zstd or an uncompressed \
             tar archive"
        )));
    }
    if bytes.starts_with(GZIP) {
        return Ok(Box::new(MultiGzDecoder::new(bytes)));
    }
    if bytes.starts_with(ZSTD) || bytes.get(1..4) == Some(SKIPPED) {
        return Ok(Box::new(Frames::of(bytes)));
    }
    Ok(Box::new(bytes))
}

/// Returns the refusal of an archive whose decompressed size exceeds the limits.
pub(super) fn too_long(limits: &Limits) -> Refused {
    let sentence = format!("has more than {} bytes when decompressed", limits.bytes);
    (Code::TooMuch, sentence)
}

/// A reader for zstd frames. There may be several frames, some without content.
struct Frames<'b> {
    /// The bytes after the decoded bytes.
    rest: &'b [u8],
    /// The decoder, whose memory is reused for each frame.
    frame: FrameDecoder,
}

// === impl Frames ===

impl<'b> Frames<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW);
        Self { rest: bytes, frame }
    }

    /// Continues with the next frame, or skips a frame without content.
    fn begin(&mut self) -> io::Result<()> {
        match self.frame.reset(&mut self.rest) {
            Ok(()) => Ok(()),
            Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                length,
                ..
            })) => {
                let rest = self.rest.get(length as usize..);
                self.rest = rest.ok_or_else(|| io::Error::other("a frame is cut off"))?;
                Ok(())
            }
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

impl Read for Frames<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.frame.can_collect() == 0 {
            if !self.frame.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                let decoded = self.frame.decode_blocks(&mut self.rest, one);
                decoded.map_err(io::Error::other)?;
            } else if self.rest.is_empty() {
                return Ok(0);
            } else {
                self.begin()?;
            }
        }
        self.frame.read(buffer)
    }
}

/// Returns the entries of an archive in order, and true if it has an end marker. The whole archive
/// is decompressed, because data after its end counts as well.
pub(super) fn entries(bytes: &[u8], limits: &Limits) -> Result<(Vec<Entry>, bool), Refused> {
    // One byte more than the limit is read, to detect that the limit is exceeded.
    let mut tar = unzipping(bytes)?.take(limits.bytes as u64 + 1);
    let mut entries = Vec::new();
    let walked = walk(&mut tar, &mut |head, content| {
        entries.push(entry(head, content)?);
        within_files(entries.len(), limits)
    });
    let has_end = walked.and_then(|has_end| {
        io::copy(&mut tar, &mut io::sink()).map_err(unread)?;
        Ok(has_end)
    });
    if tar.limit() == 0 {
        return Err(too_long(limits));
    }
    Ok((entries, has_end?))
}

fn entry(Head { path, kind }: Head, bytes: &mut dyn Read) -> Result<Entry, Refused> {
    let content = match kind {
        Kind::Folder => Content::Folder,
        Kind::Link(target) => Content::Link(target),
        Kind::Special => Content::Special,
        Kind::File => {
            let mut content = Vec::new();
            bytes.read_to_end(&mut content).map_err(unread)?;
            Content::File(content)
        }
    };
    Ok(Entry { path, content })
}

pub(super) fn within_files(entries: usize, limits: &Limits) -> Result<(), Refused> {
    if entries <= limits.files {
        return Ok(());
    }
    let sentence = format!("more than {} entries", limits.files);
    Err((Code::TooMuch, sentence))
}

/// The header of an entry.
pub(super) struct Head {
    pub(super) path: String,
    pub(super) kind: Kind,
}

pub(super) enum Kind {
    Folder,
    File,
    Link(String),
    Special,
}

/// Passes every entry of an archive with its bytes to a function, in order. Unread bytes of an
/// entry are skipped. Returns true if the archive has an end marker.
pub(super) fn walk(
    mut tar: impl Read,
    visit: &mut dyn FnMut(Head, &mut dyn Read) -> Result<(), Refused>,
) -> Result<bool, Refused> {
    let mut next = Names::default();
    while let Some(header) = block(&mut tar)? {
        if header.iter().all(|byte| *byte == 0) {
            return Ok(true);
        }
        let length = length_of(&header)?;
        let padding = length.next_multiple_of(BLOCK) - length;
        let mut content = tar.by_ref().take(length as u64);
        match header[156] {
            b'x' => next.take_pax(&named(&mut content)?)?,
            b'L' => next.path = Some(text(&named(&mut content)?)?),
            b'K' => next.link = Some(text(&named(&mut content)?)?),
            b'g' => {}
            kind => visit(
                head(kind, &header, std::mem::take(&mut next))?,
                &mut content,
            )?,
        }
        // An archive that ends directly after its last entry only lacks the padding.
        skip(&mut content)?;
        io::copy(&mut tar.by_ref().take(padding as u64), &mut io::sink()).map_err(unread)?;
    }
    Ok(false)
}

/// Returns the next header. Returns None at the end of the archive.
fn block(tar: &mut impl Read) -> Result<Option<[u8; BLOCK]>, Refused> {
    let mut header = Vec::with_capacity(BLOCK);
    let mut block = tar.by_ref().take(BLOCK as u64);
    match block.read_to_end(&mut header).map_err(unread)? {
        0 => Ok(None),
        _ => header.try_into().map(Some).map_err(|_| cut_off()),
    }
}

/// Reads the name that an entry specifies for the next entry.
fn named(content: &mut dyn Read) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    let mut content = content.take(LONGEST_HEADER as u64 + 1);
    content.read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() > LONGEST_HEADER {
        return Err((Code::TooMuch, "an entry has a huge header".to_owned()));
    }
    Ok(bytes)
}

/// Skips the unread content of an entry, which must be complete.
fn skip(content: &mut Take<impl Read>) -> Result<(), Refused> {
    io::copy(content, &mut io::sink()).map_err(unread)?;
    if content.limit() == 0 {
        Ok(())
    } else {
        Err(cut_off())
    }
}

fn unread(error: io::Error) -> Refused {
    refused(&format!("cannot be decompressed: {error}"))
}

fn head(kind: u8, header: &[u8], names: Names) -> Result<Head, Refused> {
    let path = match names.path {
        Some(path) => path,
        None => path_of(header)?,
    };
    let kind = match kind {
        b'0' | b'7' | 0 if path.ends_with('/') => Kind::Folder,
        b'0' | b'7' | 0 => Kind::File,
        b'1' | b'2' => Kind::Link(match names.link {
            Some(link) => link,
            None => text(&header[157..257])?,
        }),
        b'5' => Kind::Folder,
        b'3' | b'4' | b'6' => Kind::Special,
        other => {
            let sentence = format!(
                "{path:?} has the type {:?}, which is not supported",
                char::from(other)
            );
            return Err(refused(&sentence));
        }
    };
    Ok(Head { path, kind })
}

/// The names that earlier headers specify for the next entry.
#[derive(Default)]
struct Names {
    path: Option<String>,
    link: Option<String>,
}

// === impl Names ===

impl Names {
    /// Parses records of the form `LENGTH KEY=VALUE\n`, each with its own length.
    fn take_pax(&mut self, mut records: &[u8]) -> Result<(), Refused> {
        while !records.is_empty() {
            let malformed = || refused("a header of an entry cannot be read");
            let blank = records
                .iter()
                .position(|byte| *byte == b' ')
                .ok_or_else(malformed)?;
            let length = std::str::from_utf8(&records[..blank]).ok();
            let length: usize = length
                .and_then(|text| text.parse().ok())
                .ok_or_else(malformed)?;
            let record = records.get(blank + 1..length).ok_or_else(malformed)?;
            let record = record.strip_suffix(b"\n").ok_or_else(malformed)?;
            if let Some(path) = record.strip_prefix(b"path=") {
                self.path = Some(text(path)?);
            } else if let Some(link) = record.strip_prefix(b"linkpath=") {
                self.link = Some(text(link)?);
            } else if record.starts_with(b"size=") || record.starts_with(b"GNU.sparse") {
                return Err(refused("an entry is larger than 8 GiB, or sparse"));
            }
            records = &records[length..];
        }
        Ok(())
    }
}

fn path_of(header: &[u8]) -> Result<String, Refused> {
    let name = text(&header[..100])?;
    let prefix = match &header[257..262] {
        b"ustar" if header[262] == 0 => text(&header[345..500])?,
        _ => String::new(),
    };
    Ok(match prefix.as_str() {
        "" => name,
        prefix => format!("{prefix}/{name}"),
    })
}

/// Parses an octal number, surrounded by blanks and zeros.
fn length_of(header: &[u8]) -> Result<usize, Refused> {
    let digits = header[124..136].split(|byte| *byte == 0).next();
    let digits = std::str::from_utf8(digits.unwrap_or_default()).unwrap_or("?");
    match digits.trim() {
        "" => Ok(0),
        digits => usize::from_str_radix(digits, 8).map_err(|_| refused("no tar archive")),
    }
}

/// Returns the text before the first NUL.
fn text(bytes: &[u8]) -> Result<String, Refused> {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = std::str::from_utf8(text).map_err(|_| refused("a path is no UTF-8"))?;
    Ok(text.to_owned())
}

fn cut_off() -> Refused {
    refused("not a tar archive, or a truncated one")
}

fn refused(sentence: &str) -> Refused {
    (Code::Archive, sentence.to_owned())
}
