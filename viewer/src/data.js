// The data of a scene, as src/scene/page.rs writes it.

function bytes(text) {
  const raw = atob(text);
  const all = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) all[i] = raw.charCodeAt(i);
  return all.buffer;
}

const floats = (text) => new Float32Array(bytes(text));
const integers = (text) => new Uint32Array(bytes(text));

export function readScene() {
  const scene = JSON.parse(document.getElementById('scene').textContent);
  for (const mesh of scene.meshes) {
    mesh.positions = floats(mesh.positions);
    mesh.normals = floats(mesh.normals);
    mesh.triangles = integers(mesh.triangles);
  }
  scene.motions.forEach((motion, index) => {
    motion.times = floats(motion.times);
    motion.poses = floats(motion.poses);
    motion.bodies = [];
    scene.bodies.forEach((body, b) => {
      if (body.motion === index) motion.bodies.push(b);
    });
  });
  for (const kind of scene.arrows) {
    kind.counts = integers(kind.counts);
    kind.label = integers(kind.label);
    kind.vectors = floats(kind.vectors);
    kind.starts = new Uint32Array(kind.counts.length + 1);
    kind.counts.forEach((count, i) => (kind.starts[i + 1] = kind.starts[i] + count));
  }
  for (const chart of scene.charts) {
    for (const series of chart.series) {
      series.x = floats(series.x);
      series.y = floats(series.y);
      series.upper = floats(series.upper);
    }
  }
  return scene;
}

// The frame at or before a time, and how far the time is on the way to the next.
export function frameAt(times, time) {
  let low = 0;
  let high = times.length - 1;
  if (high <= 0 || time <= times[0]) return [0, 0];
  if (time >= times[high]) return [high, 0];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (times[middle] <= time) low = middle;
    else high = middle;
  }
  return [low, (time - times[low]) / (times[high] - times[low])];
}

// A number for a reader.
export function figure(x, digits = 3) {
  if (x === 0 || !Number.isFinite(x)) return String(x);
  const size = Math.abs(x);
  const text = size >= 1e5 || size < 1e-3 ? x.toExponential(digits - 1) : String(Number(x.toPrecision(digits)));
  return text.replaceAll('-', '−');
}
