//! Parses the commands of a remedy. A program can then run or dry-run a command without a shell.

#[cfg(test)]
mod tests;

/// The only shell substitution that the parser supports: the current time in seconds.
const NOW: &str = "$(date +%s)";

/// The verbs of kubectl that support a server-side dry run.
const TRIED: [&str; 8] = [
    "annotate", "apply", "create", "delete", "label", "patch", "replace", "scale",
];

/// A command that can be run without a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Runnable {
    /// A run of kubectl.
    Kubectl(KubectlRun),
    /// A run of the program `portolan`.
    Portolan(PortolanRun),
    /// A pause of this number of seconds.
    Pause(u64),
}

/// A run of the program `portolan`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortolanRun {
    /// The arguments, starting with the subcommand.
    pub arguments: Vec<String>,
}

/// A run of kubectl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubectlRun {
    /// The arguments, starting with the verb.
    pub arguments: Vec<String>,
    /// The file to which the standard output is written. None if the output is not saved.
    pub saved_to: Option<String>,
}

/// A part of a command line: a word, or a redirection into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Word(String),
    Into,
}

// === impl Runnable ===

impl Runnable {
    /// Parses one line. Replaces `$(date +%s)` by `now`, which is the time in seconds since 1970.
    /// Returns None for a line that only a shell or another program can run.
    pub fn parse(line: &str, now: i64) -> Option<Self> {
        let tokens = Lexer::new(line, now).tokens()?;
        let end = tokens.iter().position(|token| *token == Token::Into);
        let (words, target) = tokens.split_at(end.unwrap_or(tokens.len()));
        let saved_to = match target {
            [] => None,
            [Token::Into, Token::Word(file)] => Some(file.clone()),
            _ => return None,
        };
        let words = words.iter().filter_map(|token| match token {
            Token::Word(word) => Some(word.clone()),
            Token::Into => None,
        });
        let words: Vec<String> = words.collect();
        match words.split_first()? {
            (program, arguments) if program == "kubectl" && !arguments.is_empty() => {
                Some(Self::Kubectl(KubectlRun {
                    arguments: arguments.to_vec(),
                    saved_to,
                }))
            }
            (program, arguments)
                if program == "portolan" && !arguments.is_empty() && saved_to.is_none() =>
            {
                let arguments = arguments.to_vec();
                Some(Self::Portolan(PortolanRun { arguments }))
            }
            (program, [seconds]) if program == "sleep" && saved_to.is_none() => {
                seconds.parse().ok().map(Self::Pause)
            }
            _ => None,
        }
    }
}

// === impl PortolanRun ===

impl PortolanRun {
    /// Returns the command as a server-side dry run. Returns None if the command does not support
    /// dry runs.
    pub fn dry_run(&self) -> Option<Self> {
        let is_tried = self.arguments.first().is_some_and(|word| word == "install");
        let flag = "--dry-run".to_owned();
        is_tried.then(|| Self {
            arguments: self.arguments.iter().cloned().chain([flag]).collect(),
        })
    }
}

// === impl KubectlRun ===

impl KubectlRun {
    /// Returns the kubectl run that applies a manifest from standard input.
    pub fn apply() -> Self {
        Self {
            arguments: ["apply", "-f", "-"].map(str::to_owned).to_vec(),
            saved_to: None,
        }
    }

    /// Returns the verb of kubectl, such as `patch`.
    pub fn verb(&self) -> &str {
        self.arguments.first().map_or("", String::as_str)
    }

    /// Returns the command as a server-side dry run. Returns None if the verb does not support dry
    /// runs, or if the output is saved to a file.
    pub fn dry_run(&self) -> Option<Self> {
        let is_tried = TRIED.contains(&self.verb()) && self.saved_to.is_none();
        let flag = "--dry-run=server".to_owned();
        is_tried.then(|| Self {
            arguments: self.arguments.iter().cloned().chain([flag]).collect(),
            saved_to: None,
        })
    }
}

/// Splits a line into tokens in the same way as a shell does.
struct Lexer<'a> {
    rest: &'a str,
    now: i64,
    tokens: Vec<Token>,
    /// The current word. None between two words.
    word: Option<String>,
}

// === impl Lexer ===

impl<'a> Lexer<'a> {
    fn new(line: &'a str, now: i64) -> Self {
        Self {
            rest: line,
            now,
            tokens: Vec::new(),
            word: None,
        }
    }

    /// Returns the tokens of the line. Returns None if a shell would also change or interpret
    /// words, for example `$HOME` or `|`.
    fn tokens(mut self) -> Option<Vec<Token>> {
        while let Some(next) = self.rest.chars().next() {
            self.rest = &self.rest[next.len_utf8()..];
            match next {
                ' ' => self.end_word(),
                '>' if self.word.is_none() => self.tokens.push(Token::Into),
                '\'' => self.single_quoted()?,
                '"' => self.double_quoted()?,
                '\\' => self.escaped()?,
                plain if is_plain(plain) => self.push(plain.encode_utf8(&mut [0; 4])),
                _ => return None,
            }
        }
        self.end_word();
        Some(self.tokens)
    }

    fn push(&mut self, text: &str) {
        self.word.get_or_insert_default().push_str(text);
    }

    fn end_word(&mut self) {
        self.tokens.extend(self.word.take().map(Token::Word));
    }

    fn single_quoted(&mut self) -> Option<()> {
        let (text, rest) = self.rest.split_once('\'')?;
        self.push(text);
        self.rest = rest;
        Some(())
    }

    fn double_quoted(&mut self) -> Option<()> {
        let (text, rest) = self.rest.split_once('"')?;
        let text = text.replace(NOW, &self.now.to_string());
        let is_literal = !text.contains(['$', '`', '\\']);
        self.push(&text);
        self.rest = rest;
        is_literal.then_some(())
    }

    fn escaped(&mut self) -> Option<()> {
        let next = self.rest.chars().next()?;
        self.rest = &self.rest[next.len_utf8()..];
        self.push(next.encode_utf8(&mut [0; 4]));
        Some(())
    }
}

/// Returns true if a shell does not interpret the character.
fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || "-._/:=,@%+".contains(character)
}
