//! Where the parts of a port read the registers of their page.
//!
//! The hardware text of `update` takes literal positions only; these assertions hold them to the page's description.

use flitforge_protocol::link_registers::{crc_cfg, credit, degrade, inject, retry_cfg};

/// Low bit and width of a field.
const fn is(low: usize, width: usize, expected: (usize, usize)) -> bool {
    low == expected.0 && width == expected.1
}

macro_rules! fields {
    ($($register:ident . $field:ident = $low:literal, $width:literal;)*) => {$(
        const _: () = assert!(
            is($register::$field::LOW as usize, $register::$field::WIDTH as usize, ($low, $width)),
            concat!(stringify!($register), ".", stringify!($field), " stands elsewhere on the page")
        );
    )*};
}

fields! {
    crc_cfg.enabled = 0, 3;
    crc_cfg.preferred = 3, 2;
    retry_cfg.limit = 0, 8;
    retry_cfg.reinit_limit = 8, 8;
    retry_cfg.bad_run = 16, 8;
    retry_cfg.toss_ltps = 24, 16;
    retry_cfg.freeze_ltps = 40, 16;
    degrade.enable = 0, 1;
    degrade.min_lanes = 1, 2;
    degrade.threshold = 3, 3;
    degrade.stand_out = 6, 2;
    degrade.safe = 8, 3;
    credit.v_au = 0, 3;
    inject.lanes = 0, 4;
    inject.first = 4, 6;
    inject.words = 10, 6;
    inject.xor_mask = 16, 32;
    inject.ltps = 48, 8;
    inject.go = 56, 1;
}
