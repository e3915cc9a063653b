"""Pairs of convex shapes at special poses: what a random pose never shows.

Features of two shapes (faces, edges, corners, sides, caps, rims, poles) are put opposite to each other, with tangents at
an angle that is often special, touching exactly, overlapping a little or much, or apart; or one shape is in the other,
often concentric. Shapes are regular, long and thin, or flat, in ratios of a thousand, at scales of 1e-4, 1 and 1e4.
"""

import itertools

import numpy as np

KINDS = ["sphere", "capsule", "cylinder", "box", "ellipsoid", "convex", "half_space"]
SLENDER = 1e-3
FORMS = [
    ("regular", "regular"),
    ("regular", "regular"),
    ("long", "flat"),
    ("long", "long"),
    ("flat", "flat"),
    ("regular", "long"),
    ("flat", "regular"),
]
ANGLES = [0.0, 0.0, 0.25, 0.5, 0.5, 1.0]


def dimensions(form, rng):
    d = rng.uniform(0.3, 0.8, 3).round(3)
    if form == "long":
        d[:2] *= SLENDER
    if form == "flat":
        d[2] *= SLENDER
    return d


def solid(name, d):
    """A polyhedron whose faces are plane at any dimensions, by half the extents of the box around it."""
    corners = {
        "brick": itertools.product((-1, 1), (-1, 1), (-1, 1)),
        "wedge": [(x, y, z) for z in (-1, 1) for x, y in ((-1, -1), (1, -1), (0, 1))],
        "pyramid": [(-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (0, 0, 1)],
        "octahedron": [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)],
        "tetrahedron": [(1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)],
    }[name]
    return np.array(list(corners), float) * d


def shape(kind, form, scale, rng):
    d = scale * dimensions(form, rng)
    if kind == "half_space":
        return {"kind": kind}
    if kind == "sphere":
        return {"kind": kind, "radius": d[0]}
    if kind in ("capsule", "cylinder"):
        return {"kind": kind, "radius": d[0], "length": d[2]}
    if kind == "box":
        return {"kind": kind, "size": d.tolist()}
    if kind == "ellipsoid":
        return {"kind": kind, "semi_axes": d.tolist()}
    name = ["brick", "wedge", "pyramid", "octahedron", "tetrahedron"][rng.integers(5)]
    return {"kind": kind, "points": solid(name, d).tolist()}


def unit(v):
    return np.asarray(v, float) / np.linalg.norm(v)


def faces(points):
    """Outward normals of faces of a hull, and the corners of each."""
    size = np.abs(points).max(axis=0)
    scaled = points / size  # Thin ones are as good as others.
    found = {}
    for triple in itertools.combinations(range(len(points)), 3):
        p, q, r = scaled[list(triple)]
        normal = np.cross(q - p, r - p)
        heights = (scaled - p) @ normal
        if np.linalg.norm(normal) < 1e-9 or (heights > 1e-9).any() and (heights < -1e-9).any():
            continue
        outward = normal if heights.min() < -1e-9 else -normal
        found[tuple(np.flatnonzero(np.abs(heights) < 1e-9))] = unit(outward / size)
    return found


def polyhedral_features(points):
    points = np.array(points)
    all_faces = faces(points)
    list = []
    for corners, normal in all_faces.items():
        list.append(("face", points[[*corners]].mean(axis=0), normal, unit(points[corners[1]] - points[corners[0]])))
    for (c, m), (d, n) in itertools.combinations(all_faces.items(), 2):
        if len(ends := sorted({*c} & {*d})) == 2:
            p, q = points[ends]
            list.append(("edge", 0.5 * (p + q), unit(m + n), unit(q - p)))
    for i, p in enumerate(points):
        around = [n for corners, n in all_faces.items() if i in corners]
        normal = unit(np.sum(around, axis=0))
        list.append(("vertex", p, normal, unit(np.cross(normal, around[0] - around[1]))))
    return list


def features(s):
    """Name, point, outward normal and tangent of what may touch."""
    x, y, z = np.eye(3)
    kind = s["kind"]
    if kind == "half_space":
        return [("plane", 0 * z, z, x)]
    if kind == "sphere":
        return [("pole", s["radius"] * z, z, x)]
    if kind == "ellipsoid":
        d = np.array(s["semi_axes"])
        poles = [("pole", d * e, e, f) for e, f in ((x, y), (y, z), (z, x))]
        return [*poles, ("flank", d * unit(x + z), unit((x + z) / d), y)]
    if kind in ("capsule", "cylinder"):
        r, half = s["radius"], 0.5 * s["length"]
        side = [("side", r * x, x, z), ("end of side", r * x + half * z, x, z)]
        if kind == "capsule":
            return [*side, ("cap", (half + r) * z, z, x)]
        rim = ("rim", r * x + half * z, unit(x + z), y)
        return [*side, ("cap", half * z, z, x), ("edge of cap", r * x + half * z, z, x), rim]
    if kind == "box":
        return polyhedral_features(solid("brick", 0.5 * np.array(s["size"])))
    return polyhedral_features(s["points"])


def quaternion(R):
    """Of the four that are equal up to rounding and sign, the one with the largest pivot."""
    xx, yy, zz = np.diag(R)
    pivots = np.array([1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz])
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    d, e, f = R[1, 0] + R[0, 1], R[0, 2] + R[2, 0], R[2, 1] + R[1, 2]
    w, i, j, k = pivots
    rows = [(w, a, b, c), (a, i, d, e), (b, d, j, f), (c, e, f, k)]
    return unit(rows[np.argmax(pivots)])


def turn(axis, angle):
    """By the angle in turns of 180 degrees; multiples of a quarter turn are exact."""
    cosine, sine = np.cos(np.pi * angle), np.sin(np.pi * angle)
    if angle * 2 == round(angle * 2):
        cosine, sine = round(cosine), round(sine)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    R = np.eye(3)
    R[[i, j], [i, j]] = cosine
    R[j, i], R[i, j] = sine, -sine
    return R


def any_turn(rng):
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return R * np.linalg.det(R)


def thickness(s):
    """About the least width."""
    if s["kind"] == "convex":
        return np.ptp(s["points"], axis=0).min()
    lengths = [np.min(s[k]) for k in ("radius", "length", "size", "semi_axes") if k in s]
    return min(lengths, default=np.inf)


def by_name(s):
    list = {}
    for feature in features(s):
        list.setdefault(feature[0], []).append(feature)
    return [*list.values()]


def opposite(a, b, scale, rng):
    """A with one of its features on one of B, which is at the origin."""
    choose = lambda list: list[rng.integers(len(list))]
    (name_a, p_a, n_a, t_a), (name_b, p_b, n_b, t_b) = (choose(choose(by_name(s))) for s in (a, b))
    frame = lambda n, t: np.stack([t, np.cross(n, t), n], axis=1)
    thin = min(thickness(a), thickness(b))
    gaps = {"touching": 0.0, "shallow": -1e-6 * scale, "deep": -0.2 * thin, "apart": 0.3 * scale, "near": 1e-3 * thin}
    how = choose(["touching", "touching", "shallow", "shallow", "deep", "apart", "near"])
    angle = choose([*ANGLES, round(rng.uniform(0.0, 1.0), 3)])
    tilt = choose([0.0, 0.0, 0.0, 0.0, 1e-5, 1e-3])
    shift = choose([0.0, 0.0, 0.3]) * thin * np.array([*rng.uniform(-1.0, 1.0, 2), 0.0])
    placed = frame(n_b, t_b)
    R = placed @ turn("x", 1.0) @ turn("z", angle) @ turn(choose("xy"), tilt) @ frame(n_a, t_a).T
    p = p_b + placed @ (shift + [0.0, 0.0, gaps[how]]) - R @ p_a
    return f"{name_a} on {name_b}, {how}", R, p


def inside(a, b, scale, rng):
    """A in B, or both about the same centre or along the same axis."""
    choose = lambda list: list[rng.integers(len(list))]
    special = turn(choose("xyz"), choose(ANGLES)) @ turn(choose("xyz"), choose([0.0, 0.5]))
    R = choose([special, special, any_turn(rng)])
    how = choose(["concentric", "coaxial", "off centre"])
    p = {
        "concentric": np.zeros(3),
        "coaxial": np.array([0.0, 0.0, 0.1 * thickness(b)]),
        "off centre": 0.2 * thickness(b) * rng.uniform(-1.0, 1.0, 3).round(3),
    }[how]
    return how, R, p


def special_poses(each, rng):
    """Cases of all pairs: shapes, poses as quaternion and position, scale, and what is special."""
    for first, second in itertools.combinations_with_replacement(KINDS, 2):
        if first == "half_space":
            continue
        is_simple = first == "sphere" and second in ("sphere", "half_space")
        for k in range(each // 4 if is_simple else each):
            scale = [1.0, 1e-4, 1.0, 1e4][k % 4]
            form_a, form_b = FORMS[k % 7]
            a, b = shape(first, form_a, scale, rng), shape(second, form_b, scale, rng)
            is_inside = k % 5 == 0 and second != "half_space"
            name, R, p = (inside if is_inside else opposite)(a, b, scale, rng)
            world, origin = np.eye(3), np.zeros(3)
            if k % 3 == 1:
                world, origin = any_turn(rng), scale * rng.uniform(-1.0, 1.0, 3).round(3)
            yield {
                "a": a,
                "b": b,
                "pose_a": (quaternion(world @ R).tolist(), (origin + world @ p).tolist()),
                "pose_b": (quaternion(world).tolist(), origin.tolist()),
                "scale": scale,
                "pose": f"{form_a} and {form_b}, {name}",
            }
