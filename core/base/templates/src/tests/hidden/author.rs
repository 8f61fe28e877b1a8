//! Generates random templates. Every part of them may depend on a Secret.

use fastrand::Rng;

use super::NAMES;

/// A generator of random templates. Every part of them may depend on a Secret.
pub(super) struct Author<'r>(pub(super) &'r mut Rng);

impl Author<'_> {
    fn one(&mut self, all: &[&str]) -> String {
        all[self.0.usize(..all.len())].to_owned()
    }

    fn expression(&mut self, depth: usize) -> String {
        const LEAVES: &[&str] = &[
            "SECRET",
            "$x",
            "\"1.0.0\"",
            "\"a\"",
            "2",
            "(list 1 2)",
            "(dict \"a\" 1)",
            "(substr 0 1 SECRET)",
            "(len SECRET)",
            "(fromSecret \"harbor\" \"key\" \"user\")",
            "nil",
            "(eq (substr 0 1 SECRET) \"a\")",
            "true",
        ];
        if depth == 0 {
            return self.one(LEAVES);
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let name = self.one(&NAMES);
        match self.0.usize(..20) {
            0 => format!("(or {a} {b})"),
            1 => format!("(and {a} {b})"),
            2 => format!("(ternary {a} {b} (eq (substr 0 1 SECRET) \"a\"))"),
            3 => format!("(default {a} {b})"),
            4 => format!("(semver {a})"),
            5 => format!("(index {a} {b})"),
            6 => format!("(list {a} {b})"),
            7 => format!("(dict \"a\" {a} \"b\" {b}).a"),
            8 => format!("(print {a} {b})"),
            9 => format!("(upper {a})"),
            10 => format!("(repeat {a} {b})"),
            11 => format!("(fromConfigMap \"harbor\" \"{name}\" \"n\" | atoi)"),
            12 => format!("(lookup \"v1\" \"ConfigMap\" \"harbor\" \"{name}\").data"),
            13 => format!("(fail {a})"),
            14 => format!("(coalesce {a} {b})"),
            15 => format!("(set $d \"a\" {a}).a"),
            16 => format!("(eq {a} {b})"),
            17 => format!("(len {a})"),
            _ => self.one(LEAVES),
        }
    }

    fn node(&mut self, depth: usize) -> String {
        let words = self.0.usize(..3);
        let expression = self.expression(words);
        if depth == 0 {
            return format!("{{{{ {expression} }}}}");
        }
        let (a, b) = (self.nodes(depth - 1), self.nodes(depth - 1));
        match self.0.usize(..12) {
            0 | 1 => format!("{{{{ if {expression} }}}}{a}{{{{ else }}}}{b}{{{{ end }}}}"),
            2 => {
                format!("{{{{ with {expression} }}}}{a}{{{{ .a }}}}{{{{ else }}}}{b}{{{{ end }}}}")
            }
            3 => format!("{{{{ range {expression} }}}}{a}{{{{ else }}}}{b}{{{{ end }}}}"),
            4 => {
                let end = self.one(&["break", "continue"]);
                format!(
                    "{{{{ range list 1 2 3 }}}}{a}{{{{ if {expression} }}}}{{{{ {end} }}}}{{{{ end }}}}{b}{{{{ end }}}}"
                )
            }
            5 | 6 => format!("{{{{ $x = {expression} }}}}{a}"),
            7 => format!("{{{{ $y := {expression} }}}}{a}{{{{ $y }}}}"),
            8 => format!("{{{{ template \"t\" {expression} }}}}{a}"),
            9 => format!("text {a}"),
            _ => format!("{{{{ {expression} }}}}"),
        }
    }

    pub(super) fn nodes(&mut self, depth: usize) -> String {
        (0..self.0.usize(1..4)).map(|_| self.node(depth)).collect()
    }
}
