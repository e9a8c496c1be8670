"""Model files taken apart and put together again after docs/FORMAT.md, with right checksums whatever they hold."""

import ctypes
import json
import struct

import numpy as np

MAGIC = b"\x89NODL\r\n\x1a"
PREFIX = struct.Struct("<8sIIQQQ16s")  # without the checksum
ENTRY = struct.Struct("<48s8s6Q24s")

xxhash = ctypes.CDLL("libxxhash.so.0")
xxhash.XXH3_64bits.restype = ctypes.c_uint64
xxhash.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def checksum(data):
    return xxhash.XXH3_64bits(data, len(data))


def padded(data):
    return data + bytes(-len(data) % 64)


class Section:
    def __init__(self, name, kind, rows, cols, data, flags=0):
        self.name, self.kind, self.rows, self.cols, self.data, self.flags = name, kind, rows, cols, data, flags
        self.offset = self.bytes = self.checksum = None  # None: as it should be

    @classmethod
    def of(cls, name, array, flags=0):
        return cls(name, array.dtype.str, *array.shape, array.tobytes(), flags)

    def array(self):
        return np.frombuffer(self.data, self.kind).reshape(self.rows, self.cols).copy()


class Model:
    """header (a dictionary, or text), sections by name, and fields of the prefix; to_bytes() is the file."""

    def __init__(self, data):
        header_bytes, count = struct.unpack_from("<QQ", data, 24)
        self.header = json.loads(data[64:64 + header_bytes])
        at = 64 + len(padded(data[64:64 + header_bytes]))
        self.sections = {}
        for i in range(count):
            name, kind, flags, rows, cols, offset, size, _, _ = ENTRY.unpack_from(data, at + 128 * i)
            name, kind = name.rstrip(b"\0").decode(), kind.rstrip(b"\0").decode()
            self.sections[name] = Section(name, kind, rows, cols, data[offset:offset + size], flags)
        self.magic, self.version, self.byte_order = MAGIC, 1, 0x01020304
        self.file_bytes = self.header_bytes = self.section_count = None  # None: as it should be

    def to_bytes(self):
        text = self.header if isinstance(self.header, str) else json.dumps(self.header, separators=(",", ":"))
        header = text.encode()
        sections = list(self.sections.values())
        offset = 64 + len(padded(header)) + 128 * len(sections)
        table, body = b"", b""
        for s in sections:
            table += ENTRY.pack(s.name.encode("latin-1"), s.kind.encode(), s.flags, s.rows, s.cols,
                                offset + len(body) if s.offset is None else s.offset,
                                len(s.data) if s.bytes is None else s.bytes,
                                checksum(padded(s.data)) if s.checksum is None else s.checksum, bytes(24))
            body += padded(s.data)

        def given(value, usual):
            return usual if value is None else value
        header_bytes, count = given(self.header_bytes, len(header)), given(self.section_count, len(sections))
        prefix = PREFIX.pack(self.magic, self.version, self.byte_order, given(self.file_bytes, offset + len(body)),
                             header_bytes, count, bytes(16))
        rest = padded(header) + table + body
        head = rest[:header_bytes + -header_bytes % 64 + 128 * count]  # what a reader takes for it
        return prefix + struct.pack("<Q", checksum(prefix + head)) + rest
