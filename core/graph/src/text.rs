//! How sentences name several things.

use std::fmt::{self, Display};

/// The most names that a sentence spells out.
const MOST: usize = 8;

/// `a, b, c`, cut where a sentence would become a page.
pub(crate) fn list<T: Display>(names: &[T]) -> impl Display + '_ {
    fmt::from_fn(move |f| {
        if names.is_empty() {
            return f.write_str("none");
        }
        for (at, name) in names.iter().take(MOST).enumerate() {
            write!(f, "{}{name}", if at == 0 { "" } else { ", " })?;
        }
        match names.len().saturating_sub(MOST) {
            0 => Ok(()),
            left_out => write!(f, " and {left_out} more"),
        }
    })
}
