//! Bursts that AXI4 allows at 64 bits of data, and the octets that their transfers have.

use flitforge_model::sue::axi::AxiRequest;
use flitforge_protocol::sue::axi::BUS_BYTES;
use flitforge_sim::kit::Rng;
use rand::seq::IndexedRandom as _;
use rand::Rng as _;

/// AxBURST.
pub const FIXED: u8 = 0;
pub const INCREMENTING: u8 = 1;
pub const WRAPPING: u8 = 2;
/// A burst stays in one page.
pub const PAGE: u64 = 4096;
/// Most transfers of a burst that is not incrementing, or exclusive.
pub const SHORT: usize = 16;
/// Most octets of an exclusive access.
pub const EXCLUSIVE: u64 = 128;
/// The largest AxSIZE.
pub const WORD: u8 = BUS_BYTES.ilog2() as u8;

/// Octets of a burst, as if it began at the border of a transfer.
pub fn octets(request: &AxiRequest) -> u64 {
    (request.transfers() as u64) << request.size
}

/// The first and the last octet of a transfer of a burst.
pub fn place(request: &AxiRequest, transfer: usize) -> (u64, u64) {
    let size = 1 << request.size;
    let aligned = request.address & !(size - 1);
    let on = transfer as u64 * size;
    let first = match request.burst {
        FIXED => request.address,
        WRAPPING => {
            let base = request.address & !(octets(request) - 1);
            base | aligned.wrapping_add(on) & (octets(request) - 1)
        }
        _ if transfer == 0 => request.address,
        _ => aligned.wrapping_add(on),
    };
    (first, first | (size - 1))
}

/// The lanes of a transfer, as WSTRB.
pub fn lanes(request: &AxiRequest, transfer: usize) -> u8 {
    let (first, last) = place(request, transfer);
    let bus = BUS_BYTES as u64;
    (first % bus..=last % bus).fold(0, |all, lane| all | 1 << lane)
}

/// A burst of so many transfers, with the address in the low 12 bits; `whole`: all lanes of each transfer are used.
pub fn legal_burst(random: &mut Rng, transfers: usize, whole: bool) -> AxiRequest {
    let caches = (0..16u8).filter(|cache| cache & 2 != 0 || cache & 12 == 0);
    let caches: Vec<u8> = caches.collect();
    let size = if whole || random.random_bool(0.5) { WORD } else { random.random_range(0..WORD) };
    let burst = match transfers {
        2 | 4 | 8 | 16 => random.random_range(FIXED..=WRAPPING),
        1..=SHORT => random.random_range(FIXED..=INCREMENTING),
        _ => INCREMENTING,
    };
    let mut request = AxiRequest {
        address: 0,
        id: 0,
        len: (transfers - 1) as u8,
        size,
        burst,
        lock: false,
        cache: *caches.choose(random).expect("some"),
        prot: random.random_range(0..8),
        qos: random.random_range(0..16),
        region: random.random_range(0..16),
        user: 0,
    };
    let (all, one) = (octets(&request), 1 << size);
    let fits = all.is_power_of_two() && all <= EXCLUSIVE && transfers <= SHORT;
    request.lock = fits && random.random_bool(0.2);
    let span = if burst == INCREMENTING { all } else { one };
    let step = if request.lock { all } else { one };
    request.address = random.random_range(0..=(PAGE - span) / step) * step;
    if burst != WRAPPING && !request.lock && !whole && random.random_bool(0.3) {
        request.address += random.random_range(0..one);
    }
    request
}

/// Fields of AW or AR by the names of their ports.
pub fn fields(request: &AxiRequest, user: u64) -> [(&'static str, u64); 11] {
    [
        ("id", request.id.into()),
        ("addr", request.address),
        ("len", request.len.into()),
        ("size", request.size.into()),
        ("burst", request.burst.into()),
        ("lock", request.lock.into()),
        ("cache", request.cache.into()),
        ("prot", request.prot.into()),
        ("qos", request.qos.into()),
        ("region", request.region.into()),
        ("user", user),
    ]
}

#[test]
fn transfers_have_the_lanes_of_the_specification() {
    let of = |address, size, burst, len| AxiRequest { address, size, burst, len, ..Default::default() };
    // By hand: what the specification's equations give for each transfer.
    let all: [(AxiRequest, &[(u64, u8)]); 7] = [
        (of(0x1000, 3, INCREMENTING, 1), &[(0x1000, 0xFF), (0x1008, 0xFF)]),
        (of(0x1005, 3, INCREMENTING, 1), &[(0x1005, 0xE0), (0x1008, 0xFF)]),
        (of(0x1003, 1, INCREMENTING, 2), &[(0x1003, 0x08), (0x1004, 0x30), (0x1006, 0xC0)]),
        (of(0x1006, 0, INCREMENTING, 2), &[(0x1006, 0x40), (0x1007, 0x80), (0x1008, 0x01)]),
        (of(0x100C, 2, WRAPPING, 3), &[(0x100C, 0xF0), (0x1000, 0x0F), (0x1004, 0xF0), (0x1008, 0x0F)]),
        (of(0x1030, 3, WRAPPING, 3), &[(0x1030, 0xFF), (0x1038, 0xFF), (0x1020, 0xFF), (0x1028, 0xFF)]),
        (of(0x1002, 2, FIXED, 1), &[(0x1002, 0x0C), (0x1002, 0x0C)]),
    ];
    for (request, expected) in all {
        let found: Vec<_> =
            (0..request.transfers()).map(|at| (place(&request, at).0, lanes(&request, at))).collect();
        assert_eq!(found, expected, "{request:x?}");
    }
}
