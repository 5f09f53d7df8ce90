//! READ, WRITE and WRITE_S become AR, and AW with W.

use super::ports::{AxiAsked, AxiRequest, AxiUser, AxiWriteBeat, HeaderFields, ReceivedCommand};
use super::tags::TagOwner;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_hdl_prim::skid::Skid;
use flitforge_protocol::sue::axi::{MAX_TRANSFERS, REQUEST_UNITS};
use flitforge_protocol::sue::command::CommandType;

const READ: usize = CommandType::Read as usize;
const WRITE: usize = CommandType::Write as usize;
const WRITE_STROBES: usize = CommandType::WriteStrobes as usize;

#[packed]
enum TakePhase {
    Waits,
    Second,
    Third,
    Asks,
    Strobes,
    Data,
    Skips,
    Spare,
}

/// One command after the other. A command of another shape is dropped with `refused`.
#[block("sue_axi_commands")]
#[derive(Clone, Debug)]
pub struct AxiCommands {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets the command under way.
    clear: In<Bit>,
    /// Commands that have come.
    pub commands: StreamIn<ReceivedCommand>,
    /// A tag is wanted, for a write.
    ask_write: Out<Bit>,
    /// A tag is wanted, for a read.
    ask_read: Out<Bit>,
    /// For whom.
    owner: Out<TagOwner>,
    /// There is one for the write.
    write_given: In<Bit>,
    /// There is one for the read.
    read_given: In<Bit>,
    /// Tag of a write.
    write_tag: In<Bits<5>>,
    /// Tag of a read.
    read_tag: In<Bits<5>>,
    /// AW.
    pub writes_out: StreamOut<AxiAsked>,
    /// AR.
    pub reads_out: StreamOut<AxiAsked>,
    /// W.
    pub beats: StreamOut<AxiWriteBeat>,
    /// A command was dropped.
    refused: Out<Bit>,

    phase: Reg<TakePhase>,
    writes: Reg<Bit>,
    strobed: Reg<Bit>,
    /// Upper bits of the control.
    front: Reg<Bits<112>>,
    asked: Reg<AxiAsked>,
    user: Reg<AxiUser>,
    last_beat: Reg<Bits<5>>,
    shift: Reg<Bits<3>>,
    beat: Reg<Bits<5>>,
    carry: Reg<Bits<64>>,
    #[wire(clock)]
    strobe_words: LutRam<Bits<64>, 2>,
    write_out: Reg<AxiAsked>,
    write_waits: Register<Bit>,
    read_out: Reg<AxiAsked>,
    read_waits: Register<Bit>,
    refused_now: Register<Bit>,
    #[wire(clock, clear)]
    leaving: Skid<AxiWriteBeat>,
}

#[logic]
impl AxiCommands {
    fn update(&mut self) {
        let came = commands.data;
        let word = came.word;
        let in_data = phase == TakePhase::Data;
        let asks = phase == TakePhase::Asks;
        let takes = !asks & (!in_data | leaving.has_room);
        commands.ready = takes;
        let enters = takes & commands.valid;
        refused_now = false;
        let begins = enters & (phase == TakePhase::Waits);
        self.begin(begins);
        let turned_second = Self::turned(word.data);
        if enters & (phase == TakePhase::Second) {
            front = cat(turned_second, front[64..112]);
            phase = TakePhase::Third;
        }
        let judges = enters & (phase == TakePhase::Third);
        self.judge(judges);
        if enters & (phase == TakePhase::Skips) & word.last {
            phase = TakePhase::Waits;
        }
        self.ask_tag(asks);
        self.pass_data(enters);
        refused = refused_now;
        if clear {
            phase = TakePhase::Waits;
        }
    }

    /// The first word.
    fn begin(&mut self, begins: Bit) {
        let first_came = commands.data;
        let first_word = first_came.word;
        let sender = first_came.head;
        let octets = Self::turned(first_word.data);
        let fields: HeaderFields = octets[48..64].into();
        let is_write = (fields.kind == WRITE) | (fields.kind == WRITE_STROBES);
        let is_read = fields.kind == READ;
        let good = first_word.first & (is_write | is_read) & (fields.clen == REQUEST_UNITS);
        let from = AxiUser {
            xpu_id: sender.source,
            kind: fields.kind,
            bytes: fields.dlen,
            partition: sender.partition,
            flush: false,
            above: 0,
        };
        let bad_phase = if first_word.last { TakePhase::Waits } else { TakePhase::Skips };
        if begins {
            writes = is_write;
            strobed = fields.kind == WRITE_STROBES;
            front = cat(bits::<64>(0), octets[0..48]);
            user = from;
            phase = if good { TakePhase::Second } else { bad_phase };
            refused_now = !good;
        }
    }

    /// The last word of control: whether transfers and data go together.
    fn judge(&mut self, judges: Bit) {
        let third_came = commands.data;
        let third_word = third_came.word;
        let turned_third = Self::turned(third_word.data);
        let control: Bits<128> = cat(turned_third[48..64], front);
        let request: AxiRequest = control.into();
        let length = request.len;
        let beats_wanted = length[0..5];
        let wanted: Bits<8> = if writes { cat(bits::<3>(7), beats_wanted) } else { 0 };
        let fits = (length < MAX_TRANSFERS) & (user.bytes == wanted);
        let transfers = beats_wanted + 1;
        let unfit_phase = if third_word.last { TakePhase::Waits } else { TakePhase::Skips };
        if judges {
            asked = AxiAsked { request, user };
            last_beat = beats_wanted;
            shift = if strobed { transfers[0..3] } else { 0 };
            beat = 0;
            phase = if fits { TakePhase::Asks } else { unfit_phase };
            refused_now = !fits;
        }
    }

    /// AW or AR goes once it has a tag.
    fn ask_tag(&mut self, asks: Bit) {
        let asked_request = asked.request;
        owner = TagOwner { source: user.xpu_id, id: asked_request.id, partition: user.partition };
        ask_write = asks & writes & !write_waits;
        ask_read = asks & !writes & !read_waits;
        let starts_write = asks & writes & write_given;
        let starts_read = asks & !writes & read_given;
        let write_request = AxiRequest { id: bit_cast::<16, 5>(write_tag), ..asked_request };
        let read_request = AxiRequest { id: bit_cast::<16, 5>(read_tag), ..asked_request };
        if starts_write {
            write_out = AxiAsked { request: write_request, user };
            phase = if strobed { TakePhase::Strobes } else { TakePhase::Data };
        }
        if starts_read {
            read_out = AxiAsked { request: read_request, user };
            phase = TakePhase::Waits;
        }
        writes_out = In { data: write_out, valid: write_waits };
        reads_out = In { data: read_out, valid: read_waits };
        write_waits = starts_write | (write_waits & !writes_out.ready);
        read_waits = starts_read | (read_waits & !reads_out.ready);
    }

    /// Strobes are kept, then data go out.
    fn pass_data(&mut self, enters: Bit) {
        let data_came = commands.data;
        let data_word = data_came.word;
        let in_strobes = enters & (phase == TakePhase::Strobes);
        let passes = enters & (phase == TakePhase::Data);
        let group = beat[0..2];
        strobe_words = In { write_enable: in_strobes, write_address: group, write_data: data_word.data };
        strobe_words.read_address = beat[3..5];
        let eight = strobe_words.read_data;
        let own_strobes: Bits<8> = match beat[0..3] {
            0 => eight[0..8],
            1 => eight[8..16],
            2 => eight[16..24],
            3 => eight[24..32],
            4 => eight[32..40],
            5 => eight[40..48],
            6 => eight[48..56],
            _ => eight[56..64],
        };
        let mixed = Self::mixed(data_word.data, carry, shift);
        let data = Self::rotated(mixed, shift);
        let strobes: Bits<8> = if strobed { own_strobes } else { 0xFF };
        let out = AxiWriteBeat { data, strobes, last: data_word.last };
        leaving.words_in = In { data: out, valid: passes };
        link(beats, leaving.words_out);
        if in_strobes | passes {
            carry = data_word.data;
            beat = beat + 1;
        }
        if in_strobes & (group == last_beat[3..5]) {
            beat = 0;
            phase = TakePhase::Data;
        }
        if passes & data_word.last {
            phase = TakePhase::Waits;
        }
    }

    /// The octets in the other order.
    fn turned(x: Bits<64>) -> Bits<64> {
        let high: Bits<32> = cat(x[24..32], x[16..24], x[8..16], x[0..8]);
        let low: Bits<32> = cat(x[56..64], x[48..56], x[40..48], x[32..40]);
        cat(low, high)
    }

    /// The lowest `count` octets of the new word, all of them if that is 0, the others of the old one.
    fn mixed(new: Bits<64>, old: Bits<64>, count: Bits<3>) -> Bits<64> {
        let whole = count == 0;
        let octet_1 = if whole | (count > 1) { new[8..16] } else { old[8..16] };
        let octet_2 = if whole | (count > 2) { new[16..24] } else { old[16..24] };
        let octet_3 = if whole | (count > 3) { new[24..32] } else { old[24..32] };
        let octet_4 = if whole | (count > 4) { new[32..40] } else { old[32..40] };
        let octet_5 = if whole | (count > 5) { new[40..48] } else { old[40..48] };
        let octet_6 = if whole | (count > 6) { new[48..56] } else { old[48..56] };
        let octet_7 = if whole { new[56..64] } else { old[56..64] };
        let lower: Bits<32> = cat(new[0..8], octet_1, octet_2, octet_3);
        let upper: Bits<32> = cat(octet_4, octet_5, octet_6, octet_7);
        cat(lower, upper)
    }

    /// Octet `by` becomes octet 0.
    fn rotated(x: Bits<64>, by: Bits<3>) -> Bits<64> {
        let one: Bits<64> = if by[0] { cat(x[8..64], x[0..8]) } else { x };
        let two: Bits<64> = if by[1] { cat(one[16..64], one[0..16]) } else { one };
        let four: Bits<64> = if by[2] { cat(two[32..64], two[0..32]) } else { two };
        four
    }
}
