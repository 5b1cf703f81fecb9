//! Where a run took place.

use std::fs;

use nix::sched::{CpuSet, sched_getaffinity};
use nix::sys::resource::{UsageWho, getrusage};
use nix::unistd::Pid;
use serde::{Deserialize, Serialize};

/// What of a machine can change its numbers; `None` where it cannot be read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Model of the first CPU.
    pub cpu_model: Option<String>,
    /// CPUs that this process may use, by number.
    pub cpus_usable: Vec<u32>,
    /// CPUs that are there.
    pub cpus_online: Option<u32>,
    /// Limit of the control group in CPUs.
    pub cpu_quota: Option<f64>,
    /// Frequency governor of the first CPU.
    pub governor: Option<String>,
    /// Whether the clock may rise above its base.
    pub turbo: Option<bool>,
    /// Release of the kernel.
    pub kernel: Option<String>,
    /// Installed, bytes.
    pub memory_bytes: Option<u64>,
    /// Load average over a minute before the run.
    pub load_before: Option<f64>,
    /// Open files allowed.
    pub file_limit: Option<u64>,
}

fn line(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// The value after `key` and a colon in a file such as /proc/cpuinfo.
fn field(path: &str, key: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        (name.trim() == key).then(|| value.trim().to_owned())
    });
    value.filter(|value| !value.is_empty())
}

/// CPUs that this process may use, ascending.
pub fn usable_cpus() -> Vec<u32> {
    let set = sched_getaffinity(Pid::from_raw(0)).unwrap_or_else(|_| CpuSet::new());
    let cpus = (0..CpuSet::count()).filter(|&cpu| set.is_set(cpu).unwrap_or(false));
    let mut cpus: Vec<u32> = cpus.filter_map(|cpu| u32::try_from(cpu).ok()).collect();
    if cpus.is_empty() {
        let count = std::thread::available_parallelism().map_or(1, usize::from);
        cpus = (0..count).filter_map(|cpu| u32::try_from(cpu).ok()).collect();
    }
    cpus
}

/// `cpu.max` of control groups v2: quota and period in microseconds, or `max`.
fn quota(text: &str) -> Option<f64> {
    let (quota, period) = text.split_once(' ')?;
    let (quota, period) = (quota.parse::<f64>().ok()?, period.trim().parse::<f64>().ok()?);
    (period > 0.0).then_some(quota / period)
}

impl Machine {
    /// This machine, now.
    pub fn here() -> Self {
        let kibibytes = field("/proc/meminfo", "MemTotal");
        let kibibytes = kibibytes.and_then(|text| text.trim_end_matches("kB").trim().parse::<u64>().ok());
        let boost = line("/sys/devices/system/cpu/cpufreq/boost").map(|text| text == "1");
        let no_turbo = line("/sys/devices/system/cpu/intel_pstate/no_turbo").map(|text| text == "0");
        let limit = nix::sys::resource::getrlimit(nix::sys::resource::Resource::RLIMIT_NOFILE);
        Self {
            cpu_model: field("/proc/cpuinfo", "model name"),
            cpus_usable: usable_cpus(),
            cpus_online: online(),
            cpu_quota: line("/sys/fs/cgroup/cpu.max").and_then(|text| quota(&text)),
            governor: line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            turbo: boost.or(no_turbo),
            kernel: line("/proc/sys/kernel/osrelease"),
            memory_bytes: kibibytes.map(|kibibytes| kibibytes * 1024),
            load_before: line("/proc/loadavg").and_then(|text| text.split(' ').next()?.parse().ok()),
            file_limit: limit.ok().map(|(soft, _)| soft),
        }
    }
}

/// CPU seconds of loadgen itself, all threads.
pub fn own_cpu_s() -> f64 {
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    getrusage(UsageWho::RUSAGE_SELF).map_or(0.0, |usage| seconds(usage.user_time()) + seconds(usage.system_time()))
}

/// CPU seconds that anything on this machine has used since it started, all CPUs together; `None` where it cannot be read.
pub fn busy_s() -> Option<f64> {
    let ticks_per_s = nix::unistd::sysconf(nix::unistd::SysconfVar::CLK_TCK).ok()??;
    Some(busy_ticks(&fs::read_to_string("/proc/stat").ok()?)? as f64 / ticks_per_s as f64)
}

/// The first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal; guests are in user already.
fn busy_ticks(text: &str) -> Option<u64> {
    let ticks: Vec<u64> = text.lines().next()?.split_whitespace().skip(1).map_while(|tick| tick.parse().ok()).collect();
    Some([0, 1, 2, 5, 6].into_iter().filter_map(|field| ticks.get(field)).sum())
}

/// Bytes that have gone to or come from swap since the machine started; `None` where it cannot be read.
pub fn swapped_bytes() -> Option<u64> {
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok()??;
    Some(swapped_pages(&fs::read_to_string("/proc/vmstat").ok()?)? * u64::try_from(page).ok()?)
}

/// `pswpin` and `pswpout` of /proc/vmstat.
fn swapped_pages(text: &str) -> Option<u64> {
    let count = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u64>().ok());
    Some(count("pswpin ")? + count("pswpout ")?)
}

/// CPUs online by the kernel's list, such as `0-3,8`.
fn online() -> Option<u32> {
    let text = line("/sys/devices/system/cpu/online")?;
    let count = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(last.parse::<u32>().ok()?.checked_sub(first.parse().ok()?)? + 1)
    };
    text.split(',').map(count).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cpus() {
        let machine = Machine::here();
        assert!(!machine.cpus_usable.is_empty());
    }

    #[test]
    fn idle_and_stolen_time_is_not_busy() {
        assert_eq!(busy_ticks("cpu  1 2 4 800 16 32 64 128 256 512\ncpu0 9"), Some(1 + 2 + 4 + 32 + 64));
        assert_eq!(busy_ticks(""), None);
    }

    #[test]
    fn swap_goes_both_ways() {
        assert_eq!(swapped_pages("pgpgin 5\npswpin 2\npswpout 40\n"), Some(42));
        assert_eq!(swapped_pages("pgpgin 5\npswpin 2\n"), None);
    }

    #[test]
    fn quotas_are_read() {
        assert_eq!(quota("200000 100000"), Some(2.0));
        assert_eq!(quota("max 100000"), None);
        assert_eq!(quota(""), None);
    }
}
