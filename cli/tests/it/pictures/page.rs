//! A page of the console as an SVG file, in light and dark colors.

/// The size of the picture in pixels. The page is longer.
const WIDTH: usize = 1100;
const HEIGHT: usize = 620;
/// The rules for narrow windows. In an SVG file, they would apply to a picture that is shown small.
const NARROW: (&str, &str) = ("@media(max-width:40rem){", "\n}\n");
/// Forms have a token, which is different in each console.
const FORM: (&str, &str) = ("<form", "</form>");

/// Returns the picture of the first section of a page, with this stylesheet. A page of the console
/// is valid XML, except for elements that are only in its head and in forms.
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

/// Returns the page with a fixed time, and with the state that the script adds.
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

/// Returns the text without the parts between a start and the next end.
fn without(text: &str, (start, end): (&str, &str)) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |kept, part| {
        let (_, rest) = part.split_once(end).expect("the end of the part");
        kept + rest
    })
}
