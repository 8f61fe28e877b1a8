//! The contrast of all colors of a drawing, in each color scheme.

use std::collections::BTreeMap;

use crate::drawing::svg::STYLE;
use crate::drawing::{COLORS, palette};

/// The minimum contrast of lines. The next constant is the minimum contrast of text.
const LINE: f64 = 3.0;
const TEXT: f64 = 4.5;

/// The lines of a drawing: the color of each line, and the color beside it.
const LINES: [(&str, &str); 12] = [
    ("faint", "paper"),
    ("faint", "fill"),
    ("ink", "paper"),
    ("edge", "paper"),
    ("edge", "warn"),
    ("go", "paper"),
    ("c0", "paper"),
    ("c1", "paper"),
    ("c2", "paper"),
    ("c3", "paper"),
    ("c4", "paper"),
    ("c5", "paper"),
];

/// The texts of a drawing: the color of each text, and the color behind the text.
const TEXTS: [(&str, &str); 18] = [
    ("ink", "fill"),
    ("ink", "warn"),
    ("faint", "fill"),
    ("faint", "paper"),
    ("faint", "warn"),
    ("paper", "go"),
    ("c0", "paper"),
    ("c1", "paper"),
    ("c2", "paper"),
    ("c3", "paper"),
    ("c4", "paper"),
    ("c5", "paper"),
    ("paper", "c0"),
    ("paper", "c1"),
    ("paper", "c2"),
    ("paper", "c3"),
    ("paper", "c4"),
    ("paper", "c5"),
];

/// Returns the relative luminance of a color, as WCAG 2 defines it.
fn luminance(color: &str) -> f64 {
    let digits = color.strip_prefix('#').expect("a color");
    let part = |at: usize| {
        let part = u8::from_str_radix(&digits[at..at + 2], 16).expect("two digits");
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 {
            part / 12.92
        } else {
            ((part + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4)
}

fn contrast(one: &str, other: &str) -> f64 {
    let (one, other) = (luminance(one), luminance(other));
    (one.max(other) + 0.05) / (one.min(other) + 0.05)
}

/// Returns the variables in the first rule for `.graph` that follows the text `after`.
fn variables(after: &str) -> BTreeMap<&'static str, &'static str> {
    let (_, rule) = STYLE.split_once(after).expect("the color scheme");
    let (_, rule) = rule.split_once(".graph{").expect("a rule");
    let (rule, _) = rule.split_once('}').expect("an end");
    let all = rule
        .split(';')
        .filter_map(|it| it.strip_prefix("--")?.split_once(':'));
    all.collect()
}

/// Returns the variables of each color scheme. A variable that a scheme does not set has its value
/// from the light scheme.
fn schemes() -> [(&'static str, BTreeMap<&'static str, &'static str>); 3] {
    let light = variables("");
    let with = |after: &str| {
        let mut all = light.clone();
        all.extend(variables(after));
        all
    };
    let (dark, print) = (with("(prefers-color-scheme:dark)"), with("@media print"));
    [("light", light), ("dark", dark), ("print", print)]
}

#[test]
fn every_line_and_text_has_enough_contrast() {
    for (scheme, colors) in schemes() {
        let lines = LINES.iter().map(|pair| (pair, LINE));
        let texts = TEXTS.iter().map(|pair| (pair, TEXT));
        for ((color, beside), least) in lines.chain(texts) {
            let is = contrast(colors[color], colors[beside]);
            assert!(is >= least, "{scheme}: {color} on {beside}: {is:.2}");
        }
    }
}

/// A browser may print a page in the dark color scheme. The print rules therefore set every color.
#[test]
fn dark_and_printed_drawings_set_every_color() {
    let light: Vec<_> = variables("").into_keys().collect();
    let light: Vec<_> = light.into_iter().filter(|it| *it != "stroke").collect();
    for after in ["(prefers-color-scheme:dark)", "@media print"] {
        let all: Vec<_> = variables(after).into_keys().collect();
        assert_eq!(all, light, "{after}");
    }
}

/// Regression test: the drawing used a variable without setting it, and the page had a variable of
/// the same name. Lines of the graph then had the color of the page's borders.
#[test]
fn page_cannot_change_colors_of_a_drawing() {
    let set = variables("");
    for used in STYLE.split("var(--").skip(1) {
        let end = used.find([')', ',']).expect("an end");
        assert!(set.contains_key(&used[..end]), "{}", &used[..end]);
    }
}

/// Graphviz and Mermaid drawings are shown on white pages, and Mermaid drawings also on dark pages.
#[test]
fn colors_of_channels_are_visible_on_any_page() {
    let light = variables("");
    for (at, color) in COLORS.iter().enumerate() {
        assert_eq!(light[format!("c{at}").as_str()], palette(at));
        assert!(contrast(color, "#ffffff") >= TEXT, "{color}");
        assert!(contrast(color, "#0d1117") >= LINE, "{color}");
    }
}
