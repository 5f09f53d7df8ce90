//! Frames of the host and of simulations as a file for Wireshark, with what they say in words (chapter 50, 7).

use flitforge_model::sue::format::frame::{seal, FcsCover, FrameState};
use flitforge_model::sue::format::network::Transport;
use flitforge_model::sue::format::octets::FieldError;
use flitforge_model::sue::format::{body, demultiplex, Command, FrameFor, Network, Pdu, TypeTable};
use flitforge_model::sue::lldp::Neighbour;
use flitforge_model::sue::pcapng::{Capture, CaptureError};
use std::io::Write;
use std::time::Duration;
use thiserror::Error;

/// Commands that are told one by one.
const TOLD: usize = 8;

/// Why frames cannot be written.
#[derive(Debug, Error)]
pub enum PcapError {
    /// The file.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The FCS of a frame.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// Writes frames without FCS with their times, each with its FCS and with a comment from [`describe`].
pub fn pcap<'a, W: Write>(
    capture: &mut Capture<W>,
    network: &Network,
    frames: impl IntoIterator<Item = (Duration, &'a [u8])>,
) -> Result<(), PcapError> {
    for (time, frame) in frames {
        let wire = seal(frame, FcsCover::Frame, FrameState::Good)?;
        capture.frame(time, &wire, Some(&describe(frame, network)))?;
    }
    Ok(())
}

/// What a frame without FCS says to the port `network`: reliability header and commands, or why it is none of its PDUs.
#[must_use]
pub fn describe(frame: &[u8], network: &Network) -> String {
    match demultiplex(frame, network) {
        Err(error) => error.to_string(),
        Ok(FrameFor::FlowControl) => "MAC control".into(),
        Ok(FrameFor::Events) => "event frame".into(),
        Ok(FrameFor::Extraction) => match Neighbour::decode(frame) {
            Ok(neighbour) => format!("LLDP: {:?}", neighbour.advertisement),
            Err(_) => "for the host".into(),
        },
        Ok(FrameFor::Decapsulation) => pdu(frame, network),
    }
}

fn pdu(frame: &[u8], network: &Network) -> String {
    let received = match network.decapsulate(frame) {
        Ok(received) => received,
        Err(refusal) => return format!("{}: {refusal}", refusal.counter().name()),
    };
    if network.config().framing.transport() == Transport::Lite {
        return format!("SUE Lite: {}", commands(received.pdu));
    }
    let pdu = match Pdu::decode(received.pdu) {
        Ok(pdu) => pdu,
        Err(error) => return format!("{}: {error}", error.counter().name()),
    };
    let header = pdu.header;
    let said = if pdu.is_ack_only() { "acknowledgment alone".into() } else { commands(&pdu.body) };
    format!(
        "XPU {}, VC {}, partition {}, PSN {}, {} {}: {said}",
        header.source,
        header.vc,
        header.partition,
        header.psn,
        header.operation.name(),
        header.acknowledged
    )
}

fn commands(octets: &[u8]) -> String {
    match body::walk(octets, &TypeTable::default()) {
        Err(error) => error.to_string(),
        Ok(walked) => {
            let names = walked.commands.iter().map(|command: &Command| command.kind.name());
            let mut told: Vec<&str> = names.take(TOLD).collect();
            if walked.commands.len() > TOLD {
                told.push("...");
            }
            format!("{} commands: {}", walked.commands.len(), told.join(", "))
        }
    }
}
