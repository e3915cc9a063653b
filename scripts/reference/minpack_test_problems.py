"""How often MINPACK finds the known minima of the problems of Moré, Garbow and Hillstrom.

J. J. Moré, B. S. Garbow, K. E. Hillstrom 1981, Testing unconstrained optimization software, ACM
TOMS 7(1), 17-41. From 100 starts around the standard one, `lmder` with exact Jacobians (complex
steps) by way of scipy.optimize.leastsq. Prints the column `MINPACK` of the table in
tests/identification_mgh/main.rs, which draws the same starts.

    pip install numpy scipy
    python scripts/reference/minpack_test_problems.py
"""

import warnings

import numpy as np
from scipy.optimize import leastsq

STARTS = 100
MAX_EVALUATIONS = 500


class SplitMix:
    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        x = self.state
        x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & mask
        x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & mask
        x ^= x >> 31
        return ((x >> 11) + 0.5) / (1 << 53)


def array(*values):
    return np.array(values)


def rosenbrock(x):
    return array(10 * (x[1] - x[0] ** 2), 1 - x[0])


def freudenstein_roth(x):
    a, b = x
    return array(-13 + a + ((5 - b) * b - 2) * b, -29 + a + ((b + 1) * b - 14) * b)


def powell_badly_scaled(x):
    return array(1e4 * x[0] * x[1] - 1, np.exp(-x[0]) + np.exp(-x[1]) - 1.0001)


def brown_badly_scaled(x):
    return array(x[0] - 1e6, x[1] - 2e-6, x[0] * x[1] - 2)


def beale(x):
    return array(*(y - x[0] * (1 - x[1] ** (i + 1)) for i, y in enumerate([1.5, 2.25, 2.625])))


def jennrich_sampson(x):
    i = np.arange(1, 11)
    return 2 + 2 * i - (np.exp(i * x[0]) + np.exp(i * x[1]))


def helical_valley(x):
    theta = np.arctan(x[1] / x[0]) / (2 * np.pi) + (0.5 if x[0].real < 0 else 0)
    return array(10 * (x[2] - 10 * theta), 10 * (np.sqrt(x[0] ** 2 + x[1] ** 2) - 1), x[2])


BARD = array(0.14, 0.18, 0.22, 0.25, 0.29, 0.32, 0.35, 0.39, 0.37, 0.58, 0.73, 0.96, 1.34, 2.10, 4.39)


def bard(x):
    u = np.arange(1, 16)
    v = 16 - u
    return BARD - (x[0] + u / (v * x[1] + np.minimum(u, v) * x[2]))


GAUSSIAN = array(0.0009, 0.0044, 0.0175, 0.0540, 0.1295, 0.2420, 0.3521, 0.3989)
GAUSSIAN = np.concatenate([GAUSSIAN, GAUSSIAN[-2::-1]])


def gaussian(x):
    t = (8 - np.arange(1, 16)) / 2
    return x[0] * np.exp(-0.5 * x[1] * (t - x[2]) ** 2) - GAUSSIAN


MEYER = array(34780, 28610, 23650, 19630, 16370, 13720, 11540, 9744, 8261, 7030, 6005, 5147, 4427,
              3820, 3307, 2872)


def meyer(x):
    t = 45 + 5 * np.arange(1, 17)
    return x[0] * np.exp(x[1] / (t + x[2])) - MEYER


def gulf(x):
    t = np.arange(1, 100) / 100
    d = 25 + (-50 * np.log(t)) ** (2 / 3) - x[1]
    return np.exp(-np.exp(x[2] * np.log(d * np.sign(d.real))) / x[0]) - t


def box3(x):
    t = 0.1 * np.arange(1, 11)
    return np.exp(-t * x[0]) - np.exp(-t * x[1]) - x[2] * (np.exp(-t) - np.exp(-10 * t))


def powell_singular(x):
    return array(x[0] + 10 * x[1], 5**0.5 * (x[2] - x[3]), (x[1] - 2 * x[2]) ** 2,
                 10**0.5 * (x[0] - x[3]) ** 2)


def wood(x):
    return array(10 * (x[1] - x[0] ** 2), 1 - x[0], 90**0.5 * (x[3] - x[2] ** 2), 1 - x[2],
                 10**0.5 * (x[1] + x[3] - 2), (x[1] - x[3]) / 10**0.5)


KOWALIK_Y = array(0.1957, 0.1947, 0.1735, 0.1600, 0.0844, 0.0627, 0.0456, 0.0342, 0.0323, 0.0235, 0.0246)
KOWALIK_U = array(4, 2, 1, 0.5, 0.25, 0.167, 0.125, 0.1, 0.0833, 0.0714, 0.0625)


def kowalik_osborne(x):
    u = KOWALIK_U
    return KOWALIK_Y - x[0] * (u * u + u * x[1]) / (u * u + u * x[2] + x[3])


def brown_dennis(x):
    t = np.arange(1, 21) / 5
    return (x[0] + t * x[1] - np.exp(t)) ** 2 + (x[2] + x[3] * np.sin(t) - np.cos(t)) ** 2


OSBORNE_1 = array(0.844, 0.908, 0.932, 0.936, 0.925, 0.908, 0.881, 0.850, 0.818, 0.784, 0.751, 0.718,
                  0.685, 0.658, 0.628, 0.603, 0.580, 0.558, 0.538, 0.522, 0.506, 0.490, 0.478, 0.467,
                  0.457, 0.448, 0.438, 0.431, 0.424, 0.420, 0.414, 0.411, 0.406)


def osborne_1(x):
    t = 10.0 * np.arange(33)
    return OSBORNE_1 - (x[0] + x[1] * np.exp(-t * x[3]) + x[2] * np.exp(-t * x[4]))


def biggs(x):
    t = 0.1 * np.arange(1, 14)
    y = np.exp(-t) - 5 * np.exp(-10 * t) + 3 * np.exp(-4 * t)
    return x[2] * np.exp(-t * x[0]) - x[3] * np.exp(-t * x[1]) + x[5] * np.exp(-t * x[4]) - y


OSBORNE_2 = array(1.366, 1.191, 1.112, 1.013, 0.991, 0.885, 0.831, 0.847, 0.786, 0.725, 0.746, 0.679,
                  0.608, 0.655, 0.616, 0.606, 0.602, 0.626, 0.651, 0.724, 0.649, 0.649, 0.694, 0.644,
                  0.624, 0.661, 0.612, 0.558, 0.533, 0.495, 0.500, 0.423, 0.395, 0.375, 0.372, 0.391,
                  0.396, 0.405, 0.428, 0.429, 0.523, 0.562, 0.607, 0.653, 0.672, 0.708, 0.633, 0.668,
                  0.645, 0.632, 0.591, 0.559, 0.597, 0.625, 0.739, 0.710, 0.729, 0.720, 0.636, 0.581,
                  0.428, 0.292, 0.162, 0.098, 0.054)


def osborne_2(x):
    t = np.arange(65) / 10
    model = x[0] * np.exp(-t * x[4])
    for k in range(3):
        model = model + x[1 + k] * np.exp(-((t - x[8 + k]) ** 2) * x[5 + k])
    return OSBORNE_2 - model


def watson(x):
    t = np.arange(1, 30) / 29
    j = np.arange(len(x))
    powers = t[:, None] ** j
    slope = sum(k * x[k] * t ** (k - 1) for k in range(1, len(x)))
    return np.concatenate([slope - (powers @ x) ** 2 - 1, array(x[0], x[1] - x[0] ** 2 - 1)])


# Residuals, standard start, sums of squares at the known minima.
PROBLEMS = [
    (rosenbrock, [-1.2, 1], [0]),
    (freudenstein_roth, [0.5, -2], [0, 48.984253679]),
    (powell_badly_scaled, [0, 1], [0]),
    (brown_badly_scaled, [1, 1], [0]),
    (beale, [1, 1], [0]),
    (jennrich_sampson, [0.3, 0.4], [124.362182356]),
    (helical_valley, [-1, 0, 0], [0]),
    (bard, [1, 1, 1], [8.2148773e-3]),
    (gaussian, [0.4, 1, 0], [1.12793277e-8]),
    (meyer, [0.02, 4000, 250], [87.9458552]),
    (gulf, [5, 2.5, 0.15], [0]),
    (box3, [0, 10, 20], [0]),
    (powell_singular, [3, -1, 0, 1], [0]),
    (wood, [-3, -1, -3, -1], [0]),
    (kowalik_osborne, [0.25, 0.39, 0.415, 0.39], [3.0750561e-4]),
    (brown_dennis, [25, 5, -5, -1], [85822.2016264]),
    (osborne_1, [0.5, 1.5, -1, 0.01, 0.02], [5.464894697e-5]),
    (biggs, [1, 2, 1, 1, 1, 1], [0]),
    (osborne_2, [1.3, 0.65, 0.65, 0.7, 0.6, 3, 5, 7, 2, 4.5, 5.5], [4.01377362e-2]),
    (watson, [0] * 6, [2.28767005e-3]),
]


def jacobian(residuals, x):
    columns = []
    for j in range(len(x)):
        z = x.astype(complex)
        z[j] += 1e-30j
        columns.append(residuals(z).imag / 1e-30)
    return np.stack(columns, axis=1)


def starts(standard):
    """Even over twice the standard start to both sides, half of it for many unknowns."""
    random = SplitMix(1)
    spread = 2 if len(standard) < 8 else 0.5
    for _ in range(STARTS):
        yield np.array([x + (spread * abs(x) if x else 1.0) * (2 * random.uniform() - 1) for x in standard])


def found(square, minima):
    return any(abs(square - f) <= 1e-5 * f + 1e-10 for f in minima)


def main():
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for residuals, standard, minima in PROBLEMS:
        count = 0
        for start in starts(standard):
            try:
                x = leastsq(residuals, start, Dfun=lambda x: jacobian(residuals, x),
                            ftol=1e-15, xtol=1e-15, gtol=0.0, maxfev=MAX_EVALUATIONS)[0]
            except ValueError:
                continue
            count += found(np.sum(residuals(x) ** 2), minima)
        print(f"{residuals.__name__:20} {count:4}")


if __name__ == "__main__":
    main()
