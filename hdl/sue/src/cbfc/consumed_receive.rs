//! CC_Update of the peer: from frames to counts of classes.
//!
//! A message counts once its verdict is good. Two may wait; one more is ignored, since they come again. What stands after the last entry is not looked at.

use super::operation::{ClassCells, ConsumedEntry, CELLS_BITS};
use crate::frame::FrameWord;
use crate::mac_control::{ControlHead, ControlVerdicts};
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_protocol::sue::class::CLASSES;
use flitforge_protocol::sue::link_control::{CC_ENTRY_KIND, CC_ORGANISATION, CC_VCS_PER_MESSAGE};

/// The organisation identifier as it stands in its three octets.
const ORGANISATION: u64 = (CC_ORGANISATION << 40).swap_bytes();
/// The word in which entries begin, or the organisation identifier.
const FIRST_PLACE: usize = 2;
/// Octets of the organisation identifier: by so many, entries are apart from words.
const SHIFT: usize = 3;

/// A word, looked at.
#[packed]
struct Looked {
    /// It is the last of its frame.
    last: Bit,
    /// An entry begins in it, and nothing else may.
    entry: Bit,
    /// Padding begins in it, or is in it.
    padding: Bit,
    /// It ends an entry of the word before, if there is one.
    ends_entry: Bit,
    /// It is the whole of its entry, or all of it but what the next word has.
    whole: Bit,
    /// The header is right as far as it goes.
    right: Bit,
    /// It may be the last word.
    good_end: Bit,
    vc: Bits<5>,
    cells: Bits<15>,
}

/// CC_Update; see the [module](self).
#[block("consumed_receive")]
pub struct ConsumedReceive {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets messages.
    clear: In<Bit>,
    /// Messages are heeded.
    enable: In<Bit>,
    /// Words of received frames, of any kind.
    pub frames: FlowIn<FrameWord>,
    /// Whether a frame is good.
    pub verdicts: FlowIn<Bit>,
    /// CC_OPC.
    opcode: In<Bits<16>>,
    /// PROFILE ue103.
    two_messages: In<Bit>,
    /// Virtual channels of the classes.
    virtual_channels: [In<Bits<5>>; CLASSES],
    /// Lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// CC by class, of classes that are the first with their virtual channel.
    pub entries: StreamOut<ClassCells>,
    /// A message was carried out.
    received: Out<Bit>,

    #[wire(clock, clear)]
    head: ControlHead,
    #[wire(clock, clear)]
    slots: ControlVerdicts,
    #[wire(enable = true)]
    looked_at: Register<Bit>,
    #[wire(d = _)]
    looked: Reg<Looked>,
    #[wire(enable = true)]
    verdict_comes: Register<Bit>,
    #[wire(d = _)]
    verdict: Reg<Bit>,
    /// Of the message under way: it is right so far, has an entry, and its padding has begun; its last entry goes on in the next word.
    #[init(true)]
    fine: Register<Bit>,
    any: Register<Bit>,
    over: Register<Bit>,
    open: Register<Bit>,
    /// The virtual channel of its last entry, and the one after that.
    #[wire(clear = false)]
    before: Register<Bits<5>>,
    #[wire(clear = false)]
    after: Register<Bits<5>>,
    /// Classes that it names.
    found: Register<Bits<CLASSES>>,
    /// The same of messages that wait.
    #[wire(clear = false)]
    found_even: Register<Bits<CLASSES>>,
    #[wire(clear = false)]
    found_odd: Register<Bits<CLASSES>>,
    #[wire(clock)]
    entry_counts: LutRam<Bits<CELLS_BITS>, 4>,
    /// The class that is carried out.
    class: Register<Bits<3>>,
}

#[logic]
impl ConsumedReceive {
    fn update(&mut self) {
        head.frames = In { data: frames.data, valid: frames.valid };
        head.opcode = opcode;
        self.look();
        // Messages take a clock more than what `slots` expects.
        verdict_comes = verdicts.valid;
        verdict = verdicts.data;
        slots.verdicts = In { data: verdict, valid: verdict_comes };
        self.judge();
        self.carry_out();
    }

    /// What a word is.
    fn look(&mut self) {
        let word = head.words.data;
        let place = head.place;
        let octets = word.data;
        let bytes = word.bytes;
        let last = word.last;
        let shifted: Bits<32> = if two_messages { octets[24..56] } else { octets[0..32] };
        let turned: Bits<64> =
            cat(bits::<32>(0), shifted[24..32], shifted[16..24], shifted[8..16], shifted[0..8]);
        let entry: ConsumedEntry = turned.into();
        let in_entries = place >= FIRST_PLACE;
        let has_kind = !two_messages | !last | (bytes > SHIFT);
        let organisation = octets[0..24] == ORGANISATION;
        let padding = (entry.kind == 0) | !has_kind;
        looked = Looked {
            last,
            entry: in_entries & (entry.kind == CC_ENTRY_KIND) & has_kind,
            padding,
            ends_entry: !last | (bytes >= SHIFT),
            whole: !last | (!two_messages & bytes[3]),
            right: (place != FIRST_PLACE) | (head.is_control & (!two_messages | organisation)),
            good_end: in_entries & !word.error,
            vc: entry.vc,
            cells: entry.cnt,
        };
        looked_at = head.words.valid;
    }

    /// Whether the message is right so far, and at its end.
    fn judge(&mut self) {
        let vc = looked.vc;
        let low: Bits<4> = vc[0..4];
        let before_low: Bits<4> = before[0..4];
        let follows = if two_messages {
            if any {
                (vc == after) & !before_low.all()
            } else {
                !low.any()
            }
        } else {
            !any | (vc > before)
        };
        let is_entry = looked.entry & !over;
        let is_padding = over | looked.padding;
        let fits = if is_entry { follows & looked.whole } else { is_padding | !looked.good_end };
        let fine_now = fine & fits & looked.right & (!open | looked.ends_entry);
        let any_now = any | is_entry;
        let last_low: Bits<4> = if is_entry { low } else { before_low };
        let complete = !two_messages | last_low.all();

        // By slot: the first class that has the virtual channel.
        let mut first: Bits<CLASSES> = 0;
        let mut slot: Bits<3> = 0;
        let mut free: Bit = true;
        for i in 0..CLASSES {
            let is_this = free & lossless[i] & (virtual_channels[i] == vc);
            first = first.with(i, is_this);
            if is_this {
                slot = slot | i;
            }
            free = free & !is_this;
        }
        let bank = slots.slot;
        let room = slots.room_for_two;
        entry_counts.write_enable = looked_at & is_entry & room;
        entry_counts.write_address = cat(slot, bank[0]);
        entry_counts.write_data = looked.cells;
        if free {
            entry_counts.write_enable = false;
        }
        let found_now = if is_entry { found | first } else { found };

        let ends = looked_at & looked.last;
        let recognised = looked.good_end & fine_now & any_now & complete & room & enable;
        slots.ended = ends;
        slots.recognised = recognised;
        // Found or not, nothing stands there while there is room.
        found_even.enable = ends & room & !bank[0];
        found_even = found_now;
        found_odd.enable = ends & room & bank[0];
        found_odd = found_now;

        fine.enable = looked_at;
        fine = looked.last | (fine_now & room);
        any.enable = looked_at;
        any = any_now & !looked.last;
        over.enable = looked_at;
        over = looked.good_end & is_padding & !is_entry & !looked.last;
        open.enable = looked_at;
        open = is_entry & !looked.last & two_messages;
        before.enable = looked_at & is_entry;
        before = vc;
        after.enable = looked_at & is_entry;
        after = vc + 1;
        found.enable = looked_at;
        found = if looked.last { 0 } else { found_now };
    }

    /// Classes of a good message, one after the other.
    fn carry_out(&mut self) {
        let bank = slots.offered_slot;
        let names = if bank[0] { found_odd } else { found_even };
        let codes: Bits<8> = cat(names, bits::<2>(0));
        let is_named = codes[class];
        entry_counts.read_address = cat(class, bank[0]);
        entries.data = ClassCells { class, cells: entry_counts.read_data };
        entries.valid = slots.offered & is_named;
        let goes = slots.offered & (!is_named | entries.ready);
        let ends = class == CLASSES - 1;
        class.enable = goes;
        class = if ends { 0 } else { class + 1 };
        slots.done = goes & ends;
        received = goes & ends;
    }
}

const _: () = assert!(CC_VCS_PER_MESSAGE == 16);
