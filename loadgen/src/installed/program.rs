//! A program, found and asked for its version.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// How long a program may take to tell its version.
const PATIENCE: Duration = Duration::from_secs(10);
/// More than this is not read.
const ANSWER_MOST: u64 = 4096;

/// A program that told its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// As in sentences.
    pub title: String,
    /// Where it is.
    pub path: String,
    /// Numbers with dots between them.
    pub version: String,
}

impl std::fmt::Display for Program {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.title, self.version)
    }
}

/// Whether it is a file that can be run.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

/// The first program of that name in the folders of PATH.
pub(super) fn in_path(name: &str) -> Option<String> {
    let folders = std::env::var_os("PATH")?;
    let mut paths = std::env::split_paths(&folders).map(|folder| folder.join(name));
    paths.find(|path| is_program(path))?.into_os_string().into_string().ok()
}

/// Asks a program for its version.
///
/// # Errors
/// It does not start, fails, takes too long, or says nothing like a version.
pub(super) fn ask(title: &str, path: String, argument: &str) -> Result<Program, String> {
    ask_within(title, path, argument, PATIENCE)
}

fn ask_within(title: &str, path: String, argument: &str, patience: Duration) -> Result<Program, String> {
    let (status, said) = answer(&path, argument, patience)
        .map_err(|reason| format!("{title} does not work: {path} {argument} {reason}"))?;
    let heard = said.trim().lines().next().unwrap_or_default().chars().take(80).collect::<String>();
    match version_in(&said).filter(|_| status.success()) {
        Some(version) => Ok(Program { title: title.into(), version: version.into(), path }),
        None => Err(format!("{title} does not work: {path} {argument} tells no version ({status}, `{heard}`)")),
    }
}

/// How a program ended and what it said, on both outputs.
fn answer(path: &str, argument: &str, patience: Duration) -> Result<(ExitStatus, String), String> {
    let mut command = Command::new(path);
    command.arg(argument).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, so that what it starts can be ended with it.
    let mut child = command.process_group(0).spawn().map_err(|error| format!("does not start ({error})"))?;
    let outputs: [Option<Box<dyn Read + Send>>; 2] = [
        child.stdout.take().map(|output| Box::new(output) as Box<_>),
        child.stderr.take().map(|output| Box::new(output) as Box<_>),
    ];
    let said = outputs.map(read_beside);
    let status = wait(&mut child, patience);
    // Whoever of the group still holds the outputs would keep us waiting.
    let _ = i32::try_from(child.id()).map(|group| killpg(Pid::from_raw(group), Signal::SIGKILL));
    let _ = child.wait();
    let status = status.ok_or_else(|| format!("did not end within {} s", patience.as_secs()))?;
    let said = said.map(|said| said.recv_timeout(Duration::from_secs(1)).unwrap_or_default());
    Ok((status, said.join("\n")))
}

/// Reads to the end on a thread of its own.
fn read_beside(output: Option<Box<dyn Read + Send>>) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(output) = output {
            let _ = output.take(ANSWER_MOST).read_to_end(&mut bytes);
        }
        let _ = send.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    receive
}

fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let limit = Instant::now() + patience;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < limit => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

/// The first numbers with a dot between them.
fn version_in(text: &str) -> Option<&str> {
    let words = text.split(|each: char| !each.is_ascii_digit() && each != '.').map(|word| word.trim_matches('.'));
    words.into_iter().find(|word| word.contains('.'))
}

/// Whether a version comes before another, number by number.
pub(super) fn older(version: &str, least: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> { text.split('.').map(|part| part.parse().unwrap_or(0)).collect() };
    numbers(version) < numbers(least)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A script that stands for a program.
    fn script(text: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("program");
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert!(is_program(&path) && !is_program(folder.path()));
        (folder, path.to_str().unwrap().to_owned())
    }

    fn asked(text: &str, patience: Duration) -> Result<String, String> {
        let (_folder, path) = script(text);
        ask_within("It", path, "--version", patience).map(|program| program.version)
    }

    #[test]
    fn versions_are_read_from_what_programs_say() {
        for (said, version) in [
            ("echo v20.20.2", "20.20.2"),
            ("echo 'deno 2.9.6 (stable, release, x86_64-unknown-linux-gnu)'; echo 'v8 14.9.1'", "2.9.6"),
            ("echo 'nginx version: nginx/1.22.1' >&2", "1.22.1"),
            ("echo 'It is version 3.1.'", "3.1"),
        ] {
            assert_eq!(asked(said, PATIENCE).as_deref(), Ok(version));
        }
    }

    #[test]
    fn what_tells_no_version_is_named() {
        for (said, reason) in [
            ("echo 'no numbers'", "tells no version (exit status: 0, `no numbers`)"),
            ("echo 20.1.0; exit 3", "tells no version (exit status: 3, `20.1.0`)"),
            ("true", "tells no version"),
            ("kill -9 $$", "signal: 9"),
            ("yes", "tells no version"),
        ] {
            let message = asked(said, PATIENCE).unwrap_err();
            assert!(message.starts_with("It does not work: /") && message.contains(reason), "{said}: {message}");
        }
        let (_folder, path) = script("");
        std::fs::write(&path, "#!/no/such/shell\n").unwrap();
        assert!(ask("It", path, "--version").unwrap_err().contains("does not start"));
    }

    #[test]
    fn one_that_hangs_is_given_up_with_all_that_it_started() {
        let message = asked("sleep 1000 & sleep 1000", Duration::from_millis(200)).unwrap_err();
        assert!(message.contains("did not end within"), "{message}");
        // Its child holds the outputs.
        assert_eq!(asked("echo 1.2; sleep 1000 & exit 0", PATIENCE).as_deref(), Ok("1.2"));
    }

    #[test]
    fn versions_are_compared_number_by_number() {
        for (version, least) in [("16.3.0", "20"), ("1.9.1", "1.10"), ("19.9.9", "20"), ("1", "1.2")] {
            assert!(older(version, least), "{version} {least}");
            assert!(!older(least, version), "{least} {version}");
        }
        assert!(!older("20.0.0", "20") && !older("20", "20"));
    }
}
