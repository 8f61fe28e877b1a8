//! The functions that compute checksums and hashes of texts.

use std::fmt::Write as _;

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{Function, Kind, text};

const TEXT: &[Kind] = &[Kind::Text];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("adler32sum", TEXT, |_, values| {
        Ok(adler32(text(&values[0])).to_string().into())
    }),
    Function::new("sha1sum", TEXT, |_, values| {
        Ok(hexadecimal(&Sha1::digest(text(&values[0]))).into())
    }),
    Function::new("sha256sum", TEXT, |_, values| {
        Ok(hexadecimal(&Sha256::digest(text(&values[0]))).into())
    }),
    Function::new("sha512sum", TEXT, |_, values| {
        Ok(hexadecimal(&Sha512::digest(text(&values[0]))).into())
    }),
];

/// Returns the Adler-32 checksum: two sums modulo the largest prime below 65,536.
fn adler32(bytes: &[u8]) -> u32 {
    let sums = |(first, second): (u32, u32), byte: &u8| {
        let first = (first + u32::from(*byte)) % 65521;
        (first, (second + first) % 65521)
    };
    let (first, second) = bytes.iter().fold((1, 0), sums);
    second << 16 | first
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut out = String::new();
    for byte in bytes {
        write!(out, "{byte:02x}").expect("a String must take what is written");
    }
    out
}
