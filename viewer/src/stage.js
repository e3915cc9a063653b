// The picture: bodies, ground, frames, trails, arrows.

import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { frameAt, figure } from './data.js';
import { Symbols } from './symbols.js';
import { ARROWS, BODIES, GHOSTS, THEMES } from './theme.js';

// A way so many times as long as what moves along it does not fit into one picture.
const LONG_WAY = 7;
const UP = new THREE.Vector3(0, 0, 1);

export class Stage {
  constructor(scene, holder) {
    this.data = scene;
    this.holder = holder;
    this.options = { frames: false, trails: true, arrowScale: 1 };
    this.followed = -1;
    this.renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    holder.prepend(this.renderer.domElement);
    this.root = new THREE.Scene();
    this.camera = new THREE.PerspectiveCamera(38, 1, 0.001, 1000);
    this.camera.up.copy(UP);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.maxPolarAngle = Math.PI * 0.96;
    this.controls.addEventListener('change', () => this.invalidate());
    this.measure();
    this.light();
    this.addGround();
    this.addBodies();
    this.symbols = new Symbols(scene, this.groups, this.root, 0.08 * Math.min(this.view, this.extent || this.view));
    this.addTrails();
    this.addArrows();
    this.lookAtStart();
    this.dirty = true;
  }

  invalidate() {
    this.dirty = true;
  }

  // Where the bodies go, and how large they are.
  measure() {
    const { motions, meshes, placed, bodies } = this.data;
    const boxes = meshes.map((mesh) => new THREE.Box3().setFromArray(mesh.positions));
    const matrix = (pose, at = 0) => {
      const turn = new THREE.Quaternion().fromArray(pose, at + 3);
      return new THREE.Matrix4().makeRotationFromQuaternion(turn).setPosition(pose[at], pose[at + 1], pose[at + 2]);
    };
    // Boxes about what is on each body, in its frame, and about what does not move.
    const parts = bodies.map(() => new THREE.Box3());
    this.box = new THREE.Box3();
    this.bodySize = 0;
    for (const { mesh, body, pose } of placed) {
      if (mesh === null) continue;
      const box = boxes[mesh].clone().applyMatrix4(matrix(pose));
      (body === null ? this.box : parts[body]).union(box);
      if (body !== null) this.bodySize = Math.max(this.bodySize, 0.5 * box.getSize(new THREE.Vector3()).length());
    }
    for (const motion of motions) {
      const stride = motion.bodies.length * 7;
      const frames = motion.times.length;
      const machine = new THREE.Vector3();
      for (let f = 0; f < frames; f += Math.max(1, Math.floor(frames / 60))) {
        const now = new THREE.Box3();
        motion.bodies.forEach((body, b) => {
          const at = f * stride + b * 7;
          if (parts[body].isEmpty()) now.expandByPoint(new THREE.Vector3().fromArray(motion.poses, at));
          else now.union(parts[body].clone().applyMatrix4(matrix(motion.poses, at)));
        });
        this.box.union(now);
        if (f === 0 && !motion.ghost) this.startBox = now;
        machine.max(now.getSize(new THREE.Vector3()));
      }
      if (!motion.ghost) this.extent = machine.length();
    }
    if (this.box.isEmpty()) this.box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 1));
    this.size = this.box.getSize(new THREE.Vector3()).length();
    // What would be tiny beside its way is followed along it.
    this.follows = this.extent > 0 && this.size > LONG_WAY * this.extent;
    this.view = this.follows ? 2 * this.extent : this.size;
  }

  light() {
    this.hemisphere = new THREE.HemisphereLight('#ffffff', '#a9b4c1', 2.1);
    this.hemisphere.position.copy(UP);
    this.sun = new THREE.DirectionalLight('#ffffff', 2.4);
    const reach = this.size * 0.75;
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.01 * reach, far: 6 * reach });
    this.sun.shadow.radius = 3;
    this.sun.shadow.normalBias = this.size * 0.002;
    const center = this.box.getCenter(new THREE.Vector3());
    this.sun.position.copy(center).add(new THREE.Vector3(-1.3, -0.5, 2.2).normalize().multiplyScalar(3 * reach));
    this.sun.target.position.copy(center);
    this.root.add(this.hemisphere, this.sun, this.sun.target);
  }

  addGround() {
    const planes = this.data.placed.filter((item) => item.mesh === null && item.body === null);
    const poses = planes.map((item) => item.pose);
    this.grounds = [];
    // Without a ground there is a faint grid below everything, for the eye to hold on to.
    const floor = Math.min(0, Math.floor(this.box.min.z * 20) / 20);
    if (!poses.length) poses.push([0, 0, floor, 0, 0, 0, 1]);
    const cell = roundLength(this.size / 14);
    for (const pose of poses) {
      const material = new THREE.ShaderMaterial({
        transparent: true,
        depthWrite: false,
        side: THREE.DoubleSide,
        uniforms: {
          line: { value: new THREE.Color() },
          fill: { value: new THREE.Color() },
          cell: { value: cell },
          reach: { value: this.size * 2.2 },
          solid: { value: planes.length ? 1 : 0 },
        },
        vertexShader: 'varying vec2 at; void main() { at = position.xy; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }',
        fragmentShader: GRID,
      });
      const plane = new THREE.Mesh(new THREE.PlaneGeometry(this.size * 6, this.size * 6), material);
      place(plane, pose);
      plane.renderOrder = -2;
      this.root.add(plane);
      this.grounds.push(material);
      if (!planes.length) continue;
      const shadow = new THREE.Mesh(plane.geometry, new THREE.ShadowMaterial({ opacity: 0.22, depthWrite: false }));
      place(shadow, pose);
      shadow.receiveShadow = true;
      shadow.renderOrder = -1;
      this.root.add(shadow);
    }
    this.cell = cell;
  }

  addBodies() {
    const geometries = this.data.meshes.map((mesh) => {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute('position', new THREE.BufferAttribute(mesh.positions, 3));
      geometry.setAttribute('normal', new THREE.BufferAttribute(mesh.normals, 3));
      geometry.setIndex(new THREE.BufferAttribute(mesh.triangles, 1));
      return geometry;
    });
    const edges = geometries.map(() => null);
    const edgesOf = (index) => (edges[index] ??= new THREE.EdgesGeometry(geometries[index], 32));
    this.groups = this.data.bodies.map(() => new THREE.Group());
    this.groups.forEach((group) => this.root.add(group));
    this.fixed = [];
    this.pickable = [];
    this.edgeMaterial = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.35 });
    this.ghostColors = new Map();
    this.data.motions.forEach((motion, i) => {
      if (motion.ghost) this.ghostColors.set(i, GHOSTS[this.ghostColors.size % GHOSTS.length]);
    });
    const colorOf = bodyColors(this.data);
    for (const item of this.data.placed) {
      if (item.mesh === null) continue;
      const motion = item.body === null ? 0 : this.data.bodies[item.body].motion;
      const ghost = this.ghostColors.get(motion);
      const material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0.05 });
      if (ghost) {
        Object.assign(material, { transparent: true, opacity: 0.3, depthWrite: false, polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
        material.color.set(ghost);
      } else if (item.body !== null) {
        material.color.set(colorOf(item.body));
      } else {
        this.fixed.push(material);
      }
      const mesh = new THREE.Mesh(geometries[item.mesh], material);
      mesh.castShadow = !ghost;
      mesh.receiveShadow = !ghost;
      mesh.renderOrder = ghost ? 2 : 0;
      mesh.userData = { name: item.name, body: item.body };
      const line = ghost ? new THREE.LineBasicMaterial({ color: ghost, transparent: true, opacity: 0.8 }) : this.edgeMaterial;
      mesh.add(new THREE.LineSegments(edgesOf(item.mesh), line));
      place(mesh, item.pose);
      (item.body === null ? this.root : this.groups[item.body]).add(mesh);
      this.pickable.push(mesh);
    }
    this.triads = [];
    const triad = (parent, length) => {
      const axes = new THREE.AxesHelper(length);
      axes.material.depthTest = false;
      axes.renderOrder = 5;
      axes.visible = false;
      parent.add(axes);
      this.triads.push(axes);
      return axes;
    };
    const length = Math.max(0.6 * this.bodySize, 0.02 * this.size);
    this.groups.forEach((group, b) => {
      if (!this.data.motions[this.data.bodies[b].motion].ghost) triad(group, length);
    });
    for (const frame of this.data.frames) {
      place(triad(frame.body === null ? this.root : this.groups[frame.body], 0.6 * length), frame.pose);
    }
  }

  // The way of the origin of each root body, faint where it is still to come.
  addTrails() {
    this.trails = [];
    this.data.motions.forEach((motion, index) => {
      if (motion.times.length < 2) return;
      let moving = motion.bodies.filter((b) => this.data.bodies[b].kind === 'floating');
      if (!moving.length) moving = motion.bodies.slice(-1);
      for (const body of moving.slice(0, 12)) {
        const column = motion.bodies.indexOf(body);
        const stride = motion.bodies.length * 7;
        const center = this.center(body);
        const points = [];
        const turn = new THREE.Quaternion();
        for (let f = 0; f < motion.times.length; f++) {
          const at = f * stride + column * 7;
          turn.fromArray(motion.poses, at + 3);
          const p = center.clone().applyQuaternion(turn);
          points.push(p.x + motion.poses[at], p.y + motion.poses[at + 1], p.z + motion.poses[at + 2]);
        }
        const color = this.ghostColors.get(index) ?? '#3f78b5';
        const [past, whole] = [
          [2.5, 0.9],
          [1.2, 0.28],
        ].map(([linewidth, opacity]) => {
          const geometry = new LineGeometry();
          geometry.setPositions(points);
          const line = new Line2(geometry, new LineMaterial({ color, linewidth, transparent: true, opacity, depthWrite: false }));
          line.frustumCulled = false;
          line.renderOrder = 1;
          this.root.add(line);
          return line;
        });
        this.trails.push({ motion: index, past, whole });
      }
    });
  }

  // The centre of what is drawn of a body, in the body.
  center(body) {
    const box = new THREE.Box3();
    for (const child of this.groups[body].children) {
      if (!child.isMesh) continue;
      child.updateMatrix();
      child.geometry.computeBoundingBox();
      box.union(child.geometry.boundingBox.clone().applyMatrix4(child.matrix));
    }
    return box.isEmpty() ? new THREE.Vector3() : box.getCenter(new THREE.Vector3());
  }

  addArrows() {
    const shaft = new THREE.CylinderGeometry(0.5, 0.5, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5);
    const head = new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, -0.5);
    const ball = new THREE.SphereGeometry(1, 12, 8);
    // An arrow about z, whose head ends three quarters of a turn.
    const end = 1.5 * Math.PI;
    const turn = new THREE.TorusGeometry(1, 0.05, 8, 40, end);
    const turnHead = new THREE.ConeGeometry(0.2, 0.5, 16).rotateZ(end).translate(Math.cos(end), Math.sin(end), 0);
    const longest = this.longest();
    this.arrows = this.data.arrows.map((kind, index) => {
      const color = this.ghostColors.get(kind.motion) ?? ARROWS[index % ARROWS.length];
      const most = Math.max(1, ...kind.counts);
      const material = new THREE.MeshStandardMaterial({ color, roughness: 0.5 });
      const turns = kind.style === 'turn';
      const ray = kind.style === 'ray';
      if (ray) Object.assign(material, { transparent: true, opacity: 0.5, depthWrite: false });
      const parts = [turns ? turn : shaft, turns ? turnHead : head, ball].map((geometry) => {
        const mesh = new THREE.InstancedMesh(geometry, material, most);
        mesh.count = 0;
        mesh.frustumCulled = false;
        mesh.renderOrder = 3;
        mesh.userData = { arrows: kind };
        this.root.add(mesh);
        return mesh;
      });
      const limit = (turns ? 0.08 : 0.22) * this.view;
      const scale = kind.scale ?? limit / (longest.get(kind.unit) || 1);
      return { kind, color, parts, material, visible: kind.name !== 'element torques', scale, limit: kind.scale === null ? limit : Infinity, fixed: kind.scale !== null };
    });
    this.makeRoom();
  }

  // Of each unit, the largest of the vectors, but not so large that nine of ten others could not be seen.
  longest() {
    const lengths = new Map();
    for (const { unit, vectors } of this.data.arrows) {
      if (!lengths.has(unit)) lengths.set(unit, []);
      for (let i = 0; i < vectors.length; i += 6) {
        const length = Math.hypot(vectors[i + 3], vectors[i + 4], vectors[i + 5]);
        if (length > 0) lengths.get(unit).push(length);
      }
    }
    for (const [unit, all] of lengths) {
      all.sort((a, b) => a - b);
      const [most, largest] = [0.9, 1].map((part) => all[Math.floor(part * (all.length - 1))] || 1);
      lengths.set(unit, Math.min(largest, 5 * most));
    }
    return lengths;
  }

  // The picture holds the arrows too.
  makeRoom() {
    if (this.follows) return;
    const [at, vector] = [new THREE.Vector3(), new THREE.Vector3()];
    for (const { kind, scale, limit, visible } of this.arrows) {
      if (!visible || kind.style === 'turn' || kind.style === 'ray') continue;
      for (let i = 0; i < kind.vectors.length; i += 6) {
        vector.fromArray(kind.vectors, i + 3).multiplyScalar(scale).clampLength(0, limit);
        this.box.expandByPoint(at.fromArray(kind.vectors, i).add(vector));
      }
    }
  }

  // Puts everything where it is at a time.
  setTime(time) {
    this.time = time;
    const turn = new THREE.Quaternion();
    const before = this.followed >= 0 ? this.groups[this.followed].position.clone() : null;
    this.data.motions.forEach((motion) => {
      const [frame, part] = frameAt(motion.times, time);
      const stride = motion.bodies.length * 7;
      motion.bodies.forEach((body, column) => {
        const at = frame * stride + column * 7;
        const group = this.groups[body];
        group.position.fromArray(motion.poses, at);
        group.quaternion.fromArray(motion.poses, at + 3);
        if (part > 0) {
          const [x, y, z] = motion.poses.subarray(at + stride, at + stride + 3);
          group.position.lerp(new THREE.Vector3(x, y, z), part);
          group.quaternion.slerp(turn.fromArray(motion.poses, at + stride + 3), part);
        }
      });
    });
    if (before) {
      const shift = this.groups[this.followed].position.clone().sub(before);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
    }
    for (const trail of this.trails) {
      const motion = this.data.motions[trail.motion];
      const [frame, part] = frameAt(motion.times, time);
      trail.past.geometry.instanceCount = Math.max(0, Math.round(frame + part));
      const visible = this.options.trails && this.isShown(trail.motion);
      trail.past.visible = visible && trail.past.geometry.instanceCount > 0;
      trail.whole.visible = visible;
    }
    this.groups.forEach((group, b) => (group.visible = this.isShown(this.data.bodies[b].motion)));
    this.triads.forEach((axes) => (axes.visible = this.options.frames));
    this.symbols.update();
    this.arrows.forEach((arrows) => this.placeArrows(arrows, time));
    this.invalidate();
  }

  isShown(motion) {
    return !this.hidden?.has(motion);
  }

  placeArrows({ kind, parts, visible, scale, limit, fixed }, time) {
    const [shaft, head, ball] = parts;
    const times = this.data.motions[kind.motion].times;
    const [frame] = frameAt(times, time);
    const count = visible ? kind.counts[frame] : 0;
    const wide = Math.min(0.007 * this.view, 0.12 * this.bodySize || Infinity);
    const width = kind.style === 'ray' ? 0.3 * wide : wide;
    const matrix = new THREE.Matrix4();
    const [at, vector, turn, along] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Quaternion(), new THREE.Vector3()];
    const none = new THREE.Matrix4().makeScale(0, 0, 0);
    for (let i = 0; i < count; i++) {
      const start = 6 * (kind.starts[frame] + i);
      at.fromArray(kind.vectors, start);
      vector.fromArray(kind.vectors, start + 3);
      const size = vector.length();
      const length = Math.min(size * scale, limit) * (fixed ? 1 : this.options.arrowScale);
      along.copy(vector).normalize();
      turn.setFromUnitVectors(UP, size > 0 ? along : UP);
      const tip = Math.min(0.4 * length, 5 * width);
      const thin = Math.min(width, 0.25 * tip + 0.05 * length);
      if (kind.style === 'turn' && length > 1e-4 * this.view) {
        matrix.compose(at, turn, new THREE.Vector3(length, length, length));
        shaft.setMatrixAt(i, matrix);
        head.setMatrixAt(i, matrix);
      } else if (kind.style === 'ray') {
        shaft.setMatrixAt(i, matrix.compose(at, turn, new THREE.Vector3(width, width, length)));
        head.setMatrixAt(i, none);
      } else if (length > 1e-4 * this.view) {
        shaft.setMatrixAt(i, matrix.compose(at, turn, new THREE.Vector3(thin, thin, length - tip)));
        const end = at.clone().addScaledVector(along, length);
        head.setMatrixAt(i, matrix.compose(end, turn, new THREE.Vector3(2.1 * thin, 2.1 * thin, tip)));
      } else {
        shaft.setMatrixAt(i, none);
        head.setMatrixAt(i, none);
      }
      ball.setMatrixAt(i, kind.style === 'dot' ? matrix.compose(at, turn, new THREE.Vector3(1.5 * width, 1.5 * width, 1.5 * width)) : none);
    }
    for (const mesh of parts) {
      mesh.count = count;
      mesh.userData.first = kind.starts[frame];
      mesh.instanceMatrix.needsUpdate = true;
      mesh.boundingSphere = null;
    }
  }

  // What is under the pointer, in words.
  pick(x, y) {
    const box = this.renderer.domElement.getBoundingClientRect();
    const pointer = new THREE.Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2);
    this.root.updateMatrixWorld();
    this.camera.updateMatrixWorld();
    const ray = new THREE.Raycaster();
    ray.setFromCamera(pointer, this.camera);
    const arrows = this.arrows.filter((a) => a.visible).flatMap((a) => a.parts);
    const pickable = this.pickable.filter((mesh) => mesh.userData.body === null || this.groups[mesh.userData.body].visible);
    const symbols = this.symbols.pickable.filter((mesh) => mesh.visible && isShown(mesh));
    const [hit] = ray.intersectObjects([...arrows, ...symbols, ...pickable], false);
    if (!hit) return null;
    const { symbol } = hit.object.userData;
    if (symbol) return { title: symbol.name, lines: symbolLines(symbol), body: -1 };
    if (hit.instanceId !== undefined) {
      const { arrows: kind, first } = hit.object.userData;
      const index = first + hit.instanceId;
      const [x, y, z] = kind.vectors.subarray(6 * index + 3, 6 * index + 6);
      const title = kind.labels[kind.label[index]];
      return { title, lines: [`${kind.name}: ${figure(Math.hypot(x, y, z))} ${kind.unit}`, `(${[x, y, z].map((c) => figure(c)).join(', ')})`], body: -1 };
    }
    const { name, body } = hit.object.userData;
    if (body === null) return { title: name, lines: ['fixed'], body: -1 };
    const about = this.data.bodies[body];
    const lines = [];
    if (name !== about.name) lines.push(`shape ${name}`);
    if (about.joint && about.joint !== about.name) lines.push(`joint ${about.joint} (${about.kind})`);
    const motion = this.data.motions[about.motion];
    if (motion.ghost) lines.unshift(motion.name);
    const at = this.groups[body].position;
    const rounded = at.toArray().map((c) => figure(Math.round(1e6 * c) / 1e6));
    lines.push(`at (${rounded.join(', ')}) m`);
    return { title: about.name, lines, body };
  }

  follow(body) {
    this.followed = body;
    if (body >= 0) {
      const shift = this.groups[body].position.clone().sub(this.controls.target);
      this.controls.target.add(shift);
      this.camera.position.add(shift);
    }
    this.controls.update();
    this.invalidate();
  }

  // The whole motion, or what moves, which is then followed.
  lookAtStart() {
    if (!this.follows) return this.lookAtAll();
    const { bodies } = this.data.motions[0];
    this.lookAtAll(this.startBox.clone().expandByScalar(0.35 * this.extent));
    this.followed = bodies.find((body) => this.data.bodies[body].kind === 'floating') ?? bodies[0];
  }

  // The whole motion in view, from a little above.
  lookAtAll(box = this.box) {
    const center = box.getCenter(new THREE.Vector3());
    const half = box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    const wide = half.x >= 1.6 * half.y;
    const direction = new THREE.Vector3(wide ? 0.35 : 0.85, -0.95, 0.52).normalize();
    const vertical = THREE.MathUtils.degToRad(this.camera.fov) / 2;
    const horizontal = Math.atan(Math.tan(vertical) * this.camera.aspect);
    // As near as all corners of the box are in the picture.
    const side = new THREE.Vector3().crossVectors(direction, UP).normalize();
    const above = new THREE.Vector3().crossVectors(side, direction).normalize();
    let distance = 0;
    for (let corner = 0; corner < 8; corner++) {
      const at = half.clone().multiply(new THREE.Vector3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1));
      const needed = Math.max(Math.abs(at.dot(side)) / Math.tan(horizontal), Math.abs(at.dot(above)) / Math.tan(vertical));
      distance = Math.max(distance, 1.08 * needed + at.dot(direction));
    }
    this.camera.position.copy(center).addScaledVector(direction, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 30;
    this.camera.updateProjectionMatrix();
    this.controls.target.copy(center);
    this.controls.update();
    this.invalidate();
  }

  setTheme(name) {
    const theme = THEMES[name];
    this.root.background = new THREE.Color(theme.sky);
    this.root.fog = new THREE.Fog(theme.fog, this.size * 6, this.size * 14);
    for (const material of this.grounds) {
      material.uniforms.line.value.set(theme.line);
      material.uniforms.fill.value.set(theme.ground);
    }
    this.fixed.forEach((material) => material.color.set(theme.fixed));
    this.edgeMaterial.color.set(theme.edge);
    this.invalidate();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.holder;
    if (!width || !height) return;
    this.renderer.setSize(width, height);
    const first = this.width === undefined;
    this.width = width;
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    for (const { past, whole } of this.trails) {
      past.material.resolution.set(width, height);
      whole.material.resolution.set(width, height);
    }
    if (first) this.lookAtStart();
    this.invalidate();
  }

  draw() {
    if (!this.dirty) return;
    this.dirty = false;
    this.renderer.render(this.root, this.camera);
  }
}

// A grid whose lines stay one pixel wide and fade with distance.
const GRID = `
varying vec2 at;
uniform vec3 line, fill;
uniform float cell, reach, solid;
float grid(float size) {
  vec2 g = abs(fract(at / size - 0.5) - 0.5) / fwidth(at / size);
  return 1.0 - min(min(g.x, g.y), 1.0);
}
void main() {
  float fade = 1.0 - smoothstep(0.25 * reach, reach, length(at));
  float fine = 0.45 * grid(cell), bold = 0.9 * grid(5.0 * cell);
  float ink = max(fine, bold) * fade;
  float base = solid * 0.9 * fade;
  float alpha = max(base, ink * mix(0.55, 1.0, solid));
  gl_FragColor = vec4(mix(fill, line, clamp(ink * mix(1.0, 0.75, solid) + (1.0 - solid), 0.0, 1.0)), alpha);
  #include <colorspace_fragment>
}`;

const isShown = (object) => object.visible && (!object.parent || isShown(object.parent));

function symbolLines({ kind, numbers }) {
  const range = (unit) => [`from ${figure(numbers[0])} to ${figure(numbers[1])} ${unit}`];
  if (kind === 'dial') return ['limits of the joint', ...range('rad')];
  if (kind === 'slide') return ['limits of the joint', ...range('m')];
  return [kind];
}

function place(object, pose) {
  object.position.fromArray(pose);
  object.quaternion.fromArray(pose, 3);
}

// 1, 2 or 5 times a power of ten.
function roundLength(x) {
  const power = 10 ** Math.floor(Math.log10(x));
  return power * [1, 2, 5, 10].find((m) => m * power >= x);
}

// One colour for all bodies of a robot but those at its ends reads better than one for each.
function bodyColors(data) {
  const main = data.motions[0].bodies;
  if (main.length <= BODIES.length) return (body) => BODIES[main.indexOf(body) % BODIES.length];
  const side = (name) => (/(^|[_\/])(l|left|fl|rl|hl|lf|lh)([_\/]|$)/i.test(name) ? 0 : /(^|[_\/])(r|right|fr|rr|hr|rf|rh)([_\/]|$)/i.test(name) ? 1 : 2);
  return (body) => BODIES[[0, 3, 7][side(data.bodies[body].name)]];
}
