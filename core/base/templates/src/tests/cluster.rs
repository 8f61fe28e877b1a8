//! A small cluster for tests.

use serde_json::Value as Json;

use crate::evaluate::{Stop, evaluate};
use crate::fault::TemplateFault;
use crate::functions::is_offered;
use crate::host::Host;
use crate::objects::{Answer, Lookup, Objects};
use crate::output::names;
use crate::parse::parse;
use crate::resolve::ResolveRefusal;

pub(super) struct Cluster(pub(super) Vec<Json>);

impl Objects for Cluster {
    fn answer(&self, lookup: &Lookup) -> Answer {
        let is = |object: &Json, pointer: &str, value: &str| {
            object
                .pointer(pointer)
                .and_then(Json::as_str)
                .unwrap_or_default()
                == value
        };
        let of_kind = self.0.iter().filter(|object| {
            is(object, "/apiVersion", &lookup.api_version) && is(object, "/kind", &lookup.kind)
        });
        let anywhere = lookup.name.is_empty() && lookup.namespace.is_empty();
        let mut there = of_kind
            .filter(|object| anywhere || is(object, "/metadata/namespace", &lookup.namespace));
        if lookup.name.is_empty() {
            return Answer::Objects(there.cloned().collect());
        }
        match there.find(|object| is(object, "/metadata/name", &lookup.name)) {
            Some(object) => Answer::Object(object.clone()),
            None => Answer::Absent,
        }
    }
}

/// Evaluates a template. Returns its text, and the text for display.
pub(super) fn rendered(
    text: &str,
    objects: &dyn Objects,
) -> Result<(String, String), TemplateFault> {
    let template = parse(text, is_offered)?;
    let mut host = Host::new(objects, 1_700_000_000);
    match evaluate(&template, &mut host) {
        Ok(texts) => Ok((
            String::from_utf8_lossy(&texts.real).into_owned(),
            String::from_utf8_lossy(&texts.shown).into_owned(),
        )),
        Err(Stop::Fault(fault)) => Err(fault),
        Err(Stop::Hidden) => Err(TemplateFault::parsing(
            0,
            ResolveRefusal::Hidden(names(&host.known)).to_string(),
        )),
        Err(Stop::Unread) => panic!("the cluster of a test has an answer to everything"),
    }
}
