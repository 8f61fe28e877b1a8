//! Tests of `portolan man`: the man pages for release archives.

use std::collections::BTreeSet;
use std::fs;

use portolan_kit::TempFolder;

use crate::program::{portolan, run, transcript};

#[test]
fn each_visible_command_has_a_man_page() {
    let folder = TempFolder::empty();
    let output = run(portolan("man").arg(folder.join("man1")));
    assert!(output.status.success(), "{output:?}");
    let files = fs::read_dir(folder.join("man1")).expect("the folder of the pages");
    let names = files.map(|file| file.expect("a page").file_name());
    let names: BTreeSet<_> = names
        .map(|name| name.to_string_lossy().into_owned())
        .collect();
    for expected in ["portolan.1", "portolan-path.1", "portolan-plan-status.1"] {
        assert!(
            names.contains(expected),
            "{expected} is missing in {names:?}"
        );
    }
    let hidden = ["portolan-man.1", "portolan-controller.1"];
    assert!(
        hidden.iter().all(|name| !names.contains(*name)),
        "{names:?}"
    );
    let page = fs::read_to_string(folder.join("man1/portolan-path.1")).expect("a page");
    assert!(page.contains(".TH portolan-path 1"), "{page}");
    assert!(page.contains("\\-\\-all\\-channels"), "{page}");
}

#[test]
fn reports_a_folder_that_cannot_be_written() {
    let folder = TempFolder::empty();
    fs::write(folder.join("file"), "").expect("the folder takes a file");
    let text = transcript(portolan("man").arg(folder.join("file/man1")));
    assert!(text.contains("write the man pages"), "{text}");
    assert!(text.ends_with("[exit 3]"), "{text}");
}
