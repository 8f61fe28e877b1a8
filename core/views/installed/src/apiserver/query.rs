//! Parses the query parameters of a request.

/// The query parameters of a request, in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QueryParameters(Vec<(String, String)>);

// === impl QueryParameters ===

impl QueryParameters {
    /// Parses the part of a URL after `?`. Keeps invalid percent escapes unchanged.
    pub fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decoded(name, true), decoded(value, true))
        });
        Self(pairs.collect())
    }

    /// Returns the first value of a parameter that is not empty.
    pub fn first(&self, name: &str) -> Option<&str> {
        let mut values = self.values(name);
        values.find(|value| !value.is_empty())
    }

    /// Returns true if the parameter is present and its value is not false.
    pub fn claims(&self, name: &str) -> bool {
        self.claim(name).unwrap_or_default()
    }

    /// Returns the value of a boolean parameter. Returns None if the parameter is missing.
    pub fn claim(&self, name: &str) -> Option<bool> {
        let value = self.values(name).next()?;
        Some(!["0", "false", "False", "FALSE"].contains(&value))
    }

    fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let named = self.0.iter().filter(move |(own, _)| own == name);
        named.map(|(_, value)| &**value)
    }
}

/// Decodes percent escapes. If the result is not valid UTF-8, returns the text unchanged.
pub(crate) fn decoded(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match (first, behind) {
            (b'%', [high, low, behind @ ..]) if let Some(byte) = hex(*high, *low) => {
                bytes.push(byte);
                rest = behind;
            }
            (b'+', _) if plus_is_space => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::escaped("labelSelector=a%3Db%2Cc", "labelSelector", Some("a=b,c"))]
    #[case::a_space("labelSelector=a+in+(b)", "labelSelector", Some("a in (b)"))]
    #[case::the_first_nonempty_value("limit=&limit=5&limit=6", "limit", Some("5"))]
    #[case::empty("limit=", "limit", None)]
    #[case::another("limits=5", "limit", None)]
    #[case::half_an_escape("a=%4", "a", Some("%4"))]
    #[case::no_escape("a=%zz", "a", Some("%zz"))]
    #[case::no_text("a=%ff", "a", Some("%ff"))]
    fn first_value_of_a_repeated_parameter_is_used(
        #[case] text: &str,
        #[case] name: &str,
        #[case] value: Option<&str>,
    ) {
        assert_eq!(QueryParameters::parse(text).first(name), value);
    }

    #[rstest]
    #[case::absent("", None)]
    #[case::alone("watch", Some(true))]
    #[case::number_one("watch=1", Some(true))]
    #[case::given("watch=true", Some(true))]
    #[case::zero("watch=0", Some(false))]
    #[case::denied("watch=false", Some(false))]
    fn boolean_is_parsed_like_in_go(#[case] text: &str, #[case] expected: Option<bool>) {
        assert_eq!(QueryParameters::parse(text).claim("watch"), expected);
    }
}
