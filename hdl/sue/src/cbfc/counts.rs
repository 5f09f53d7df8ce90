//! The counts of both ends, an operation a clock.
//!
//! | stage | what happens |
//! |---|---|
//! | 1 | virtual channel of the class; octets and overhead are added |
//! | 2 | octets become cells; the virtual channel becomes the first lossless class that has it, whose place its counts have |
//! | 3 | counts are read, added to and written; differences |
//! | 4 | comparison of a count of the peer with what it may be; cells in use; the pool |
//! | 5 | what was checked is written; cells in use are compared with what the largest frame leaves, freed cells with CELL_BATCH |
//! | 6 | classes get or lose their credits; cells that are left become octets |
//! | 7 | octets of data classes that are left |
//!
//! Additions take one clock, so operations may follow each other on one count. What a check finds at the sender is written two clocks after it was read:
//! the caller keeps checks three clocks apart. What it finds at the receiver is added by an operation that follows `moved`; the next one waits for that.

use super::operation::*;
use flitforge_hdl_prim::prelude::*;
use flitforge_hdl_prim::ram::LutRam;
use flitforge_protocol::sue::class::{CLASSES, VCS};
use flitforge_protocol::sue::crc::CRC_BYTES;
use flitforge_protocol::sue::link_control::{CELL_BYTES_MIN, CELL_EXPONENT_MAX};

/// What rounds up to cells of 32·2^n octets, and the octets of the FCS: 2^(n + 5) and this.
const ROUND: usize = CRC_BYTES - 1;

/// Octets of credits that are told at most: one less than 1 MiB.
pub const CREDIT_OCTETS_BITS: usize = 20;

/// The place of no class, whose counts are always 0.
const ZERO: usize = 7;

const _: () = assert!(ZERO >= CLASSES);
const _: () = assert!(CELL_BYTES_MIN == 32 && ROUND == 3 && CELL_EXPONENT_MAX == 6);

/// An operation at its virtual channel, before the cells of its frame are known.
#[packed]
struct Measured {
    class: Bits<3>,
    vc: Bits<5>,
    by_octets: Bit,
    /// Octets with all that they are rounded up by.
    sum: Bits<15>,
    cells: Bits<15>,
}

/// An operation at the place of its counts.
#[packed]
struct Placed {
    slot: Bits<3>,
    /// Where counts are read: at `slot`, or where they are always 0.
    from: Bits<3>,
    vc: Bits<5>,
    /// Classes that have the virtual channel.
    classes: Bits<6>,
    /// What is added or compared.
    amount: Bits<15>,
    /// What the pool gets back.
    returned: Bits<15>,
}

/// The same with differences of counts.
#[packed]
struct Differences {
    at: Placed,
    /// `main` after the operation.
    main: Bits<15>,
    other: Bits<15>,
    /// How far the count of the peer is ahead of the one known, at either end, and how far it may be at the sender; at the receiver that is LIMIT.
    step_sent: Bits<15>,
    step_received: Bits<15>,
    span: Bits<15>,
    limit: Bits<14>,
    /// What becomes of the cells in use of the pool.
    change: Bits<15>,
}

/// The same, compared.
#[packed]
struct Judged {
    at: Placed,
    /// The count of the peer may be, and is another one.
    fits: Bit,
    moves: Bit,
    step: Bits<15>,
    /// What is written where a count of the peer or `main` is taken over.
    taken: Bits<15>,
    /// Cells in use, of the pool if there is one, or freed and not told.
    level: Bits<15>,
    /// Most cells in use with which the largest frame may go; negative: never.
    most: Bits<16>,
    limit: Bits<14>,
}

/// Whether there are credits.
#[packed]
struct Concluded {
    /// Classes that it is about.
    classes: Bits<6>,
    /// For the largest frame.
    enough: Bit,
    /// CELL_BATCH is reached.
    reached: Bit,
    /// LIMIT less the cells in use; negative: none.
    left: Bits<15>,
}

/// The counts of both ends; see the [module](self).
#[block("credit_counts")]
pub struct CreditCounts {
    /// Rising edge counts.
    clock: In<Clock>,
    /// Forgets operations. The counts are put to zero by operations.
    clear: In<Bit>,
    /// What is to be done; comes from flip-flops.
    request: In<CreditRequest>,
    /// Requests behind this one take credits, too.
    more_taken: In<Bit>,
    /// Classes that take credits now, and have none until their cells are counted.
    taking: In<Bits<CLASSES>>,
    /// Virtual channels of the classes.
    virtual_channels: [In<Bits<5>>; CLASSES],
    /// Lossless classes.
    lossless: In<Bits<CLASSES>>,
    /// LIMIT of the classes.
    limits: [In<Bits<14>>; CLASSES],
    /// P_CELL.
    cell: In<Bits<3>>,
    /// PKT_OVHD.
    overhead: In<Bits<8>>,
    /// CELL_BATCH.
    cell_batch: In<Bits<8>>,
    /// All classes share the LIMIT of class 0.
    pool: In<Bit>,
    /// Classes that have credits for the largest frame.
    has_credit: Out<Bits<CLASSES>>,
    /// The port has CBFC: octets are told.
    enable: In<Bit>,
    /// A class of data.
    asked_class: In<Bits<2>>,
    /// Octets that its credits are worth, a clock later; at most one less than 1 MiB, and 0 if it needs none.
    credit_octets: Out<Bits<CREDIT_OCTETS_BITS>>,
    /// CELL_BATCH cells of these classes were freed.
    ripe: Out<Bits<CLASSES>>,
    /// A check has moved a count.
    pub moved: FlowOut<CreditMove>,
    /// CF for a CF_Update.
    pub told: FlowOut<CreditTold>,
    /// A count of CF_Update was ignored.
    freed_bad: Out<Bit>,
    /// A count of CC_Update was ignored.
    consumed_bad: Out<Bit>,
    /// Whose CC is to be read: its first class.
    consumed_slot: In<Bits<3>>,
    /// The CC of `consumed_slot`.
    consumed_cells: Out<Bits<CELLS_BITS>>,

    /// What is added to octets.
    #[wire(d = _)]
    surplus: Reg<Bits<15>>,
    largest: Reg<Bits<15>>,
    #[wire(enable = true)]
    measured_operation: Register<CreditOperation>,
    #[wire(enable = true)]
    placed_operation: Register<CreditOperation>,
    #[wire(enable = true)]
    differs_operation: Register<CreditOperation>,
    #[wire(enable = true)]
    judged_operation: Register<CreditOperation>,
    #[wire(d = _)]
    measured: Reg<Measured>,
    #[wire(d = _)]
    placed: Reg<Placed>,
    #[wire(d = _)]
    differences: Reg<Differences>,
    #[wire(d = _)]
    judged: Reg<Judged>,
    #[wire(d = _)]
    concluded: Reg<Concluded>,
    /// It is about credits, or about freed cells.
    #[wire(enable = true)]
    sees: Register<Bit>,
    #[wire(enable = true)]
    ripens: Register<Bit>,
    #[wire(clock)]
    main: LutRam<Bits<CELLS_BITS>, 4>,
    #[wire(clock)]
    passed: LutRam<Bits<CELLS_BITS>, 4>,
    #[wire(clock)]
    passed_copy: LutRam<Bits<CELLS_BITS>, 4>,
    #[wire(clock)]
    other: LutRam<Bits<CELLS_BITS>, 4>,
    /// Cells in use of all classes.
    #[wire(enable = true)]
    in_use: Register<Bits<CELLS_BITS>>,
    #[wire(enable = true)]
    credit: Register<Bits<CLASSES>>,
    /// Octets that are left, and whose.
    #[wire(d = _)]
    spare: Reg<Bits<CREDIT_OCTETS_BITS>>,
    #[wire(enable = true)]
    spare_classes: Register<Bits<VCS>>,
    spares: [Register<Bits<CREDIT_OCTETS_BITS>>; VCS],
    #[wire(d = _)]
    told_octets: Reg<Bits<CREDIT_OCTETS_BITS>>,
}

#[logic]
impl CreditCounts {
    fn update(&mut self) {
        self.measure();
        self.place();
        self.change();
        self.judge();
        self.conclude();
        self.keep_credit();
        self.keep_octets();
    }

    /// Stage 1.
    fn measure(&mut self) {
        let asked = request.operation;
        let class = request.class;
        let mut vc = request.vc;
        for i in 0..CLASSES {
            if !request.by_vc & (class == i) {
                vc = virtual_channels[i];
            }
        }
        let lossless_codes: Bits<8> = cat(lossless, bits::<2>(0));
        let counted = request.by_vc | asked.zeroes | asked.measures | asked.tells | lossless_codes[class];
        let nothing: Bits<OPERATION_BITS> = 0;
        measured_operation = if counted { asked } else { nothing.into() };

        // 2^(n + 5) as one bit; the overhead with its sign.
        let mut power: Bits<15> = 0;
        for i in 0..6 {
            power = power.with(i + 5, cell == i);
        }
        power = power.with(11, cell >= 6);
        let sign = overhead[7];
        let signs: Bits<7> = if sign { 127 } else { 0 };
        let signed: Bits<15> = cat(overhead, signs);
        surplus = signed + (power | ROUND);
        measured = Measured {
            class,
            vc,
            by_octets: request.by_octets,
            sum: bit_cast::<15, 14>(request.octets) + surplus,
            cells: request.cells,
        };
    }

    /// Stage 2.
    fn place(&mut self) {
        let sum = measured.sum;
        let costs: Bits<10> = match cell {
            0 => sum[5..15],
            1 => cat(sum[6..15], bits::<1>(0)),
            2 => cat(sum[7..15], bits::<2>(0)),
            3 => cat(sum[8..15], bits::<3>(0)),
            4 => cat(sum[9..15], bits::<4>(0)),
            5 => cat(sum[10..15], bits::<5>(0)),
            _ => cat(sum[11..15], bits::<6>(0)),
        };
        let given = measured.cells;
        let added: Bits<15> = if measured_operation.returns { 0 } else { given };
        let cost = if measured.by_octets { bit_cast::<15, 10>(costs) } else { added };
        let placed_vc = measured.vc;
        let mut classes: Bits<CLASSES> = 0;
        for i in 0..CLASSES {
            classes = classes.with(i, lossless[i] & (virtual_channels[i] == placed_vc));
        }
        let placed_class = measured.class;
        let slot = if measured_operation.zeroes {
            placed_class
        } else if classes[0] {
            bits::<3>(0)
        } else if classes[1] {
            bits::<3>(1)
        } else if classes[2] {
            bits::<3>(2)
        } else if classes[3] {
            bits::<3>(3)
        } else if classes[4] {
            bits::<3>(4)
        } else {
            bits::<3>(5)
        };
        let counts_here = classes.any()
            | measured_operation.zeroes
            | measured_operation.measures
            | measured_operation.tells;
        let nothing_placed: Bits<OPERATION_BITS> = 0;
        placed_operation = if counts_here { measured_operation } else { nothing_placed.into() };
        let from = if measured_operation.zeroes { bits::<3>(ZERO) } else { slot };
        placed = Placed { slot, from, vc: placed_vc, classes, amount: cost, returned: given };
    }

    /// Stage 3.
    fn change(&mut self) {
        let late = judged_operation;
        let amount = placed.amount;
        let address: Bits<4> = cat(placed.slot, placed_operation.receiver);
        let read_address: Bits<4> = cat(placed.from, placed_operation.receiver);
        let late_at = judged.at;
        main.read_address = read_address;
        passed.read_address = read_address;
        other.read_address = read_address;
        let main_next = main.read_data + amount;
        let passed_read = passed.read_data;
        let other_read = other.read_data;
        main.write_enable = placed_operation.adds | placed_operation.zeroes;
        main.write_address = address;
        main.write_data = main_next;
        let passed_writes = placed_operation.passes | placed_operation.zeroes;
        let passed_next = passed_read + amount;
        passed.write_enable = passed_writes;
        passed.write_address = address;
        passed.write_data = passed_next;
        passed_copy.write_enable = passed_writes;
        passed_copy.write_address = address;
        passed_copy.write_data = passed_next;
        passed_copy.read_address = cat(consumed_slot, bits::<1>(0));
        consumed_cells = passed_copy.read_data;
        let late_classes = late_at.classes;
        let late_told = late.tells & late_classes.any();
        other.write_enable = late.zeroes | late_told | (late.checks & !late.receiver & judged.fits);
        other.write_address = cat(late_at.slot, late.receiver);
        other.write_data = judged.taken;

        if placed_operation.measures {
            largest = amount;
        }
        let limit_slot: Bits<3> = if pool { 0 } else { placed.slot };
        let mut limit = limits[0];
        for i in 1..CLASSES {
            if limit_slot == i {
                limit = limits[i];
            }
        }
        let back = bits::<15>(0) - placed.returned;
        let change = if placed_operation.returns { back } else { amount };
        differs_operation = placed_operation;
        differences = Differences {
            at: placed,
            main: main_next,
            other: other_read,
            step_sent: amount - other_read,
            step_received: amount - passed_read,
            span: passed_read - other_read,
            limit,
            change,
        };
    }

    /// Stage 4.
    fn judge(&mut self) {
        let at = differences.at;
        let span =
            if differs_operation.receiver { bit_cast::<15, 14>(differences.limit) } else { differences.span };
        let step = if differs_operation.receiver { differences.step_received } else { differences.step_sent };
        let adds = differs_operation.adds & !differs_operation.receiver;
        let changed = in_use + differences.change;
        in_use = if adds | differs_operation.returns { changed } else { in_use };
        let used = differences.main - differences.other;
        let pooled = pool & !differs_operation.receiver;
        let taken = if differs_operation.tells { differences.main } else { at.amount };
        let level = if pooled { changed } else { used };
        judged_operation = differs_operation;
        judged = Judged {
            at,
            fits: step <= span,
            moves: step.any(),
            step,
            taken,
            level,
            most: bit_cast::<16, 14>(differences.limit) - bit_cast::<16, 15>(largest),
            limit: differences.limit,
        };
        told.data = CreditTold {
            vc: at.vc,
            cells: differences.main,
            known: at.classes.any(),
            second: differs_operation.second,
        };
        told.valid = differs_operation.tells;
    }

    /// Stage 5: what follows a check; whether there are credits for the largest frame, and whether CELL_BATCH is reached.
    fn conclude(&mut self) {
        let judged_at = judged.at;
        moved.data =
            CreditMove { class: judged_at.slot, cells: judged.step, receiver: judged_operation.receiver };
        moved.valid = judged_operation.checks & judged.fits & judged.moves;
        freed_bad = judged_operation.checks & !judged.fits & !judged_operation.receiver;
        consumed_bad = judged_operation.checks & !judged.fits & judged_operation.receiver;
        let most = judged.most;
        concluded = Concluded {
            classes: judged_at.classes,
            enough: !most[15] & (judged.level <= most[0..15]),
            reached: judged.level >= bit_cast::<15, 8>(cell_batch),
            left: bit_cast::<15, 14>(judged.limit) - judged.level,
        };
        sees = !judged_operation.receiver & (judged_operation.adds | judged_operation.returns);
        ripens = judged_operation.receiver & judged_operation.adds;
    }

    /// Stage 6: which classes have credits. What is behind says more, so a class gets credits only if nothing is taken there.
    fn keep_credit(&mut self) {
        let kept = concluded.classes;
        ripe = if ripens & concluded.reached { kept } else { 0 };
        let wanted = request.operation;
        let later = more_taken
            | (wanted.adds & !wanted.receiver)
            | (measured_operation.adds & !measured_operation.receiver)
            | (placed_operation.adds & !placed_operation.receiver)
            | (differs_operation.adds & !differs_operation.receiver)
            | (judged_operation.adds & !judged_operation.receiver);
        let is_taken = placed_operation.adds & !placed_operation.receiver;
        let takes: Bits<CLASSES> = if is_taken { placed.classes } else { 0 };
        let blocked = taking | takes;
        let pool_blocked = pool & blocked.any();
        let mut credit_next: Bits<CLASSES> = 0;
        for i in 0..CLASSES {
            let seen = sees & (pool | kept[i]);
            let has = if seen { concluded.enough & (credit[i] | !later) } else { credit[i] };
            credit_next = credit_next.with(i, has & !blocked[i] & !pool_blocked);
        }
        credit = credit_next;
        has_credit = credit;
    }

    /// Stages 6 and 7: cells that are left as octets, by class of data.
    fn keep_octets(&mut self) {
        let left = concluded.left;
        let cells: Bits<14> = if left[14] { 0 } else { left[0..14] };
        // Cells of 32 octets to 2 KiB: 25 bits.
        let octets: Bits<25> = match cell {
            0 => cat(bits::<5>(0), cells, bits::<6>(0)),
            1 => cat(bits::<6>(0), cells, bits::<5>(0)),
            2 => cat(bits::<7>(0), cells, bits::<4>(0)),
            3 => cat(bits::<8>(0), cells, bits::<3>(0)),
            4 => cat(bits::<9>(0), cells, bits::<2>(0)),
            5 => cat(bits::<10>(0), cells, bits::<1>(0)),
            _ => cat(bits::<11>(0), cells),
        };
        let beyond = octets.bits::<5>(CREDIT_OCTETS_BITS);
        let most: Bits<CREDIT_OCTETS_BITS> = (1 << CREDIT_OCTETS_BITS) - 1;
        spare = if beyond.any() { most } else { octets[0..CREDIT_OCTETS_BITS] };
        let of_classes = concluded.classes;
        let of_data: Bits<VCS> = if pool { 15 } else { of_classes[0..VCS] };
        spare_classes = if sees { of_data } else { 0 };
        for i in 0..VCS {
            spares[i].enable = spare_classes[i];
            spares[i] = spare;
        }
        let asked_spare = match asked_class {
            0 => spares[0],
            1 => spares[1],
            2 => spares[2],
            _ => spares[3],
        };
        told_octets = if enable { asked_spare } else { 0 };
        credit_octets = told_octets;
    }
}

/// Bits of an operation.
const OPERATION_BITS: usize = 9;
