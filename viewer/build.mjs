// Bundles the page's script and style into src/scene/viewer; with --check says whether they are up to date.

import { build } from 'esbuild';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, '..', 'src', 'scene', 'viewer');
const read = (path) => readFileSync(join(here, path), 'utf8').trim();

const licenses = ['three', 'uplot'].map((name) => {
  const { version } = JSON.parse(read(`node_modules/${name}/package.json`));
  return `${name} ${version}\n\n${read(`node_modules/${name}/LICENSE`)}`;
});
const notice = `The script of the page contains:\n\n${licenses.join('\n\n')}`;

const result = await build({
  absWorkingDir: here,
  entryPoints: ['src/main.js'],
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  write: false,
  outdir: 'out',
  banner: { js: `/*! @license\n${notice}\n*/` },
});
const files = result.outputFiles.map(({ path, text }) => {
  // The end tag of a script element ends it, wherever it stands.
  const safe = path.endsWith('.js') ? text.replaceAll('</script', '<\\/script') : text;
  return [`viewer.${path.split('.').pop()}`, safe];
});
files.push(['LICENSES.txt', `${notice}\n`]);

if (process.argv.includes('--check')) {
  const old = files.filter(([name, text]) => {
    try {
      return readFileSync(join(target, name), 'utf8') !== text;
    } catch {
      return true;
    }
  });
  if (old.length) {
    console.error(`out of date: ${old.map(([name]) => name).join(', ')}; run npm run build in viewer`);
    process.exit(1);
  }
  console.log('the bundle is up to date');
} else {
  mkdirSync(target, { recursive: true });
  for (const [name, text] of files) {
    writeFileSync(join(target, name), text);
    console.log(`${name} ${text.length}`);
  }
}
