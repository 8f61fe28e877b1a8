//! Adds values to the Deployments of the chart: replicas, resources, scheduling, arguments and
//! others.

use std::iter::Peekable;
use std::str::Lines;

/// Returns the template of a Deployment with the values of its component. A value replaces a
/// setting of the manifest, or adds to this setting.
pub(super) fn with_values(text: &str) -> String {
    let template = Template {
        component: component(text),
        has_env: text.contains("\n        env:\n"),
        has_spread: text.contains("\n      topologySpreadConstraints:\n"),
    };
    let (mut lines, mut made) = (text.lines().peekable(), String::new());
    while let Some(line) = lines.next() {
        template.add(line, &mut lines, &mut made);
    }
    made
}

/// A Deployment: its component, and the optional sections that it contains.
struct Template<'a> {
    component: &'a str,
    has_env: bool,
    has_spread: bool,
}

impl Template<'_> {
    fn add(&self, line: &str, rest: &mut Peekable<Lines<'_>>, made: &mut String) {
        match line {
            "      labels:" => {
                *made += &self.section("annotations", "podAnnotations", (6, 8));
                self.extended(line, ("podLabels", 8), made);
            }
            "      - args:" => self.ended(line, rest, ("args", 8), made),
            "        env:" => self.ended(line, rest, ("env", 8), made),
            "        volumeMounts:" => self.extended(line, ("volumeMounts", 8), made),
            "      volumes:" => self.extended(line, ("volumes", 6), made),
            "        resources:" | "      topologySpreadConstraints:" => {
                self.replaceable(line, rest, made);
            }
            "      - configMap:" if rest.peek() == Some(&"          name: portolan-ca") => {
                rest.next();
                *made += "      {{- include \"portolan.caVolume\" $ | nindent 6 }}\n";
            }
            "        fsGroup: 65532" | "        runAsGroup: 65532" | "        runAsUser: 65532" => {
                *made +=
                    &format!("{{{{- if not (include \"portolan.openshift\" $) }}}}\n{line}\n{END}");
            }
            _ => self.add_field(line, made),
        }
    }

    fn add_field(&self, line: &str, made: &mut String) {
        let component = self.component;
        if line.starts_with("        image: ") {
            if !self.has_env {
                *made += &self.section("env", "env", (8, 8));
            }
            *made += &format!("{line}\n{PULL_POLICY}");
        } else if line.starts_with("      serviceAccountName: ") {
            *made += &self.included("pod", 6);
            if !self.has_spread {
                *made += &self.section("topologySpreadConstraints", "spread", (6, 6));
            }
            *made += &format!("{line}\n");
        } else if let Some(replicas) = line.strip_prefix("  replicas: ") {
            *made += &format!(
                "  replicas: {{{{ include \"portolan.replicas\" (list $ \"{component}\" {replicas}) }}}}\n"
            );
        } else {
            *made += &format!("{line}\n");
        }
    }

    /// Adds a value at the beginning of a section.
    fn extended(&self, line: &str, value: (&str, usize), made: &mut String) {
        *made += &format!("{line}\n{}", self.included(value.0, value.1));
    }

    /// Adds a value after the list of a section.
    fn ended(
        &self,
        line: &str,
        rest: &mut Peekable<Lines<'_>>,
        value: (&str, usize),
        made: &mut String,
    ) {
        *made += &format!("{line}\n");
        while let Some(next) = rest.next_if(|next| is_in_list(next)) {
            *made += &format!("{next}\n");
        }
        *made += &self.included(value.0, value.1);
    }

    /// Makes a section replaceable by a value with the same name.
    fn replaceable(&self, line: &str, rest: &mut Peekable<Lines<'_>>, made: &mut String) {
        let indent = line.len() - line.trim_start().len();
        let (value, inner) = match indent {
            8 => ("resources", 10),
            _ => ("spread", 6),
        };
        let included = self.include(value);
        *made += &format!("{line}\n{{{{- with {included} }}}}\n");
        *made += &format!(
            "{}{{{{- . | nindent {inner} }}}}\n{{{{- else }}}}\n",
            " ".repeat(inner)
        );
        let is_inside = |next: &&str| {
            let content = next.trim_start();
            let spaces = next.len() - content.len();
            spaces > indent || (spaces == indent && content.starts_with("- "))
        };
        while let Some(next) = rest.next_if(is_inside) {
            *made += &format!("{next}\n");
        }
        *made += END;
    }

    /// Returns a field that exists only if the user sets its value. `indents` are the indentations
    /// of the field and of the value.
    fn section(&self, field: &str, value: &str, indents: (usize, usize)) -> String {
        let (spaces, inner) = (" ".repeat(indents.0), indents.1);
        let included = self.include(value);
        format!(
            "{{{{- with {included} }}}}\n{spaces}{field}:\n{spaces}{{{{- . | nindent {inner} }}}}\n{END}"
        )
    }

    fn included(&self, value: &str, indent: usize) -> String {
        let included = self.include(value);
        format!("{{{{- with {included} }}}}{{{{- . | nindent {indent} }}}}{{{{- end }}}}\n")
    }

    fn include(&self, value: &str) -> String {
        format!(
            "include \"portolan.{value}\" (list $ \"{}\")",
            self.component
        )
    }
}

const END: &str = "{{- end }}\n";

const PULL_POLICY: &str =
    "{{- with $.Values.image.pullPolicy }}\n        imagePullPolicy: {{ . }}\n{{- end }}\n";

/// Returns true for a line that belongs to a list of a container, or to a condition in such a list.
fn is_in_list(line: &str) -> bool {
    line.starts_with("        - ") || line.starts_with("          ") || line.starts_with("{{")
}

fn component(text: &str) -> &str {
    let mut lines = text.lines();
    let component = lines.find_map(|line| line.strip_prefix("    app.kubernetes.io/component: "));
    component.expect("a Deployment has a component")
}
