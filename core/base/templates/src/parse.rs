//! Parses the text of a template into a tree.

mod cursor;
mod pipeline;

use std::collections::{BTreeMap, BTreeSet};

use crate::fault::TemplateFault;
use crate::lex::{Kind, Token, lex};
use crate::quote::unquoted;
use crate::tree::{Branch, Invocation, Node, is_blank};

/// The maximum nesting depth of a tree, because functions that process the tree are recursive.
const DEEPEST: usize = 100;

/// A parsed template, with the named templates that it defines.
#[derive(Debug)]
pub(crate) struct Template<'a> {
    pub(crate) text: &'a str,
    pub(crate) root: Vec<Node>,
    pub(crate) defined: BTreeMap<String, Vec<Node>>,
}

/// # Errors
/// Returns the first error.
pub(crate) fn parse<'a>(
    text: &'a str,
    is_function: fn(&str) -> bool,
) -> Result<Template<'a>, TemplateFault> {
    let mut parser = Parser {
        tokens: lex(text),
        next: 0,
        seen: 0,
        variables: vec!["$".to_owned()],
        ranges: 0,
        depth: 0,
        action_line: None,
        defined: BTreeMap::new(),
        blank: BTreeSet::new(),
        is_function,
    };
    let root = parser.file()?;
    Ok(Template {
        text,
        root,
        defined: parser.defined,
    })
}

struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    next: usize,
    /// The index of the last token that was read. An error has the line of this token.
    seen: usize,
    variables: Vec<String>,
    /// The number of loops around the current position.
    ranges: usize,
    depth: usize,
    action_line: Option<u32>,
    defined: BTreeMap<String, Vec<Node>>,
    blank: BTreeSet<String>,
    is_function: fn(&str) -> bool,
}

/// The action that ends a list of nodes, such as `{{end}}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    End,
    Else,
    /// `{{else if` or `{{else with`. The word after `else` is not read yet.
    ElseWith,
}

enum Item {
    Node(Node),
    Ending(Ending),
    /// A comment or a `define`, which adds no node.
    Nothing,
}

// === impl Ending ===

impl Ending {
    fn text(self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else | Self::ElseWith => "{{else}}",
        }
    }
}

// === impl Parser ===

impl<'a> Parser<'a> {
    fn file(&mut self) -> Result<Vec<Node>, TemplateFault> {
        let mut nodes = Vec::new();
        while self.peek().kind != Kind::End {
            if self.is_definition() {
                self.definition()?;
                continue;
            }
            match self.item()? {
                Item::Node(node) => nodes.push(node),
                Item::Ending(ending) => return self.fail(format!("unexpected {}", ending.text())),
                Item::Nothing => {}
            }
        }
        Ok(nodes)
    }

    /// Returns true if the next action is a `define`. It is valid only outside other actions.
    fn is_definition(&mut self) -> bool {
        let is_open = self.peek().kind == Kind::Open;
        let mut word = self.tokens[self.next..].iter().skip(1);
        let word = word.find(|token| token.kind != Kind::Space);
        is_open && word.is_some_and(|token| token.text == "define")
    }

    fn definition(&mut self) -> Result<(), TemplateFault> {
        const CONTEXT: &str = "define clause";
        self.take();
        self.take_word();
        let name = self.take_word();
        let name = self.template_name(&name, CONTEXT)?;
        self.expect(&Kind::Close, CONTEXT)?;
        self.define(name, CONTEXT)
    }

    /// Parses the body of a named template. The body cannot use the variables or end the loops
    /// outside it.
    fn define(&mut self, name: String, context: &str) -> Result<(), TemplateFault> {
        let variables = std::mem::replace(&mut self.variables, vec!["$".to_owned()]);
        let ranges = std::mem::take(&mut self.ranges);
        let (body, ending) = self.list()?;
        if ending != Ending::End {
            return self.fail(format!("unexpected {} in {context}", ending.text()));
        }
        self.variables = variables;
        self.ranges = ranges;
        let is_replaced = self.defined.contains_key(&name) && !self.blank.contains(&name);
        if is_replaced && !is_blank(&body) {
            let message = format!("template: multiple definition of template {name:?}");
            return self.fail(message);
        }
        if !is_replaced {
            if is_blank(&body) {
                self.blank.insert(name.clone());
            } else {
                self.blank.remove(&name);
            }
            self.defined.insert(name, body);
        }
        Ok(())
    }

    fn list(&mut self) -> Result<(Vec<Node>, Ending), TemplateFault> {
        self.deeper()?;
        let mut nodes = Vec::new();
        while self.peek_word().kind != Kind::End {
            match self.item()? {
                Item::Node(node) => nodes.push(node),
                Item::Ending(ending) => {
                    self.depth -= 1;
                    return Ok((nodes, ending));
                }
                Item::Nothing => {}
            }
        }
        self.fail("unexpected EOF")
    }

    fn deeper(&mut self) -> Result<(), TemplateFault> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return self.fail(format!("it is nested more than {DEEPEST} deep"));
        }
        Ok(())
    }

    fn item(&mut self) -> Result<Item, TemplateFault> {
        let token = self.take_word();
        if token.kind == Kind::Text {
            return Ok(Item::Node(Node::Text(token.text.to_owned())));
        }
        if token.kind == Kind::Comment {
            return Ok(Item::Nothing);
        }
        if token.kind != Kind::Open {
            return self.unexpected(&token, "input");
        }
        self.action_line = Some(token.line);
        let item = self.action()?;
        self.action_line = None;
        Ok(item)
    }

    fn action(&mut self) -> Result<Item, TemplateFault> {
        let word = self.peek_word();
        if word.kind != Kind::Keyword || word.text == "nil" {
            let pipe = self.pipe("command", &Kind::Close)?;
            return Ok(Item::Node(Node::Action(pipe)));
        }
        self.take_word();
        Ok(Item::Node(match word.text {
            "if" => Node::If(self.branch("if")?),
            "with" => Node::With(self.branch("with")?),
            "range" => Node::Range(self.branch("range")?),
            "template" => Node::Template(self.invocation()?),
            "block" => Node::Template(self.block()?),
            "break" => self.jump("break", Node::Break)?,
            "continue" => self.jump("continue", Node::Continue)?,
            "else" => return self.otherwise(),
            "end" => {
                self.expect(&Kind::Close, "end")?;
                return Ok(Item::Ending(Ending::End));
            }
            // A `define` inside another action is invalid.
            _ => return self.unexpected(&word, "command"),
        }))
    }

    fn jump(&mut self, name: &str, node: Node) -> Result<Node, TemplateFault> {
        self.expect(&Kind::Close, &format!("{{{{{name}}}}}"))?;
        if self.ranges == 0 {
            return self.fail(format!("{{{{{name}}}}} outside {{{{range}}}}"));
        }
        Ok(node)
    }

    fn otherwise(&mut self) -> Result<Item, TemplateFault> {
        if matches!(self.peek_word().text, "if" | "with") {
            return Ok(Item::Ending(Ending::ElseWith));
        }
        self.expect(&Kind::Close, "else")?;
        Ok(Item::Ending(Ending::Else))
    }

    fn branch(&mut self, word: &str) -> Result<Branch, TemplateFault> {
        let variables = self.variables.len();
        let pipe = self.pipe(word, &Kind::Close)?;
        let is_loop = usize::from(word == "range");
        self.ranges += is_loop;
        let (body, ending) = self.list()?;
        self.ranges -= is_loop;
        let otherwise = match ending {
            Ending::End => Vec::new(),
            Ending::ElseWith if self.peek_word().text == word => {
                self.take_word();
                self.deeper()?;
                let branch = self.branch(word)?;
                self.depth -= 1;
                vec![match word {
                    "if" => Node::If(branch),
                    _ => Node::With(branch),
                }]
            }
            Ending::Else | Ending::ElseWith => {
                let (otherwise, ending) = self.list()?;
                if ending != Ending::End {
                    return self.fail(format!("expected end; found {}", ending.text()));
                }
                otherwise
            }
        };
        self.variables.truncate(variables);
        Ok(Branch {
            pipe,
            body,
            otherwise,
        })
    }

    fn invocation(&mut self) -> Result<Invocation, TemplateFault> {
        const CONTEXT: &str = "template clause";
        let token = self.take_word();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = if self.peek_word().kind == Kind::Close {
            self.take_word();
            None
        } else {
            Some(self.pipe(CONTEXT, &Kind::Close)?)
        };
        Ok(Invocation {
            at: token.at,
            name,
            pipe,
        })
    }

    fn block(&mut self) -> Result<Invocation, TemplateFault> {
        const CONTEXT: &str = "block clause";
        let token = self.take_word();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = Some(self.pipe(CONTEXT, &Kind::Close)?);
        self.define(name.clone(), CONTEXT)?;
        Ok(Invocation {
            at: token.at,
            name,
            pipe,
        })
    }

    fn template_name(&mut self, token: &Token<'a>, context: &str) -> Result<String, TemplateFault> {
        if !matches!(token.kind, Kind::String | Kind::RawString) {
            return self.unexpected(token, context);
        }
        match unquoted(token.text) {
            Some(name) => Ok(String::from_utf8_lossy(&name).into_owned()),
            None => self.fail("invalid syntax"),
        }
    }
}
