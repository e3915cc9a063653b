// Bundles the page's script and style into src/scene/viewer, and the pictures of docs into definitions that
// src/guide.rs takes; with --check says whether all are up to date.

import { build } from 'esbuild';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const source = join(here, '..', 'src');
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
  return [`scene/viewer/viewer.${path.split('.').pop()}`, safe];
});
files.push(['scene/viewer/LICENSES.txt', `${notice}\n`]);

// Documentation has no files beside its pages.
const docs = join(here, '..', 'docs');
const TYPES = { '.svg': 'image/svg+xml', '.webp': 'image/webp' };
const pictures = ['figures', 'pictures'].flatMap((folder) => {
  const place = join(docs, folder);
  return readdirSync(place).map((name) => join(place, name));
});
const text = readdirSync(docs).filter((name) => name.endsWith('.md')).map((name) => readFileSync(join(docs, name), 'utf8')).join('');
const definitions = pictures.sort().flatMap((path) => {
  const { name, ext } = parse(path);
  const data = `data:${TYPES[ext]};base64,${readFileSync(path).toString('base64')}`;
  return text.includes(`[${name}-picture]`) ? [`[${name}-picture]: ${data}\n`] : [];
});
files.push(['guide/pictures.md', definitions.join('')]);

if (process.argv.includes('--check')) {
  const old = files.filter(([name, text]) => {
    try {
      return readFileSync(join(source, name), 'utf8') !== text;
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
  for (const [name, text] of files) {
    writeFileSync(join(source, name), text);
    console.log(`${name} ${text.length}`);
  }
}
