//! Evaluates a JSON document whose strings are templates. The document is written as YAML, the YAML
//! is evaluated as one template, and the result is parsed again. The library of Open Cluster
//! Management also does this, and the result of a template depends on it.

mod read;
mod rewrite;
mod write;

pub(crate) use read::read;
pub(crate) use rewrite::rewritten;
pub(crate) use write::written;
