//! Writes the page with all commands. The page describes an option only once if several commands
//! have it.

use super::parse::{Entry, Help};

const ABOUT: &str = "# Commands

This page is generated from `--help`, which prints the complete help of a command. `-h` prints a summary. The kubectl plugin
has [the same commands](kubectl.md). Every command accepts the [common options](#common-options). Other options that several
commands share are listed once, under [shared options](#shared-options).
";

const COMMON: Group = Group {
    name: "Common options",
    about: "Every command accepts these options.",
    of: "",
    flags: &["--color", "--help", "--log", "--log-format"],
};

/// The groups of options that several commands share. The section of a command links to a group if
/// the command has all options of the group with the same descriptions.
const GROUPS: [Group; 19] = [
    Group {
        name: "Namespaces",
        about: "The namespaces to query.",
        of: "health",
        flags: &["--namespace", "--all-namespaces"],
    },
    Group {
        name: "Output",
        about: "The output format.",
        of: "packages",
        flags: &["--output"],
    },
    Group {
        name: "Watch",
        about: "Print the output once, or after each change.",
        of: "review",
        flags: &["--watch"],
    },
    Group {
        name: "Manifests",
        about: "Manifests to read instead of a cluster.",
        of: "installed",
        flags: &["--world"],
    },
    Group {
        name: "Catalog",
        about: "The catalog to search.",
        of: "packages",
        flags: &["--in"],
    },
    Group {
        name: "Bundles",
        about: "The folder from which the files of bundles are read.",
        of: "upgrades",
        flags: &["--bundles"],
    },
    Group {
        name: "Policies",
        about: "Default decisions if no policy decides.",
        of: "explain",
        flags: &["--unbound", "--broken"],
    },
    Group {
        name: "Catalogs",
        about: "The source of catalogs. Use one of these options. Default: the cluster of the kubeconfig.",
        of: "packages",
        flags: &["--catalog", "--world", "--server"],
    },
    Group {
        name: "Server",
        about: "The connection to the server that `--server` names.",
        of: "packages",
        flags: &["--ca", "--token-file", "--server-name"],
    },
    Group {
        name: "Cluster",
        about: "The cluster to connect to, and the user to connect as.",
        of: "packages",
        flags: &["--kubeconfig", "--context", "--as", "--as-group"],
    },
    Group {
        name: "Catalogs of a cluster",
        about: "Options for reading the catalogs of a cluster.",
        of: "packages",
        flags: &["--catalogd-ca", "--pull-catalogs"],
    },
    Group {
        name: "Images",
        about: "Options for pulling images.",
        of: "packages",
        flags: &[
            "--registries",
            "--mirror",
            "--registry-auth",
            "--registry-ca",
            "--plain-http",
            "--cache",
            "--cache-limit",
        ],
    },
    Group {
        name: "Installed bundle",
        about: "The installed bundle, and the channels to search for upgrades.",
        of: "upgrades",
        flags: &[
            "--from",
            "--installed-version",
            "--channel",
            "--all-channels",
            "--changes",
        ],
    },
    Group {
        name: "Version",
        about: "The version of the package in the command.",
        of: "resolve",
        flags: &["--version"],
    },
    Group {
        name: "Settings of an Operator",
        about: "The fields of the Operator to write, and options for writing.",
        of: "create",
        flags: &[
            "--channel",
            "--catalog",
            "--approval",
            "--config",
            "--watch-namespace",
            "--dry-run",
            "--wait",
            "--timeout",
            "--output",
        ],
    },
    Group {
        name: "World",
        about: "Manifests that the server reads instead of a cluster.",
        of: "serve health",
        flags: &["--world"],
    },
    Group {
        name: "Probes",
        about: "The address of probes and metrics.",
        of: "serve webhook",
        flags: &["--probes-listen"],
    },
    Group {
        name: "Serving",
        about: "The address and the limits of a gRPC server.",
        of: "serve resolver",
        flags: &[
            "--listen",
            "--max-message-bytes",
            "--max-concurrent-calls",
            "--call-timeout",
            "--max-connections",
            "--max-connection-age",
            "--drain-timeout",
        ],
    },
    Group {
        name: "Security",
        about: "TLS and authorization of a gRPC server.",
        of: "serve resolver",
        flags: &["--tls", "--authorize"],
    },
];

struct Group {
    name: &'static str,
    about: &'static str,
    /// The command whose help contains the text of these options.
    of: &'static str,
    flags: &'static [&'static str],
}

/// A group of shared options, and the text of its section.
struct Shared {
    group: &'static Group,
    entries: Vec<Entry>,
}

/// Returns the page about these commands. Each command is given by the words after the program
/// name, and by its help.
pub(super) fn page(commands: &[(String, Help)]) -> String {
    let common = Shared::of(&COMMON, commands);
    let shared: Vec<Shared> = GROUPS.iter().map(|it| Shared::of(it, commands)).collect();
    let mut page = ABOUT.to_owned();
    for (words, help) in commands {
        page += &format!("\n## {}\n", format!("portolan {words}").trim_end());
        page += &command(words, help, &common, &shared);
    }
    page += "\n## Shared options\n";
    for it in std::iter::once(&common).chain(&shared) {
        page += &format!("\n### {}\n\n{}\n\n", it.group.name, it.group.about);
        page.extend(it.entries.iter().map(bullet));
    }
    page
}

// === impl Shared ===

impl Shared {
    fn of(group: &'static Group, commands: &[(String, Help)]) -> Self {
        let mut commands = commands.iter();
        let (_, help) = commands
            .find(|(words, _)| words == group.of)
            .expect("the command of a group");
        let entry = |flag: &&str| {
            let mut entries = help.entries();
            let entry = entries.find(|entry| entry.flag() == Some(flag));
            entry.expect("an option of a group").clone()
        };
        let entries = group.flags.iter().map(entry).collect();
        Self { group, entries }
    }

    fn has(&self, entry: &Entry) -> bool {
        self.entries.iter().any(|it| it.is_same(entry))
    }

    /// Returns true if the command has all options of the group.
    fn is_taken_by(&self, help: &Help) -> bool {
        let mut entries = self.entries.iter();
        entries.all(|it| help.entries().any(|entry| entry.is_same(it)))
    }
}

/// Returns the text of the section about a command, without its heading.
fn command(words: &str, help: &Help, common: &Shared, shared: &[Shared]) -> String {
    let taken: Vec<_> = shared.iter().filter(|it| it.is_taken_by(help)).collect();
    let is_own = |entry: &&Entry| !common.has(entry) && !taken.iter().any(|it| it.has(entry));
    let mut text = format!(
        "\n{}\n\n```text\n{}\n```\n",
        escape(&help.about),
        help.usage
    );
    for (index, section) in help.sections.iter().enumerate() {
        let own: Vec<_> = section.entries.iter().filter(is_own).collect();
        if own.is_empty() {
            continue;
        }
        text += &format!("\n{}:\n\n", section.heading);
        if index < help.command_sections().len() {
            text.extend(own.into_iter().map(|entry| link(words, entry)));
        } else {
            text.extend(own.into_iter().map(bullet));
        }
    }
    if !taken.is_empty() {
        let names = taken.iter().map(|it| it.group.name);
        let links = names.map(|name| format!("[{name}](#{})", anchor(name)));
        text += &format!(
            "\nShared options: {}\n",
            links.collect::<Vec<_>>().join(", ")
        );
    }
    if !help.after.is_empty() {
        text += &format!("\n```text\n{}\n```\n", help.after);
    }
    text
}

/// Returns a line with a link to the section about a command.
fn link(words: &str, entry: &Entry) -> String {
    let target = anchor(format!("portolan {words}").trim_end());
    let text = escape(&entry.lines.join(" "));
    format!("- [{0}](#{target}-{0}): {1}\n", entry.name, text.trim_end())
}

/// Returns the list item for an argument or option. Its values are a nested list.
fn bullet(entry: &Entry) -> String {
    let mut text = String::new();
    let mut tags = String::new();
    let mut values: Option<Vec<String>> = None;
    let lines = with_whole_remarks(&entry.lines);
    for line in lines.iter().filter(|line| !line.is_empty()) {
        match (&mut values, tag(line)) {
            (_, Some(tag)) => tags += &tag,
            (None, None) if line == "Possible values:" => values = Some(Vec::new()),
            (None, None) => text += &format!(" {line}"),
            (Some(values), None) => match (line.strip_prefix("- "), values.last_mut()) {
                (None, Some(value)) => *value += &format!(" {line}"),
                (start, _) => values.push(start.unwrap_or(line).to_owned()),
            },
        }
    }
    let end = if text.ends_with(['.', '?', ':']) {
        ""
    } else {
        "."
    };
    let values = values.unwrap_or_default();
    let values: String = values.iter().map(|it| value(it)).collect();
    format!("- `{}`:{}{end}{tags}\n{values}", entry.name, escape(&text))
}

/// Joins the lines of a text in brackets, such as `[default: 3]`, if the help has wrapped them.
fn with_whole_remarks<L: AsRef<str>>(lines: &[L]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for line in lines.iter().map(AsRef::as_ref) {
        match whole.last_mut() {
            Some(last) if last.starts_with('[') && !last.ends_with(']') => {
                *last += &format!(" {line}");
            }
            Some(_) | None => whole.push(line.to_owned()),
        }
    }
    whole
}

/// Parses a text in brackets, such as `[default: 3]`.
fn tag(line: &str) -> Option<String> {
    let (name, value) = line
        .strip_prefix('[')?
        .strip_suffix(']')?
        .split_once(": ")?;
    match name {
        "default" => Some(format!(" Default: `{value}`.")),
        "env" => Some(format!(" Environment: `{}`.", value.trim_end_matches('='))),
        "possible values" => Some(format!(" Values: `{}`.", value.replace(", ", "`, `"))),
        _ => panic!("unknown remark {line}"),
    }
}

fn value(text: &str) -> String {
    let (name, text) = text.split_once(':').unwrap_or((text, ""));
    format!("  - `{name}`: {}\n", escape(text.trim_start()))
}

/// Escapes Markdown markup outside of code.
fn escape(text: &str) -> String {
    let escaped = |(index, part): (usize, &str)| match index % 2 {
        0 => part.replace('<', "\\<").replace('*', "\\*"),
        _ => part.to_owned(),
    };
    let parts = text.split('`').enumerate().map(escaped);
    parts.collect::<Vec<_>>().join("`")
}

fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}
