//! Decodes requirements and installed operators.

use std::collections::BTreeSet;
use std::sync::Arc;

use portolan_core_catalog::{Api, Constraint, PackageRequirement, Property, Requirements};
use portolan_core_names::VersionRange;
use portolan_core_solver::{
    Budget, InstalledOperator, Mode, OperatorFacts, Question, RequestedPackage,
};
use portolan_proto::resolver::v1 as pb;
use serde_json::Value;

use super::{decode_optional, decode_text, unknown};
use crate::question::{RequestError, Resolve};

/// The maximum number of requirements in a request.
const MOST_WISHES: usize = 1_000;

/// The maximum number of installed operators.
const MOST_INSTALLED: usize = 10_000;

/// The maximum number of search steps. This many steps take about as long as a user would wait.
const MOST_STEPS: u32 = 1_000_000;

/// The maximum length of a property value in a catalog.
const LONGEST_VALUE: usize = 2 << 16;

pub(crate) fn decode_resolve(request: &pb::ResolveRequest) -> Result<Resolve, RequestError> {
    let pb::ResolveRequest {
        wishes,
        installed,
        mode,
        steps,
    } = request;
    if wishes.is_empty() {
        return Err(refused(
            "wishes",
            "it is empty; add at least one requirement",
        ));
    }
    Ok(Resolve(Question {
        wishes: decode_each("wishes", wishes, MOST_WISHES, decode_wish)?,
        installed: decode_each("installed", installed, MOST_INSTALLED, decode_operator)?,
        mode: decode_mode(*mode)?,
        budget: decode_budget(*steps)?,
    }))
}

/// Decodes each item of a list. Errors contain the index of the item.
pub(super) fn decode_each<T, U>(
    field: &'static str,
    all: &[T],
    most: usize,
    decode: impl Fn(&T) -> Result<U, RequestError>,
) -> Result<Vec<U>, RequestError> {
    if all.len() > most {
        let message = format!("{} are given; at most {most} are allowed", all.len());
        return Err(refused(field, message));
    }
    let decoded = all.iter().enumerate().map(|(at, each)| {
        decode(each).map_err(|refusal| refusal.within(&format!("{field}[{at}]")))
    });
    decoded.collect()
}

fn decode_wish(wish: &pb::Wish) -> Result<RequestedPackage, RequestError> {
    let pb::Wish {
        package,
        range,
        channel,
        catalog,
    } = wish;
    Ok(RequestedPackage {
        package: decode_text("package", package)?,
        range: decode_optional("range", range)?,
        channel: decode_optional("channel", channel)?,
        catalog: decode_optional("catalog", catalog)?,
    })
}

pub(super) fn decode_operator(
    operator: &pb::InstalledOperator,
) -> Result<InstalledOperator, RequestError> {
    let pb::InstalledOperator {
        name,
        version,
        package,
        described: _,
        provides: _,
        requires: _,
        properties: _,
    } = operator;
    Ok(InstalledOperator {
        name: decode_text("name", name)?,
        version: decode_optional("version", version)?,
        package: decode_optional("package", package)?,
        facts: decode_facts(operator)?,
    })
}

/// Decodes the facts about an operator. Returns None if the facts in the catalogs must be used.
fn decode_facts(
    operator: &pb::InstalledOperator,
) -> Result<Option<Arc<OperatorFacts>>, RequestError> {
    let requires = operator.requires.clone().unwrap_or_default();
    if operator.described {
        return Ok(Some(Arc::new(OperatorFacts {
            provides: decode_apis("provides", &operator.provides)?,
            requires: decode_requirements(&requires).map_err(|no| no.within("requires"))?,
            properties: decode_properties(&operator.properties)?,
        })));
    }
    let says_nothing = operator.provides.is_empty()
        && operator.properties.is_empty()
        && requires == pb::Requirements::default();
    if says_nothing {
        Ok(None)
    } else {
        Err(refused(
            "described",
            "this field is false, so provided and required APIs must be empty",
        ))
    }
}

fn decode_properties(
    properties: &[pb::installed_operator::Property],
) -> Result<Vec<Property>, RequestError> {
    decode_each("properties", properties, usize::MAX, |property| {
        let pb::installed_operator::Property { r#type, value } = property;
        Ok(Property {
            kind: r#type.as_str().into(),
            value: canonical("value", value)?.to_string().into(),
        })
    })
}

pub(super) fn decode_apis(
    field: &'static str,
    apis: &[pb::Api],
) -> Result<BTreeSet<Api>, RequestError> {
    let decoded = decode_each(field, apis, usize::MAX, |api| {
        let pb::Api {
            group,
            version,
            kind,
        } = api;
        Ok(Api {
            // The core API group of Kubernetes has an empty name.
            group: group.as_str().into(),
            version: present("version", version)?.into(),
            kind: present("kind", kind)?.into(),
        })
    });
    Ok(decoded?.into_iter().collect())
}

fn decode_requirements(requires: &pb::Requirements) -> Result<Requirements, RequestError> {
    let pb::Requirements {
        apis,
        packages,
        constraints,
    } = requires;
    let package = |required: &pb::requirements::Package| {
        let pb::requirements::Package { name, range } = required;
        Ok(PackageRequirement {
            package: decode_text("name", name)?,
            text: range.as_str().into(),
            // As in catalogs, an invalid range matches no version.
            range: VersionRange::parse(range).ok(),
        })
    };
    Ok(Requirements {
        apis: decode_apis("apis", apis)?,
        packages: decode_each("packages", packages, usize::MAX, package)?,
        constraints: decode_each(
            "constraints",
            constraints,
            usize::MAX,
            |json| match canonical("", json)? {
                object @ Value::Object(_) => Ok(Arc::new(Constraint::parse(&object.to_string()))),
                _ => Err(refused("", "a constraint is an object")),
            },
        )?,
    })
}

/// Returns a JSON value in the form of catalogs: with sorted keys and without whitespace.
fn canonical(field: &'static str, json: &str) -> Result<Value, RequestError> {
    if json.len() > LONGEST_VALUE {
        let length = json.len();
        let message = format!("it has {length} bytes; at most {LONGEST_VALUE} are allowed");
        return Err(refused(field, message));
    }
    serde_json::from_str(json).map_err(|error| refused(field, error.to_string()))
}

fn decode_mode(mode: i32) -> Result<Mode, RequestError> {
    use pb::mode::Kind;
    match Kind::try_from(mode) {
        Ok(Kind::Unspecified | Kind::Together) => Ok(Mode::Together),
        Ok(Kind::Each) => Ok(Mode::Each),
        Err(_) => Err(unknown("mode", mode, "TOGETHER, EACH")),
    }
}

fn decode_budget(steps: u32) -> Result<Budget, RequestError> {
    match steps {
        0 => Ok(Budget::default()),
        1..=MOST_STEPS => Ok(Budget { steps }),
        _ => Err(refused(
            "steps",
            format!("{steps} is more than the maximum of {MOST_STEPS}"),
        )),
    }
}

fn present<'a>(field: &'static str, text: &'a str) -> Result<&'a str, RequestError> {
    match text {
        "" => Err(refused(field, "it is empty; an API requires it")),
        text => Ok(text),
    }
}

pub(super) fn refused(field: &'static str, message: impl Into<String>) -> RequestError {
    RequestError::Field {
        field: field.into(),
        message: message.into(),
    }
}

#[cfg(test)]
mod tests;
