//! A process tree, read as one: its CPU time, memory, threads and context switches.
//!
//! A round is either plain (a few system calls for each process) or deep (each thread's files, the search for new
//! processes, and where there are several their shares of common memory).

use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use nix::time::ClockId;
use nix::unistd::Pid;

use super::descendants;
use super::procfs::{Buffer, Stat, Units, field};

/// What a round found.
#[derive(Debug, Clone, Copy)]
pub struct Reading {
    /// When the CPU time was read.
    pub at: Instant,
    pub cpu: Duration,
    pub memory_bytes: u64,
    pub threads: u32,
    pub processes: u32,
    /// Voluntary and involuntary context switches of the living threads, in deep rounds.
    pub switches: Option<(u64, u64)>,
}

/// The tree below a shepherd, without the shepherd.
#[derive(Debug)]
pub struct Tree {
    root: Member,
    members: Vec<Member>,
    /// The sum of the processes' shares at the last deep round with several of them.
    shares: Option<u64>,
    /// CPU time never goes back, though a child's may be out of sight for a moment while its parent takes it over.
    cpu: Duration,
    lists_children: bool,
    units: Units,
    buffer: Buffer,
}

#[derive(Debug)]
struct Member {
    pid: u32,
    /// Stays this process's: a successor of the same number does not show here.
    stat: File,
    /// Nanoseconds, where `stat` counts ticks of 10 ms.
    clock: Option<ClockId>,
}

impl Tree {
    /// The tree below `root`, if that lives.
    pub fn below(root: u32) -> Option<Self> {
        Some(Self {
            root: Member::open(root)?,
            members: Vec::new(),
            shares: None,
            cpu: Duration::ZERO,
            // Not every kernel has these files.
            lists_children: Path::new("/proc/thread-self/children").exists(),
            units: Units::of_this_machine(),
            buffer: Buffer::new(),
        })
    }

    /// Reads the tree; nothing when it is gone.
    pub fn read(&mut self, deep: bool) -> Option<Reading> {
        // Parents before children: a child that is reaped meanwhile is missed once, rather than counted twice.
        let root = self.root.stat(&mut self.buffer)?;
        let switches = deep.then(|| self.look_around());
        let at = Instant::now();
        let mut reading = Reading { at, cpu: self.cpu, memory_bytes: 0, threads: 0, processes: 0, switches };
        let mut cpu = self.units.time(root.children_ticks);
        let (units, buffer) = (self.units, &mut self.buffer);
        self.members.retain(|member| {
            let Some(stat) = member.stat(buffer) else {
                return false;
            };
            cpu += member.own_cpu().unwrap_or_else(|| units.time(stat.own_ticks)) + units.time(stat.children_ticks);
            if !stat.zombie {
                reading.processes += 1;
                reading.threads += stat.threads;
                reading.memory_bytes += units.bytes(stat.rss_pages);
            }
            true
        });
        if reading.processes == 0 {
            return None;
        }
        self.cpu = self.cpu.max(cpu);
        reading.cpu = self.cpu;
        if reading.processes == 1 {
            self.shares = None;
        } else {
            if deep {
                self.shares = Some(self.sum_of_shares());
            }
            reading.memory_bytes = self.shares.unwrap_or(reading.memory_bytes);
        }
        Some(reading)
    }

    /// Finds new processes; adds up the context switches of all threads.
    fn look_around(&mut self) -> (u64, u64) {
        if self.lists_children {
            self.adopt_children_of(self.root.pid);
        } else {
            for pid in descendants::below(self.root.pid) {
                self.adopt(pid);
            }
        }
        let mut switches = (0, 0);
        let mut next = 0;
        // The list grows as children are found.
        while let Some(member) = self.members.get(next) {
            let pid = member.pid;
            for thread in numbers_in(&format!("/proc/{pid}/task")) {
                // A thread that ended meanwhile counts no more.
                if let Ok(text) = self.buffer.read_path(&format!("/proc/{pid}/task/{thread}/status")) {
                    switches.0 += field(text, "voluntary_ctxt_switches:").unwrap_or(0);
                    switches.1 += field(text, "nonvoluntary_ctxt_switches:").unwrap_or(0);
                }
            }
            if self.lists_children {
                self.adopt_children_of(pid);
            }
            next += 1;
        }
        switches
    }

    fn adopt_children_of(&mut self, pid: u32) {
        for thread in numbers_in(&format!("/proc/{pid}/task")) {
            let Ok(text) = self.buffer.read_path(&format!("/proc/{pid}/task/{thread}/children")) else {
                continue;
            };
            let text = String::from_utf8_lossy(text);
            let children: Vec<u32> = text.split_ascii_whitespace().filter_map(|word| word.parse().ok()).collect();
            for child in children {
                self.adopt(child);
            }
        }
    }

    fn adopt(&mut self, pid: u32) {
        if self.members.iter().all(|member| member.pid != pid) {
            self.members.extend(Member::open(pid));
        }
    }

    /// Proportional shares: what several processes have in common counts once.
    fn sum_of_shares(&mut self) -> u64 {
        let mut sum = 0;
        for member in &self.members {
            let share = self.buffer.read_path(&format!("/proc/{}/smaps_rollup", member.pid)).ok();
            sum += match share.and_then(|text| field(text, "Pss:")) {
                Some(kib) => kib * 1024,
                // Another user's: all of it, then.
                None => member.stat(&mut self.buffer).map_or(0, |stat| self.units.bytes(stat.rss_pages)),
            };
        }
        sum
    }
}

impl Member {
    fn open(pid: u32) -> Option<Self> {
        let stat = File::open(format!("/proc/{pid}/stat")).ok()?;
        let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(i32::try_from(pid).ok()?)).ok();
        Some(Self { pid, stat, clock })
    }

    fn stat(&self, buffer: &mut Buffer) -> Option<Stat> {
        Stat::parse(buffer.read(&self.stat).ok()?)
    }

    /// The time of all its threads, ended ones too, without its children.
    fn own_cpu(&self) -> Option<Duration> {
        Some(self.clock?.now().ok()?.into())
    }
}

fn numbers_in(folder: &str) -> impl Iterator<Item = u32> {
    fs::read_dir(folder).into_iter().flatten().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}
