//! A second way to the bits of chapter 10, 3.5 and 3.6, bit by bit from its text and without the library: LTPs, wire
//! beats, and the words on the lanes.

/// Flits of an LTP; bits 0 to 64 of each count.
pub type Flits = [u128; 16];

/// The division: highest coefficient first, register all ones, no final XOR. The CRC's bits as they are sent.
fn crc(polynomial: u32, width: usize, data: impl Iterator<Item = bool>) -> Vec<bool> {
    let mask = (1u32 << width) - 1;
    let register = data.fold(mask, |register, bit| {
        let out = register >> (width - 1) & 1 == 1;
        let shifted = register << 1 & mask;
        if out == bit {
            shifted
        } else {
            shifted ^ (polynomial & mask)
        }
    });
    (0..width).rev().map(|bit| register >> bit & 1 == 1).collect()
}

/// Data bits D[65i + j], flit i, bit j.
fn data_bits(flits: &Flits) -> Vec<bool> {
    flits.iter().flat_map(|flit| (0..65).map(move |bit| flit >> bit & 1 == 1)).collect()
}

/// Mode 3: groups of words i mod L; the last word of each has the group's CRC in its top bits.
fn per_lane(data: &[bool], lanes: usize) -> Vec<bool> {
    let (width, polynomial) = if lanes == 4 { (12, 0x13C5) } else { (16, 0x1941F) };
    let room = |word: usize| if word >= 34 - lanes { 32 - width } else { 32 };
    let mut rest = data.iter().copied();
    let words: Vec<Vec<bool>> = (0..34).map(|word| rest.by_ref().take(room(word)).collect()).collect();
    let group = |number: usize| words.iter().skip(number).step_by(lanes).flatten().copied();
    let with_crc = |(word, bits): (usize, &Vec<bool>)| {
        let mut bits = bits.clone();
        if bits.len() < 32 {
            bits.extend(crc(polynomial, width, group(word % lanes)));
        }
        bits
    };
    words.iter().enumerate().flat_map(with_crc).collect()
}

/// All bits of an LTP as sent, by number of the mode; `side` is c0 and c1 of mode 1.
pub fn ltp_bits(mode: u8, lanes: usize, flits: &Flits, side: [bool; 2]) -> Vec<bool> {
    let mut bits = data_bits(flits);
    match mode {
        0 => bits.extend(crc(0x11753, 16, bits.clone().into_iter())),
        1 => {
            bits.extend(side);
            bits.extend(crc(0x5853, 14, bits.clone().into_iter()));
        }
        2 => {
            let data = bits.clone();
            for polynomial in [0x1053, 0x145B, 0x104D, 0x146B] {
                bits.extend(crc(polynomial, 12, data.iter().copied()));
            }
        }
        _ => bits = per_lane(&bits, lanes),
    }
    bits
}

/// The words: bit 0 of a word first.
pub fn words(bits: &[bool]) -> Vec<u32> {
    bits.chunks(32).map(|word| word.iter().rev().fold(0, |word, &bit| word << 1 | u32::from(bit))).collect()
}

/// What each lane carries after the start row: lane, whether it is a control word, word.
pub struct Lanes {
    physical: Vec<usize>,
    registers: Vec<u32>,
    /// Words since the start row, and the last ALN number.
    words: u64,
    aln: u32,
}

const SEEDS: [u32; 4] = [0x1DBFBC, 0x0607BB, 0x1EC760, 0x18C0DB];

impl Lanes {
    pub fn new(physical: &[usize]) -> Self {
        let registers = physical.iter().map(|&lane| SEEDS[lane]).collect();
        Lanes { physical: physical.to_vec(), registers, words: 0, aln: 0 }
    }

    /// The next 32 bits of a lane's stream: out s22, in s22 ^ s20 ^ s15 ^ s7 ^ s4 ^ s1.
    fn mask(&mut self, lane: usize) -> u32 {
        let register = &mut self.registers[lane];
        (0..32).fold(0, |mask, bit| {
            let tap = |place: u32| *register >> place & 1;
            let (out, into) = (tap(22), tap(22) ^ tap(20) ^ tap(15) ^ tap(7) ^ tap(4) ^ tap(1));
            *register = (*register << 1 | into) & 0x7F_FFFF;
            mask | out << bit
        })
    }

    /// Deals the words of one LTP; gives (logical lane, control, word on the line) in the order of sending.
    pub fn deal(&mut self, ltp: &[u32]) -> Vec<(usize, bool, u32)> {
        let lanes = self.physical.len();
        let mut sent = vec![];
        for &word in ltp {
            let lane = (self.words % lanes as u64) as usize;
            sent.push((lane, false, word ^ self.mask(lane)));
            self.words += 1;
            if self.words % (4096 * lanes as u64) == 0 {
                self.aln += 1;
                sent.extend((0..lanes).map(|lane| (lane, true, (self.aln & 0xFFFF) << 16 | 0x1CBC)));
            }
        }
        sent
    }
}
