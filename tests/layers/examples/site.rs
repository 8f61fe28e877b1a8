//! Builds the site of the documentation: `cargo run -p portolan-layers --example site -- FOLDER
//! [REPOSITORY]`. `MDBOOK` is the program mdbook, if it is not in PATH. Fails if a link is broken.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

use portolan_layers::site::{book, broken_links};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn main() -> io::Result<ExitCode> {
    let mut words = env::args().skip(1);
    let Some(folder) = words.next().map(PathBuf::from) else {
        eprintln!("usage: site FOLDER [REPOSITORY]");
        return Ok(ExitCode::from(2));
    };
    let repository = words.next();
    let pages = write(&folder, repository.as_deref())?;
    let mdbook = env::var_os("MDBOOK").unwrap_or_else(|| "mdbook".into());
    let status = Command::new(mdbook).arg("build").arg(&folder).status()?;
    if !status.success() {
        return Ok(ExitCode::FAILURE);
    }
    let broken = broken_links(&folder.join("html"))?;
    for link in &broken {
        eprintln!("broken link: {link}");
    }
    println!("{pages} files in {}", folder.join("html").display());
    Ok(if broken.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Writes the files of the book, and returns their number.
fn write(folder: &Path, repository: Option<&str>) -> io::Result<usize> {
    let sources = folder.join("src");
    if sources.exists() {
        fs::remove_dir_all(&sources)?;
    }
    let book = book(Path::new(ROOT), repository)?;
    for (place, content) in &book {
        let file = sources.join(place);
        fs::create_dir_all(file.parent().unwrap_or(&sources))?;
        fs::write(file, content)?;
    }
    let mut settings = "[book]\ntitle = \"Portolan\"\nlanguage = \"en\"\nsrc = \"src\"\n\n\
                        [build]\nbuild-dir = \"html\"\n\n\
                        [output.html]\nno-section-label = true\n"
        .to_owned();
    if let Some(repository) = repository {
        settings += &format!("git-repository-url = \"{repository}\"\n");
    }
    fs::write(folder.join("book.toml"), settings)?;
    Ok(book.len())
}
