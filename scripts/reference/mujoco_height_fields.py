"""Height fields by MuJoCo: what it makes of images, and the nearest contacts of shapes with a field.

    python scripts/reference/mujoco_height_fields.py --output FOLDER

writes FOLDER/height_fields.json, which `cargo test reference_height_fields` compares with. Shapes are apart by up to
5 cm, or overlap by up to 1 cm. Needs mujoco and numpy.
"""

import argparse
import json
import pathlib
import struct
import tempfile
import zlib

import mujoco
import numpy as np

from mujoco_distances import KINDS, geom, shape, unit

SIZE = [1.2, 1.0, 0.25]
ROWS, COLUMNS = 9, 11


def png(width, height, depth, kind, rows, palette=None):
    """The bytes of an image of the given bits per sample and type of colour."""

    def chunk(name, data):
        check = struct.pack(">I", zlib.crc32(name + data))
        return struct.pack(">I", len(data)) + name + data + check

    header = struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header)
    if palette:
        out += chunk(b"PLTE", palette)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    return out + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def images():
    grey = [[10, 200, 30], [40, 50, 65]]
    wide = lambda x: 256 * x + 7 * x % 256
    colour = lambda x: bytes([x, 3 * x % 256, 5 * x % 256])
    rows = lambda f: [b"".join(f(x) for x in row) for row in grey]
    all_colours = b"".join(rows(colour))
    return {
        "grey of 8 bits": png(3, 2, 8, 0, rows(lambda x: bytes([x]))),
        "grey of 16 bits": png(3, 2, 16, 0, rows(lambda x: struct.pack(">H", wide(x)))),
        "grey of 4 bits": png(3, 2, 4, 0, [bytes([0x1F, 0x30]), bytes([0x45, 0x70])]),
        "grey and alpha": png(3, 2, 8, 4, rows(lambda x: bytes([x, 99]))),
        "colour": png(3, 2, 8, 2, rows(colour)),
        "colour of 16 bits": png(3, 2, 16, 2, rows(lambda x: struct.pack(">HHH", wide(x), 1, 2))),
        "colour and alpha": png(3, 2, 8, 6, rows(lambda x: colour(x) + b"\x80")),
        "palette": png(3, 2, 8, 3, [bytes([0, 1, 2]), bytes([3, 4, 5])], all_colours),
    }


def elevations(image):
    """What MuJoCo makes of an image, from 0 to 1."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "image.png").write_bytes(image)
        (path / "model.xml").write_text(
            """<mujoco><asset><hfield name="f" file="image.png" size="1 1 1 1"/></asset>
            <worldbody><geom type="hfield" hfield="f"/></worldbody></mujoco>"""
        )
        return mujoco.MjModel.from_xml_path(str(path / "model.xml")).hfield_data.tolist()


def field(rng):
    values = rng.uniform(0.0, 1.0, ROWS * COLUMNS).round(3)
    values[0], values[1] = 0.0, 1.0
    return values


def nearest(values, a, pose):
    """The distance and the normal of the contact that is nearest, and how much further the next other one is."""
    asset, text = geom("a", a, *pose)
    elevation = " ".join(str(x) for x in values.reshape(ROWS, COLUMNS)[::-1].ravel())
    size = " ".join(map(str, SIZE))
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option ccd_tolerance="1e-13" ccd_iterations="2000"/>
        <asset><hfield name="f" nrow="{ROWS}" ncol="{COLUMNS}" size="{size} 5" elevation="{elevation}"/></asset>
        {asset}<worldbody><geom type="hfield" hfield="f" margin="0.05"/>
        <body>{text}<freejoint/></body></worldbody></mujoco>"""
    )
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_collision(model, data)
    found = [(data.contact.dist[k], data.contact.frame[k][:3].copy()) for k in range(data.ncon)]
    if not found:
        return None
    distance, normal = min(found, key=lambda c: c[0])
    others = [d for d, n in found if np.linalg.norm(n - normal) > 1e-3]
    heights = (model.hfield_data.astype(float) * SIZE[2]).tolist()
    return heights, float(distance), normal.tolist(), min(others, default=1.0) - float(distance)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--each", type=int, default=30)
    arguments = parser.parse_args()
    rng = np.random.default_rng(4)
    fields, cases = [], []
    for kind in KINDS:
        values, wanted = field(rng), arguments.each
        fields.append(None)
        while wanted:
            a = shape(kind, rng)
            pose = unit(rng), [*rng.uniform(-0.3, 0.3, 2).round(6), round(rng.uniform(0.2, 0.9), 6)]
            found = nearest(values, a, pose)
            if found is None or not -0.01 < found[1] < 0.05:
                continue
            fields[-1], distance, normal, gap = found
            quaternion, position = pose
            cases.append({
                "field": len(fields) - 1,
                "shape": a,
                "quaternion": quaternion,
                "position": position,
                "distance": distance,
                "normal": normal,
                "gap": gap,
            })
            wanted -= 1
    document = {
        "script": "mujoco_height_fields.py",
        "mujoco": mujoco.__version__,
        "columns": COLUMNS,
        "half_size": SIZE[:2],
        "fields": fields,
        "cases": cases,
        "images": [
            {"name": name, "png": image.hex(), "elevations": elevations(image)}
            for name, image in images().items()
        ],
    }
    path = arguments.output / "height_fields.json"
    path.write_text(json.dumps(document) + "\n")
    print(f"{len(cases)} cases in {path}")


if __name__ == "__main__":
    main()
