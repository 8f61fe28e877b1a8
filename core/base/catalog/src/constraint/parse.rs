//! Parses the JSON value of a constraint into a [`Clause`].
//!
//! The parser stops at the first error, because OLM rejects the whole constraint for any error.

use portolan_core_names::{PackageName, VersionRange};
use serde_json::{Map, Value};

use super::cel::Cel;
use super::{Clause, Rule};
use crate::model::{Api, PackageRequirement};
use crate::node::excerpt;

/// The maximum nesting depth of constraints. OLM has no limit. Constraints in real catalogs are
/// much less deep.
const DEEPEST: usize = 32;

/// The keys of a constraint. Each constraint has exactly one of them.
const KINDS: [&str; 6] = ["package", "gvk", "all", "any", "not", "cel"];

pub(super) fn constraint(text: &str) -> Result<Clause, String> {
    let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    clause(&value, 0)
}

fn clause(value: &Value, depth: usize) -> Result<Clause, String> {
    if depth > DEEPEST {
        return Err(format!("constraints are nested deeper than {DEEPEST}"));
    }
    let mut message = None;
    let mut kinds = Vec::new();
    for (key, value) in object(value, "a constraint")? {
        let is = |name: &&str| key.eq_ignore_ascii_case(name);
        match KINDS.into_iter().find(is) {
            _ if value.is_null() && (KINDS.iter().any(is) || is(&"failureMessage")) => {}
            Some(kind) => kinds.push((kind, value)),
            None if is(&"failureMessage") => message = Some(text(value, "failureMessage")?),
            None => return Err(unknown(key, "a constraint")),
        }
    }
    let rule = match kinds.as_slice() {
        [(kind, value)] => rule(kind, value, depth)?,
        [(one, _), (other, _), ..] => {
            return Err(format!(
                "it has both `{one}` and `{other}`; only one is allowed"
            ));
        }
        [] => {
            return Err(format!(
                "it is empty; it must have one of {}",
                KINDS.join(", ")
            ));
        }
    };
    Ok(Clause {
        message: message
            .filter(|message| !message.is_empty())
            .map(Into::into),
        rule,
    })
}

fn rule(kind: &str, value: &Value, depth: usize) -> Result<Rule, String> {
    match kind {
        "package" => package(value),
        "gvk" => api(value),
        "all" => parts(kind, value, depth).map(Rule::All),
        "any" => parts(kind, value, depth).map(Rule::Any),
        "not" => parts(kind, value, depth).map(Rule::Not),
        _ => {
            let [rule] = texts(value, "`cel`", ["rule"])?;
            Cel::parse(rule).map(Rule::Cel)
        }
    }
}

fn parts(kind: &str, value: &Value, depth: usize) -> Result<Vec<Clause>, String> {
    let what = format!("`{kind}`");
    let mut parts = Vec::new();
    for (key, value) in object(value, &what)? {
        if !key.eq_ignore_ascii_case("constraints") {
            return Err(unknown(key, &what));
        }
        for (at, item) in list(value, "constraints")?.iter().enumerate() {
            let within = |flaw| format!("in {what}, number {}: {flaw}", at + 1);
            parts.push(clause(item, depth + 1).map_err(within)?);
        }
    }
    Ok(parts)
}

fn package(value: &Value) -> Result<Rule, String> {
    let [package, range] = texts(value, "`package`", ["packageName", "versionRange"])?;
    let package = PackageName::parse(package).map_err(|refusal| refusal.to_string())?;
    let parsed = VersionRange::parse(range).map_err(|refusal| refusal.to_string())?;
    if let Some(warning) = parsed.refused_by_olm() {
        return Err(format!("{range:?}: {warning}"));
    }
    Ok(Rule::Package(PackageRequirement {
        package,
        text: range.into(),
        range: Some(parsed),
    }))
}

fn api(value: &Value) -> Result<Rule, String> {
    let [group, version, kind] = texts(value, "`gvk`", ["group", "version", "kind"])?;
    Ok(Rule::Api(Api {
        group: group.into(),
        version: version.into(),
        kind: kind.into(),
    }))
}

/// Returns the texts under these keys of an object. The object may have no other keys. The text of
/// a missing key is empty.
fn texts<'v, const N: usize>(
    value: &'v Value,
    what: &str,
    keys: [&str; N],
) -> Result<[&'v str; N], String> {
    let mut texts = [""; N];
    for (key, value) in object(value, what)? {
        let known = keys.iter().position(|name| key.eq_ignore_ascii_case(name));
        let at = known.ok_or_else(|| unknown(key, what))?;
        if !value.is_null() {
            texts[at] = text(value, keys[at])?;
        }
    }
    Ok(texts)
}

fn object<'v>(value: &'v Value, what: &str) -> Result<&'v Map<String, Value>, String> {
    let wrong = || format!("{what} is {}, and must be an object", kind_of(value));
    value.as_object().ok_or_else(wrong)
}

/// Returns the elements of a list. Returns no elements if the value is missing.
fn list<'v>(value: &'v Value, key: &str) -> Result<&'v [Value], String> {
    let wrong = || format!("`{key}` is {}, and must be a list", kind_of(value));
    if value.is_null() {
        Ok(&[])
    } else {
        value.as_array().map(Vec::as_slice).ok_or_else(wrong)
    }
}

fn text<'v>(value: &'v Value, key: &str) -> Result<&'v str, String> {
    let wrong = || format!("`{key}` is {}, and must be a text", kind_of(value));
    value.as_str().ok_or_else(wrong)
}

fn unknown(key: &str, what: &str) -> String {
    format!("{what} has an unknown key {:?}", excerpt(key))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "empty",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
