//! The functions for Base32.

use super::{Function, Kind, Ran, made, text};
use crate::host::Host;

const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// The number of letters that encode five bytes.
const LETTERS: usize = 8;

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("b32enc", &[Kind::Text], |host, values| {
        made(host, encoded(text(&values[0])))
    }),
    Function::new("b32dec", &[Kind::Text], decode),
];

fn encoded(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for chunk in bytes.chunks(5) {
        let place = |at: usize| chunk.get(at).copied().map_or(0, u64::from);
        let bits = (0..5).fold(0, |bits, at| bits << 8 | place(at));
        let letters = (chunk.len() * 8).div_ceil(5);
        for at in 0..LETTERS {
            let letter = usize::try_from(bits >> (35 - 5 * at) & 31).unwrap_or_default();
            out.push(if at < letters { ALPHABET[letter] } else { b'=' });
        }
    }
    out
}

/// Decodes Base32. If the text is invalid, the result is the error message, as in sprig.
fn decode(host: &mut Host<'_>, values: &[crate::value::Value]) -> Ran {
    let letters = text(&values[0]).iter().copied();
    let letters: Vec<u8> = letters
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    match decoded(&letters) {
        Ok(bytes) => made(host, bytes),
        Err(at) => made(host, format!("illegal base32 data at input byte {at}")),
    }
}

/// Returns the decoded bytes, or the position of the invalid letter that Go reports.
fn decoded(letters: &[u8]) -> Result<Vec<u8>, usize> {
    let mut out = Vec::new();
    for (start, chunk) in letters.chunks(LETTERS).enumerate() {
        let start = start * LETTERS;
        let (mut bits, mut used) = (0u64, 0);
        for byte in chunk {
            let value = ALPHABET.iter().position(|letter| letter == byte);
            let Some(value) = value.and_then(|value| u64::try_from(value).ok()) else {
                break;
            };
            bits = bits << 5 | value;
            used += 1;
        }
        let is_last = match chunk.get(used) {
            Some(b'=') => {
                padding(letters, start + used, used)?;
                true
            }
            Some(_) => return Err(start + used),
            None if used < LETTERS => return Err(start),
            None => false,
        };
        let bytes = (bits << (5 * (LETTERS - used))).to_be_bytes();
        out.extend(&bytes[3..3 + used * 5 / 8]);
        if is_last {
            break;
        }
    }
    Ok(out)
}

/// Checks the padding after `used` letters of the last chunk.
fn padding(letters: &[u8], at: usize, used: usize) -> Result<(), usize> {
    let behind = letters.len() - at - 1;
    if used < 2 || behind >= LETTERS {
        return Err(at);
    }
    if behind + used + 1 < LETTERS {
        return Err(letters.len());
    }
    let others = &letters[at + 1..at + LETTERS - used];
    if let Some(wrong) = others.iter().position(|byte| *byte != b'=') {
        return Err(at + wrong);
    }
    if matches!(used, 3 | 6) {
        return Err(at);
    }
    Ok(())
}
