#!/usr/bin/env python3
"""Writes a table of signals by pandas and pyarrow: python3 pyarrow_table.py tests/data/tables/stamped.parquet

Rows k = 0 … 49 have a time stamp of 2024-05-01T12:00:00 + 10 k ms + (k % 3) ms in ns, the angle 30 sin(k/10) in degrees (null for
k = 7), 32-bit torques k/100, a 64-bit counter k² and a text. Compressed by Snappy, in two row groups.
"""

import sys

import numpy as np
import pandas

k = np.arange(50)
stamp = pandas.Timestamp("2024-05-01T12:00:00").value + (10 * k + k % 3) * 1_000_000
angle = 30.0 * np.sin(k / 10.0)
table = pandas.DataFrame(
    {
        "header.stamp": pandas.to_datetime(stamp, unit="ns").astype("datetime64[ns]"),
        "frame_id": ["base_link"] * len(k),
        "position": pandas.array(np.where(k == 7, np.nan, angle), dtype="Float64"),
        "effort": (k / 100.0).astype(np.float32),
        "seq": k.astype(np.int64) ** 2,
    }
)
table.loc[7, "position"] = pandas.NA
table.to_parquet(sys.argv[1], compression="snappy", index=False, row_group_size=30)
