//! Splits the text of a template into tokens, as Go's text/template does.

mod token;

pub(crate) use token::{Kind, Token};

const OPEN: &str = "{{";
const CLOSE: &str = "}}";
const KEYWORDS: &[&str] = &[
    "block", "break", "continue", "define", "else", "end", "if", "nil", "range", "template", "with",
];

/// Returns all tokens. The last token is the end of the text or an error.
pub(crate) fn lex(text: &str) -> Vec<Token<'_>> {
    let mut lexer = Lexer {
        text,
        at: 0,
        start: 0,
        line: 1,
        parens: 0,
        tokens: Vec::new(),
    };
    if let Err(error) = lexer.run() {
        lexer.push(Kind::Error(error));
    }
    lexer.tokens
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    /// The position of the first byte of the current token.
    start: usize,
    line: u32,
    parens: usize,
    tokens: Vec<Token<'a>>,
}

// === impl Lexer ===

impl<'a> Lexer<'a> {
    fn run(&mut self) -> Result<(), String> {
        while let Some(found) = self.rest().find(OPEN) {
            let open = self.at + found;
            let after = open + OPEN.len();
            let trims = trims_left(&self.text[after..]);
            self.at = open;
            if trims {
                self.at = self.start + self.text[self.start..open].trim_end_matches(is_space).len();
            }
            if self.at > self.start {
                self.push(Kind::Text);
            }
            self.at = open;
            self.skip();
            let marker = if trims { 2 } else { 0 };
            if self.text[after + marker..].starts_with("/*") {
                self.at = after + marker;
                self.skip();
                self.comment()?;
            } else {
                self.at = after;
                self.push(Kind::Open);
                self.at += marker;
                self.skip();
                self.action()?;
            }
        }
        self.at = self.text.len();
        if self.at > self.start {
            self.push(Kind::Text);
        }
        self.push(Kind::End);
        Ok(())
    }

    fn comment(&mut self) -> Result<(), String> {
        let Some(end) = self.rest().find("*/") else {
            return Err("unclosed comment".to_owned());
        };
        self.at += end + 2;
        let Some(trims) = self.closes() else {
            return Err("comment ends before closing delimiter".to_owned());
        };
        self.push(Kind::Comment);
        self.close(trims);
        self.skip();
        Ok(())
    }

    fn action(&mut self) -> Result<(), String> {
        self.parens = 0;
        loop {
            if let Some(trims) = self.closes() {
                if self.parens > 0 {
                    return Err("unclosed left paren".to_owned());
                }
                if trims {
                    self.at += 2;
                    self.skip();
                }
                self.at += CLOSE.len();
                self.push(Kind::Close);
                if trims {
                    self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
                    self.skip();
                }
                return Ok(());
            }
            self.token()?;
        }
    }

    fn token(&mut self) -> Result<(), String> {
        let Some(next) = self.next() else {
            return Err("unclosed action".to_owned());
        };
        match next {
            space if is_space(space) => self.space(),
            '=' => self.push(Kind::Assign),
            ':' if self.next() == Some('=') => self.push(Kind::Declare),
            ':' => return Err("expected :=".to_owned()),
            '|' => self.push(Kind::Pipe),
            '"' => self.quoted('"', "quoted string", Kind::String)?,
            '\'' => self.quoted('\'', "character constant", Kind::Char)?,
            '`' => match self.rest().find('`') {
                Some(end) => {
                    self.at += end + 1;
                    self.push(Kind::RawString);
                }
                None => return Err("unterminated raw quoted string".to_owned()),
            },
            '$' => self.named(Kind::Variable, Kind::Variable)?,
            '.' if !self.rest().starts_with(|next: char| next.is_ascii_digit()) => {
                self.named(Kind::Field, Kind::Dot)?;
            }
            '.' | '+' | '-' | '0'..='9' => self.number(next)?,
            '(' => {
                self.parens += 1;
                self.push(Kind::LeftParen);
            }
            ')' => {
                let Some(parens) = self.parens.checked_sub(1) else {
                    return Err("unexpected right paren".to_owned());
                };
                self.parens = parens;
                self.push(Kind::RightParen);
            }
            letter if is_word(letter) => self.word()?,
            sign if sign.is_ascii_graphic() => self.push(Kind::Sign),
            other => {
                return Err(format!(
                    "unrecognized character in action: {}",
                    crate::quote::code_point(other)
                ));
            }
        }
        Ok(())
    }

    /// Reads blanks. The last blank may belong to a trim marker, as in ` -}}`.
    fn space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
        if self.rest().starts_with("-}}") {
            self.at -= self.text[..self.at]
                .chars()
                .next_back()
                .map_or(0, char::len_utf8);
        }
        if self.at > self.start {
            self.push(Kind::Space);
        }
    }

    fn quoted(&mut self, quote: char, name: &str, kind: Kind) -> Result<(), String> {
        loop {
            let next = match self.next() {
                Some('\\') => self.next().filter(|next| *next != '\n').map(|_| '\\'),
                next => next,
            };
            match next {
                None | Some('\n') => return Err(format!("unterminated {name}")),
                Some(end) if end == quote => {
                    self.push(kind);
                    return Ok(());
                }
                Some(_) => {}
            }
        }
    }

    /// Reads a field or a variable. If there is no name after the first character, the token has
    /// the kind `alone`.
    fn named(&mut self, kind: Kind, alone: Kind) -> Result<(), String> {
        if self.is_at_end_of_word() {
            self.push(alone);
            return Ok(());
        }
        self.at = self.text.len() - self.rest().trim_start_matches(is_word).len();
        self.end_of_word()?;
        self.push(kind);
        Ok(())
    }

    fn word(&mut self) -> Result<(), String> {
        self.at = self.text.len() - self.rest().trim_start_matches(is_word).len();
        self.end_of_word()?;
        let word = &self.text[self.start..self.at];
        self.push(match word {
            "true" | "false" => Kind::Bool,
            word if KEYWORDS.contains(&word) => Kind::Keyword,
            _ => Kind::Identifier,
        });
        Ok(())
    }

    fn number(&mut self, first: char) -> Result<(), String> {
        self.at -= first.len_utf8();
        let is_number = self.digits();
        let is_complex = is_number && self.rest().starts_with(['+', '-']);
        let is_good = if is_complex {
            self.digits() && self.text[..self.at].ends_with('i')
        } else {
            is_number
        };
        if !is_good {
            let text = &self.text.as_bytes()[self.start..self.at];
            return Err(format!("bad number syntax: {}", crate::quote::quoted(text)));
        }
        self.push(if is_complex {
            Kind::Complex
        } else {
            Kind::Number
        });
        Ok(())
    }

    fn digits(&mut self) -> bool {
        self.accept("+-");
        let mut digits = "0123456789_";
        if self.accept("0") {
            digits = match self.rest().bytes().next() {
                Some(b'x' | b'X') => "0123456789abcdefABCDEF_",
                Some(b'o' | b'O') => "01234567_",
                Some(b'b' | b'B') => "01_",
                _ => digits,
            };
            self.accept("xXoObB");
        }
        self.accept_all(digits);
        if self.accept(".") {
            self.accept_all(digits);
        }
        let exponent = match digits.len() {
            11 => "eE",
            23 => "pP",
            _ => "",
        };
        if self.accept(exponent) {
            self.accept("+-");
            self.accept_all("0123456789_");
        }
        self.accept("i");
        if self.rest().starts_with(is_word) {
            self.next();
            return false;
        }
        true
    }

    fn accept(&mut self, any: &str) -> bool {
        let is_there = self.rest().starts_with(|next| any.contains(next));
        self.at += usize::from(is_there);
        is_there
    }

    fn accept_all(&mut self, any: &str) {
        while self.accept(any) {}
    }

    fn end_of_word(&self) -> Result<(), String> {
        if self.is_at_end_of_word() {
            return Ok(());
        }
        let next = self.rest().chars().next().unwrap_or_default();
        Err(format!("bad character {}", crate::quote::code_point(next)))
    }

    fn is_at_end_of_word(&self) -> bool {
        let rest = self.rest();
        rest.is_empty()
            || rest.starts_with(is_space)
            || rest.starts_with(['.', ',', '|', ':', ')', '('])
            || rest.starts_with(CLOSE)
    }

    /// Returns true or false at the end of an action, and None elsewhere. The value is true if the
    /// action trims the blanks after it.
    fn closes(&self) -> Option<bool> {
        let rest = self.rest();
        let trims = rest.starts_with(is_space) && rest[1..].starts_with("-}}");
        (trims || rest.starts_with(CLOSE)).then_some(trims)
    }

    fn close(&mut self, trims: bool) {
        self.at += if trims { 2 } else { 0 } + CLOSE.len();
        if trims {
            self.at = self.text.len() - self.rest().trim_start_matches(is_space).len();
        }
    }

    fn next(&mut self) -> Option<char> {
        let next = self.rest().chars().next()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn push(&mut self, kind: Kind) {
        let at = self.start;
        let line = self.line;
        self.skip();
        self.tokens.push(Token {
            kind,
            at,
            line,
            text: &self.text[at..self.start],
        });
    }

    fn skip(&mut self) {
        let skipped = &self.text.as_bytes()[self.start..self.at];
        let lines = skipped.iter().filter(|byte| **byte == b'\n').count();
        self.line += u32::try_from(lines).unwrap_or(u32::MAX);
        self.start = self.at;
    }
}

fn trims_left(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| rest.starts_with(is_space))
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}
