//! The isolation CRC of every transfer group of every LTP, kept until the LTP's verdict.

use super::{GROUP_CRC_BITS, QUEUE_ADDRESS_BITS};
use crate::gearbox::ROW_BITS;
use crate::ltp_crc::LtpCrc;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_protocol::crc::LANE_ISOLATION;
use flitforge_protocol::lane_word::MAX_LANES;
use flitforge_protocol::ltp::{BITS_1056, BITS_1088, WORD_BITS};

/// Bits that count the words of an LTP and a row.
const PLACE_BITS: usize = 6;

/// Rows in, group CRCs of whole LTPs out, oldest first; up to four LTPs wait.
///
/// All words of a lane that belong to one LTP are one transfer group, so one CRC runs over each lane and starts again
/// after the group's last word. Group g of an LTP in sequence state s stands at logical lane (g + s) mod L.
///
/// A row is in the CRCs 1 clock later, the CRC of a group is kept 2 clocks after the row with its last word.
#[block("isolate_groups", new)]
pub struct IsolateGroups {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Synchronous clear; the next row starts an LTP.
    clear: In<Bit>,
    /// LTPs have 34 words, else 33.
    wide: In<Bit>,
    /// L - 1; holds while rows come.
    last_lane: In<Bits<2>>,
    /// Rows: word i (logical lane i) in bits 32i..32i+31.
    pub rows: FlowIn<Bits<ROW_BITS>>,
    /// The next row starts the first LTP; nothing waits any more.
    row_start: In<Bit>,
    /// The oldest LTP is taken; without effect if none waits.
    take: In<Bit>,
    /// An LTP waits.
    waiting: Out<Bit>,
    /// Group CRCs of the oldest LTP by logical lane; bit 0 is the highest coefficient.
    crcs: [Out<Bits<GROUP_CRC_BITS>>; MAX_LANES],
    /// Sequence state of the oldest LTP.
    state: Out<Bits<2>>,

    crc: [LtpCrc<WORD_BITS, GROUP_CRC_BITS, GROUP_CRC_BITS>; MAX_LANES],
    kept: [LutRam<Bits<GROUP_CRC_BITS>, QUEUE_ADDRESS_BITS>; MAX_LANES],
    /// LTPs of which each lane's group is kept, modulo 4.
    #[wire(d = _)]
    written: [Reg<Bits<QUEUE_ADDRESS_BITS>>; MAX_LANES],
    taken: Reg<Bits<QUEUE_ADDRESS_BITS>>,
    /// Words of the LTP from the row's first word on.
    left: Reg<Bits<PLACE_BITS>>,
    /// The LTP ends with the row: `left` is L at most.
    ends: Reg<Bit>,
    /// L, 2 L and, for each lane, L + lane: `last_lane` stands since before the start.
    lanes: Reg<Bits<PLACE_BITS>>,
    twice: Reg<Bits<PLACE_BITS>>,
    #[wire(d = _)]
    above: [Reg<Bits<PLACE_BITS>>; MAX_LANES],
    used: Reg<Bits<4>>,
    /// Words of an LTP less L: first asked when an LTP ends, so it may be a clock late.
    beyond: Reg<Bits<PLACE_BITS>>,
    stepping: Reg<Bit>,
    /// Bit i: the word of lane i was its group's last.
    ended: Reg<Bits<4>>,
    completed: Reg<Bit>,
    complete_ltps: Reg<Bits<3>>,
    state_now: Reg<Bits<2>>,

    words: Local<Bits<PLACE_BITS>>,
    count: Local<Bits<PLACE_BITS>>,
    last_words: Local<Bits<4>>,
    in_use: Local<Bits<4>>,
    restart: Local<Bit>,
    takes: Local<Bit>,
    advance: Local<Bits<3>>,
    advanced: Local<Bits<3>>,
    #[init(1)]
    one: Constant<Bits<PLACE_BITS>>,
    #[init(|lane| lane)]
    lane_number: [Constant<Bits<PLACE_BITS>>; MAX_LANES],
    #[init(BITS_1056 / WORD_BITS)]
    narrow_words: Constant<Bits<PLACE_BITS>>,
    #[init(BITS_1088 / WORD_BITS)]
    wide_words: Constant<Bits<PLACE_BITS>>,
}

#[logic]
impl IsolateGroups {
    /// Waits for the first row.
    pub fn new() -> Result<Self, ConfigError> {
        let crc = || LtpCrc::new(LANE_ISOLATION, 0);
        Ok(Self { crc: [crc()?, crc()?, crc()?, crc()?], .. })
    }

    fn update(&mut self) {
        restart = clear | row_start;
        words = narrow_words;
        if wide {
            words = wide_words;
        }
        count = bit_cast::<PLACE_BITS, 2>(last_lane) + one;
        lanes = count;
        twice = count << 1;
        in_use = 0;
        for i in 0..4 {
            above[i] = count + lane_number[i];
            in_use = in_use.with(i, count > lane_number[i]);
        }
        used = in_use;

        self.find_ends();

        // A CRC over each lane.
        for i in 0..4 {
            crc[i] = In { clock, clear: restart, load: rows.valid, beat: rows.data.bits::<32>(i * 32) };
            crc[i] = In { step: stepping, restart: ended[i], appended: 0 };
            kept[i] = In { clock, write_enable: stepping & ended[i], write_address: written[i] };
            kept[i] = In { write_data: crc[i].following, read_address: taken };
            crcs[i] = kept[i].read_data;
            written[i] = written[i];
            if stepping & ended[i] {
                written[i] = written[i] + 1;
            }
            if restart {
                written[i] = 0;
            }
        }

        // The LTPs that wait for their verdict, and the state of the oldest: N words on 4, 3, 2 lanes move the next
        // LTP by N mod L lanes.
        takes = take & complete_ltps.any();
        if takes {
            taken = taken + 1;
        }
        if completed & !takes {
            complete_ltps = complete_ltps + 1;
        }
        if !completed & takes {
            complete_ltps = complete_ltps - 1;
        }
        advance = 0;
        let lanes_3 = bit_cast::<3, PLACE_BITS>(lanes);
        if wide {
            if lanes_3[2] {
                advance = 2;
            }
            if lanes_3.bits::<2>(0).all() {
                advance = 1;
            }
        } else if !lanes_3[0] {
            advance = 1;
        }
        advanced = bit_cast::<3, 2>(state_now) + advance;
        if advanced >= lanes_3 {
            advanced = advanced - lanes_3;
        }
        if takes {
            state_now = bit_cast::<2, 3>(advanced);
        }
        if restart {
            taken = 0;
            complete_ltps = 0;
            state_now = 0;
        }
        waiting = complete_ltps.any();
        state = state_now;
    }

    /// Where the row stands in its LTP: a group's last word is one of the LTP's last L words. An LTP has more than
    /// 2 L words, so the row after an end is no end.
    fn find_ends(&mut self) {
        last_words = 0;
        for i in 0..4 {
            last_words = last_words.with(i, (left > lane_number[i]) & (left <= above[i]) & used[i]);
        }
        beyond = words - lanes;
        if rows.valid {
            left = left - lanes;
            if ends {
                left = left + beyond;
            }
            ends = !ends & (left <= twice);
        }
        if restart {
            left = words;
            ends = false;
        }
        stepping = rows.valid & !restart;
        ended = last_words;
        completed = rows.valid & ends & !restart;
    }
}
