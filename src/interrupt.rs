//! Cancel, termination and timeouts in the middle of long work of ours.

/// Raises the error of an interrupt that arrived, which unwinds through the caller.
pub fn take_interrupts() {
    pgrx::check_for_interrupts!();
}
