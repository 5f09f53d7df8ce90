//! Names of modules after what they hold: a name that two emissions share stands for one text in both.
//!
//! A module below the top is called `NAME_DIGEST`: the name of its block (or of the field that holds it), and the beginning of the
//! SHA-256 of its texts for all technologies, in which its children have their final names. Where the text for a technology is not
//! the generic one, the name in that text has the technology's suffix. The top has the name that was asked for.

use super::{ecp5, memory, module, Options, Technology};
use crate::graph::{Design, ForeignOrigin, Memory, Module};
use sha2::{Digest, Sha256};
use std::borrow::Cow;

/// Bytes of the digest in a name, two digits each.
pub const DIGEST_BYTES: usize = 4;

/// Names the modules: the top `top`, the others after `wishes` and their contents.
pub fn name_modules(design: &mut Design, top: &str, wishes: &[String]) {
    for (index, wish) in wishes.iter().enumerate() {
        if index == design.top.0 as usize {
            design.modules[index].name = top.into();
            continue;
        }
        if let Some(ForeignOrigin::BlackBox(name)) = design.modules[index].fixed_names() {
            design.modules[index].name = name.clone();
            continue;
        }
        design.modules[index].name.clone_from(wish);
        let module = &design.modules[index];
        // Only memories are written in more than one way.
        let technologies = if module.memories.is_empty() { &Technology::ALL[..1] } else { &Technology::ALL };
        let mut digest = Sha256::new();
        for technology in technologies {
            digest.update(module::write(design, module, &Options { technology: *technology }));
            digest.update([0]);
        }
        let digest = digest.finalize();
        let digits: String = digest.iter().take(DIGEST_BYTES).map(|byte| format!("{byte:02x}")).collect();
        design.modules[index].name = format!("{wish}_{digits}");
    }
}

/// The design with the names that its modules have in the text for a technology.
pub fn for_technology<'a>(design: &'a Design, options: &Options) -> Cow<'a, Design> {
    let technology = options.technology;
    let mut named = Cow::Borrowed(design);
    let mut specific = vec![false; design.modules.len()];
    for (index, module) in design.modules.iter().enumerate() {
        specific[index] = module.memories.iter().any(|memory| is_specific(module, memory, technology))
            || module.instances.iter().any(|instance| specific[instance.module.0 as usize]);
        if specific[index] && index != design.top.0 as usize {
            let name = format!("{}_{}", module.name, technology.name());
            named.to_mut().modules[index].name = name;
        }
    }
    named
}

/// True if a memory is written in another way than for every technology.
fn is_specific(module: &Module, memory: &Memory, technology: Technology) -> bool {
    memory::asks_for_lut_ram(memory, technology)
        || technology == Technology::Ecp5 && ecp5::fits(module, memory)
}
