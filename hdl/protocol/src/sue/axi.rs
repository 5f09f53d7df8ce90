//! AXI4 over commands (chapter 50, 4.2): control octets of the commands, and the fields of USER.
//!
//! | channel | command | control |
//! |---|---|---|
//! | AR | READ | [`request`] |
//! | AW with W | WRITE if all strobes are set, else WRITE_S | [`request`] |
//! | B | WRESP | [`write_response`] |
//! | R | RDATA | [`read_response`] |
//!
//! The data area has whole words of the bus, octet lane 0 first, one for each transfer, also of narrow bursts; so [`BUS_BYTES`] has to be the same at both ends.

use super::command::{MAX_DATA_BYTES, UNIT_BYTES};

layout! {
    /// Control of READ, WRITE and WRITE_S.
    request, "AXI request", 128 bits, "chapter 50, 4.2", {
        user [3 +: 16] "opaque";
        region [19 +: 4] "AxREGION";
        qos [23 +: 4] "AxQOS";
        prot [27 +: 3] "AxPROT";
        cache [30 +: 4] "AxCACHE";
        lock [34 +: 1] "AxLOCK";
        burst [35 +: 2] "AxBURST";
        size [37 +: 3] "AxSIZE";
        len [40 +: 8] "AxLEN: transfers less one";
        id [48 +: 16] "AxID";
        address [64 +: 64] "AxADDR";
    }
}
layout! {
    /// Control of WRESP.
    write_response, "AXI write response", 48 bits, "chapter 50, 4.2", {
        user [14 +: 16] "opaque";
        resp [30 +: 2] "BRESP";
        id [32 +: 16] "ID of the request";
    }
}
layout! {
    /// Control of RDATA.
    read_response, "AXI read response", 96 bits, "chapter 50, 4.2", {
        resps [0 +: 64] "RRESP of each transfer, two bits each, the first in the top bits";
        user [64 +: 16] "opaque";
        id [80 +: 16] "ID of the request";
    }
}
layout! {
    /// USER of AW, AR, B and R.
    user, "AXI USER", 40 bits, "chapter 50, 4.2", {
        xpu_id [0 +: 10] "destination at the subordinate, source at the manager";
        kind [10 +: 4] "type of the command; the subordinate does not look at it";
        bytes [14 +: 8] "data octets less one; the subordinate does not look at it";
        partition [22 +: 10] "partition";
        flush [32 +: 1] "nothing is packed after the command";
    }
}

coded_enum! {
    /// RRESP and BRESP.
    AxiResponse: u8, {
        Okay = 0, "OKAY", "success";
        ExOkay = 1, "EXOKAY", "success of an exclusive access";
        SlaveError = 2, "SLVERR", "error of the subordinate; also of a burst that is too long";
        DecodeError = 3, "DECERR", "no subordinate there";
    }
}

/// Octets of a transfer: AXI_DW / 8.
pub const BUS_BYTES: usize = 8;
/// Most transfers of a burst: those of the largest data area.
pub const MAX_TRANSFERS: usize = MAX_DATA_BYTES / BUS_BYTES;
/// `clen` of READ, WRITE and WRITE_S.
pub const REQUEST_UNITS: usize = request::WIDTH / 8 / UNIT_BYTES;
/// `clen` of WRESP.
pub const WRITE_RESPONSE_UNITS: usize = write_response::WIDTH / 8 / UNIT_BYTES;
/// `clen` of RDATA.
pub const READ_RESPONSE_UNITS: usize = read_response::WIDTH / 8 / UNIT_BYTES;
/// OST: most tags in use at the manager's side, for reads and for writes each.
pub const TAGS: usize = 32;
/// Virtual channel of requests.
pub const REQUEST_VC: u8 = 0;
/// Virtual channel of responses.
pub const RESPONSE_VC: u8 = 1;

const _: () = assert!(MAX_TRANSFERS * 2 == read_response::resps::WIDTH, "a response for each transfer");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_the_chapter() {
        assert_eq!((REQUEST_UNITS, WRITE_RESPONSE_UNITS, READ_RESPONSE_UNITS), (8, 3, 6));
        assert_eq!(MAX_TRANSFERS, 32);
    }
}
