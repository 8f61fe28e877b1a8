//! Converts numbers as the YAML parsers of Go do.

use serde_json::Number;

/// Returns the number that Go makes of a plain scalar when it converts YAML to JSON: `0644` becomes
/// 420, and `1.0` becomes 1. Kubernetes tools convert every manifest in this way. Returns None for
/// numbers that JSON cannot represent, such as `.inf`.
pub fn number(text: &str) -> Option<Number> {
    let plain = text.replace('_', "");
    let (negative, digits) = match plain.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    match whole(digits) {
        Some(value) => {
            let value = i128::from(value);
            let signed = if negative { -value } else { value };
            // Go converts an integer of more than 63 bits to a float.
            let exact = i64::try_from(signed).ok().map(Number::from);
            exact.or_else(|| Number::from_f64(signed as f64))
        }
        None => fraction(&plain),
    }
}

/// Parses an integer of base 2, 8, 10 or 16. A leading zero means base 8 if octal digits follow.
fn whole(digits: &str) -> Option<u64> {
    let of_base = |prefix: &str, base: u32| {
        let digits = digits.strip_prefix(prefix)?;
        u64::from_str_radix(digits, base).ok()
    };
    if digits.starts_with(['+', '-']) {
        return None;
    }
    let of_prefix = of_base("0x", 16).or_else(|| of_base("0b", 2));
    let octal = of_prefix.or_else(|| of_base("0o", 8));
    octal.or_else(|| match digits.strip_prefix('0') {
        None | Some("") => digits.parse().ok(),
        Some(rest) => u64::from_str_radix(rest, 8).ok(),
    })
}

/// Parses a decimal number. A number without a fractional part becomes an integer.
fn fraction(text: &str) -> Option<Number> {
    /// The lowest float that is too large for a signed 64-bit integer.
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    if value.fract() == 0.0 && value.abs() < BEYOND {
        Some(Number::from(value as i64))
    } else {
        Number::from_f64(value)
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::of_base_8("0644", "420")]
    #[case::of_base_8_as_yaml_1_2_writes_it("0o644", "420")]
    #[case::no_digit_of_base_8("08", "8")]
    #[case::of_base_16("0x1F", "31")]
    #[case::of_base_2("0b11", "3")]
    #[case::with_underscores("1_000", "1000")]
    #[case::a_fraction_of_nothing("1.0", "1")]
    #[case::an_exponent("1e3", "1000")]
    #[case::a_negative_zero("-0", "0")]
    #[case::a_fraction("-1.5", "-1.5")]
    #[case::the_greatest("9223372036854775807", "9223372036854775807")]
    #[case::one_more("9223372036854775808", "9.223372036854775807e18")]
    fn number_of_a_catalog_is_parsed_as_expected(#[case] text: &str, #[case] expected: Number) {
        assert_eq!(number(text), Some(expected));
    }

    #[rstest]
    fn json_has_no_infinity(#[values(".inf", "-.inf", ".nan")] text: &str) {
        assert_eq!(number(text), None);
    }
}
