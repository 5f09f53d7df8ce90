"""eth_mac_axi_rx between the XGMII source of cocotbext-eth and the AXI-Stream sink of cocotbext-axi."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge
from cocotbext.axi import AxiStreamBus, AxiStreamSink
from cocotbext.eth import XgmiiFrame, XgmiiSource

MINIMUM = 60


class Bench:
    def __init__(self, dut):
        self.dut = dut
        cocotb.start_soon(Clock(dut.clock, 6, units="ns").start())
        self.source = XgmiiSource(dut.rxd, dut.rxc, dut.clock, dut.clear)
        self.sink = AxiStreamSink(AxiStreamBus.from_prefix(dut, "m_axis"), dut.clock, dut.clear)

    async def start(self):
        self.dut.minimum.value = MINIMUM
        self.dut.clear.value = 1
        for _ in range(4):
            await RisingEdge(self.dut.clock)
        self.dut.clear.value = 0
        await RisingEdge(self.dut.clock)


def octets(length):
    return bytes(random.randrange(256) for _ in range(length))


def is_bad(frame):
    user = frame.tuser
    return bool(user[-1] if isinstance(user, list) else user)


@cocotb.test()
async def frames_of_every_length_come_out_good(dut):
    bench = Bench(dut)
    await bench.start()
    for starts_in_octet_4, lengths in ((False, [*range(60, 130), 9212]), (True, range(60, 130))):
        bench.source.force_offset_start = starts_in_octet_4
        frames = [octets(length) for length in lengths]
        for frame in frames:
            await bench.source.send(XgmiiFrame.from_payload(frame))
        for frame in frames:
            received = await bench.sink.recv()
            assert bytes(received.tdata) == frame, f"{len(frame)} octets, octet 4: {starts_in_octet_4}"
            assert not is_bad(received), f"{len(frame)} octets, octet 4: {starts_in_octet_4}"
    assert bench.sink.empty()


@cocotb.test()
async def damaged_and_short_frames_come_out_bad(dut):
    bench = Bench(dut)
    await bench.start()
    wanted = []
    for _ in range(100):
        frame = XgmiiFrame.from_payload(octets(random.randrange(60, 200)))
        kind = random.randrange(3)
        if kind == 1:
            at = random.randrange(8, len(frame.data))
            frame.data[at] ^= 1 << random.randrange(8)
        elif kind == 2:
            frame = XgmiiFrame.from_payload(octets(random.randrange(10, 60)), min_len=0)
        wanted.append(kind != 0)
        await bench.source.send(frame)
    assert [is_bad(await bench.sink.recv()) for _ in wanted] == wanted


@cocotb.test()
async def an_error_inside_makes_a_frame_bad_and_no_other(dut):
    bench = Bench(dut)
    await bench.start()
    wanted = []
    for _ in range(60):
        frame = XgmiiFrame.from_payload(octets(random.randrange(60, 200)))
        broken = random.random() < 0.5
        if broken:
            at = random.randrange(20, len(frame.data))
            frame.normalize()
            frame.data[at], frame.ctrl[at] = 0xFE, 1
        wanted.append((broken, None if broken else bytes(frame.get_payload())))
        await bench.source.send(frame)
    for broken, payload in wanted:
        received = await bench.sink.recv()
        assert is_bad(received) == broken
        assert broken or bytes(received.tdata) == payload
