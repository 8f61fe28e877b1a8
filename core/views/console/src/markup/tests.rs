use proptest::prelude::*;
use rstest::rstest;

use crate::markup::{Element, Href, Markup};

/// Returns the text that a browser reads between tags or quotes.
fn read(markup: &str) -> String {
    let pairs = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#39;", "'"),
    ];
    let text = pairs
        .iter()
        .fold(markup.to_owned(), |text, (name, is)| text.replace(name, is));
    text.replace("&amp;", "&")
}

#[test]
fn elements_are_written_as_html() {
    let list = Element::new("ul").each(["one", "two"].map(|it| Element::new("li").with(it)));
    let page = Element::new("p")
        .class("note")
        .with(Some("more"))
        .with(None::<&str>)
        .with(Element::new("br"))
        .with(3);
    assert_eq!(
        Markup::of(vec![list, page]).into_text(),
        "<ul><li>one</li><li>two</li></ul><p class=\"note\">more<br>3</p>"
    );
}

#[rstest]
#[case::of_the_web("HTTPS://example.test/a?b=c", true)]
#[case::without_tls("http://example.test", true)]
#[case::of_a_script("javascript:alert(1)", false)]
#[case::behind_a_blank(" javascript:alert(1)", false)]
#[case::of_data("data:text/html,<script>", false)]
#[case::without_a_scheme("//evil.test", false)]
#[case::nothing("", false)]
fn only_valid_https_and_http_urls_are_external_links(#[case] url: &str, #[case] is_one: bool) {
    assert_eq!(Href::outside(url).is_some(), is_one);
}

#[test]
#[should_panic(expected = "onclick must not be made of text")]
fn attribute_for_a_script_panics() {
    let _ = Element::new("p").attr("onclick", "x");
}

#[test]
#[should_panic(expected = "<script> must not be made of text")]
fn script_element_panics() {
    let _ = Element::new("script");
}

proptest! {
    /// Escaped text opens no element and ends no attribute. A browser decodes it to the same text.
    #[test]
    fn escaped_text_is_unescaped_to_the_same_text(text in "(\\PC|[<>&\"'/=` \n])*") {
        let markup = Element::new("p").attr("title", &text).with(&text).into_text();
        let inner = markup.strip_prefix("<p title=\"").and_then(|it| it.strip_suffix("</p>"));
        let (title, body) = inner.and_then(|it| it.split_once("\">")).expect("an element");
        for part in [title, body] {
            prop_assert!(!part.contains(['<', '>', '"', '\'']), "{part}");
            let is_harmful = portolan_core_names::text::is_harmful;
            let plain = |c: char| !is_harmful(c) || c == '\n';
            if text.chars().all(|c| plain(c) && !matches!(c, '\u{fffe}' | '\u{ffff}')) {
                prop_assert_eq!(read(part), text.clone());
            }
        }
    }

    /// A browser decodes an encoded query value to the same value.
    #[test]
    fn query_value_is_decoded_to_the_same_value(value in any::<String>()) {
        let place = Href::to("/a").with("b", &value).with("c", "d");
        let query = place.as_str().strip_prefix("/a?b=").and_then(|it| it.strip_suffix("&c=d"));
        let encoded = query.expect("two parameters");
        prop_assert!(encoded.bytes().all(|it| it.is_ascii_alphanumeric() || b"-._~/%".contains(&it)));
        let mut bytes = Vec::new();
        let mut rest = encoded.bytes();
        while let Some(byte) = rest.next() {
            bytes.push(if byte == b'%' {
                let digits = [rest.next().unwrap(), rest.next().unwrap()];
                u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap()
            } else {
                byte
            });
        }
        prop_assert_eq!(bytes, value.into_bytes());
    }
}
