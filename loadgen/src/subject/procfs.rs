//! Reading /proc: what one process, or one thread, says of itself.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// What `/proc/PID/stat` tells, of all threads of the process, ended ones too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stat {
    /// Ended, but its parent has not asked how.
    pub zombie: bool,
    pub parent: u32,
    /// User and system time, in clock ticks.
    pub own_ticks: u64,
    /// The same of children that ended and were waited for.
    pub children_ticks: u64,
    pub threads: u32,
    pub rss_pages: u64,
}

impl Stat {
    /// Reads the one line of the file. The command's name, in parentheses, may itself hold blanks and parentheses.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let text = str::from_utf8(&text[text.iter().rposition(|&byte| byte == b')')? + 1..]).ok()?;
        // Field 3 of proc_pid_stat(5) is the first here.
        let mut fields = text.split_ascii_whitespace();
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let mut number = |skip: usize| -> Option<i64> { fields.nth(skip)?.parse().ok() };
        let (user, system) = (number(9)?, number(0)?);
        let (children_user, children_system) = (number(0)?, number(0)?);
        let threads = number(2)?;
        let rss = number(3)?;
        let ticks = |a: i64, b: i64| a.max(0) as u64 + b.max(0) as u64;
        Some(Self {
            zombie: matches!(state, "Z" | "X") && threads <= 1,
            parent,
            own_ticks: ticks(user, system),
            children_ticks: ticks(children_user, children_system),
            threads: u32::try_from(threads).unwrap_or(0),
            rss_pages: rss.max(0) as u64,
        })
    }
}

/// The number after `key` (with its colon) at the start of a line, as in `/proc/PID/status` and `smaps_rollup`.
pub fn field(text: &[u8], key: &str) -> Option<u64> {
    let line = text.split(|&byte| byte == b'\n').find_map(|line| line.strip_prefix(key.as_bytes()))?;
    str::from_utf8(line).ok()?.split_ascii_whitespace().next()?.parse().ok()
}

/// A buffer for files of /proc, used again and again.
#[derive(Debug)]
pub struct Buffer(Vec<u8>);

impl Buffer {
    pub fn new() -> Self {
        Self(vec![0; 4096])
    }

    /// Reads an open file from its start; /proc makes its content anew each time.
    pub fn read(&mut self, file: &File) -> io::Result<&[u8]> {
        let mut length = 0;
        loop {
            match file.read_at(&mut self.0[length..], length as u64) {
                Ok(0) => return Ok(&self.0[..length]),
                Ok(count) => length += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            }
            // All files read here fit in one read, unless the buffer is full.
            if length < self.0.len() {
                return Ok(&self.0[..length]);
            }
            self.0.resize(length * 2, 0);
        }
    }

    pub fn read_path(&mut self, path: &str) -> io::Result<&[u8]> {
        self.read(&File::open(path)?)
    }
}

/// The units in which /proc counts.
#[derive(Debug, Clone, Copy)]
pub struct Units {
    ticks_per_second: u64,
    page_bytes: u64,
}

impl Units {
    pub fn of_this_machine() -> Self {
        use nix::unistd::{SysconfVar, sysconf};
        let ask = |what, usual| sysconf(what).ok().flatten().and_then(|n| u64::try_from(n).ok()).unwrap_or(usual);
        Self { ticks_per_second: ask(SysconfVar::CLK_TCK, 100), page_bytes: ask(SysconfVar::PAGE_SIZE, 4096) }
    }

    pub fn time(&self, ticks: u64) -> Duration {
        Duration::from_secs_f64(ticks as f64 / self.ticks_per_second.max(1) as f64)
    }

    pub fn bytes(&self, pages: u64) -> u64 {
        pages.saturating_mul(self.page_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_is_no_obstacle() {
        let text = b"42 (a) Z (b c) R 7 42 42 0 -1 4194304 100 0 0 0 11 22 33 44 20 0 5 0 999 1000000 321 18446744073709551615";
        let stat = Stat { zombie: false, parent: 7, own_ticks: 33, children_ticks: 77, threads: 5, rss_pages: 321 };
        assert_eq!(Stat::parse(text), Some(stat));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [&b""[..], b"42", b"42 (x)", b"42 (x) R", b"42 (x) R 1 2 3", b"42 (x) \xff 1"] {
            assert_eq!(Stat::parse(text), None);
        }
    }

    #[test]
    fn fields_are_found_by_their_whole_key() {
        let text = b"xPss: 1 kB\nPss:    1234 kB\nnonvoluntary_ctxt_switches:\t9\nvoluntary_ctxt_switches:\t8\n";
        assert_eq!(field(text, "Pss:"), Some(1234));
        assert_eq!(field(text, "voluntary_ctxt_switches:"), Some(8));
        assert_eq!(field(text, "nonvoluntary_ctxt_switches:"), Some(9));
        assert_eq!(field(text, "Rss:"), None);
    }

    #[test]
    fn this_process_can_be_read() {
        let mut buffer = Buffer(vec![0; 8]);
        let stat = Stat::parse(buffer.read_path("/proc/self/stat").unwrap()).unwrap();
        assert!(stat.threads >= 1 && stat.rss_pages > 0 && !stat.zombie);
    }
}
