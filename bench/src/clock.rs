//! Time on the processor, as the system counts it for a process.

/// Time on the processor of all threads that a process has now, in microseconds.
///
/// # Errors
/// When the system does not tell.
#[expect(clippy::cast_precision_loss, reason = "numbers for people")]
pub fn cpu_micros_of(process: u32) -> anyhow::Result<f64> {
    let mut nanoseconds = 0_u64;
    for task in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let text = std::fs::read_to_string(task?.path().join("schedstat"))?;
        nanoseconds += text.split(' ').next().unwrap_or("0").parse::<u64>()?;
    }
    Ok(nanoseconds as f64 / 1000.0)
}
