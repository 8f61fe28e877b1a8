//! Masks text that differs in each run: ages, times, digests, ports, and generated parts of names.

/// The characters in the random part of a name that the API server generates.
const GENERATED: &str = "bcdfghjklmnpqrstvwxz2456789";

/// Masks the text in a line that differs in each run. Also masks the padding of table columns,
/// because its width depends on this text.
pub(super) fn masked(line: &str) -> String {
    let is_part = |it: char| it.is_ascii_alphanumeric() || "-:.".contains(it);
    let mut text = String::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|it| is_part(it) != is_part(first));
        let (part, behind) = rest.split_at(end.unwrap_or(rest.len()));
        if is_part(first) {
            let name = part.trim_end_matches([':', '.']);
            text += &mask(name);
            text += &part[name.len()..];
        } else {
            text += part;
        }
        rest = behind;
    }
    without_padding(&text)
}

/// Returns the line with two spaces between columns, and without spaces at its end.
fn without_padding(line: &str) -> String {
    let words = line.trim_end().trim_start_matches(' ');
    let indent = line.len() - line.trim_start_matches(' ').len();
    let columns = words.split("  ").map(str::trim);
    let columns: Vec<_> = columns.filter(|column| !column.is_empty()).collect();
    format!("{}{}", " ".repeat(indent), columns.join("  "))
}

fn mask(word: &str) -> String {
    if is_age(word) {
        return "<age>".to_owned();
    }
    if is_uid(word) {
        return "<uid>".to_owned();
    }
    if is_time(word) {
        return "<time>".to_owned();
    }
    if let Some((before, _)) = word.split_once("sha256:") {
        return format!("{before}sha256:<digest>");
    }
    if let Some(host) = host_with_port(word) {
        return format!("{host}:<port>");
    }
    generated(word).unwrap_or_else(|| word.to_owned())
}

/// Returns true for an age: `5s`, `2m`, `3h20m`.
fn is_age(word: &str) -> bool {
    let mut digits = 0;
    for it in word.chars() {
        match it {
            '0'..='9' => digits += 1,
            'd' | 'h' | 'm' | 's' if digits > 0 => digits = 0,
            _ => return false,
        }
    }
    digits == 0 && !word.is_empty()
}

/// Returns true for a time, such as `2026-11-29T23:40:34Z`. It can have a fraction.
fn is_time(word: &str) -> bool {
    let mut parts = word.split('T');
    let [Some(day), Some(time), None] = [parts.next(), parts.next(), parts.next()] else {
        return false;
    };
    let is_number = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let time = time.trim_end_matches('Z');
    day.len() == 10 && day.split('-').all(is_number) && time.split([':', '.']).all(is_number)
}

fn host_with_port(word: &str) -> Option<&str> {
    let (host, port) = word.split_once(':')?;
    let is_here = host == "127.0.0.1" || host == "localhost";
    (is_here && port.parse::<u16>().is_ok()).then_some(host)
}

/// Returns a name with its generated part masked. This is the name of a Pod, of an InstallPlan of
/// OLM, or a name that contains a digest or a uid.
fn generated(word: &str) -> Option<String> {
    let mut parts: Vec<_> = word.split('-').collect();
    let is_random = |part: &str| part.chars().all(|it| GENERATED.contains(it));
    let is_hash = |part: &str| (8..=10).contains(&part.len()) && is_random(part);
    let (last, before) = parts.split_last_mut()?;
    let is_named = before == ["install"] || before.last().is_some_and(|part| is_hash(part));
    if last.len() == 5 && is_random(last) && is_named {
        *last = "<id>";
    }
    for part in parts.iter_mut().skip(1) {
        if is_hash(part) || is_digest(part) {
            *part = "<hash>";
        }
    }
    let masked = parts.join("-");
    (masked != word).then_some(masked)
}

/// Returns true for hexadecimal digits, which occur in a digest or at the beginning of a uid.
fn is_digest(part: &str) -> bool {
    let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    part.len() >= 8 && part.bytes().all(is_hex)
}

fn is_uid(word: &str) -> bool {
    let lengths = word.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && is_digest(&word.replace('-', ""))
}

#[test]
fn masks_text_that_differs_in_each_run() {
    for (line, wanted) in [
        ("ferry   True    12s", "ferry  True  <age>"),
        ("  at 2026-11-29T23:40:34Z.", "  at <time>."),
        ("harbor/install-x7k2p: waits", "harbor/install-<id>: waits"),
        ("ferry-6d4cf56db6-x7k2p", "ferry-<hash>-<id>"),
        ("x@sha256:0123abc", "x@sha256:<digest>"),
        ("on http://127.0.0.1:41234/", "on http://127.0.0.1:<port>/"),
        ("ferry.v1.0.0 2m", "ferry.v1.0.0 <age>"),
        (
            "timetable-f56fab93-8ee1b5ffb297d162",
            "timetable-<hash>-<hash>",
        ),
        ("uid: f56fab93-30d4-441a-8cb5-d064f608dac4", "uid: <uid>"),
    ] {
        assert_eq!(masked(line), wanted);
    }
}

#[test]
fn keeps_names_and_versions() {
    for line in ["install-plans", "ferry-chart", "1.0.0", "v1beta1", "m"] {
        assert_eq!(masked(line), line);
    }
}
