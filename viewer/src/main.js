// The page of a scene.

import 'uplot/dist/uPlot.min.css';
import './style.css';
import { Charts, element } from './charts.js';
import { figure, frameAt, readScene } from './data.js';
import { Stage } from './stage.js';
import { BODIES, EVENTS } from './theme.js';

const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];
const ICONS = {
  play: 'M7 4.5v15l12-7.5z',
  pause: 'M6.5 4.5h4v15h-4zM13.5 4.5h4v15h-4z',
  back: 'M17 5v14L7.5 12zM5 5h2v14H5z',
  next: 'M7 5v14l9.5-7zM17 5h2v14h-2z',
  start: 'M5 5h2.2v14H5zM20 5v14l-6.5-7zM13.5 5v14L7 12z',
  show: 'M4 6h10v2H4zM4 11h16v2H4zM4 16h7v2H4zM16 5h2v4h-2zM13 15h2v4h-2z',
  theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
  view: 'M4 4h6v2H6v4H4zM14 4h6v6h-2V6h-4zM4 14h2v4h4v2H4zM18 14h2v6h-6v-2h4z',
};

function button(icon, title, action) {
  const made = element('button', 'icon');
  made.type = 'button';
  made.title = title;
  made.setAttribute('aria-label', title);
  setIcon(made, icon);
  made.addEventListener('click', action);
  return made;
}

function setIcon(made, icon) {
  made.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${ICONS[icon]}"/></svg>`;
}

class Page {
  constructor(scene) {
    this.scene = scene;
    const times = scene.motions[0].times;
    this.times = times;
    this.start = times[0];
    this.end = times[times.length - 1];
    this.time = this.start;
    this.playing = false;
    // Short motions are slowed down until there is time to look.
    this.speed = [...SPEEDS].reverse().find((s) => s <= 1 && (this.end - this.start) / s >= 3) ?? SPEEDS[0];
    this.layOut();
    this.stage = new Stage(scene, this.view);
    this.charts = new Charts(scene, this.chartsHolder, (time) => this.seek(time));
    this.fillPanel();
    this.addTimeline();
    const dark = window.matchMedia?.('(prefers-color-scheme: dark)').matches;
    this.setTheme(dark ? 'dark' : 'light');
    new ResizeObserver(() => this.stage.resize()).observe(this.view);
    this.stage.resize();
    this.setTime(this.start);
    if (this.stage.follows) this.follow(this.stage.followed);
    this.setTime(this.firstAction());
    this.listen();
    if (this.scene.refresh) this.keepLive();
    requestAnimationFrame((now) => this.tick(now));
  }

  // When something is first to be seen: forces or motion; what flies at first is shown when it strikes.
  firstAction() {
    const { events, arrows, motions } = this.scene;
    const forces = arrows.filter((kind) => kind.motion === 0 && kind.scale === null);
    const force = (frame) => {
      let sum = 0;
      for (const { starts, vectors } of forces) {
        for (let i = 6 * starts[frame] + 3; i < 6 * starts[frame + 1]; i += 6) sum += Math.hypot(vectors[i], vectors[i + 1], vectors[i + 2]);
      }
      return sum;
    };
    if (force(0) === 0 && events.length) {
      const first = Math.min(...events.map((event) => event.time));
      const after = (time) => Math.max(0, this.times.findIndex((t) => t >= time - 1e-9));
      let best = after(first);
      for (let frame = best; this.times[frame] < first + 0.05 * (this.end - this.start); frame++) {
        if (force(frame) > force(best)) best = frame;
      }
      return this.times[best];
    }
    const { poses, bodies } = motions[0];
    const stride = 7 * bodies.length;
    const moved = (frame) => {
      for (let i = 0; i < stride; i++) {
        const scale = i % 7 < 3 ? this.stage.view : 1;
        if (Math.abs(poses[frame * stride + i] - poses[i]) > 0.01 * scale) return true;
      }
      return false;
    };
    const first = [...this.times.keys()].find(moved);
    return first === undefined ? this.start : this.times[first];
  }

  showAll() {
    this.follow(-1);
    this.stage.lookAtAll();
  }

  // Reads the page anew while the program that writes it runs; time and view stay.
  keepLive() {
    const { camera, controls } = this.stage;
    const kept = history.state;
    if (kept) {
      this.seek(kept.atEnd ? this.end : kept.time);
      camera.position.fromArray(kept.camera);
      controls.target.fromArray(kept.target);
      controls.update();
      this.setTheme(kept.theme);
    } else {
      this.seek(this.end);
    }
    const badge = element('span', 'key live', 'live');
    badge.prepend(element('i'));
    this.legend.append(badge);
    const again = () => {
      if (this.playing) return setTimeout(again, 200);
      const { time, theme } = this;
      const view = { camera: camera.position.toArray(), target: controls.target.toArray() };
      history.replaceState({ time, theme, atEnd: time >= this.end, ...view }, '');
      location.reload();
    };
    // Counted from the first picture, which takes its time where nothing helps to draw.
    const wait = () => setTimeout(again, Math.max(200, 1000 * this.scene.refresh));
    requestAnimationFrame(() => requestAnimationFrame(wait));
  }

  layOut() {
    const app = element('main', 'app');
    this.view = element('section', 'view');
    const head = element('header');
    if (this.scene.title) head.append(element('h1', '', this.scene.title));
    if (this.scene.about) head.append(element('p', '', this.scene.about));
    this.tip = element('div', 'tip');
    this.tip.hidden = true;
    this.panel = element('aside', 'panel');
    this.panel.hidden = true;
    const tools = element('div', 'tools');
    tools.append(
      button('view', 'The whole motion in view', () => this.showAll()),
      button('theme', 'Dark or light', () => this.setTheme(this.theme === 'dark' ? 'light' : 'dark')),
      button('show', 'What is shown', () => (this.panel.hidden = !this.panel.hidden)),
    );
    this.legend = element('div', 'legend');
    this.view.append(head, this.legend, this.panel, tools, this.tip);
    this.bar = element('section', 'bar');
    this.chartsHolder = element('section', 'charts');
    app.append(this.view, this.bar, this.chartsHolder);
    document.body.append(app);
  }

  fillPanel() {
    const row = (name, color, checked, change) => {
      const label = element('label', 'row');
      const box = element('input');
      box.type = 'checkbox';
      box.checked = checked;
      box.addEventListener('change', () => {
        change(box.checked);
        this.stage.setTime(this.time);
      });
      label.append(box);
      if (color) {
        const swatch = element('i', 'swatch');
        swatch.style.background = color;
        label.append(swatch);
      }
      label.append(name);
      this.panel.append(label);
    };
    const { stage, scene } = this;
    stage.hidden = new Set();
    const several = scene.motions.length > 1;
    scene.motions.forEach((motion, index) => {
      if (!several) return;
      const color = stage.ghostColors.get(index) ?? BODIES[0];
      row(motion.name, color, true, (on) => (on ? stage.hidden.delete(index) : stage.hidden.add(index)));
      const key = element('span', 'key line');
      key.style.setProperty('--color', color);
      key.append(element('i'), motion.name);
      this.legend.append(key);
    });
    for (const arrows of stage.arrows) {
      row(`${arrows.kind.name} [${arrows.kind.unit}]`, arrows.color, arrows.visible, (on) => (arrows.visible = on));
      const key = element('span', 'key line');
      key.style.setProperty('--color', arrows.color);
      key.append(element('i'), arrows.kind.name);
      if (arrows.visible && !arrows.fixed) this.legend.append(key);
    }
    for (const [name, part] of stage.symbols.kinds()) row(name, '', part.visible, (on) => (part.visible = on));
    row('trails', '', true, (on) => (stage.options.trails = on));
    row('frames', '', false, (on) => (stage.options.frames = on));
    if (stage.arrows.some((a) => !a.fixed)) {
      const label = element('label', 'row');
      const size = element('input');
      Object.assign(size, { type: 'range', min: -1, max: 1, step: 0.05, value: 0 });
      size.addEventListener('input', () => {
        stage.options.arrowScale = 10 ** Number(size.value);
        stage.setTime(this.time);
      });
      label.append('length of forces', size);
      this.panel.append(label);
    }
    const label = element('label', 'row');
    this.followed = element('select');
    this.followed.append(new Option('nothing', '-1'));
    for (const body of scene.motions[0].bodies) this.followed.append(new Option(scene.bodies[body].name, body));
    this.followed.addEventListener('change', () => stage.follow(Number(this.followed.value)));
    label.append('follow', this.followed);
    this.panel.append(label);
  }

  addTimeline() {
    this.playButton = button('play', 'Play or pause (space)', () => this.play(!this.playing));
    const buttons = element('div', 'buttons');
    buttons.append(
      button('start', 'To the start (Home)', () => this.seek(this.start)),
      button('back', 'One frame back (←)', () => this.step(-1)),
      this.playButton,
      button('next', 'One frame on (→)', () => this.step(1)),
    );
    const track = element('div', 'track');
    this.slider = element('input');
    Object.assign(this.slider, { type: 'range', min: 0, max: 10000, step: 1, value: 0 });
    this.slider.setAttribute('aria-label', 'time');
    this.slider.addEventListener('input', () => {
      this.play(false);
      this.setTime(this.start + (Number(this.slider.value) / 10000) * (this.end - this.start));
    });
    const marks = element('div', 'marks');
    const span = this.end - this.start || 1;
    for (const event of this.scene.events) {
      const mark = element('button', 'mark');
      mark.type = 'button';
      mark.tabIndex = -1;
      mark.title = `${event.text} at ${figure(event.time, 5)} s`;
      mark.style.left = `${(100 * (event.time - this.start)) / span}%`;
      mark.style.setProperty('--color', EVENTS[event.kind] ?? EVENTS.note);
      mark.addEventListener('click', () => this.seek(event.time));
      marks.append(mark);
    }
    track.append(marks, this.slider);
    this.clock = element('output', 'clock');
    const speed = element('select', 'speed');
    speed.title = 'Speed';
    speed.setAttribute('aria-label', 'speed');
    for (const s of SPEEDS) speed.append(new Option(`${s}×`, s, false, s === this.speed));
    speed.addEventListener('change', () => (this.speed = Number(speed.value)));
    this.happening = element('div', 'happening');
    this.bar.append(buttons, track, this.clock, speed, this.happening);
    this.bar.classList.toggle('eventful', this.scene.events.length > 0);
  }

  listen() {
    window.addEventListener('keydown', (event) => {
      if (/^(INPUT|SELECT)$/.test(event.target.tagName) && event.target !== this.slider) return;
      const action = {
        ' ': () => this.play(!this.playing),
        ArrowLeft: () => this.step(-1),
        ArrowRight: () => this.step(1),
        Home: () => this.seek(this.start),
        End: () => this.seek(this.end),
        '[': () => this.toEvent(-1),
        ']': () => this.toEvent(1),
      }[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    });
    const canvas = this.stage.renderer.domElement;
    const show = (event) => {
      const found = event.buttons ? null : this.stage.pick(event.clientX, event.clientY);
      this.tip.hidden = !found;
      canvas.style.cursor = found ? 'pointer' : '';
      if (!found) return;
      this.tip.replaceChildren(element('b', '', found.title), ...found.lines.map((line) => element('div', '', line)));
      const box = this.view.getBoundingClientRect();
      const left = Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth - 8);
      const top = Math.min(event.clientY - box.top + 14, box.height - this.tip.offsetHeight - 8);
      this.tip.style.transform = `translate(${Math.max(8, left)}px, ${Math.max(8, top)}px)`;
    };
    canvas.addEventListener('pointermove', show);
    canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
    let down = null;
    canvas.addEventListener('pointerdown', (event) => (down = [event.clientX, event.clientY]));
    canvas.addEventListener('pointerup', (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 5) show({ clientX: event.clientX, clientY: event.clientY, buttons: 0 });
    });
    canvas.addEventListener('dblclick', (event) => {
      const found = this.stage.pick(event.clientX, event.clientY);
      this.follow(found ? found.body : -1);
    });
  }

  follow(body) {
    this.followed.value = String(body);
    if (this.followed.selectedIndex < 0) this.followed.value = '-1';
    this.stage.follow(body);
  }

  setTheme(name) {
    this.theme = name;
    document.documentElement.dataset.theme = name;
    this.stage.setTheme(name);
    this.charts.build(name);
  }

  play(on) {
    if (on && this.time >= this.end) this.setTime(this.start);
    this.playing = on;
    this.last = undefined;
    setIcon(this.playButton, on ? 'pause' : 'play');
  }

  seek(time) {
    this.play(false);
    this.setTime(Math.min(this.end, Math.max(this.start, time)));
  }

  step(frames) {
    const [frame, part] = frameAt(this.times, this.time + 1e-9);
    const next = frames < 0 && part > 1e-3 ? frame : frame + frames;
    this.seek(this.times[Math.min(this.times.length - 1, Math.max(0, next))]);
  }

  toEvent(direction) {
    const times = this.scene.events.map((event) => event.time).sort((a, b) => a - b);
    const next = direction > 0 ? times.find((t) => t > this.time + 1e-9) : times.findLast((t) => t < this.time - 1e-9);
    if (next !== undefined) this.seek(next);
  }

  setTime(time) {
    this.time = time;
    this.stage.setTime(time);
    this.charts.mark(time);
    const span = this.end - this.start || 1;
    this.slider.value = String((10000 * (time - this.start)) / span);
    this.slider.style.setProperty('--part', `${(100 * (time - this.start)) / span}%`);
    const digits = span < 1 ? 4 : 3;
    this.clock.textContent = `${time.toFixed(digits)} s`;
    // What has happened lately, as long as one would need to read it.
    const lately = Math.max(0.35 * this.speed, 1.5 * (this.times[1] - this.start) || 0);
    const now = this.scene.events.filter((event) => event.time <= time + 1e-6 && event.time > time - lately);
    this.happening.replaceChildren(
      ...now.slice(-4).map((event) => {
        const item = element('span', '', event.text);
        item.style.setProperty('--color', EVENTS[event.kind] ?? EVENTS.note);
        return item;
      }),
    );
  }

  tick(now) {
    if (this.playing) {
      if (this.last !== undefined) {
        const time = this.time + ((now - this.last) / 1000) * this.speed;
        if (time >= this.end) {
          this.setTime(this.end);
          this.play(false);
        } else {
          this.setTime(time);
        }
      }
      this.last = this.playing ? now : undefined;
    }
    this.stage.controls.update();
    this.stage.draw();
    requestAnimationFrame((next) => this.tick(next));
  }

  // Where in the window the bodies of the first motion are drawn.
  whereBodiesAre() {
    const { camera, groups, renderer } = this.stage;
    const box = renderer.domElement.getBoundingClientRect();
    return this.scene.motions[0].bodies.map((body) => {
      const at = groups[body].position.clone().project(camera);
      return [box.left + (0.5 + 0.5 * at.x) * box.width, box.top + (0.5 - 0.5 * at.y) * box.height];
    });
  }

  // Where the page has put a body of the first motion: position and quaternion (x, y, z, w).
  poseOf(name) {
    const body = this.scene.motions[0].bodies.find((b) => this.scene.bodies[b].name === name);
    const { position, quaternion } = this.stage.groups[body];
    return [...position.toArray(), ...quaternion.toArray()];
  }
}

window.page = new Page(readScene());
