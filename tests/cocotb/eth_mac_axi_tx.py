"""eth_mac_axi_tx between the AXI-Stream source of cocotbext-axi and the XGMII sink of cocotbext-eth."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSource
from cocotbext.eth import XgmiiSink

PERIOD_NS = 6
MINIMUM = 60
GAP = 12
LEAST_GAP = 8
DEFICIT_MAX = 7


class Bench:
    def __init__(self, dut):
        self.dut = dut
        cocotb.start_soon(Clock(dut.clock, PERIOD_NS, units="ns").start())
        self.source = AxiStreamSource(AxiStreamBus.from_prefix(dut, "s_axis"), dut.clock, dut.clear)
        self.sink = XgmiiSink(dut.txd, dut.txc, dut.clock, dut.clear)
        self.events = {"underrun": 0, "malformed": 0}
        for name in self.events:
            cocotb.start_soon(self.count(name))

    async def count(self, name):
        while True:
            await RisingEdge(self.dut.clock)
            if getattr(self.dut, name).value == 1:
                self.events[name] += 1

    async def start(self):
        self.dut.minimum.value = MINIMUM
        self.dut.gap.value = GAP
        self.dut.clear.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.clock)
        self.dut.clear.value = 0
        await RisingEdge(self.dut.clock)


def octets(length):
    return bytes(random.randrange(256) for _ in range(length))


def padded(frame):
    return frame + bytes(max(0, MINIMUM - len(frame)))


@cocotb.test()
async def frames_of_every_length_are_ethernet_frames(dut):
    bench = Bench(dut)
    await bench.start()
    frames = [octets(length) for length in [*range(1, 131), 1514, 9000, 9212]]
    for frame in frames:
        await bench.source.send(AxiStreamFrame(frame))
    for frame in frames:
        received = await bench.sink.recv()
        assert received.get_payload() == padded(frame), f"{len(frame)} octets"
        assert received.check_fcs(), f"FCS of {len(frame)} octets"
    assert bench.events == {"underrun": 0, "malformed": 0}


@cocotb.test()
async def each_gap_is_the_shortest_that_the_deficit_allows(dut):
    bench = Bench(dut)
    await bench.start()
    frames = [octets(random.randrange(60, 200)) for _ in range(150)]
    for frame in frames:
        await bench.source.send(AxiStreamFrame(frame))
    starts = [(await bench.sink.recv()).sim_time_start for _ in frames]
    column = cocotb.utils.get_sim_steps(PERIOD_NS, "ns")
    deficit = 0
    for index, frame in enumerate(frames[:-1]):
        between = (starts[index + 1] - starts[index]) / column * 8
        gap = between - 8 - len(frame) - 4
        # Frames start in octet 0, so the next shorter gap has eight octets fewer.
        assert gap >= LEAST_GAP and deficit + GAP - gap <= DEFICIT_MAX, f"frame {index}: {gap} octets"
        shorter = gap - 8
        assert shorter < LEAST_GAP or deficit + GAP - shorter > DEFICIT_MAX, f"frame {index}: {gap} octets"
        deficit = max(0, deficit + GAP - gap)
    assert bench.events == {"underrun": 0, "malformed": 0}


@cocotb.test()
async def a_bad_frame_has_a_wrong_fcs(dut):
    bench = Bench(dut)
    await bench.start()
    bad = [random.random() < 0.5 for _ in range(60)]
    for is_bad in bad:
        await bench.source.send(AxiStreamFrame(octets(random.randrange(1, 200)), tuser=int(is_bad)))
    assert [not (await bench.sink.recv()).check_fcs() for _ in bad] == bad
    assert bench.events == {"underrun": 0, "malformed": 0}


@cocotb.test()
async def a_source_that_stops_breaks_its_frame_only(dut):
    bench = Bench(dut)
    await bench.start()
    bench.source.set_pause_generator(1 if n % 40 == 39 else 0 for n in range(10**6))
    frames = [octets(random.randrange(60, 300)) for _ in range(60)]
    for frame in frames:
        await bench.source.send(AxiStreamFrame(frame))
    await bench.source.wait()
    for _ in range(40):
        await RisingEdge(dut.clock)
    good = []
    while not bench.sink.empty():
        received = bench.sink.recv_nowait()
        if not any(received.ctrl or []) and received.check_fcs():
            good.append(received.get_payload())
    assert all(frame in [padded(sent) for sent in frames] for frame in good)
    assert bench.events["underrun"] > 0 and len(good) == len(frames) - bench.events["underrun"]
