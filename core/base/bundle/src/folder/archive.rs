//! Parses the archive of a layer: tar in the variants of Docker and buildah, compressed with gzip
//! or zstd.

use std::io::{self, Read, Take};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{Content, Entry, Limits};
use crate::fault::Code;

type Refused = (Code, String);

/// The first bytes of a gzip stream.
const GZIP: &[u8] = b"\x1f\x8b";

/// The first bytes of a zstd frame.
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// The memory for a zstd frame that every decoder should provide. By default, programs create
/// frames that need no more memory.
const WINDOW: u64 = 8 << 20;

/// The second to fourth byte of a zstd frame that has no content and must be skipped.
const SKIPPED: &[u8] = b"\x2a\x4d\x18";

/// The size of a tar block in bytes. A header has one block, and content is padded to whole blocks.
const BLOCK: usize = 512;
/// The maximum size of a header that contains names for the next entry, in bytes.
const LONGEST_HEADER: usize = 1 << 20;

/// Returns a reader that decompresses an archive while it is read, so it needs little memory.
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

/// Returns the error for an archive whose decompressed size exceeds the limit.
pub(super) fn too_long(limits: &Limits) -> Refused {
    let sentence = format!("has more than {} bytes when decompressed", limits.bytes);
    (Code::TooMuch, sentence)
}

/// A reader for a sequence of zstd frames. Some frames may have no content.
struct Frames<'b> {
    /// The compressed bytes that are not decoded yet.
    rest: &'b [u8],
    /// The decoder. All frames use its memory.
    frame: FrameDecoder,
}

// === impl Frames ===

impl<'b> Frames<'b> {
    fn of(bytes: &'b [u8]) -> Self {
        let mut frame = FrameDecoder::new();
        frame.set_max_window_size(WINDOW);
        Self { rest: bytes, frame }
    }

    /// Starts with the next frame. Skips a frame without content.
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

/// Returns the entries of an archive in order, and true if the archive has an end marker.
/// Decompresses the whole archive, because data after the end marker also counts for the limit.
pub(super) fn entries(bytes: &[u8], limits: &Limits) -> Result<(Vec<Entry>, bool), Refused> {
    // To detect that the limit is exceeded, one byte more than the limit is read.
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

/// The data in the header of an entry.
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

/// Calls a function for every entry of an archive, in order, with a reader for its content. Skips
/// content that the function does not read. Returns true if the archive has an end marker.
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
        // An archive may end directly after its last entry. Then only the padding of this entry is
        // missing, which is not an error.
        skip(&mut content)?;
        io::copy(&mut tar.by_ref().take(padding as u64), &mut io::sink()).map_err(unread)?;
    }
    Ok(false)
}

/// Returns the next block. Returns None at the end of the archive.
fn block(tar: &mut impl Read) -> Result<Option<[u8; BLOCK]>, Refused> {
    let mut header = Vec::with_capacity(BLOCK);
    let mut block = tar.by_ref().take(BLOCK as u64);
    match block.read_to_end(&mut header).map_err(unread)? {
        0 => Ok(None),
        _ => header.try_into().map(Some).map_err(|_| cut_off()),
    }
}

/// Returns the name for the next entry, which is the content of this entry.
fn named(content: &mut dyn Read) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    let mut content = content.take(LONGEST_HEADER as u64 + 1);
    content.read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() > LONGEST_HEADER {
        return Err((Code::TooMuch, "an entry has a huge header".to_owned()));
    }
    Ok(bytes)
}

/// Skips the unread content of an entry. Returns an error if the archive ends before the content
/// does.
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

/// The names for the next entry that earlier headers contain.
#[derive(Default)]
struct Names {
    path: Option<String>,
    link: Option<String>,
}

// === impl Names ===

impl Names {
    /// Parses pax records of the form `LENGTH KEY=VALUE\n`. `LENGTH` is the length of the whole
    /// record.
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

/// Returns the content length in a tar header: an octal number that blanks or NULs may surround.
fn length_of(header: &[u8]) -> Result<usize, Refused> {
    let digits = header[124..136].split(|byte| *byte == 0).next();
    let digits = std::str::from_utf8(digits.unwrap_or_default()).unwrap_or("?");
    match digits.trim() {
        "" => Ok(0),
        digits => usize::from_str_radix(digits, 8).map_err(|_| refused("no tar archive")),
    }
}

/// Returns the text before the first NUL byte.
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
