//! The icons of packages from catalogs.

/// The permitted media types. In an image of these types, a browser runs no scripts and loads no
/// other files.
const TYPES: [&str; 4] = ["image/png", "image/svg+xml", "image/jpeg", "image/gif"];

/// The maximum length of the Base64 data. The limit keeps pages small.
const LONGEST: usize = 22_000;

/// An image as a data URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    url: String,
}

// === impl Icon ===

impl Icon {
    /// Creates an image from its type and its data in Base64. Returns None if the type is not
    /// permitted, or if the data is too long or invalid.
    pub fn of(media_type: &str, base64: &str) -> Option<Self> {
        let media_type = TYPES.into_iter().find(|it| *it == media_type)?;
        let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
        let is_valid =
            !base64.is_empty() && base64.len() <= LONGEST && base64.bytes().all(is_digit);
        is_valid.then(|| Self {
            url: format!("data:{media_type};base64,{base64}"),
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::png("image/png", "aGFyYm9y", true)]
    #[case::svg("image/svg+xml", "PHN2Zy8+", true)]
    #[case::page("text/html", "aGFyYm9y", false)]
    #[case::two_types("image/png,<script>", "aGFyYm9y", false)]
    #[case::upper_case("IMAGE/PNG", "aGFyYm9y", false)]
    #[case::no_data("image/png", "", false)]
    #[case::end_of_the_value("image/png", "\" onerror=\"alert(1)", false)]
    fn icon_has_a_permitted_type_and_valid_data(
        #[case] media_type: &str,
        #[case] base64: &str,
        #[case] expected: bool,
    ) {
        assert_eq!(Icon::of(media_type, base64).is_some(), expected);
    }

    #[test]
    fn omits_icon_above_the_maximum_length() {
        assert!(Icon::of("image/png", &"a".repeat(LONGEST)).is_some());
        assert!(Icon::of("image/png", &"a".repeat(LONGEST + 1)).is_none());
    }
}
