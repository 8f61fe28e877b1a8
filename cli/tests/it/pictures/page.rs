//! Converts a page of the console to an SVG file with light and dark colors.

/// The width of the picture in pixels, and its height. The page is longer than the picture.
const WIDTH: usize = 1100;
const HEIGHT: usize = 620;
/// The style rules for narrow windows. They are removed, because they would apply if the picture
/// were shown small.
const NARROW: (&str, &str) = ("@media(max-width:40rem){", "\n}\n");
/// Forms are removed, because each console has another token in its forms.
const FORM: (&str, &str) = ("<form", "</form>");

/// Returns a picture with the first section of a page and this stylesheet. A page of the console is
/// valid XML, except in its head and its forms, which are removed.
pub(super) fn picture(page: &str, rules: &str) -> String {
    let (_, body) = page.split_once("<body").expect("a body");
    let start = body.find("<header").expect("a header");
    let (body, _) = body[start..].split_once("</section>").expect("a section");
    let body = live(&without(body, FORM));
    let rules = without(rules, NARROW);
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
         height=\"{HEIGHT}\">\n<style>{rules}rect{{fill:var(--paper)}}</style>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n<foreignObject width=\"{WIDTH}\" height=\"{HEIGHT}\">\
         <body xmlns=\"http://www.w3.org/1999/xhtml\">{body}</section></main></body></foreignObject>\n</svg>\n"
    )
}

/// Returns the page as it looks after its script has run, with a fixed time.
fn live(body: &str) -> String {
    const READ_AT: &str = "Read at ";
    let (before, read) = body.split_once(READ_AT).expect("a time");
    let (_, after) = read.split_once('<').expect("the end of the time");
    let before = before.replace(
        r#"class="state"></span>"#,
        r#"class="state well">Live</span>"#,
    );
    format!("{before}{READ_AT}2026-11-30 12:00:00 UTC<{after}")
}

/// Removes each part of the text from `start` to the next `end`.
fn without(text: &str, (start, end): (&str, &str)) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let (_, rest) = part.split_once(end).expect("the end of the part");
        kept + rest
    })
}
