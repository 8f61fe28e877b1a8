//! A document of JSON whose texts are templates. It is written as YAML, evaluated as one template, and read
//! again: so the established library does it, and what a template makes of a document depends on it.

mod read;
mod rewrite;
mod write;

pub(crate) use read::read;
pub(crate) use rewrite::rewritten;
pub(crate) use write::written;
