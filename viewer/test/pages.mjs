// Opens every page of a folder in a browser, at two sizes: no error, a picture that is not uniform, a slider that
// puts bodies where the data say, a name under the pointer. Pages without a scene (index, reports) must only be
// without error. One page is then read anew as that of a program that still runs.
//
//   node test/pages.mjs FOLDER [--screenshots FOLDER]
//
// Says so and ends well where there is no browser; CHROMIUM names another than the usual ones.

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = resolve(process.argv[2] ?? 'out');
const shots = process.argv[3] === '--screenshots' ? resolve(process.argv[4]) : null;
const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const browserPath = places.find((path) => path && existsSync(path));
if (!browserPath) {
  console.log('skipped: there is no Chromium');
  process.exit(0);
}
const { chromium } = await import('playwright-core');

const SIZES = [
  { name: 'desktop', width: 1280, height: 800, colorScheme: 'light' },
  { name: 'phone', width: 390, height: 780, colorScheme: 'dark' },
];
const failures = [];
const check = (holds, message) => holds || failures.push(message);

// The poses of the first motion, decoded here once more.
function scene(html) {
  const json = /<script type="application\/json" id="scene">(.*?)<\/script>/s.exec(html)?.[1];
  if (!json) return null;
  const data = JSON.parse(json);
  const floats = (text) => {
    const bytes = Buffer.from(text, 'base64');
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  };
  const motion = data.motions[0];
  const bodies = data.bodies.filter((body) => body.motion === 0).map((body) => body.name);
  return { times: floats(motion.times), poses: floats(motion.poses), bodies };
}

// The share of pixels of the canvas that differ from the most frequent colour.
const variety = () => {
  const canvas = document.querySelector('.view canvas');
  const copy = document.createElement('canvas');
  [copy.width, copy.height] = [160, 100];
  const context = copy.getContext('2d');
  context.drawImage(canvas, 0, 0, 160, 100);
  const { data } = context.getImageData(0, 0, 160, 100);
  const counts = new Map();
  for (let i = 0; i < data.length; i += 4) {
    const color = (data[i] << 16) | (data[i + 1] << 8) | data[i + 2];
    counts.set(color, (counts.get(color) ?? 0) + 1);
  }
  return 1 - Math.max(...counts.values()) / 16000;
};

// That of the canvas once something is drawn, for which a busy machine may take several frames.
async function drawnVariety(page) {
  let share = 0;
  for (let wait = 60; wait < 10_000 && share <= 0.02; wait *= 2) {
    await page.waitForTimeout(wait);
    share = await page.evaluate(variety);
  }
  return share;
}

// How many arrow heads of a page that shows the whole motion lie outside the picture.
const arrowsOutside = () => {
  const { stage } = window.page;
  if (stage.follows) return 0;
  const point = stage.camera.position.clone();
  stage.camera.updateMatrixWorld();
  let outside = 0;
  for (const { kind, scale, limit, visible } of stage.arrows) {
    if (!visible || !['arrow', 'dot'].includes(kind.style) || kind.scale !== null) continue;
    for (let i = 0; i < kind.vectors.length; i += 6) {
      const [x, y, z, ...vector] = kind.vectors.subarray(i, i + 6);
      const length = Math.hypot(...vector);
      const part = length ? Math.min(length * scale, limit) / length : 0;
      point.set(x + part * vector[0], y + part * vector[1], z + part * vector[2]).project(stage.camera);
      if (Math.abs(point.x) > 1.01 || Math.abs(point.y) > 1.01) outside++;
    }
  }
  return outside;
};

const pages = readdirSync(folder).filter((name) => name.endsWith('.html')).sort();
check(pages.length > 0, `${folder} has no pages`);
const browser = await chromium.launch({
  executablePath: browserPath,
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
});
if (shots) mkdirSync(shots, { recursive: true });
for (const name of pages) {
  const path = join(folder, name);
  const expected = scene(readFileSync(path, 'utf8'));
  for (const size of SIZES) {
    const where = `${name} (${size.name})`;
    const context = await browser.newContext({
      viewport: { width: size.width, height: size.height },
      colorScheme: size.colorScheme,
      offline: true,
    });
    const page = await context.newPage();
    page.on('console', (message) => check(message.type() !== 'error', `${where}: ${message.text()}`));
    page.on('pageerror', (error) => check(false, `${where}: ${error.message}`));
    page.on('request', (request) => check(/^(file|data|blob|about):/.test(request.url()), `${where} asks for ${request.url()}`));
    await page.goto(pathToFileURL(path).href);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(overflow <= 0, `${where} is ${overflow} pixels too wide`);
    if (expected) {
      await page.waitForFunction(() => window.page);
      const outside = await page.evaluate(arrowsOutside);
      check(outside === 0, `${where}: ${outside} arrows end outside the picture`);
      const frames = expected.times.length;
      for (const part of [0, 0.37, 1]) {
        const frame = Math.round(part * (frames - 1));
        const [start, end] = [expected.times[0], expected.times[frames - 1]];
        const value = end > start ? Math.round((10000 * (expected.times[frame] - start)) / (end - start)) : 0;
        await page.locator('.track input').evaluate((slider, value) => {
          slider.value = String(value);
          slider.dispatchEvent(new Event('input'));
        }, value);
        const shown = await page.evaluate(() => window.page.time);
        check(Math.abs(shown - (start + (value / 10000) * (end - start))) < 1e-5 * (1 + end - start), `${where}: the slider leads to ${shown} s`);
        await page.evaluate((time) => window.page.seek(time), expected.times[frame]);
        for (const [index, body] of expected.bodies.entries()) {
          const found = await page.evaluate((body) => window.page.poseOf(body), body);
          const at = (frame * expected.bodies.length + index) * 7;
          const wanted = expected.poses.subarray(at, at + 7);
          const off = Math.max(...found.map((x, i) => Math.abs(x - wanted[i])));
          check(off < 1e-5, `${where}: ${body} is off by ${off} at frame ${frame}`);
        }
        const share = await drawnVariety(page);
        check(share > 0.02, `${where}: the picture is uniform at frame ${frame} (${share})`);
      }
      // Something has a name where a body is drawn; which one may lie behind another.
      const points = await page.evaluate(() => window.page.whereBodiesAre());
      let named;
      for (const [x, y] of points) {
        await page.mouse.move(x, y);
        named = await page.evaluate(() => document.querySelector('.tip:not([hidden]) b')?.textContent);
        if (named) break;
      }
      check(named, `${where}: nothing says its name under the pointer`);
      await page.mouse.move(1, size.height - 1);
      const before = await page.evaluate(() => {
        window.page.seek(window.page.start);
        window.page.play(true);
        return window.page.time;
      });
      if (frames > 1) {
        await page.waitForFunction((before) => window.page.time > before, before);
        await page.evaluate(() => window.page.seek(window.page.start + 0.4 * (window.page.end - window.page.start)));
      }
      await page.waitForTimeout(150);
    }
    if (shots) await page.screenshot({ path: join(shots, `${name.replace('.html', '')}_${size.name}.png`), fullPage: !expected });
    await context.close();
  }
  console.log(`${name}: ${expected ? `${expected.bodies.length} bodies, ${expected.times.length} frames` : 'no scene'}`);
}

// A live page reads itself anew, at the time and in the view that it had.
const example = pages.find((name) => scene(readFileSync(join(folder, name), 'utf8'))?.times.length > 1);
if (example) {
  const place = mkdtempSync(join(tmpdir(), 'live-'));
  const path = join(place, 'live.html');
  const write = (text) => writeFileSync(path, text);
  const text = readFileSync(join(folder, example), 'utf8');
  write(text.replace('"refresh":null', '"refresh":3'));
  const page = await browser.newPage();
  page.on('pageerror', (error) => check(false, `live page: ${error.message}`));
  await page.goto(pathToFileURL(path).href);
  // It may be read anew at any moment, so that each of these must hold by itself.
  const { times } = scene(text);
  const time = times[0] + 0.3 * (times[times.length - 1] - times[0]);
  await page.waitForFunction((time) => {
    const { page } = window;
    if (page && page.time === page.end) {
      page.seek(time);
      window.isOld = true;
    }
    return page && Math.abs(page.time - time) < 1e-9;
  }, time);
  await page.waitForFunction((time) => window.page && !window.isOld && Math.abs(window.page.time - time) < 1e-9, time);
  write(text);
  await page.waitForFunction(() => window.page && !window.page.scene.refresh);
  await page.close();
  rmSync(place, { recursive: true });
  console.log('a live page follows');
}
await browser.close();

const models = readdirSync(folder).filter((name) => name.endsWith('.glb'));
if (models.length) {
  const { default: validator } = await import('gltf-validator');
  for (const name of models) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(join(folder, name))));
    const errors = report.issues.messages.filter((m) => m.severity === 0);
    errors.forEach((m) => check(false, `${name}: ${m.message} at ${m.pointer}`));
    console.log(`${name}: ${report.issues.numErrors} errors, ${report.issues.numWarnings} warnings`);
  }
}
for (const failure of failures) console.error(`failed: ${failure}`);
console.log(failures.length ? `${failures.length} failures` : `${pages.length} pages are well`);
process.exit(failures.length ? 1 : 0);
