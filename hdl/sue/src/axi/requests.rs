//! AW with its W, or AR, becomes a command.

use super::bursts::BurstShape;
use super::early::IssuedRequest;
use super::ids::IdQuestion;
use super::ports::{AxiAsked, HeaderFields};
use crate::command_in::{CellCredits, CommandWord};
use crate::frame::{CommandHead, WORD_BYTES};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::skid::Skid;
use flitforge_protocol::sue::axi::{MAX_TRANSFERS, REQUEST_UNITS, REQUEST_VC};
use flitforge_protocol::sue::command::{CommandType, COMMAND_CELL_BYTES, HEADER_BYTES, UNIT_BYTES};

const READ: usize = CommandType::Read as usize;
const WRITE: usize = CommandType::Write as usize;
const WRITE_STROBES: usize = CommandType::WriteStrobes as usize;
const VC: usize = REQUEST_VC as usize;
/// Octets of header and control.
const FRONT: usize = HEADER_BYTES + REQUEST_UNITS * UNIT_BYTES;
/// Octets that make cells, rounded up, of the octets of a write but for those of the last transfer's number.
const ROUNDED: usize = FRONT + WORD_BYTES + COMMAND_CELL_BYTES - 1;

#[packed]
enum SendPhase {
    Chooses,
    Asks,
    Refuses,
    Front,
    Strobes,
    Data,
    Rest,
    Drains,
}

/// A word on its way out.
#[packed]
pub struct SendPlace {
    valid: Bit,
    front: Bit,
    strobes: Bit,
    rest: Bit,
    /// Which word of its kind.
    index: Bits<5>,
    /// The last one of its kind.
    ends: Bit,
}

/// A word of a command from the adapter, with what belongs to the command.
#[packed]
pub struct AxiCommand {
    /// The word.
    word: CommandWord,
    /// Of its command.
    head: CommandHead,
}

/// Chooses between AW and AR in turns, asks whether the ID may go, and sends the command once there are credits for eight cells.
#[block("sue_axi_requests")]
#[derive(Clone, Debug)]
pub struct AxiRequests {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the command under way and all credits.
    clear: In<Bit>,
    /// At most one request per ID is in flight.
    unordered: In<Bit>,
    /// AW.
    pub writes_in: StreamIn<AxiAsked>,
    /// AR.
    pub reads_in: StreamIn<AxiAsked>,
    /// There is a whole burst.
    burst_waits: In<Bit>,
    /// Its shape.
    burst: In<BurstShape>,
    /// It is done with.
    burst_pop: Out<Bit>,
    /// Words move.
    moves: Out<Bit>,
    /// Transfer to be read.
    beat: Out<Bits<5>>,
    /// Data, two moves later.
    data: In<Bits<64>>,
    /// Strobes to be read.
    group: Out<Bits<2>>,
    /// The strobes.
    strobes: In<Bits<64>>,
    /// A question to the table of IDs.
    ask: Out<Bit>,
    /// The question.
    question: Out<IdQuestion>,
    /// It is answered.
    asked: In<Bit>,
    /// The request may go.
    granted: In<Bit>,
    /// A request that is not sent.
    pub refusals: StreamOut<AxiAsked>,
    /// It is a write.
    refused_write: Out<Bit>,
    /// Another request may begin.
    room: In<Bit>,
    /// A request becomes a command.
    pub issued: FlowOut<IssuedRequest>,
    /// Cells that the commands may use.
    pub credits: FlowIn<CellCredits>,
    /// Commands.
    pub commands: StreamOut<AxiCommand>,

    phase: Reg<SendPhase>,
    current: Reg<AxiAsked>,
    writes: Reg<Bit>,
    read_turn: Reg<Bit>,
    strobed: Reg<Bit>,
    long: Reg<Bit>,
    last_beat: Reg<Bits<5>>,
    /// Octets that the data are moved by.
    shift: Reg<Bits<3>>,
    kind: Reg<Bits<4>>,
    needs: Reg<Bits<3>>,
    index: Reg<Bits<5>>,
    fetched: Reg<SendPlace>,
    shown: Reg<SendPlace>,
    carry: Reg<Bits<64>>,
    pool: Register<Bits<12>>,
    change: Register<Bits<12>>,
    #[wire(clock, clear)]
    leaving: Skid<AxiCommand>,
}

#[logic]
impl AxiRequests {
    fn update(&mut self) {
        let steps = leaving.has_room;
        moves = steps;
        let quiet = !fetched.valid & !shown.valid;
        self.choose();
        self.shape_command();
        let goes = self.ask_ids();
        self.keep_credits(goes);
        self.walk(steps, quiet);
        self.send(steps);
        if clear {
            phase = SendPhase::Chooses;
            fetched.valid = false;
            shown.valid = false;
        }
    }

    /// The next request.
    fn choose(&mut self) {
        let can_write = writes_in.valid & burst_waits;
        let can_read = reads_in.valid;
        let takes_read = can_read & (read_turn | !can_write);
        let enough = pool[3..12];
        if (phase == SendPhase::Chooses) & enough.any() & room & (can_write | can_read) {
            current = if takes_read { reads_in.data } else { writes_in.data };
            writes = !takes_read;
            read_turn = !takes_read;
            phase = SendPhase::Asks;
        }
    }

    /// What its command is like: it holds from the second clock of `Asks` on.
    fn shape_command(&mut self) {
        let own = current.request;
        let len = own.len;
        let length = len[0..5];
        let beats = length + 1;
        let strobed_now = writes & !burst.full;
        strobed = strobed_now;
        long = (len >= MAX_TRANSFERS) | (writes & (burst.long | (burst.last_beat != length)));
        last_beat = length;
        shift = if strobed_now { beats[0..3] } else { 0 };
        let write_kind: Bits<4> = if strobed_now { WRITE_STROBES } else { WRITE };
        kind = if writes { write_kind } else { READ };
        let strobe_octets: Bits<9> = if strobed { bit_cast::<9, 5>(last_beat) + 1 } else { 0 };
        let octets: Bits<9> = cat(bits::<3>(0), last_beat, false);
        let all = octets + strobe_octets + ROUNDED;
        needs = if writes { all[6..9] } else { 1 };
    }

    /// Whether its ID may go.
    fn ask_ids(&mut self) -> Bit {
        let asks = phase == SendPhase::Asks;
        let request_asked = current.request;
        let asker = current.user;
        ask = asks;
        question = IdQuestion { writes, id: request_asked.id, xpu: asker.xpu_id, alone: unordered | long };
        let starts = asks & asked & granted;
        let goes = starts & !long;
        let issued_now =
            IssuedRequest { writes, id: request_asked.id, xpu: asker.xpu_id, partition: asker.partition };
        issued = In { data: issued_now, valid: goes };
        writes_in.ready = starts & writes;
        reads_in.ready = starts & !writes;
        if asks & asked {
            phase = SendPhase::Chooses;
        }
        if starts {
            phase = if long { SendPhase::Refuses } else { SendPhase::Front };
            index = 0;
        }
        let refuses = phase == SendPhase::Refuses;
        refusals = In { data: current, valid: refuses };
        refused_write = writes;
        if refuses & refusals.ready {
            phase = SendPhase::Drains;
        }
        goes
    }

    fn keep_credits(&mut self, goes: Bit) {
        let given = credits.data;
        let mine = credits.valid & (given.vc == VC);
        let more: Bits<12> = if mine { bit_cast::<12, 8>(given.count) } else { 0 };
        let fewer: Bits<12> = if goes { bit_cast::<12, 3>(needs) } else { 0 };
        change = more - fewer;
        pool = pool + change;
    }

    /// The words of the command, one after the other.
    fn walk(&mut self, steps: Bit, quiet: Bit) {
        let in_front = phase == SendPhase::Front;
        let in_strobes = phase == SendPhase::Strobes;
        let in_data = phase == SendPhase::Data;
        let in_rest = phase == SendPhase::Rest;
        let last_group: Bits<5> = bit_cast::<5, 2>(last_beat[3..5]);
        let to_strobes = in_strobes & (index == last_group);
        let to_data = in_data & (index == last_beat);
        let to_front = in_front & (index == 2);
        let turns = to_front | to_strobes | to_data | in_rest;
        let valid = in_front | in_strobes | in_data | in_rest;
        let place_now =
            SendPlace { valid, front: in_front, strobes: in_strobes, rest: in_rest, index, ends: turns };
        beat = index;
        if steps {
            fetched = place_now;
            shown = fetched;
        }
        let after_front = if strobed { SendPhase::Strobes } else { SendPhase::Data };
        if steps & valid {
            index = if turns { 0 } else { index + 1 };
        }
        if steps & to_front {
            phase = if writes { after_front } else { SendPhase::Drains };
        }
        if steps & to_strobes {
            phase = SendPhase::Data;
        }
        if steps & to_data {
            phase = if shift.any() { SendPhase::Rest } else { SendPhase::Drains };
        }
        if steps & in_rest {
            phase = SendPhase::Drains;
        }
        let done = (phase == SendPhase::Drains) & quiet;
        burst_pop = done & writes;
        if done {
            phase = SendPhase::Chooses;
        }
    }

    /// The word that is shown goes out.
    fn send(&mut self, steps: Bit) {
        let request_sent = current.request;
        let sender = current.user;
        let control: Bits<128> = request_sent.into();
        let place = shown.index;
        group = place[0..2];
        let fields = HeaderFields { dlen: cat(bits::<3>(7), last_beat), clen: REQUEST_UNITS, kind };
        let without = HeaderFields { dlen: 0, clen: REQUEST_UNITS, kind };
        let write_header: Bits<16> = fields.into();
        let read_header: Bits<16> = without.into();
        let own_header = if writes { write_header } else { read_header };
        let front: Bits<64> = match place {
            0 => cat(control[80..128], own_header),
            1 => control[16..80],
            _ => cat(bits::<48>(0), control[0..16]),
        };
        let turned_front = Self::turned(front);
        let rotated = Self::rotated(data, shift);
        let merged = Self::merged(carry, rotated, shift);
        let body = if shown.strobes { strobes } else { merged };
        let inner = if shown.rest { carry } else { body };
        let octets = if shown.front { turned_front } else { inner };
        let partial = shown.strobes & shown.ends & shift.any();
        let front_end = shown.front & shown.ends;
        let rest_bytes: Bits<4> = cat(shift, false);
        let bytes: Bits<4> = if front_end {
            2
        } else if shown.rest {
            rest_bytes
        } else {
            8
        };
        let last_data = !shown.front & !shown.strobes & shown.ends & (shown.rest | !shift.any());
        let last = last_data | (front_end & !writes);
        let first = shown.front & (place == 0);
        let word = CommandWord { data: octets, bytes, first, last, is_data: !shown.front };
        let head = CommandHead {
            destination: sender.xpu_id,
            vc: VC,
            partition: sender.partition,
            flush: sender.flush,
        };
        leaving.words_in = In { data: AxiCommand { word, head }, valid: steps & shown.valid & !partial };
        if steps & shown.valid {
            carry = if shown.strobes { strobes } else { rotated };
        }
        link(commands, leaving.words_out);
    }

    /// The octets in the other order.
    fn turned(x: Bits<64>) -> Bits<64> {
        let high: Bits<32> = cat(x[24..32], x[16..24], x[8..16], x[0..8]);
        let low: Bits<32> = cat(x[56..64], x[48..56], x[40..48], x[32..40]);
        cat(low, high)
    }

    /// Octet 0 becomes octet `by`, the last ones come first.
    fn rotated(x: Bits<64>, by: Bits<3>) -> Bits<64> {
        let one: Bits<64> = if by[0] { cat(x[56..64], x[0..56]) } else { x };
        let two: Bits<64> = if by[1] { cat(one[48..64], one[0..48]) } else { one };
        let four: Bits<64> = if by[2] { cat(two[32..64], two[0..32]) } else { two };
        four
    }

    /// The lowest `by` octets of the one, the others of the other.
    fn merged(low: Bits<64>, high: Bits<64>, by: Bits<3>) -> Bits<64> {
        let octet_0 = if by > 0 { low[0..8] } else { high[0..8] };
        let octet_1 = if by > 1 { low[8..16] } else { high[8..16] };
        let octet_2 = if by > 2 { low[16..24] } else { high[16..24] };
        let octet_3 = if by > 3 { low[24..32] } else { high[24..32] };
        let octet_4 = if by > 4 { low[32..40] } else { high[32..40] };
        let octet_5 = if by > 5 { low[40..48] } else { high[40..48] };
        let octet_6 = if by > 6 { low[48..56] } else { high[48..56] };
        let lower: Bits<32> = cat(octet_0, octet_1, octet_2, octet_3);
        let upper: Bits<32> = cat(octet_4, octet_5, octet_6, high[56..64]);
        cat(lower, upper)
    }
}
