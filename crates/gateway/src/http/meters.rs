//! Counts what the gateway does, and prints the counts as Prometheus text.
//!
//! A handful of atomics instead of a library: nothing here allocates or locks while requests are served. The set of
//! methods is fixed at start, so a stranger cannot invent label values.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};

use openclaw_flow::HeldSubmissions;

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    /// Adds to the number.
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestEnd {
    /// With a payload.
    Ok,
    /// Refused, because of what was asked or who asked.
    Refused,
    /// With a fault of ours.
    Failed,
}

/// The counts of one method.
#[derive(Debug)]
pub(crate) struct MethodMeter {
    name: &'static str,
    ended: [Counter; 3],
}

impl MethodMeter {
    fn new(name: &'static str) -> Self {
        Self { name, ended: Default::default() }
    }

    /// Counts one request.
    pub(crate) fn count(&self, ended: RequestEnd) {
        self.ended[ended as usize].add(1);
    }
}

/// Everything that is counted.
#[derive(Debug)]
pub(crate) struct Meters {
    methods: Vec<MethodMeter>,
    unknown: MethodMeter,
    /// Sockets that were upgraded.
    pub(crate) connections: Counter,
    /// Clients that were admitted.
    pub(crate) admissions: Counter,
    /// Handshakes that were refused.
    pub(crate) refusals: Counter,
    /// Events queued for a client.
    pub(crate) events_sent: Counter,
    /// Events a slow client missed.
    pub(crate) events_dropped: Counter,
    /// Clients closed because they did not read.
    pub(crate) slow_consumers: Counter,
}

/// What is measured at the moment of printing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gauges {
    /// Connected clients.
    pub(crate) clients: usize,
    /// Milliseconds since the start.
    pub(crate) uptime_ms: u128,
    /// Resident memory of the process, where the system tells.
    pub(crate) resident_bytes: Option<u64>,
    /// What is held for messages that are not dealt with.
    pub(crate) held: HeldSubmissions,
}

impl Meters {
    /// Counts from zero, for a fixed set of methods.
    pub(crate) fn new(methods: impl IntoIterator<Item = &'static str>) -> Self {
        Self {
            methods: methods.into_iter().map(MethodMeter::new).collect(),
            unknown: MethodMeter::new("unknown"),
            connections: Counter::default(),
            admissions: Counter::default(),
            refusals: Counter::default(),
            events_sent: Counter::default(),
            events_dropped: Counter::default(),
            slow_consumers: Counter::default(),
        }
    }

    /// The counts of a method by its place in the set; of all unknown methods without one.
    pub(crate) fn method(&self, place: Option<usize>) -> &MethodMeter {
        place.and_then(|place| self.methods.get(place)).unwrap_or(&self.unknown)
    }

    /// Prints everything.
    pub(crate) fn print(&self, gauges: Gauges) -> String {
        let mut page = Page::default();
        page.single("openclaw_clients", "gauge", "Connected clients.", gauges.clients as u64);
        page.single("openclaw_connections_total", "counter", "WebSockets opened.", self.connections.get());
        page.single("openclaw_admissions_total", "counter", "Clients admitted.", self.admissions.get());
        page.single("openclaw_auth_failures_total", "counter", "Handshakes refused.", self.refusals.get());
        page.single(
            "openclaw_events_sent_total",
            "counter",
            "Events queued for clients.",
            self.events_sent.get(),
        );
        let dropped = self.events_dropped.get();
        page.single("openclaw_events_dropped_total", "counter", "Events skipped for slow clients.", dropped);
        let slow = self.slow_consumers.get();
        page.single("openclaw_slow_consumers_total", "counter", "Clients closed for not reading.", slow);
        let uptime = u64::try_from(gauges.uptime_ms / 1000).unwrap_or(u64::MAX);
        page.single("openclaw_uptime_seconds", "gauge", "Time since the gateway started.", uptime);
        let HeldSubmissions { sessions, submissions, bytes } = gauges.held;
        page.single("openclaw_busy_sessions", "gauge", "Sessions with work under way.", sessions as u64);
        page.single("openclaw_held_messages", "gauge", "Messages not dealt with yet.", submissions as u64);
        page.single("openclaw_held_message_bytes", "gauge", "What those messages take.", bytes as u64);
        if let Some(bytes) = gauges.resident_bytes {
            page.single("process_resident_memory_bytes", "gauge", "Resident memory.", bytes);
        }
        page.head("openclaw_requests_total", "counter", "Requests by method and outcome.");
        for method in self.methods.iter().chain([&self.unknown]) {
            for (outcome, count) in ["ok", "refused", "failed"].into_iter().zip(&method.ended) {
                let name = method.name;
                page.line(format_args!(
                    "openclaw_requests_total{{method=\"{name}\",outcome=\"{outcome}\"}} {}",
                    count.get()
                ));
            }
        }
        page.0
    }
}

/// Resident memory of this process, where the system tells.
pub(crate) fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn head(&mut self, name: &str, kind: &str, help: &str) {
        self.line(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}"));
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        self.head(name, kind, help);
        self.line(format_args!("{name} {value}"));
    }

    fn line(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a text cannot fail.
        if writeln!(self.0, "{text}").is_err() {
            tracing::error!("a text refused to grow");
        }
    }
}

#[cfg(test)]
mod tests;
