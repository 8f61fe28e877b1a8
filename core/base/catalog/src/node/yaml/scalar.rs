//! Determines the type of unquoted YAML scalars.

use std::borrow::Cow;

use super::Value;

/// Returns the value of an unquoted scalar by the rules of YAML 1.1, as the YAML parser of Go does.
pub(super) fn resolve(text: Cow<'_, str>) -> Value<'_> {
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Value::Bool(true)
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Value::Bool(false)
        }
        number if is_number(number) => Value::Number(text),
        _ => Value::Text(text),
    }
}

/// Returns true for integers of base 2, 8, 10 and 16, decimal numbers and infinities. Underscores
/// between digits are allowed. Dates and versions with three parts are texts.
fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    if !unsigned.starts_with(|first: char| first == '.' || first.is_ascii_digit()) {
        return false;
    }
    let digits: Cow<'_, str> = if unsigned.contains('_') {
        unsigned.replace('_', "").into()
    } else {
        unsigned.into()
    };
    let of_base = |prefix: &str, base: u32| {
        let digits = digits.strip_prefix(prefix).unwrap_or_default();
        !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(base))
    };
    of_base("0x", 16) || of_base("0o", 8) || of_base("0b", 2) || is_decimal(&digits)
}

/// Returns true for numbers such as `12`, `1.5`, `.5` and `1.`, with or without an exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.map(|text| text.strip_prefix(['+', '-']).unwrap_or(text));
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|digits| !digits.is_empty() && all_digits(digits))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::two_numbers_with_a_dot("4.6", Value::Number("4.6".into()))]
    #[case::a_short_version("1.0", Value::Number("1.0".into()))]
    #[case::a_version_of_three_parts("1.0.0", Value::Text("1.0.0".into()))]
    #[case::a_version_with_prerelease("1.0.0-rc.1", Value::Text("1.0.0-rc.1".into()))]
    #[case::a_channel_name("stable-1.2", Value::Text("stable-1.2".into()))]
    #[case::a_date("2024-01-01", Value::Text("2024-01-01".into()))]
    #[case::a_hash_of_digits_and_an_e("12e5", Value::Number("12e5".into()))]
    #[case::hexadecimal("0x1F", Value::Number("0x1F".into()))]
    #[case::digits_with_underscores("1_000", Value::Number("1_000".into()))]
    #[case::a_range(">=1.0.0 <2.0.0", Value::Text(">=1.0.0 <2.0.0".into()))]
    #[case::on_of_yaml_1_1("on", Value::Bool(true))]
    #[case::no_of_yaml_1_1("no", Value::Bool(false))]
    #[case::a_tilde("~", Value::Null)]
    #[case::nothing("", Value::Null)]
    #[case::a_lone_dot(".", Value::Text(".".into()))]
    #[case::a_minus("-", Value::Text("-".into()))]
    fn unquoted_scalar_has_the_type_of_yaml_1_1(#[case] text: &str, #[case] expected: Value<'_>) {
        assert_eq!(resolve(text.into()), expected);
    }
}
