//! Joining a High and a Low (chapter 20, 4.7 rule 2).

use flitforge_protocol::time::JOIN_SLACK_NS;

/// The 64-bit time of High's time\[63:32\], `age_ns` old by the local clock, and Low's time\[39:0\]; `None` if the
/// overlap bytes differ by more or less than the age allows.
#[must_use]
pub const fn join(high: u32, age_ns: u64, low: u64) -> Option<u64> {
    let (high, low) = (high as u64, low & 0xFF_FFFF_FFFF);
    let distance = (low >> 32).wrapping_sub(high) & 0xFF;
    let least = age_ns.saturating_sub(JOIN_SLACK_NS) >> 32;
    let most = (age_ns.saturating_add(JOIN_SLACK_NS) >> 32) + 1;
    if distance < least || distance > most {
        return None;
    }
    let carry = (low >> 32 < high & 0xFF) as u64;
    let upper = ((high >> 8) + carry) & 0xFF_FFFF;
    Some(upper << 40 | low)
}
