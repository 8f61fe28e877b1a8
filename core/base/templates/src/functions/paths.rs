//! The functions for paths with slashes, such as paths of files and images. They do not access the
//! file system.

use super::{Function, Kind, Ran, made, string};
use crate::host::Host;
use crate::value::Value;

const TEXT: &[Kind] = &[Kind::Text];

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("base", TEXT, base),
    Function::new("osBase", TEXT, base),
    Function::new("dir", TEXT, dir),
    Function::new("osDir", TEXT, dir),
    Function::new("clean", TEXT, |host, values| {
        made(host, cleaned(&string(&values[0])))
    }),
    Function::new("osClean", TEXT, |host, values| {
        made(host, cleaned(&string(&values[0])))
    }),
    Function::new("ext", TEXT, ext),
    Function::new("osExt", TEXT, ext),
    Function::new("isAbs", TEXT, is_absolute),
    Function::new("osIsAbs", TEXT, is_absolute),
];

fn base(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let path = string(&values[0]);
    if path.is_empty() {
        return Ok(".".into());
    }
    let path = path.trim_end_matches('/');
    let last = path.rsplit('/').next().filter(|last| !last.is_empty());
    Ok(last.unwrap_or("/").into())
}

fn dir(host: &mut Host<'_>, values: &[Value]) -> Ran {
    let path = string(&values[0]);
    let end = path.rfind('/').map_or(0, |at| at + 1);
    made(host, cleaned(&path[..end]))
}

fn ext(_: &mut Host<'_>, values: &[Value]) -> Ran {
    let path = string(&values[0]);
    let last = path.rsplit('/').next().unwrap_or_default();
    Ok(last.rfind('.').map_or("", |at| &last[at..]).into())
}

fn is_absolute(_: &mut Host<'_>, values: &[Value]) -> Ran {
    Ok(string(&values[0]).starts_with('/').into())
}

/// Returns the path without `.`, `..` and double slashes.
fn cleaned(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut steps = Vec::new();
    for step in path.split('/') {
        match (step, steps.last()) {
            ("" | ".", _) => {}
            ("..", None) if is_absolute => {}
            ("..", Some(&before)) if before != ".." => {
                steps.pop();
            }
            (step, _) => steps.push(step),
        }
    }
    let joined = steps.join("/");
    match (is_absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_owned(),
        (false, false) => joined,
    }
}
