//! Writes the Rust of the contracts: `cargo run --example generate`.
//!
//! Reads `proto/portolan/**.proto` and writes `proto/src/gen`: messages and services, their JSON
//! form, and the descriptor set that reflection serves. Of `proto/operators`, the contracts of
//! others, it writes messages and services alone. No protoc is needed. The output is checked in, so
//! that nobody who builds the workspace has to run this.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use prost::Message;
use prost_types::FileDescriptorSet;
use protox::Compiler;

fn main() -> Result<()> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR"));
    let out = proto.join("src/gen");
    fs::create_dir_all(&out).with_context(|| format!("create {}", out.display()))?;
    write_ours(proto, &out)?;
    write_theirs(&proto.join("operators"), &out)
}

fn write_ours(proto: &Path, out: &Path) -> Result<()> {
    let with_comments = compile(proto, &proto.join("portolan"))?;
    tonic_prost_build::configure()
        .out_dir(out)
        .compile_fds(with_comments.clone())
        .context("write messages and services")?;

    let mut bare = with_comments;
    bare.file
        .iter_mut()
        .for_each(|file| file.source_code_info = None);
    let descriptors = bare.encode_to_vec();
    write(&out.join("descriptors.binpb"), &descriptors)?;

    let json = pbjson_build::Builder::new()
        .register_descriptors(&descriptors)?
        .emit_fields()
        .generate(&[".portolan"], |_| Ok(Vec::new()))
        .context("make the JSON form")?;
    for (package, text) in json {
        write(&out.join(format!("{package}.serde.rs")), &text)?;
    }
    Ok(())
}

/// Leaves a file alone that has this content: what is written is built again, with all that needs it.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|before| before == content) {
        return Ok(());
    }
    fs::write(path, content).with_context(|| format!("write {}", path.display()))
}

/// Values that may be megabytes stay in the buffer that they came in.
fn write_theirs(folder: &Path, out: &Path) -> Result<()> {
    tonic_prost_build::configure()
        .out_dir(out)
        .bytes(".")
        .compile_fds(compile(folder, folder)?)
        .context("write the messages and services of others")
}

/// The descriptors of all contracts below `folder`, which name each other by their way from `root`.
fn compile(root: &Path, folder: &Path) -> Result<FileDescriptorSet> {
    let mut compiler = Compiler::new([root])?;
    compiler
        .include_source_info(true)
        .include_imports(true)
        .open_files(sources(folder)?)?;
    Ok(compiler.file_descriptor_set())
}

/// All `.proto` files below `folder`, in the order of their paths.
fn sources(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(sources(&path)?);
        } else if path
            .extension()
            .is_some_and(|extension| extension == "proto")
        {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
