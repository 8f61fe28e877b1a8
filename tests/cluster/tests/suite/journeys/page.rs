//! The page of a tutorial: the files that the reader saves, and the commands that the reader types.

use std::fs;
use std::path::{Path, PathBuf};

use portolan_kit::blocks::{Block, Command, blocks, commands};
use portolan_rig::Failure;

use super::reader::{Reader, is_rewriting};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/tutorials");

/// The languages of code blocks that are not run, unless the block has a file name.
const READ: [&str; 3] = ["text", "yaml", "mermaid"];

/// Follows a tutorial from its beginning to its end. Fails if the output of a command differs from
/// the page.
pub(crate) async fn follow(name: &str, mut reader: Reader) -> Result<(), Failure> {
    let path = PathBuf::from(FOLDER).join(name);
    let text = read(name)?;
    let source: Vec<_> = text.lines().collect();
    let (mut walk, mut copied) = (Walk::default(), 0);
    for block in blocks(&text) {
        walk.copies(&source[copied..block.line]);
        copied = block.line + block.lines.len();
        match (block.language, file(&block)) {
            ("console", _) => walk.types(name, &block, &mut reader).await?,
            (_, Some(file)) => {
                reader.saves(file, &block.lines)?;
                walk.copies(&block.lines);
            }
            (language, None) => {
                let line = block.line;
                assert!(READ.contains(&language), "{name}:{line}: write `console`");
                walk.copies(&block.lines);
            }
        }
    }
    walk.copies(&source[copied..]);
    walk.ends(&path)
}

/// Returns the text of a page.
pub(super) fn read(name: &str) -> Result<String, Failure> {
    let path = PathBuf::from(FOLDER).join(name);
    fs::read_to_string(path).map_err(Failure::touch("read a tutorial"))
}

/// The text of the page with the actual output, and the differences so far.
#[derive(Default)]
struct Walk {
    lines: Vec<String>,
    differences: String,
}

// === impl Walk ===

impl Walk {
    fn copies<L: AsRef<str>>(&mut self, lines: &[L]) {
        let lines = lines.iter().map(|line| line.as_ref().to_owned());
        self.lines.extend(lines);
    }

    async fn types(
        &mut self,
        page: &str,
        block: &Block<'_>,
        reader: &mut Reader,
    ) -> Result<(), Failure> {
        for command in commands(block) {
            let printed = reader.types(&command).await?;
            self.lines.push(format!("$ {}", command.typed));
            match printed {
                None => self.copies(&command.shown),
                Some(printed) => {
                    self.differences += &difference(page, block, &command, &printed);
                    self.copies(&printed.lines().collect::<Vec<_>>());
                }
            }
            let differences = &self.differences;
            assert!(differences.is_empty() || is_rewriting(), "{differences}");
        }
        Ok(())
    }

    fn ends(self, path: &Path) -> Result<(), Failure> {
        if self.differences.is_empty() {
            return Ok(());
        }
        println!("{}", self.differences);
        fs::write(path, self.lines.join("\n") + "\n").map_err(Failure::touch("write a tutorial"))
    }
}

/// Returns the file name of a code block. It is in a comment in the first line of the block.
fn file<'a>(block: &Block<'a>) -> Option<&'a str> {
    let path = block.lines.first()?.strip_prefix("# ")?;
    let is_path = path.contains('.') && !path.contains(' ');
    (block.language == "yaml" && is_path).then_some(path)
}

fn difference(page: &str, block: &Block<'_>, command: &Command, printed: &str) -> String {
    format!(
        "{page}, block at line {}: `{}` shows\n{}\nand printed\n{printed}\n",
        block.line,
        command.typed,
        command.shown.join("\n"),
    )
}
