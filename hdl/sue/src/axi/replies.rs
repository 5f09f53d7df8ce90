//! B and whole bursts of R become WRESP and RDATA.

use super::ports::{AxiReadResponse, AxiWriteResponse, AxiWritten, HeaderFields};
use super::requests::{AxiCommand, SendPlace};
use super::tags::TagOwner;
use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, WORD_BYTES};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::skid::Skid;
use flitforge_protocol::sue::axi::{READ_RESPONSE_UNITS, RESPONSE_VC, WRITE_RESPONSE_UNITS};
use flitforge_protocol::sue::command::{CommandType, COMMAND_CELL_BYTES, HEADER_BYTES, UNIT_BYTES};

const WRITTEN: usize = CommandType::WriteResponse as usize;
const READ_DATA: usize = CommandType::ReadData as usize;
const VC: usize = RESPONSE_VC as usize;
/// Octets of the second word of RDATA.
const SECOND_BYTES: usize = HEADER_BYTES + READ_RESPONSE_UNITS * UNIT_BYTES - WORD_BYTES;
/// Octets of RDATA with one transfer, rounded up to cells.
const ROUNDED: usize = 3 * WORD_BYTES - (WORD_BYTES - SECOND_BYTES) + COMMAND_CELL_BYTES - 1;

#[packed]
enum ReplyPhase {
    Chooses,
    Looks,
    Shapes,
    Front,
    Data,
    Drains,
    Spare,
    Spare2,
}

/// Takes turns between B and R, and sends a command once there are credits for eight cells. What has a tag that is not in use is dropped with `stray`.
#[block("sue_axi_replies")]
#[derive(Clone, Debug)]
pub struct AxiReplies {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the command under way and all credits.
    clear: In<Bit>,
    /// B.
    pub written: StreamIn<AxiWritten>,
    /// Tags whose R is whole.
    pub whole: StreamIn<Bits<5>>,
    /// The tag that is looked at.
    tag: Out<Bits<5>>,
    /// Owner of it as one of a write.
    write_owner: In<TagOwner>,
    /// It is in use so.
    write_used: In<Bit>,
    /// A write with the tag is answered.
    write_release: Out<Bit>,
    /// Owner of it as one of a read.
    read_owner: In<TagOwner>,
    /// It is in use so.
    read_used: In<Bit>,
    /// A read with the tag is answered.
    read_release: Out<Bit>,
    /// The transfers of the tag are done with.
    done: Out<Bit>,
    /// Transfers less one.
    last_beat: In<Bits<5>>,
    /// RRESP of all.
    resps: In<Bits<64>>,
    /// Words move.
    moves: Out<Bit>,
    /// Transfer to be read.
    beat: Out<Bits<5>>,
    /// Its data, two moves later.
    data: In<Bits<64>>,
    /// Cells that the commands may use.
    pub credits: FlowIn<CellCredits>,
    /// Commands.
    pub commands: StreamOut<AxiCommand>,
    /// A response was dropped.
    stray: Out<Bit>,

    phase: Reg<ReplyPhase>,
    writes: Reg<Bit>,
    read_turn: Reg<Bit>,
    own_tag: Reg<Bits<5>>,
    resp: Reg<Bits<2>>,
    owner: Reg<TagOwner>,
    used: Reg<Bit>,
    last_index: Reg<Bits<5>>,
    control: Reg<Bits<112>>,
    needs: Reg<Bits<3>>,
    index: Reg<Bits<5>>,
    fetched: Reg<SendPlace>,
    shown: Reg<SendPlace>,
    pool: Register<Bits<12>>,
    change: Register<Bits<12>>,
    #[wire(clock, clear)]
    leaving: Skid<AxiCommand>,
}

#[logic]
impl AxiReplies {
    fn update(&mut self) {
        let steps = leaving.has_room;
        moves = steps;
        let quiet = !fetched.valid & !shown.valid;
        self.choose();
        self.look();
        self.walk(steps, quiet);
        self.send(steps);
        if clear {
            phase = ReplyPhase::Chooses;
            fetched.valid = false;
            shown.valid = false;
        }
    }

    /// The next response.
    fn choose(&mut self) {
        let enough = pool[3..12];
        let chooses = (phase == ReplyPhase::Chooses) & enough.any();
        let takes_read = chooses & whole.valid & (read_turn | !written.valid);
        let takes_write = chooses & written.valid & !takes_read;
        written.ready = takes_write;
        whole.ready = takes_read;
        let said = written.data;
        if takes_read | takes_write {
            writes = takes_write;
            read_turn = takes_write;
            own_tag = if takes_read { whole.data } else { said.tag };
            resp = said.resp;
            phase = ReplyPhase::Looks;
        }
    }

    /// Who asked, and what the command is like.
    fn look(&mut self) {
        tag = own_tag;
        let looks = phase == ReplyPhase::Looks;
        let shapes_now = phase == ReplyPhase::Shapes;
        if looks {
            owner = if writes { write_owner } else { read_owner };
            used = if writes { write_used } else { read_used };
            last_index = last_beat;
            phase = ReplyPhase::Shapes;
        }
        let write_said = AxiWriteResponse { below: 0, user: 0, resp, id: owner.id };
        let read_said = AxiReadResponse { resps, user: 0, id: owner.id };
        let write_bits: Bits<48> = write_said.into();
        let read_bits: Bits<96> = read_said.into();
        let write_fields = HeaderFields { dlen: 0, clen: WRITE_RESPONSE_UNITS, kind: WRITTEN };
        let read_fields =
            HeaderFields { dlen: cat(bits::<3>(7), last_index), clen: READ_RESPONSE_UNITS, kind: READ_DATA };
        let write_header: Bits<16> = write_fields.into();
        let read_header: Bits<16> = read_fields.into();
        let octets: Bits<9> = cat(bits::<3>(0), last_index, false);
        let all = octets + ROUNDED;
        if shapes_now {
            control = if writes {
                cat(bits::<48>(0), write_bits, write_header)
            } else {
                cat(read_bits, read_header)
            };
            needs = if writes { 1 } else { all[6..9] };
            index = 0;
            phase = if used { ReplyPhase::Front } else { ReplyPhase::Drains };
        }
        write_release = shapes_now & writes;
        read_release = shapes_now & !writes;
        stray = shapes_now & !used;
        let given = credits.data;
        let mine = credits.valid & (given.vc == VC);
        let more: Bits<12> = if mine { bit_cast::<12, 8>(given.count) } else { 0 };
        let starts = (phase == ReplyPhase::Front) & (index == 0) & leaving.has_room;
        let fewer: Bits<12> = if starts { bit_cast::<12, 3>(needs) } else { 0 };
        change = more - fewer;
        pool = pool + change;
    }

    /// The words of the command, one after the other.
    fn walk(&mut self, steps: Bit, quiet: Bit) {
        let in_front = phase == ReplyPhase::Front;
        let in_data = phase == ReplyPhase::Data;
        let to_front = in_front & (writes | (index == 1));
        let to_data = in_data & (index == last_index);
        let valid = in_front | in_data;
        let turns = to_front | to_data;
        let place_now = SendPlace { valid, front: in_front, strobes: false, rest: false, index, ends: turns };
        beat = index;
        if steps {
            fetched = place_now;
            shown = fetched;
        }
        if steps & valid {
            index = if turns { 0 } else { index + 1 };
        }
        if steps & to_front {
            phase = if writes { ReplyPhase::Drains } else { ReplyPhase::Data };
        }
        if steps & to_data {
            phase = ReplyPhase::Drains;
        }
        let drained = (phase == ReplyPhase::Drains) & quiet;
        done = drained & !writes;
        if drained {
            phase = ReplyPhase::Chooses;
        }
    }

    /// The word that is shown goes out.
    fn send(&mut self, steps: Bit) {
        let place = shown.index;
        let second: Bits<64> = cat(bits::<16>(0), control[0..48]);
        let front: Bits<64> = if place == 0 { control[48..112] } else { second };
        let turned_front = Self::turned(front);
        let word_data = if shown.front { turned_front } else { data };
        let is_second = shown.front & (place == 1);
        let bytes: Bits<4> = if is_second { SECOND_BYTES } else { WORD_BYTES };
        let first = shown.front & (place == 0);
        let last = shown.ends & (writes | !shown.front);
        let word = CommandWord { data: word_data, bytes, first, last, is_data: !shown.front };
        let head =
            CommandHead { destination: owner.source, vc: VC, partition: owner.partition, flush: false };
        leaving.words_in = In { data: AxiCommand { word, head }, valid: steps & shown.valid };
        link(commands, leaving.words_out);
    }

    /// The octets in the other order.
    fn turned(x: Bits<64>) -> Bits<64> {
        let high: Bits<32> = cat(x[24..32], x[16..24], x[8..16], x[0..8]);
        let low: Bits<32> = cat(x[56..64], x[48..56], x[40..48], x[32..40]);
        cat(low, high)
    }
}
