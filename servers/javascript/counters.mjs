// The counters of `GET /metrics`, for every JavaScript runtime whose process knows what it has used.

const OUTCOMES = ["ok", "invalid", "failed", "refused", "expired", "cancelled"];

export class Counters {
  #started = 0;
  #finished = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
  #computed = 0;
  #skipped = 0;

  /** Counts a request in; call what is returned with its outcome. */
  start() {
    this.#started++;
    return (outcome) => this.#finished[outcome]++;
  }

  computed() {
    this.#computed++;
  }

  skipped() {
    this.#skipped++;
  }

  /** Prometheus text; `usage` is what `process.resourceUsage()` gives: microseconds, kibibytes, ended threads included. */
  render(usage) {
    const lines = [];
    const head = (name, type, help) => lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    const figure = (name, type, help, value) => {
      head(name, type, help);
      lines.push(`${name} ${value}`);
    };
    const cpu = (usage.userCPUTime + usage.systemCPUTime) / 1e6;
    figure("process_cpu_seconds_total", "counter", "CPU time, of ended threads too.", cpu);
    const { voluntaryContextSwitches, involuntaryContextSwitches } = usage;
    figure("process_voluntary_context_switches_total", "counter", "Times that a thread gave up its CPU to wait.", voluntaryContextSwitches);
    figure("process_involuntary_context_switches_total", "counter", "Times that a thread was made to give up its CPU.", involuntaryContextSwitches);
    figure("process_resident_memory_peak_bytes", "gauge", "Largest resident memory so far.", usage.maxRSS * 1024);
    figure("cpubound_requests_started_total", "counter", "Requests for a computation.", this.#started);
    head("cpubound_requests_finished_total", "counter", "Requests for a computation that ended, by how.");
    for (const outcome of OUTCOMES) lines.push(`cpubound_requests_finished_total{outcome="${outcome}"} ${this.#finished[outcome]}`);
    figure("cpubound_jobs_computed_total", "counter", "Jobs that were begun.", this.#computed);
    figure("cpubound_jobs_skipped_total", "counter", "Jobs that nobody waited for any more.", this.#skipped);
    return `${lines.join("\n")}\n`;
  }
}
