//! The one-way latency of the source's table (004, lines 155 to 160; chapter 50, 7): sender, two cables, one switch, receiver.

/// Picoseconds, so that sums are exact.
const NANOSECOND: u64 = 1_000;

/// What a cable is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cable {
    /// Single-mode fibre: 4.96 ns per metre.
    SingleModeFibre,
    /// Hollow-core fibre: 3.5 ns per metre.
    HollowCoreFibre,
    /// Twinaxial copper: 4.6 ns per metre.
    Twinax,
}

impl Cable {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Cable::SingleModeFibre => "single-mode fibre",
            Cable::HollowCoreFibre => "hollow-core fibre",
            Cable::Twinax => "twinax",
        }
    }

    /// Picoseconds per metre.
    #[must_use]
    pub const fn per_metre(self) -> u64 {
        match self {
            Cable::SingleModeFibre => 4_960,
            Cable::HollowCoreFibre => 3_500,
            Cable::Twinax => 4_600,
        }
    }
}

/// A row of the source's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Length of each of the two cables, metres.
    pub metres: u64,
    /// Cable.
    pub cable: Cable,
    /// The sum as the source prints it, picoseconds.
    pub printed: u64,
}

/// The six rows of the source, in its order.
pub const ROWS: [Row; 6] = [
    Row { metres: 10, cable: Cable::SingleModeFibre, printed: 549_200 },
    Row { metres: 10, cable: Cable::HollowCoreFibre, printed: 520_000 },
    Row { metres: 5, cable: Cable::SingleModeFibre, printed: 499_600 },
    Row { metres: 5, cable: Cable::HollowCoreFibre, printed: 496_000 },
    Row { metres: 5, cable: Cable::Twinax, printed: 496_000 },
    Row { metres: 3, cable: Cable::Twinax, printed: 477_600 },
];

/// Forward error correction of the links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fec {
    /// None that the table counts.
    None,
    /// RS(544,514): blocks of 5,440 bits.
    Rs544,
    /// RS(272,257): blocks of 2,720 bits.
    Rs272,
}

impl Fec {
    /// Bits of a block.
    #[must_use]
    pub const fn block_bits(self) -> u64 {
        match self {
            Fec::None => 0,
            Fec::Rs544 => 5_440,
            Fec::Rs272 => 2_720,
        }
    }
}

/// Whether blocks are interleaved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Interleaving {
    /// One block after the other.
    None,
    /// Two at a time: each takes twice as long.
    Pairs,
}

/// What a frame passes beside the cables. Times in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatencyParts {
    /// From the command to the wire.
    pub transmit: u64,
    /// From the wire to the command.
    pub receive: u64,
    /// The switch.
    pub switch: u64,
    /// Forward error correction.
    pub fec: Fec,
    /// Of its blocks.
    pub interleaving: Interleaving,
    /// Bits per second of a link, in units of 10^9.
    pub gigabits: u64,
}

impl Default for LatencyParts {
    /// Those of the source: 100 ns each way, 250 ns in the switch, 200 Gb/s.
    fn default() -> Self {
        LatencyParts {
            transmit: 100 * NANOSECOND,
            receive: 100 * NANOSECOND,
            switch: 250 * NANOSECOND,
            fec: Fec::None,
            interleaving: Interleaving::None,
            gigabits: 200,
        }
    }
}

impl LatencyParts {
    /// Time of one hop's error correction: a block has to be there before any of it is known. Two hops make a way.
    #[must_use]
    pub const fn fec_of_hop(&self) -> u64 {
        let blocks = match self.interleaving {
            Interleaving::None => 1,
            Interleaving::Pairs => 2,
        };
        let gigabits = if self.gigabits == 0 { 1 } else { self.gigabits };
        self.fec.block_bits() * NANOSECOND * blocks / gigabits
    }

    /// The sum of a row, picoseconds.
    #[must_use]
    pub const fn one_way(&self, row: &Row) -> u64 {
        let cable = row.metres * row.cable.per_metre();
        self.transmit + self.receive + self.switch + 2 * (cable + self.fec_of_hop())
    }
}
