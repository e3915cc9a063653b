"""The signed distance of two convex shapes as the largest separation over all directions.

Of convex A and B it is the largest s(n) = -h_A(-n) - h_B(n) over unit vectors n, where h is how far a shape reaches,
whether they overlap or not. Branch and bound finds it on the sphere, from nothing but support points:

- h_D(n), of the difference D = B - A, is at least q . n for every q in D. Of a spherical triangle the support points at
  its corners are such q, and so is every mean of them. The mean whose least product with the corners is largest
  bounds s from above in the whole triangle (a game of three strategies against three).
- The direction that the other player of that game would choose is where s is likely to be largest; s there is a bound
  from below, as it is at all corners and along axes, normals of faces and products of edges.

Triangles in which s cannot be larger than what was found are dropped, others are divided, until none is left. What
remains open is the difference of both bounds. Where a continuum of directions is equally good more triangles are
left than can be followed, and a part of them is: the result is then a bound from below, and `gap` the difference at
that time.
"""

import itertools

import numpy as np

TOLERANCE = 2e-13  # To what the distance is looked for, relative to the size.
TIE = 1e-9  # Directions are equally good if separations differ by less.
FINE = 1e-5  # Side of triangles from which on only the best direction is followed.
MOST = 8000  # Triangles that are followed,
KEPT = 500  # and how many if there are more.


def rotation(quaternion):
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def radius(s):
    """That of the ball which is added to the shape of the support points."""
    return s["radius"] if s["kind"] in ("sphere", "capsule") else 0.0


def support(s, n):
    """Support points, without the ball, along each row of n in the frame of the shape."""
    kind = s["kind"]
    if kind == "sphere":
        return np.zeros_like(n)
    if kind in ("capsule", "cylinder"):
        p = np.zeros_like(n)
        p[:, 2] = 0.5 * s["length"] * np.sign(n[:, 2])
        if kind == "cylinder":
            across = np.hypot(n[:, 0], n[:, 1])
            across[across == 0.0] = 1.0
            p[:, :2] = s["radius"] * n[:, :2] / across[:, None]
        return p
    if kind == "box":
        return 0.5 * np.array(s["size"]) * np.sign(n)
    if kind == "ellipsoid":
        stretched = np.array(s["semi_axes"]) * n
        return np.array(s["semi_axes"]) * stretched / np.linalg.norm(stretched, axis=1)[:, None]
    points = np.array(s["points"])
    return points[np.argmax(n @ points.T, axis=1)]


def edges(s):
    """Directions of edges and axes."""
    if s["kind"] != "convex":
        return np.eye(3)
    points = np.array(s["points"])
    i, k = np.triu_indices(len(points), 1)
    return points[k] - points[i]


def normalized(v):
    length = np.linalg.norm(v, axis=-1, keepdims=True)
    return (v / np.where(length > 0.0, length, 1.0))[length[..., 0] > 0.0]


class Difference:
    """B - A, around the difference of the positions of both."""

    def __init__(self, a, b, pose_a, pose_b):
        self.shapes = a, b
        self.rotations = rotation(pose_a[0]), rotation(pose_b[0])
        self.offset = np.array(pose_b[1]) - np.array(pose_a[1])
        self.radius = radius(a) + radius(b)

    def support(self, n):
        (a, b), (R_a, R_b) = self.shapes, self.rotations
        p_a, p_b = support(a, -n @ R_a), support(b, n @ R_b)
        return self.offset + p_b @ R_b.T - p_a @ R_a.T

    def separation(self, n):
        return -np.einsum("ik,ik->i", n, self.support(n)) - self.radius

    def candidates(self):
        """Directions that are exact where edges and faces meet: products of edges, and the line of centres."""
        (a, b), (R_a, R_b) = self.shapes, self.rotations
        all_edges = [normalized(edges(s)) @ R.T for s, R in ((a, R_a), (b, R_b))]
        both = np.concatenate(all_edges)
        pairs = all_edges, 2 * all_edges[:1], 2 * all_edges[1:]
        products = [np.cross(p[:, None], q[None]).reshape(-1, 3) for p, q in pairs]
        list = normalized(np.concatenate([both, *products, [self.offset]]))
        return np.concatenate([list, -list])


def game(G):
    """For matrices of products (point i, direction j): the value of the best mean of points, from below; weights of the
    directions that make all points equal; and where these are of use."""
    best = G.min(axis=2).max(axis=1)
    for i, k in ((0, 1), (0, 2), (1, 2)):
        for j, l in ((0, 1), (0, 2), (1, 2)):
            slope = (G[:, i, j] - G[:, k, j]) - (G[:, i, l] - G[:, k, l])
            with np.errstate(all="ignore"):
                part = np.clip(np.nan_to_num((G[:, k, l] - G[:, k, j]) / slope), 0.0, 1.0)[:, None]
            best = np.maximum(best, (part * G[:, i] + (1.0 - part) * G[:, k]).min(axis=1))

    def constant(M):
        """Weights p of rows with p M constant, by differences, as the products are nearly equal."""
        u, v = M[:, :, 1] - M[:, :, 0], M[:, :, 2] - M[:, :, 0]
        w = np.cross(u, v)
        with np.errstate(all="ignore"):
            return w / w.sum(axis=1, keepdims=True)

    points = constant(G)
    is_mean = np.isfinite(points).all(axis=1) & (points >= 0.0).all(axis=1)
    mixed = np.einsum("ci,cij->cj", np.where(is_mean[:, None], points, 1.0 / 3.0), G).min(axis=1)
    directions = constant(np.swapaxes(G, 1, 2))
    # A little beyond the triangle is as good a guess.
    usable = np.isfinite(directions).all(axis=1) & (directions > -1.0).all(axis=1)
    return np.maximum(best, mixed), directions, usable


def sphere(divisions, rng):
    """Triangles on the unit sphere, turned so that no corner is special."""
    turn = rotation(rng.normal(size=4))
    triangles = np.array([np.diag(signs) for signs in itertools.product((1.0, -1.0), repeat=3)])
    for _ in range(divisions):
        triangles = divided(triangles)
    return triangles @ turn.T


def divided(t):
    a, b, c = t[:, 0], t[:, 1], t[:, 2]
    middle = lambda p, q: (p + q) / np.linalg.norm(p + q, axis=1)[:, None]
    ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
    parts = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
    return np.concatenate([np.stack(part, axis=1) for part in parts])


def conditions(D, n, across, h):
    """Functions of the direction that are zero where s is largest; none where faces meet, as there n is exact.

    Where s is smooth the support point is along n itself. Two support points p and q beside each other make a crease:
    n is on it, and the support points have no component along it.
    """
    angles = np.linspace(0.0, 2.0 * np.pi, 24, endpoint=False)[:, None]
    around = D.support(normalized(n + h * (np.cos(angles) * across[0] + np.sin(angles) * across[1])))
    apart = np.linalg.norm(around[:, None] - around[None], axis=2)
    i, k = np.unravel_index(np.argmax(apart), apart.shape)
    if apart[i, k] < 1e3 * h * np.ptp(D.support(np.concatenate([np.eye(3), -np.eye(3)])), axis=0).max():
        return lambda d: across @ np.cross(d, D.support(d[None])[0])
    if np.minimum(apart[:, i], apart[:, k]).max() > 0.3 * apart[i, k]:
        return None
    towards = unit(around[i] - around[k])
    side = unit(towards - n * (n @ towards))

    def on_crease(d):
        # Continued from both sides to d, to second order.
        p, q = (2.0 * D.support((d + h * e)[None])[0] - D.support((d + 2.0 * h * e)[None])[0] for e in (side, -side))
        between = unit(p - q)
        return np.array([between @ d, 0.5 * np.cross(d, between) @ (p + q)])

    return on_crease


def unit(v):
    return v / np.linalg.norm(v)


def polished(D, n, size, h):
    """The direction by Newton's method, as values of s determine it to the root of round-off only; as it was, if that is
    not at least as good."""
    value = D.separation(n[None])[0]
    across = np.linalg.svd(n[None])[2][1:]
    F = conditions(D, n, across, h)
    trial = n
    for _ in range(5 if F else 0):
        ahead, behind = ([F(unit(trial + sign * 0.3 * h * e)) for e in across] for sign in (1, -1))
        J = (np.array(ahead) - np.array(behind)).T / (0.6 * h)
        if not np.isfinite(J).all() or np.linalg.cond(J) > 1e8:
            return n
        step = np.linalg.solve(J, -F(trial))
        if np.linalg.norm(step) > 1e-3:
            return n
        trial = unit(trial + step @ across)
    return trial if D.separation(trial[None])[0] >= value - 1e-15 * size else n


def largest_separation(a, b, pose_a, pose_b, scale):
    """Distance, normal from b to a, by how much the distance may be more, and whether the normal is the only one, but for
    those within 2e-3."""
    if b["kind"] == "half_space":
        n = rotation(pose_b[0])[:, 2]
        R = rotation(pose_a[0])
        lowest = np.array(pose_a[1]) - np.array(pose_b[1]) + R @ support(a, (-n @ R)[None])[0]
        return n @ lowest - radius(a), n, 0.0, True
    D = Difference(a, b, pose_a, pose_b)
    found = D.candidates()
    values = D.separation(found)
    best = np.argmax(values)
    low, normal = values[best], found[best]
    cells = sphere(3, np.random.default_rng(7))
    gap, spread = 0.0, np.inf
    for _ in range(45):
        corners = cells.reshape(-1, 3)
        points = D.support(corners).reshape(-1, 3, 3)
        G = np.einsum("cik,cjk->cij", points, cells)
        value, weights, usable = game(G)
        trials = corners
        if usable.any():
            aimed = np.einsum("cj,cjk->ck", weights[usable], cells[usable])
            trials = np.concatenate([corners, normalized(aimed)])
        values = D.separation(trials)
        best = np.argmax(values)
        if values[best] > low:
            low, normal = values[best], trials[best]
        side = max(np.linalg.norm(cells[:, i] - cells[:, i - 1], axis=1).max() for i in range(3))
        shortest = np.sqrt(max(0.0, 1.0 - side * side / 3.0))
        high = -np.where(value >= 0.0, value, value / shortest) - D.radius
        if side < FINE and not np.isfinite(spread):
            near = cells[high > low - TIE * scale]
            spread = np.linalg.norm(near - normal, axis=2).max(initial=0.0)
        is_open = high > low + (TOLERANCE if side < FINE else -TIE) * scale
        if not is_open.any():
            break
        cells, high = cells[is_open], high[is_open]
        if len(cells) > MOST:
            gap = max(gap, high.max() - low)
            spread = max(spread, 2.0) if np.isfinite(spread) else 2.0
            chosen = np.random.default_rng(8).permutation(len(cells))[:KEPT]
            cells = cells[chosen]
        cells = divided(cells)
    else:
        gap = max(gap, high.max() - low)
    for h in (1e-5, 1e-7):  # Of small features only the second sees both sides.
        normal = polished(D, normal, scale, h)
    return max(low, D.separation(normal[None])[0]), normal, gap, spread < 2e-3
