//! Ports by their path.

use flitforge_elaborate::Value;

/// Something with the ports of a block. A path that is no port, or no input where one is set, is an error in the test, and
/// panics.
pub trait Pins {
    /// Sets the input at `path` from words, least significant first; missing words are 0, bits above its width are cut off.
    fn drive(&mut self, path: &str, words: &[u64]);

    /// The settled port at `path`.
    fn sample(&mut self, path: &str) -> Value;

    /// The low 64 bits of the settled port at `path`.
    fn word(&mut self, path: &str) -> u64 {
        self.sample(path).low_u64()
    }
}
