//! `time_port_page`: the window of a port.

use super::config::WindowBuild;
use flitforge_hdl_prim::prelude::*;
use flitforge_protocol::time_registers as page;

/// Counters of a port.
pub const PORT_COUNTERS: usize = page::PORT_COUNTERS.names.len();
/// Bits of the events of a counter in a clock.
pub const EVENT_BITS: usize = 8;

/// The registers and counters of one port, in the window that PORT_SEL opens (chapter 20, 5).
///
/// - A window of 32 words: `ack` 3 clocks after `request`, of a counter 5 to 20; see [`registers`](flitforge_hdl_prim::registers).
/// - A write of ROLE without `role_permit` leaves the register as it is (`role_refused`): no tree can be in both UP_EN and DN_EN.
/// - RX_CORR is what was written, or `rx_corr_loaded` with `rx_corr_load`, whichever came last; of one clock the latter.
/// - `ldm_ctl_start` and `epoch_written` come 2 clocks after the request.
/// - Outputs are registers, but for `epoch_.._new` and `epoch_write`.
#[register_page(
    flitforge_protocol::time_registers, "time_port_page", address = 5, base = PORT,
    only(ROLE, PATH, RX_CORR, TX_WAIT, LDM_CTL, LDM_MEAN, LDM_RANGE, LDM_ASYM, EPOCH, LAG, LDM_ACK),
    guarded(ROLE), loads(RX_CORR), given(EPOCH), written(EPOCH), counters(PORT_COUNTERS, ones = 8),
)]
pub struct TimePortPage;

const _: () = assert!(EVENT_BITS == 8);

/// Registry entry.
pub const ENTRY: BlockEntry = BlockEntry {
    name: "time_port_page",
    chapter: "20-time",
    summary: "registers and counters of a port's time",
    parameters: &[],
    presets: &[Preset { name: "default", values: &[] }],
    build: |_| {
        let interface = InterfaceInfo::clocked(&[], Some(3), "request to ack");
        Ok(BuiltBlock::new(TimePortPage::new(&WindowBuild::counting(Some(0)))?, interface))
    },
};
