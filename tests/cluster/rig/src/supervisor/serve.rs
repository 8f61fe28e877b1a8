//! The main function of the supervisor: it reserves a folder and ports, carries out orders, and
//! cleans up.

use std::env;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;

use super::children::Children;
use super::enclosure::Enclosure;
use super::wire::{Answer, Order};
use crate::failure::Failure;
use crate::folder::Folder;
use crate::say;

/// Carries out the orders on standard input until it closes. Then ends all processes and removes
/// the folder.
pub(crate) fn supervise(root: &Path, has_node: bool) -> Result<(), Failure> {
    let folder = Folder::claim(root).inspect_err(|failure| answer(&refusal(failure)))?;
    let enclosure = has_node.then(|| Enclosure::raise(&folder)).transpose();
    let enclosure = enclosure.inspect_err(|failure| answer(&refusal(failure)))?;
    let mut children = Children::of(&folder, has_node);
    answer(&Answer::Claimed {
        folder: folder.path().to_owned(),
        first_port: folder.first_port(),
    });
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        answer(&obey(&line, &mut children));
    }
    children.end();
    if let Some(enclosure) = enclosure {
        enclosure.end();
    }
    if let Some(shelf) = env::var_os("PORTOLAN_KEEP_LOGS").filter(|shelf| !shelf.is_empty()) {
        // The folder is removed even if the logs cannot be copied.
        let kept = folder.keep_logs(Path::new(&shelf));
        let _ = kept.inspect_err(|failure| say!("{failure:?}"));
    }
    folder.remove()
}

fn obey(line: &str, children: &mut Children<'_>) -> Answer {
    let order = match serde_json::from_str(line) {
        Ok(order) => order,
        Err(error) => return refusal(&Failure::read("an order")(error)),
    };
    let done = match order {
        Order::Start(process) => children.start(&process),
        Order::Kill { name } => children.kill(&name),
        Order::Terminate { name } => children.terminate(&name),
        Order::Freeze { name } => children.freeze(&name),
        Order::Thaw { name } => children.thaw(&name),
        Order::Look => return ended(children.ended()),
        Order::EndOf { name } => return ended(children.end_of(&name)),
    };
    done.map_or_else(|failure| refusal(&failure), |()| Answer::Done)
}

fn ended(end: Option<(String, String)>) -> Answer {
    end.map_or(Answer::Done, |(name, status)| Answer::Ended {
        name,
        status,
    })
}

fn refusal(failure: &Failure) -> Answer {
    Answer::Refused {
        message: format!("{failure:?}"),
    }
}

/// Writes a response to standard output. Ignores an error, because a test that has ended reads no
/// responses.
fn answer(answer: &Answer) {
    if let Ok(line) = serde_json::to_string(answer) {
        let mut out = io::stdout().lock();
        let _ = writeln!(out, "{line}");
        let _ = out.flush();
    }
}
