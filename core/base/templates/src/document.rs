//! A JSON document whose strings are templates. The document is written as YAML, evaluated as one
//! template, and parsed again. The library of Open Cluster Management does the same, and the result
//! of a template depends on this procedure.

mod read;
mod rewrite;
mod write;

pub(crate) use read::read;
pub(crate) use rewrite::rewritten;
pub(crate) use write::written;
