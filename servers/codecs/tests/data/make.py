#!/usr/bin/env python3
"""Makes the reference files of this folder: a picture of every kind that is decoded, and the pixels expected of it.

    python3 -m venv venv && venv/bin/pip install pillow==13.0.0 numpy simplejpeg==1.9.0 && venv/bin/python make.py

Beside each NAME.jpg or NAME.png lies NAME.expected.png, an 8-bit PNG without tricks. Expected pixels of JPEG files are
Pillow's own (libjpeg-turbo); those of PNG files are what was put in.
"""

import io
import struct
import zlib
from pathlib import Path

import numpy as np
import simplejpeg
from PIL import Image

HERE = Path(__file__).parent
WIDTH, HEIGHT = 37, 23


def picture(channels):
    """Soft shapes with an edge, another in every channel; alpha included."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH].astype(float)
    planes = [
        127 + 100 * np.sin(x / 6 + 0.3),
        60 + 4 * x + 2 * y,
        127 + 90 * np.cos(y / 5) * np.cos(x / 9),
        255 - 5 * x - 2 * y,
    ]
    planes[1][(x - 20) ** 2 + (y - 10) ** 2 < 36] = 30
    chosen = {1: [0], 2: [0, 3], 3: [0, 1, 2], 4: [0, 1, 2, 3]}[channels]
    return np.clip(np.stack([planes[i] for i in chosen], axis=-1).round(), 0, 255).astype(np.uint8)


def image(samples):
    mode = {1: "L", 2: "LA", 3: "RGB", 4: "RGBA"}[samples.shape[2]]
    return Image.fromarray(samples[..., 0] if mode == "L" else samples, mode)


def expect(name, samples):
    image(samples).save(HERE / f"{name}.expected.png")


# JPEG

def jpeg(name, picture, change=lambda file: file, behind=b"", **options):
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", **options)
    write_jpeg(name, change(buffer.getvalue()), behind)


def write_jpeg(name, file, behind=b""):
    (HERE / f"{name}.jpg").write_bytes(file + behind)
    decoded = Image.open(io.BytesIO(file))
    decoded = decoded if decoded.mode == "L" else decoded.convert("RGB")
    samples = np.asarray(decoded)
    expect(name, samples if samples.ndim == 3 else samples[..., None])


def segment(marker, body):
    return bytes([0xFF, marker]) + struct.pack(">H", len(body) + 2) + body


def behind_start(file, *segments):
    return file[:2] + b"".join(segments) + file[2:]


def exif(order, orientation):
    tiff = order.encode() * 2 + struct.pack("<HI" if order == "I" else ">HI", 42, 8)
    entry = struct.pack("<HHHIHH" if order == "I" else ">HHHIHH", 1, 0x0112, 3, 1, orientation, 0)
    return tiff + entry + bytes(4)


def jpegs():
    rgb, grey = image(picture(3)), image(picture(1))
    jpeg("grey", grey, quality=90)
    jpeg("grey-progressive", grey, quality=90, progressive=True)
    for name, subsampling in [("444", "4:4:4"), ("422", "4:2:2"), ("420", "4:2:0")]:
        jpeg(f"rgb-{name}", rgb, quality=90, subsampling=subsampling)
        jpeg(f"rgb-{name}-progressive", rgb, quality=90, subsampling=subsampling, progressive=True)
    # Pillow does not write these.
    for name in ["440", "411"]:
        write_jpeg(f"rgb-{name}", simplejpeg.encode_jpeg(picture(3), 90, "RGB", name))
    jpeg("rgb-optimised", rgb, quality=90, optimize=True)
    jpeg("rgb-quality-30", rgb, quality=30)
    jpeg("rgb-restart", rgb, quality=90, subsampling="4:2:0", restart_marker_blocks=1)
    jpeg("rgb-restart-rows", rgb, quality=90, subsampling="4:4:4", restart_marker_rows=1)
    jpeg("rgb-restart-progressive", rgb, quality=90, progressive=True, restart_marker_blocks=2)
    jpeg("rgb-stored-as-rgb", rgb, quality=90, keep_rgb=True, subsampling="4:4:4")
    cmyk = Image.fromarray(255 - picture(4), "CMYK")
    jpeg("cmyk", cmyk, quality=95)
    jpeg("cmyk-without-adobe", cmyk, without(0xEE), quality=95)
    jpeg("cmyk-progressive", cmyk, quality=95, progressive=True)
    write_jpeg("ycck", ycck(picture(4)))
    # Segments that mean nothing here, fill bytes before a marker, something behind the image.
    icc, xmp = segment(0xE2, b"ICC_PROFILE\0\1\1" + bytes(500)), segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0<x/>")
    much = [icc, segment(0xFE, b"a comment"), b"\xff\xff", xmp]
    jpeg("rgb-much-else", rgb, lambda file: behind_start(file, *much), b"\xff\xd8\xff\xe0 another", quality=90)
    for orientation in range(1, 9):
        order = "IM"[orientation % 2]
        turned(f"orientation-{orientation}", rgb, segment(0xE1, b"Exif\0\0" + exif(order, orientation)), orientation)
    turned("orientation-damaged", rgb, segment(0xE1, b"Exif\0\0" + exif("I", 6)[:12]), 1)
    jpeg("one-pixel", rgb.crop((0, 0, 1, 1)), quality=90)
    jpeg("one-row", rgb.crop((0, 0, WIDTH, 1)), quality=90)
    jpeg("one-column", rgb.crop((0, 0, 1, HEIGHT)), quality=90)
    jpeg("flat", Image.new("RGB", (300, 64), (10, 200, 100)), quality=90)
    jpeg("flat-progressive", Image.new("RGB", (300, 64), (10, 200, 100)), quality=90, progressive=True)


TURNS = {2: "FLIP_LEFT_RIGHT", 3: "ROTATE_180", 4: "FLIP_TOP_BOTTOM", 5: "TRANSPOSE", 6: "ROTATE_270", 7: "TRANSVERSE", 8: "ROTATE_90"}


def turned(name, picture, exif, orientation):
    """The expected pixels are those of the same file without the segment, turned by Pillow."""
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=90, subsampling="4:4:4")
    file = buffer.getvalue()
    (HERE / f"{name}.jpg").write_bytes(behind_start(file, exif))
    decoded = Image.open(io.BytesIO(file))
    if orientation > 1:
        decoded = decoded.transpose(getattr(Image.Transpose, TURNS[orientation]))
    expect(name, np.asarray(decoded))


def without(marker):
    def change(file):
        at = file.index(bytes([0xFF, marker]))
        length = struct.unpack(">H", file[at + 2:at + 4])[0]
        return file[:at] + file[at + 2 + length:]
    return change


def ycck(samples):
    """Photoshop's kind: the CMY of an inverted CMYK as YCbCr. Pillow writes CMYK; the rest is done here."""
    inks = samples.astype(float)
    r, g, b = 255 - inks[..., 0], 255 - inks[..., 1], 255 - inks[..., 2]
    y = 0.299 * r + 0.587 * g + 0.114 * b
    cb = 128 - 0.168736 * r - 0.331264 * g + 0.5 * b
    cr = 128 + 0.5 * r - 0.418688 * g - 0.081312 * b
    stored = np.clip(np.stack([y, cb, cr, inks[..., 3]], axis=-1).round(), 0, 255).astype(np.uint8)
    buffer = io.BytesIO()
    # Pillow inverts what it writes.
    Image.fromarray(255 - stored, "CMYK").save(buffer, "JPEG", quality=95)
    file = bytearray(buffer.getvalue())
    at = file.index(b"Adobe")
    file[at + 11] = 2
    return bytes(file)


# PNG

def chunk(name, data):
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(name, color, depth, rows, *chunks, interlace=False, size=(WIDTH, HEIGHT)):
    """Written by hand: no library has all kinds."""
    header = struct.pack(">IIBBBBB", *size, depth, color, 0, 0, interlace)
    parts = [chunk(b"IHDR", header), *chunks, chunk(b"IDAT", zlib.compress(rows, 9)), chunk(b"IEND", b"")]
    (HERE / f"{name}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(parts))


def packed(values, depth):
    """Rows of samples of `depth` bits, each with filter 0."""
    rows = b""
    for row in values.reshape(values.shape[0], -1):
        if depth == 16:
            line = row.astype(">u2").tobytes()
        elif depth == 8:
            line = row.astype(np.uint8).tobytes()
        else:
            bits = np.unpackbits(row.astype(np.uint8)[:, None], axis=1)[:, 8 - depth:].reshape(-1)
            line = np.packbits(bits).tobytes()
        rows += b"\0" + line
    return rows


PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def rows(values, depth, interlace):
    if not interlace:
        return packed(values, depth)
    parts = [values[y::down, x::across] for x, y, across, down in PASSES]
    return b"".join(packed(part, depth) for part in parts if part.size)


def pngs():
    colors = {1: 0, 2: 4, 3: 2, 4: 6}
    for channels, kind in [(1, "grey"), (2, "grey-alpha"), (3, "rgb"), (4, "rgba")]:
        samples = picture(channels)
        wide = samples.astype(np.uint16) * 257 - np.where(samples > 0, 100, 0).astype(np.uint16) + np.arange(WIDTH, dtype=np.uint16)[None, :, None]
        for interlace in (False, True):
            end = "-interlaced" if interlace else ""
            png(f"{kind}-8{end}", colors[channels], 8, rows(samples, 8, interlace), interlace=interlace)
            expect(f"{kind}-8{end}", samples)
            png(f"{kind}-16{end}", colors[channels], 16, rows(wide, 16, interlace), interlace=interlace)
            expect(f"{kind}-16{end}", ((wide.astype(np.uint32) * 255 + 32767) // 65535).astype(np.uint8))
    grey = picture(1)
    for depth in (1, 2, 4):
        values = grey >> (8 - depth)
        for interlace in (False, True):
            name = f"grey-{depth}" + ("-interlaced" if interlace else "")
            png(name, 0, depth, rows(values, depth, interlace), interlace=interlace)
            expect(name, (values.astype(np.uint16) * 255 // (2**depth - 1)).astype(np.uint8))
    palettes(grey)
    transparent()
    bodies = [chunk(b"tEXt", b"a\0b"), chunk(b"zTXt", b"a\0\0" + zlib.compress(b"text")), chunk(b"gAMA", struct.pack(">I", 45455)),
              chunk(b"iCCP", b"a\0\0" + zlib.compress(bytes(300))), chunk(b"prIv", b"x")]
    png("rgb-8-much-else", 2, 8, packed(picture(3), 8), *bodies)
    expect("rgb-8-much-else", picture(3))
    png("rgb-exif-6", 2, 8, packed(picture(3), 8), chunk(b"eXIf", exif("M", 6)))
    expect("rgb-exif-6", np.asarray(image(picture(3)).transpose(Image.Transpose.ROTATE_270)))
    # The five filters, as Pillow chooses them.
    image(picture(4)).save(HERE / "rgba-filtered.png", optimize=True)
    expect("rgba-filtered", picture(4))


def palettes(grey):
    for depth in (1, 2, 4, 8):
        values = grey >> (8 - depth)
        index = np.arange(2**depth)
        colors = np.stack([(index * 37 + 11) % 256, (index * 91 + 5) % 256, (index * 53 + 200) % 256], axis=-1).astype(np.uint8)
        alpha = ((index * 29 + 40) % 256).astype(np.uint8)[: max(1, 2**depth - 1)]
        plte = chunk(b"PLTE", colors.tobytes())
        png(f"palette-{depth}", 3, depth, packed(values, depth), plte)
        expect(f"palette-{depth}", colors[values[..., 0]])
        png(f"palette-{depth}-alpha", 3, depth, rows(values, depth, True), plte, chunk(b"tRNS", alpha.tobytes()), interlace=True)
        whole = np.concatenate([alpha, np.full(2**depth - len(alpha), 255, np.uint8)])
        expect(f"palette-{depth}-alpha", np.concatenate([colors, whole[:, None]], axis=-1)[values[..., 0]])


def transparent():
    """One colour that is transparent."""
    for channels, color, kind in [(1, 0, "grey"), (3, 2, "rgb")]:
        samples = picture(channels)
        key = samples[5, 7]
        png(f"{kind}-transparent", color, 8, packed(samples, 8), chunk(b"tRNS", key.astype(">u2").tobytes()))
        alpha = np.where((samples == key).all(axis=-1), 0, 255).astype(np.uint8)
        expect(f"{kind}-transparent", np.concatenate([samples, alpha[..., None]], axis=-1))


jpegs()
pngs()
