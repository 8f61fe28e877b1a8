//! Resolves the templates in a document.

use std::collections::BTreeSet;

use serde_json::Value as Json;
use thiserror::Error;

use crate::document::{read, rewritten, written};
use crate::evaluate::{Stop, evaluate};
use crate::fault::TemplateFault;
use crate::functions::is_offered;
use crate::host::Host;
use crate::objects::{Lookup, Objects};
use crate::output::{Texts, names};
use crate::parse::{Template, parse};
use crate::secret::Blanked;

/// The result of resolving a document, and the objects that its templates looked up.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    /// The objects that the templates looked up. If one of these objects changes, the result may
    /// change.
    pub lookups: BTreeSet<Lookup>,
    pub outcome: Outcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    Resolved(Resolved),
    Refused(ResolveRefusal),
    /// The result of a lookup is not known yet.
    Unread,
}

/// A document whose templates were resolved.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolved {
    pub value: Json,
    /// The document for display, with marks instead of the values that depend on Secrets.
    pub shown: Json,
    /// The document for display with marks of another form. It differs from `shown` at each value
    /// that depends on a Secret, regardless of the content of the Secret.
    pub(crate) otherwise: Json,
    /// The entries of Secrets on which the document depends, as text.
    pub(crate) secrets: String,
}

/// The reason why the document cannot be resolved.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ResolveRefusal {
    #[error("it has a hub template, {{{{hub … hub}}}}, which only the hub cluster can resolve")]
    OfHub,
    /// A fault of a template. Its line numbers refer to the document as YAML, which `explain`
    /// prints.
    #[error("{0}")]
    Fault(TemplateFault),
    #[error("the rendered templates are not a valid document: {0}")]
    NoDocument(String),
    /// The templates fail, but only with some contents of these Secrets. The position, the kind or
    /// the limit of the failure would reveal a part of the Secrets.
    #[error("the reason depends on {0}")]
    Hidden(String),
}

/// Returns true if the document contains a template.
#[must_use]
pub fn has_template(json: &Json) -> bool {
    json.to_string().contains("{{")
}

/// Resolves the templates in a document. `now` is in seconds since 1970.
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

/// Returns the document as the text that is evaluated as a template. Faults have lines and columns
/// of this text.
#[must_use]
pub fn as_template(json: &Json) -> String {
    rewritten(&written(json))
}

/// Evaluates a template. If the steps that depend on Secrets exceed their limit, evaluates the
/// template again with empty Secrets, and reports the lookups, the names and the failure of this
/// evaluation.
fn reported(template: &Template<'_>, host: &mut Host<'_>) -> Result<Texts, Stop> {
    let evaluated = evaluate(template, host);
    if !host.is_spent() {
        return evaluated;
    }
    let blanked = Blanked::new(host.objects);
    let mut again = Host::new(&blanked, host.now);
    let evaluated = evaluate(template, &mut again);
    (host.lookups, host.known) = (again.lookups, again.known);
    match evaluated {
        Err(stop @ (Stop::Fault(_) | Stop::Unread)) => Err(stop),
        Ok(_) | Err(Stop::Hidden) => Err(Stop::Hidden),
    }
}

fn resolved(json: &Json, host: &mut Host<'_>) -> Result<Resolved, Option<ResolveRefusal>> {
    if json.to_string().contains("{{hub") {
        return Err(Some(ResolveRefusal::OfHub));
    }
    let text = as_template(json);
    let refuse = |refusal| Some(refusal);
    let template =
        parse(&text, is_offered).map_err(|fault| refuse(ResolveRefusal::Fault(fault)))?;
    let evaluated = reported(&template, host);
    let secrets = names(&host.known);
    let texts = evaluated.map_err(|stop| match stop {
        Stop::Fault(fault) => refuse(ResolveRefusal::Fault(fault)),
        Stop::Hidden => refuse(ResolveRefusal::Hidden(secrets.clone())),
        Stop::Unread => None,
    })?;
    let Texts {
        real,
        shown,
        otherwise,
    } = texts;
    let is_secret = otherwise.is_some();
    let value = read(&String::from_utf8_lossy(&real)).map_err(|error| {
        // The message of the YAML parser may contain a value from a Secret.
        refuse(if is_secret {
            ResolveRefusal::Hidden(secrets.clone())
        } else {
            ResolveRefusal::NoDocument(error)
        })
    })?;
    let or_text = |text: Vec<u8>| {
        let text = String::from_utf8_lossy(&text);
        read(&text).unwrap_or_else(|_| Json::String(text.into_owned()))
    };
    let (shown, otherwise) = match otherwise {
        Some(otherwise) => (or_text(shown), or_text(otherwise)),
        None => (value.clone(), value.clone()),
    };
    Ok(Resolved {
        value,
        shown,
        otherwise,
        secrets,
    })
}
