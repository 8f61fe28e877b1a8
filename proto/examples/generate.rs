//! Generates the Rust code of the gRPC APIs: `cargo run --example generate`.
//!
//! Reads `proto/portolan/**.proto` and writes `proto/src/gen`: messages and services, their JSON
//! format, and the descriptor set for reflection. For `proto/operators`, the APIs of other
//! projects, it writes only messages and services. It does not require protoc. The output is
//! checked in, so that building the workspace does not require this program.

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

/// Writes a file if its content changes. A write without a change would cause a rebuild.
fn write(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|before| before == content) {
        return Ok(());
    }
    fs::write(path, content).with_context(|| format!("write {}", path.display()))
}

/// Generates the code for APIs of other projects. `bytes` fields share the received buffer, because
/// their values can have several megabytes.
fn write_theirs(folder: &Path, out: &Path) -> Result<()> {
    tonic_prost_build::configure()
        .out_dir(out)
        .bytes(".")
        .compile_fds(compile(folder, folder)?)
        .context("write the messages and services of others")
}

/// Returns the descriptors of all `.proto` files below `folder`. Imports are relative to `root`.
fn compile(root: &Path, folder: &Path) -> Result<FileDescriptorSet> {
    let mut compiler = Compiler::new([root])?;
    compiler
        .include_source_info(true)
        .include_imports(true)
        .open_files(sources(folder)?)?;
    Ok(compiler.file_descriptor_set())
}

/// Returns all `.proto` files below `folder`, sorted by path.
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
