//! Functions that convert values to other types, and texts to and from encodings.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use super::{Function, Kind, Ran, made, string, text};
use crate::document;
use crate::host::Host;
use crate::json::{Escapes, encoded, indented};
use crate::number;
use crate::value::{Shape, Value};

/// The Base64 encoding with the same checks as in Go: padding must be correct, but unused bits are
/// ignored.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("atoi", &[Kind::Text], |_, values| {
        let number = decimal(&string(&values[0])).unwrap_or(0);
        Ok(Shape::Int(number).into())
    }),
    Function::new("toInt", &[Kind::Any], |_, values| {
        Ok(Shape::Int(to_int(&values[0])).into())
    }),
    Function::new("toBool", &[Kind::Text], |_, values| {
        Ok(matches!(
            text(&values[0]),
            b"1" | b"t" | b"T" | b"true" | b"TRUE" | b"True"
        )
        .into())
    }),
    Function::new("toLiteral", &[Kind::Text], |_, values| {
        if text(&values[0]).contains(&b'\n') {
            return Err(
                "new lines are not allowed in the string passed to the toLiteral function".into(),
            );
        }
        Ok(values[0].clone())
    }),
    Function::new("base64enc", &[Kind::Text], base64enc),
    Function::new("b64enc", &[Kind::Text], base64enc),
    Function::new("base64dec", &[Kind::Text], base64dec),
    Function::new("b64dec", &[Kind::Text], base64dec),
    Function::new("fromJson", &[Kind::Text], from_json),
    Function::new("fromJSON", &[Kind::Text], from_json),
    Function::new("mustFromJson", &[Kind::Text], must_from_json),
    Function::new("mustFromJSON", &[Kind::Text], must_from_json),
    Function::new("toJson", &[Kind::Any], to_json),
    Function::new("toJSON", &[Kind::Any], to_json),
    Function::new("mustToJson", &[Kind::Any], to_json),
    Function::new("mustToJSON", &[Kind::Any], to_json),
    Function::new("toPrettyJson", &[Kind::Any], to_pretty_json),
    Function::new("mustToPrettyJson", &[Kind::Any], to_pretty_json),
    Function::new("toRawJson", &[Kind::Any], to_raw_json),
    Function::new("toRawJSON", &[Kind::Any], to_raw_json),
    Function::new("mustToRawJson", &[Kind::Any], to_raw_json),
    Function::new("mustToRawJSON", &[Kind::Any], to_raw_json),
    Function::new("fromYaml", &[Kind::Text], from_yaml),
    Function::new("fromYAML", &[Kind::Text], from_yaml),
    Function::new("toYaml", &[Kind::Any], to_yaml),
    Function::new("toYAML", &[Kind::Any], to_yaml),
];

/// Parses a decimal number as Go's `strconv.Atoi` does.
fn decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_decimal.then(|| text.parse().ok()).flatten()
}

/// Converts a value to an integer for arithmetic. Returns 0 if the value is not a number.
pub(super) fn to_int(value: &Value) -> i64 {
    match &value.shape {
        Shape::Bool(is) => i64::from(*is),
        Shape::Int(number) | Shape::Int64(number) => *number,
        Shape::Uint64(number) => i64::try_from(*number).unwrap_or(i64::MAX),
        Shape::Byte(number) => (*number).into(),
        Shape::Float(number) => number::to_whole(*number),
        Shape::Text(_) => {
            let text = string(value);
            number::whole(&without_fraction(&text)).unwrap_or(0)
        }
        Shape::Missing
        | Shape::Null
        | Shape::List(..)
        | Shape::Map(_)
        | Shape::Version(_)
        | Shape::Time(_)
        | Shape::Empty => 0,
    }
}

/// Removes the fraction of a number. The number may have no digits before or after the decimal
/// point.
fn without_fraction(text: &str) -> String {
    let is_fraction = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    match text.split_once('.') {
        Some((whole, fraction))
            if is_fraction(fraction)
                && is_fraction(whole.strip_prefix(['+', '-']).unwrap_or(whole)) =>
        {
            let zero = if whole.ends_with(|last: char| last.is_ascii_digit()) {
                ""
            } else {
                "0"
            };
            format!("{whole}{zero}")
        }
        _ => text.to_owned(),
    }
}

pub(super) fn to_float(value: &Value) -> f64 {
    match &value.shape {
        Shape::Float(number) => *number,
        Shape::Text(_) => number::float(&string(value)).unwrap_or(0.0),
        _ => number::to_float(to_int(value)),
    }
}

fn base64enc(host: &mut Host<'_>, values: &[Value]) -> Ran {
    made(host, BASE64.encode(text(&values[0])))
}

/// Decodes Base64. If the text is invalid, the result is the error message, as in Open Cluster
/// Management.
fn base64dec(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let encoded: Vec<u8> = text(&values[0])
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    match BASE64.decode(&encoded) {
        Ok(decoded) => made(host, decoded),
        Err(error) => {
            let at = match error {
                base64::DecodeError::InvalidByte(at, b'=') => behind_padding(&encoded, at),
                base64::DecodeError::InvalidByte(at, _)
                | base64::DecodeError::InvalidLastSymbol { offset: at, .. } => at,
                // Two padding characters are required, but there is only one.
                _ if encoded.len() % 4 == 3 && encoded.ends_with(b"=") => encoded.len(),
                _ => encoded.len() / 4 * 4,
            };
            made(host, format!("illegal base64 data at input byte {at}"))
        }
    }
}

/// Returns the position of an error at a padding character. If the padding is complete, the error
/// is in the text after the padding.
fn behind_padding(encoded: &[u8], at: usize) -> usize {
    match (at % 4, encoded.get(at + 1)) {
        (2, Some(b'=')) => at + 2,
        (3, _) => at + 1,
        _ => at,
    }
}

fn from_json(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let json = serde_json::from_slice(text(&values[0])).unwrap_or(serde_json::Value::Null);
    Ok(Value::from_json_text(&json))
}

fn must_from_json(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let json = serde_json::from_slice(text(&values[0])).map_err(|error| error.to_string())?;
    Ok(Value::from_json_text(&json))
}

fn to_json(host: &mut Host<'_>, values: &[Value]) -> Ran {
    made(host, encoded(&values[0], Escapes::Html)?)
}

fn to_pretty_json(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let json = encoded(&values[0], Escapes::Html)?;
    made(host, indented(&json)?)
}

fn to_raw_json(host: &mut Host<'_>, values: &[Value]) -> Ran {
    made(host, encoded(&values[0], Escapes::None)?)
}

fn from_yaml(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let json = document::read(&string(&values[0]))?;
    Ok(Value::from_json(&json, Shape::Int))
}

fn to_yaml(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let json = encoded(&values[0], Escapes::None)?;
    let json = serde_json::from_str(&json).map_err(|error| error.to_string())?;
    let yaml = document::written(&json);
    made(host, yaml.strip_suffix('\n').unwrap_or(&yaml))
}
