//! Seeds and random values.

use flitforge_elaborate::value::words_for;
use flitforge_elaborate::Value;
use rand::RngCore;
use rand_chacha::rand_core::SeedableRng;

/// The random number generator of all tests: the same numbers on every machine.
pub type Rng = rand_chacha::ChaCha8Rng;

/// `fixed`, or what the environment variable `FLITFORGE_SEED` says (decimal or `0x` hexadecimal); printed,
/// so that a failing run can be repeated.
pub fn seed(fixed: u64) -> u64 {
    let given = std::env::var("FLITFORGE_SEED").ok().and_then(|text| parse(&text));
    let seed = given.unwrap_or(fixed);
    println!("FLITFORGE_SEED={seed:#x}");
    seed
}

fn parse(text: &str) -> Option<u64> {
    let text = text.trim().replace('_', "");
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// A generator for one agent: agents of one test get different streams of numbers from one seed.
pub fn rng(seed: u64, agent: &str) -> Rng {
    // FNV-1a: any fixed spread of the names will do.
    let hash = agent
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let mut rng = Rng::seed_from_u64(seed);
    rng.set_stream(hash);
    rng
}

/// A uniformly distributed value; one time in eight all zeros, all ones, or one single bit.
pub fn random_value(rng: &mut Rng, width: u32) -> Value {
    match rng.next_u32() % 24 {
        0 => Value::zero(width),
        1 => Value::ones(width),
        2 => {
            let mut value = Value::zero(width);
            value.set_bit(rng.next_u32() % width.max(1), true);
            value
        }
        _ => {
            let words: Vec<u64> = (0..words_for(width)).map(|_| rng.next_u64()).collect();
            Value::from_words(width, &words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_read_in_both_notations() {
        assert_eq!(parse("0x1_f"), Some(31));
        assert_eq!(parse(" 31 "), Some(31));
        assert_eq!(parse("seed"), None);
    }

    #[test]
    fn agents_get_different_numbers_that_repeat() {
        let first: Vec<u64> = (0..4).map(|_| 0).scan(rng(1, "a"), |rng, _| Some(rng.next_u64())).collect();
        assert_ne!(first[0], rng(1, "b").next_u64());
        assert_ne!(first[0], rng(2, "a").next_u64());
        assert_eq!(first[0], rng(1, "a").next_u64());
    }
}
