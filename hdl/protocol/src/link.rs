//! Link state codes, credit codes and sideband messages (chapter 10, 4.2, 4.6, 4.10).

coded_enum! {
    /// State of `link_train` (chapter 10, 4.6), as register STATUS shows it.
    LinkState: u8, {
        Down = 0, "Down", "lanes quiet";
        Polling = 1, "Polling", "TS1 on all lanes";
        Training = 2, "Training", "lanes chosen, TS2";
        Init = 3, "Init", "Null LTPs: InitReq, InitAck, RndTripMrkr";
        Active = 4, "Active", "traffic, all allowed lanes";
        Retraining = 5, "Retraining", "as Training, state and buffers kept";
        Degraded = 6, "Degraded", "traffic on fewer lanes than built";
        Bist = 7, "Bist", "lane test rows of chapter 30, LTPs held";
    }
}

/// Bits of an LTP sequence number (chapter 10, 4.2).
pub const SEQUENCE_BITS: usize = 16;
/// Allowed numbers of replay slots, R (chapter 10, 4).
pub const REPLAY_LTPS: [usize; 5] = [16, 32, 64, 128, 256];
/// Default credit table CU: allocation units of credit code 0 to 7 (chapter 10, 4.10).
pub const CREDIT_UNITS: [u8; 8] = [0, 1, 2, 4, 8, 16, 32, 64];
/// LTPs that carry one sideband message, two bits each (chapter 10, 4.10).
pub const LTPS_PER_SIDEBAND_MESSAGE: usize = 4;
/// Bits of an LTP's place in a sideband message: sequence number mod 4.
pub const SIDEBAND_PLACE_BITS: usize = LTPS_PER_SIDEBAND_MESSAGE.ilog2() as usize;
/// Numbers of ports of a bond, B (chapter 10, 4.8).
pub const BOND_LINKS: [usize; 3] = [2, 3, 4];

layout! {
    /// Credit message of mode 1's sideband; 0x00 is "nothing". The LTP with sequence mod 4 = k carries bits 2k (c0)
    /// and 2k+1 (c1).
    sideband_message, "Sideband message", 8 bits, "chapter 10, 4.10", {
        code [0 +: 3] "credit code";
        vl [3 +: 5] "virtual lane";
    }
}

/// Bytes of an allocation unit for a given vAU: 8 * 2^vAU (chapter 10, 4.10).
#[must_use]
pub const fn allocation_unit_bytes(v_au: u32) -> usize {
    8 << v_au
}
