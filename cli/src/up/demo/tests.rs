use std::collections::BTreeMap;
use std::path::Path;

use super::*;

fn files(root: &Path, folder: &Path, all: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files(root, &path, all);
            continue;
        }
        let name = path.strip_prefix(root).expect("a path of the folder");
        let text = fs::read_to_string(&path).expect("a text");
        all.insert(name.display().to_string(), text);
    }
}

#[test]
fn copy_contains_every_file_and_is_removed_on_drop() {
    let demo = Demo::open().expect("a sample world");
    assert!(
        demo.is_copy,
        "tests run in the folder of the crate, which has no sample world"
    );
    let (mut copy, mut repository) = (BTreeMap::new(), BTreeMap::new());
    files(demo.folder(), demo.folder(), &mut copy);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/demo");
    files(&root, &root, &mut repository);
    assert_eq!(copy, repository);
    let folder = demo.folder().to_owned();
    drop(demo);
    assert!(!folder.exists());
}
