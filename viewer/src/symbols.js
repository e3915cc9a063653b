// Symbols of elements, between the bodies that they are attached to.

import * as THREE from 'three';
import { SYMBOLS } from './theme.js';

const Z = new THREE.Vector3(0, 0, 1);
const MANY_JOINTS = 8;
const LENGTH = 7;
// Limits are seen through the bodies that a joint lies in.
const ON_TOP = new Set([SYMBOLS.limit]);

// Geometries of unit length along z from the origin, radius 1.
const shapes = {
  rod: () => new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5),
  coil: () => {
    const turns = 9;
    const path = new (class extends THREE.Curve {
      getPoint(t, at = new THREE.Vector3()) {
        const wound = Math.min(1, Math.max(0, (t - 0.08) / 0.84));
        const radius = wound > 0 && wound < 1 ? 1 : 0;
        const angle = 2 * Math.PI * turns * wound;
        return at.set(radius * Math.cos(angle), radius * Math.sin(angle), LENGTH * t);
      }
    })();
    // The wire is round where the coil is as long as it mostly is beside its radius.
    return new THREE.TubeGeometry(path, 260, 0.12, 6).scale(1, 1, 1 / LENGTH);
  },
};

export class Symbols {
  constructor(data, groups, root, unit) {
    this.groups = groups;
    this.unit = unit;
    this.parts = { elements: new THREE.Group(), sensors: new THREE.Group(), 'limits of joints': new THREE.Group() };
    Object.values(this.parts).forEach((part) => root.add(part));
    this.made = {};
    this.materials = {};
    this.moving = [];
    this.pickable = [];
    const joints = data.symbols.filter((symbol) => isLimit(symbol));
    this.parts['limits of joints'].visible = joints.length <= MANY_JOINTS;
    data.symbols.forEach((symbol) => this.add(symbol));
    this.reveal(data.symbols.filter((symbol) => !isLimit(symbol)));
  }

  // The kinds that there are, with a colour and whether they are shown.
  kinds() {
    return Object.entries(this.parts).filter(([, part]) => part.children.length);
  }

  add(symbol) {
    const group = new THREE.Group();
    const part = isLimit(symbol) ? 'limits of joints' : symbol.kind === 'sensor' ? 'sensors' : 'elements';
    this.parts[part].add(group);
    this.symbol = symbol;
    const move = DRAW[symbol.kind]?.call(this, group, symbol);
    group.traverse((object) => {
      object.userData.symbol = symbol;
      if (object.isMesh) {
        object.renderOrder = 4;
        this.pickable.push(object);
      }
    });
    if (move) this.moving.push({ ends: symbol.ends, move });
  }

  // Bodies with something attached inside them let it be seen.
  reveal(symbols) {
    for (const { body, pose } of symbols.flatMap((symbol) => symbol.ends)) {
      if (body === null) continue;
      const at = new THREE.Vector3().fromArray(pose);
      for (const mesh of this.groups[body].children.filter((child) => child.isMesh)) {
        mesh.updateMatrix();
        mesh.geometry.computeBoundingBox();
        const local = at.clone().applyMatrix4(mesh.matrix.clone().invert());
        if (!mesh.geometry.boundingBox.containsPoint(local)) continue;
        Object.assign(mesh.material, { transparent: true, opacity: 0.42, depthWrite: false });
        mesh.renderOrder = 2;
      }
    }
  }

  update() {
    for (const { ends, move } of this.moving) move(...ends.map((end) => this.pose(end)));
  }

  pose({ body, pose }) {
    const local = new THREE.Matrix4().compose(new THREE.Vector3().fromArray(pose), new THREE.Quaternion().fromArray(pose, 3), new THREE.Vector3(1, 1, 1));
    if (body === null) return local;
    this.groups[body].updateMatrix();
    return local.premultiply(this.groups[body].matrix);
  }

  shape(name) {
    return (this.made[name] ??= shapes[name]());
  }

  material(color, opacity = 1) {
    return (this.materials[color + opacity] ??= new THREE.MeshStandardMaterial({
      color, roughness: 0.5, depthTest: !ON_TOP.has(color), transparent: opacity < 1, opacity, depthWrite: opacity === 1, side: THREE.DoubleSide,
    }));
  }

  mesh(group, geometry, color, opacity) {
    const mesh = new THREE.Mesh(geometry, this.material(color, opacity));
    group.add(mesh);
    return mesh;
  }

  triad(group, length) {
    const axes = new THREE.AxesHelper(length);
    axes.material.depthTest = false;
    axes.renderOrder = 6;
    group.add(axes);
    return axes;
  }
}

const isLimit = ({ kind }) => kind === 'dial' || kind === 'slide';
const origin = (matrix) => new THREE.Vector3().setFromMatrixPosition(matrix);
const put = (object, matrix) => matrix.decompose(object.position, object.quaternion, new THREE.Vector3());

// Lays something of unit length from one point to another, at parts of the way, with a radius.
function stretch(object, from, to, radius, [start, end] = [0, 1]) {
  const way = to.clone().sub(from);
  const length = way.length();
  object.visible = length > 0;
  if (!length) return;
  object.position.copy(from).addScaledVector(way, start);
  object.quaternion.setFromUnitVectors(Z, way.normalize());
  object.scale.set(radius, radius, length * (end - start));
}

function spring(group) {
  const coil = this.mesh(group, this.shape('coil'), SYMBOLS.spring);
  return (a, b) => {
    const [from, to] = [origin(a), origin(b)];
    stretch(coil, from, to, Math.min(0.45 * this.unit, 0.16 * from.distanceTo(to)));
  };
}

function damper(group) {
  const cup = this.mesh(group, this.shape('rod'), SYMBOLS.damper, 0.6);
  const piston = this.mesh(group, this.shape('rod'), SYMBOLS.damper);
  return (a, b) => {
    const [from, to] = [origin(a), origin(b)];
    const radius = Math.min(0.25 * this.unit, 0.08 * from.distanceTo(to));
    stretch(cup, from, to, radius, [0, 0.6]);
    stretch(piston, from, to, 0.4 * radius, [0.3, 1]);
  };
}

function rod(group, { kind }) {
  const bar = this.mesh(group, this.shape('rod'), SYMBOLS.constraint);
  const form = kind === 'weld' ? new THREE.BoxGeometry(2, 2, 2) : new THREE.SphereGeometry(1, 16, 12);
  const ends = [0, 1].map(() => this.mesh(group, form, SYMBOLS.constraint));
  ends.forEach((end) => end.scale.setScalar((kind === 'rod' ? 0.16 : 0.26) * this.unit));
  return (a, b) => {
    put(ends[0], a);
    put(ends[1], b);
    stretch(bar, origin(a), origin(b), 0.08 * this.unit);
  };
}

// Frames A and C, the sleeve about frame B half-way between them, and the deflection from A to C.
function bushing(group) {
  const middle = new THREE.Group();
  group.add(middle);
  this.mesh(middle, new THREE.TorusGeometry(0.62 * this.unit, 0.2 * this.unit, 16, 40), SYMBOLS.bushing, 0.55);
  this.triad(middle, 1.3 * this.unit);
  const ends = [0, 1].map(() => this.triad(group, 0.6 * this.unit));
  const deflection = this.mesh(group, this.shape('rod'), SYMBOLS.deflection);
  return (a, c) => {
    put(ends[0], a);
    put(ends[1], c);
    middle.position.lerpVectors(ends[0].position, ends[1].position, 0.5);
    middle.quaternion.slerpQuaternions(ends[0].quaternion, ends[1].quaternion, 0.5);
    stretch(deflection, ends[0].position, ends[1].position, 0.07 * this.unit);
  };
}

function wing(group, { numbers: [edge] }) {
  const geometry = new THREE.BoxGeometry(edge, edge, 0.02 * edge);
  const plate = this.mesh(group, geometry, SYMBOLS.wing, 0.5);
  plate.add(new THREE.LineSegments(new THREE.EdgesGeometry(geometry), new THREE.LineBasicMaterial({ color: SYMBOLS.wing })));
  return (at) => put(plate, at);
}

function drag(group, { numbers: [radius] }) {
  const ball = this.mesh(group, new THREE.SphereGeometry(Math.min(radius, 2 * this.unit), 24, 16), SYMBOLS.wing, 0.25);
  return (at) => put(ball, at);
}

function sensor(group) {
  const box = this.mesh(group, new THREE.BoxGeometry(0.4 * this.unit, 0.4 * this.unit, 0.4 * this.unit), SYMBOLS.sensor);
  box.add(this.triad(group, this.unit));
  return (at) => put(box, at);
}

// The sector that a joint may turn through, and a hand at its angle.
function dial(group, { numbers: [lower, upper] }) {
  const radius = 1.3 * this.unit;
  const sector = this.mesh(group, new THREE.RingGeometry(0.72 * radius, radius, 48, 1, lower, Math.min(upper - lower, 2 * Math.PI)), SYMBOLS.limit, 0.45);
  const hand = this.mesh(group, new THREE.BoxGeometry(1, 1, 1).translate(0.5, 0, 0), SYMBOLS.limit);
  hand.scale.set(1.12 * radius, 0.07 * radius, 0.07 * radius);
  return (parent, child) => {
    put(sector, parent);
    put(hand, child);
  };
}

// The way that a joint may slide, and where it is.
function slide(group, { numbers: [lower, upper] }) {
  const track = new THREE.Group();
  group.add(track);
  const bar = this.mesh(track, this.shape('rod'), SYMBOLS.limit, 0.45);
  stretch(bar, new THREE.Vector3(0, 0, lower), new THREE.Vector3(0, 0, upper), 0.1 * this.unit);
  for (const end of [lower, upper]) {
    const stop = this.mesh(track, new THREE.CylinderGeometry(0.4 * this.unit, 0.4 * this.unit, 0.06 * this.unit, 20).rotateX(Math.PI / 2), SYMBOLS.limit, 0.8);
    stop.position.z = end;
  }
  const here = this.mesh(group, new THREE.SphereGeometry(0.22 * this.unit, 16, 12), SYMBOLS.limit);
  return (parent, child) => {
    put(track, parent);
    put(here, child);
  };
}

const DRAW = {
  spring,
  damper,
  'spring and damper': function (group) {
    const both = [spring.call(this, group), damper.call(this, group)];
    return (a, b) => both.forEach((move) => move(a, b));
  },
  rod,
  pin: rod,
  weld: rod,
  bushing,
  wing,
  drag,
  sensor,
  dial,
  slide,
};
