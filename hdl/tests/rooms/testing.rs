//! A plain bench over rust-hdl's own simulation.

use flitforge_elaborate::drive::DriveBlock;
use flitforge_elaborate::Value;

/// A block, its connected signals and its clock.
pub struct Bench<B: DriveBlock> {
    /// The block under test.
    pub uut: B,
}

impl<B: DriveBlock> Bench<B> {
    /// Connects and settles the block with all inputs 0.
    pub fn new(mut uut: B) -> Self {
        uut.connect_all();
        let mut bench = Self { uut };
        bench.settle();
        bench
    }

    /// Sets the input at `path`.
    pub fn set(&mut self, path: &str, value: u64) -> &mut Self {
        let width = self.get_value(path).width();
        self.set_value(path, &Value::from_u64(width, value))
    }

    /// Sets the input at `path`.
    pub fn set_value(&mut self, path: &str, value: &Value) -> &mut Self {
        assert!(self.uut.drive(path, value), "no input {path} of {} bits", value.width());
        self
    }

    /// The low 64 bits of the port at `path`.
    pub fn get(&mut self, path: &str) -> u64 {
        self.get_value(path).low_u64()
    }

    /// The settled port at `path`.
    pub fn get_value(&mut self, path: &str) -> Value {
        self.settle();
        self.uut.sample(path).unwrap_or_else(|| panic!("no port {path}"))
    }

    /// Lets combinational logic settle.
    pub fn settle(&mut self) {
        for _ in 0..200 {
            self.uut.update_all();
            if !self.uut.has_changed() {
                return;
            }
        }
        panic!("the logic does not settle");
    }

    /// One rising and one falling edge of `clock`.
    pub fn clock(&mut self) {
        self.edge(&["clock"]);
    }

    /// One rising and one falling edge of the named clocks, at the same time.
    pub fn edge(&mut self, clocks: &[&str]) {
        self.settle();
        for level in [1, 0] {
            for clock in clocks {
                self.uut.drive(clock, &Value::from_u64(1, level));
            }
            self.settle();
        }
    }
}

/// The tests' random generator: its seed is printed, and comes from `FLITFORGE_SEED` if that is set.
pub fn random() -> rand_chacha::ChaCha8Rng {
    use rand::SeedableRng;
    let seed = std::env::var("FLITFORGE_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    println!("FLITFORGE_SEED={seed}");
    rand_chacha::ChaCha8Rng::seed_from_u64(seed)
}
