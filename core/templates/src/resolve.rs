//! A document in, what its templates make of it out.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use thiserror::Error;

use crate::document::{read, rewritten, written};
use crate::evaluate::{Stop, evaluate};
use crate::fault::Fault;
use crate::functions::is_offered;
use crate::host::Host;
use crate::objects::{Lookup, Objects};
use crate::parse::parse;

/// The result of resolving a document, and what it was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// Each object that was asked for: when one changes, the document may become something else.
    pub lookups: BTreeSet<Lookup>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Resolved(Resolved),
    Refused(Refusal),
    /// One of the lookups was not answered yet.
    Unread,
}

/// A document without templates.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub value: Json,
    /// The same for people, without what Secrets hold.
    pub shown: Json,
}

/// Why there is no document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Refusal {
    #[error("it has a template of the hub, {{{{hub … hub}}}}, which only the hub resolves")]
    OfHub,
    /// The lines are those of the document as YAML, which `explain` shows.
    #[error("{0}")]
    Fault(Fault),
    #[error("what the templates make of it is no document: {0}")]
    NoDocument(String),
}

/// Whether anything in it is a template.
#[must_use]
pub fn has_template(json: &Json) -> bool {
    json.to_string().contains("{{")
}

/// Evaluates the templates of a document; `now` is in seconds since 1970.
#[must_use]
pub fn resolve(json: &Json, objects: &dyn Objects, now: i64) -> Resolution {
    let mut host = Host::new(objects, now);
    let outcome = match resolved(json, &mut host) {
        Ok(resolved) => Outcome::Resolved(resolved),
        Err(Some(refusal)) => Outcome::Refused(refusal),
        Err(None) => Outcome::Unread,
    };
    Resolution {
        lookups: host.lookups,
        outcome,
    }
}

/// The document as the template that it is: faults tell lines and columns of this.
#[must_use]
pub fn as_template(json: &Json) -> String {
    rewritten(&written(json))
}

fn resolved(json: &Json, host: &mut Host<'_>) -> Result<Resolved, Option<Refusal>> {
    if json.to_string().contains("{{hub") {
        return Err(Some(Refusal::OfHub));
    }
    let text = as_template(json);
    let refuse = |refusal| Some(refusal);
    let template = parse(&text, is_offered).map_err(|fault| refuse(Refusal::Fault(fault)))?;
    let (real, shown) = evaluate(&template, host).map_err(|stop| match stop {
        Stop::Fault(fault) => refuse(Refusal::Fault(fault)),
        Stop::Unread => None,
    })?;
    let is_secret = real != shown;
    let (real, shown) = (
        String::from_utf8_lossy(&real),
        String::from_utf8_lossy(&shown),
    );
    let value = read(&real).map_err(|error| {
        // What is wrong with it may be what a Secret holds.
        let error = if is_secret {
            "it is no YAML; what it is comes from a Secret".to_owned()
        } else {
            error
        };
        refuse(Refusal::NoDocument(error))
    })?;
    let shown = if is_secret {
        read(&shown).unwrap_or_else(|_| Json::String(shown.into_owned()))
    } else {
        value.clone()
    };
    Ok(Resolved { value, shown })
}
