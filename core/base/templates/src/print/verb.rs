//! Implements the function `printf`.

use super::one::{Flags, one, padded};
use super::{plain, write};
use crate::fault::{Limit, MOST_BYTES};
use crate::quote::quoted;
use crate::value::{DEEPEST_VALUE, Shape, Value};

/// Formats the values.
///
/// # Errors
///
/// Returns an error if the result is too large, or if a value is nested too deeply.
pub(crate) fn printf(format: &[u8], values: &[Value]) -> Result<Vec<u8>, Limit> {
    let mut printer = Printer {
        format,
        at: 0,
        values,
        used: 0,
        has_jumped: false,
        out: Vec::new(),
    };
    printer.run()?;
    Ok(printer.out)
}

struct Printer<'a> {
    format: &'a [u8],
    at: usize,
    values: &'a [Value],
    used: usize,
    /// True if the format selects an argument by its number. Then unused arguments are not
    /// reported.
    has_jumped: bool,
    out: Vec<u8>,
}

// === impl Printer ===

impl Printer<'_> {
    fn run(&mut self) -> Result<(), Limit> {
        while let Some(byte) = self.next() {
            if byte == b'%' {
                self.directive()?;
            } else {
                self.out.push(byte);
            }
            if self.out.len() > MOST_BYTES {
                return Err(Limit::Bytes);
            }
        }
        if !self.has_jumped && self.used < self.values.len() {
            self.superfluous()?;
        }
        Ok(())
    }

    fn superfluous(&mut self) -> Result<(), Limit> {
        self.out.extend(b"%!(EXTRA ");
        for (index, value) in self.values[self.used..].iter().enumerate() {
            if index > 0 {
                self.out.extend(b", ");
            }
            if value.is_nothing() {
                self.out.extend(b"<nil>");
            } else {
                self.out.extend(value.shape.type_name().bytes());
                self.out.push(b'=');
                self.out.extend(plain(value)?);
            }
        }
        self.out.push(b')');
        Ok(())
    }

    fn directive(&mut self) -> Result<(), Limit> {
        let mut flags = Flags::default();
        while let Some(byte) = self.format.get(self.at) {
            match byte {
                b'-' => flags.minus = true,
                b'+' => flags.plus = true,
                b'#' => flags.sharp = true,
                b' ' => flags.space = true,
                b'0' => flags.zero = true,
                _ => break,
            }
            self.at += 1;
        }
        let mut is_index_good = self.index();
        flags.width = self.number(&mut flags.minus, "%!(BADWIDTH)");
        if self.format.get(self.at) == Some(&b'.') {
            self.at += 1;
            is_index_good &= self.index();
            let precision = self.number(&mut false, "%!(BADPREC)");
            flags.precision = Some(precision.unwrap_or(0));
        }
        is_index_good &= self.index();
        if flags.width.unwrap_or(0).max(flags.precision.unwrap_or(0)) > MOST_BYTES {
            return Err(Limit::Bytes);
        }
        let Some((verb, length)) = first_letter(&self.format[self.at..]) else {
            self.out.extend(b"%!(NOVERB)");
            return Ok(());
        };
        self.at += length;
        if verb == '%' {
            self.out.push(b'%');
            return Ok(());
        }
        let letter = verb.to_string();
        if !is_index_good {
            self.out.extend(format!("%!{letter}(BADINDEX)").bytes());
            return Ok(());
        }
        let Some(value) = self.values.get(self.used) else {
            self.out.extend(format!("%!{letter}(MISSING)").bytes());
            return Ok(());
        };
        self.used += 1;
        let text = directed(value, verb, flags)?;
        self.out.extend(text);
        Ok(())
    }

    /// Parses an index such as `[2]`, which selects the next argument.
    fn index(&mut self) -> bool {
        if self.format.get(self.at) != Some(&b'[') {
            return true;
        }
        self.has_jumped = true;
        let rest = &self.format[self.at + 1..];
        let Some(end) = rest.iter().position(|byte| *byte == b']') else {
            self.at += 1;
            return false;
        };
        self.at += end + 2;
        let number = std::str::from_utf8(&rest[..end]).ok();
        let number = number.and_then(|number| number.parse::<usize>().ok());
        let number = number.and_then(|number| number.checked_sub(1));
        let number = number.filter(|number| *number < self.values.len());
        self.used = number.unwrap_or(self.used);
        number.is_some()
    }

    /// Parses a number, or a `*` for which the next argument is the number.
    fn number(&mut self, minus: &mut bool, bad: &str) -> Option<usize> {
        if self.format.get(self.at) != Some(&b'*') {
            let digits = self.format[self.at..].iter();
            let count = digits.take_while(|byte| byte.is_ascii_digit()).count();
            let digits = &self.format[self.at..self.at + count];
            self.at += count;
            let digits = std::str::from_utf8(digits).unwrap_or_default();
            return (count > 0).then(|| digits.parse().unwrap_or(usize::MAX));
        }
        self.at += 1;
        let value = self.values.get(self.used).map(|value| &value.shape);
        self.used += 1;
        let number = match value {
            Some(Shape::Int(number) | Shape::Int64(number)) => Some(*number),
            _ => None,
        };
        let Some(number) = number else {
            self.out.extend(bad.bytes());
            return None;
        };
        *minus |= number < 0;
        usize::try_from(number.unsigned_abs()).ok()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.format.get(self.at).copied();
        self.at += 1;
        byte
    }
}

fn directed(value: &Value, verb: char, flags: Flags) -> Result<Vec<u8>, Limit> {
    if verb == 'T' {
        let name = if value.is_nothing() {
            "<nil>"
        } else {
            value.shape.type_name()
        };
        return Ok(padded(name.into(), flags));
    }
    if value.is_nothing() {
        return Ok(match verb {
            'v' => padded("<nil>".into(), flags),
            _ => format!("%!{verb}(<nil>)").into_bytes(),
        });
    }
    let mut out = Vec::new();
    if verb == 'v' && flags.sharp {
        in_go(&mut out, value, flags, DEEPEST_VALUE)?;
        return Ok(out);
    }
    // For `%v`, a plus sign requests the names of fields, but no value here has fields.
    let plus = flags.plus && verb != 'v';
    let flags = Flags { plus, ..flags };
    write(&mut out, value, DEEPEST_VALUE, &mut |out, value| {
        out.extend(one(value, verb, flags));
    })?;
    Ok(out)
}

/// Formats a value in Go syntax, as `%#v` does.
fn in_go(out: &mut Vec<u8>, value: &Value, flags: Flags, deepest: usize) -> Result<(), Limit> {
    let deepest = deepest.checked_sub(1).ok_or(Limit::Nesting)?;
    if out.len() > MOST_BYTES {
        return Err(Limit::Bytes);
    }
    let name = value.shape.type_name();
    match &value.shape {
        Shape::List(_, values) => {
            out.extend(format!("{name}{{").bytes());
            for (index, value) in values.iter().enumerate() {
                if index > 0 {
                    out.extend(b", ");
                }
                in_go(out, value, flags, deepest)?;
            }
            out.push(b'}');
        }
        Shape::Map(map) if map.borrow().is_nil => out.extend(format!("{name}(nil)").bytes()),
        Shape::Map(map) => {
            out.extend(format!("{name}{{").bytes());
            for (index, (key, value)) in map.borrow().entries.iter().enumerate() {
                if index > 0 {
                    out.extend(b", ");
                }
                in_go(out, &Value::text(key.clone()), flags, deepest)?;
                out.push(b':');
                in_go(out, value, flags, deepest)?;
            }
            out.push(b'}');
        }
        Shape::Missing | Shape::Null => out.extend(padded("interface {}(nil)".into(), flags)),
        Shape::Text(text) => out.extend(padded(quoted(text).into_bytes(), flags)),
        Shape::Byte(number) => out.extend(padded(format!("{number:#x}").into_bytes(), flags)),
        Shape::Uint64(number) => out.extend(padded(format!("{number:#x}").into_bytes(), flags)),
        Shape::Bool(_)
        | Shape::Int(_)
        | Shape::Int64(_)
        | Shape::Float(_)
        | Shape::Version(_)
        | Shape::Time(_)
        | Shape::Empty => {
            let (plus, sharp) = (false, false);
            out.extend(one(
                value,
                'v',
                Flags {
                    plus,
                    sharp,
                    ..flags
                },
            ));
        }
    }
    Ok(())
}

/// Returns the first character and its length in bytes. An invalid byte counts as one character.
fn first_letter(text: &[u8]) -> Option<(char, usize)> {
    let chunk = text[..text.len().min(4)].utf8_chunks().next()?;
    let letter = chunk.valid().chars().next();
    Some(letter.map_or(('\u{fffd}', 1), |letter| (letter, letter.len_utf8())))
}
