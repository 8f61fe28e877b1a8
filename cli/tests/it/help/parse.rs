//! Parses the output of `--help`.

/// The help of one command.
pub(super) struct Help {
    /// The paragraphs before the usage.
    pub(super) about: String,
    pub(super) usage: String,
    pub(super) sections: Vec<Section>,
    /// The text after the options: exit codes and examples, unchanged.
    pub(super) after: String,
}

/// A section of the help: a heading, and a list of commands, arguments or options.
pub(super) struct Section {
    pub(super) heading: String,
    pub(super) entries: Vec<Entry>,
}

/// A command, an argument or an option in a section.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    /// The name with its values, such as `-o, --output <FORM>`.
    pub(super) name: String,
    pub(super) lines: Vec<String>,
}

// === impl Help ===

impl Help {
    pub(super) fn parse(text: &str) -> Self {
        let (about, rest) = text.split_once("Usage: ").expect("a usage");
        let (rest, after) = match rest.find("\nExit codes:\n") {
            Some(start) => rest.split_at(start),
            None => (rest, ""),
        };
        let (usage, rest) = rest.split_once("\n\n").unwrap_or((rest, ""));
        Self {
            about: about.trim().to_owned(),
            usage: format!("Usage: {}", usage.trim_end()),
            sections: sections(rest),
            after: after.trim().to_owned(),
        }
    }

    /// Returns the sections that list commands. They come before all other sections.
    pub(super) fn command_sections(&self) -> &[Section] {
        let mut sections = self.sections.iter();
        let end = sections.position(|section| !section.has_commands());
        &self.sections[..end.unwrap_or(self.sections.len())]
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.sections.iter().flat_map(|section| &section.entries)
    }

    /// Returns the names of the subcommands.
    pub(super) fn commands(&self) -> impl Iterator<Item = &str> {
        let commands = self.command_sections();
        commands
            .iter()
            .flat_map(|section| &section.entries)
            .map(|entry| entry.name.as_str())
    }
}

// === impl Section ===

impl Section {
    /// Returns true if the section lists commands. The names of commands contain no dashes at the
    /// beginning and no brackets.
    fn has_commands(&self) -> bool {
        let mut names = self.entries.iter().map(|entry| &entry.name);
        names.all(|name| name.starts_with(|it: char| it.is_ascii_alphabetic()))
    }
}

fn sections(text: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        if indent == 0 && !line.is_empty() {
            let heading = line.trim_end_matches(':').to_owned();
            let entries = Vec::new();
            sections.push(Section { heading, entries });
            continue;
        }
        let entries = &mut sections.last_mut().expect("a heading").entries;
        match entries.last_mut() {
            Some(entry) if indent > 6 || line.is_empty() => entry.lines.push(words.to_owned()),
            _ => entries.push(Entry::start(words)),
        }
    }
    sections
}

// === impl Entry ===

impl Entry {
    fn start(words: &str) -> Self {
        let (name, text) = words.split_once("  ").unwrap_or((words, ""));
        Self {
            name: name.to_owned(),
            lines: vec![text.trim_start().to_owned()],
        }
    }

    /// Returns the long name of an option, with the leading dashes.
    pub(super) fn flag(&self) -> Option<&str> {
        flag(&self.name)
    }

    /// Returns true if both entries have the same text. Their positions in lists can differ.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let lines = |entry: &Self| -> Vec<_> {
            let lines = entry.lines.iter().filter(|line| !line.is_empty());
            lines.cloned().collect()
        };
        self.name == other.name && lines(self) == lines(other)
    }
}

/// Returns the first word that starts with two dashes.
pub(super) fn flag(text: &str) -> Option<&str> {
    let mut words = text.split([' ', ',', '=', '[', '`']);
    words.find(|word| word.starts_with("--"))
}
