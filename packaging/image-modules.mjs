// Copies the packages that a worker or gateway loads into a folder `node_modules`, for the image: no development dependencies, no
// bundler, and Temporal's core for this platform only. The workflow bundle is built already.
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const from = fileURLToPath(new URL('..', import.meta.url));
const to = process.argv[2];
const { packages } = JSON.parse(readFileSync(join(from, 'package-lock.json'), 'utf8'));

// The SDK's worker imports the first three when it is loaded and uses them only to bundle.
const stubbed = ['webpack', 'memfs', 'unionfs'];
const omitted = new Set([...stubbed, 'swc-loader', 'source-map-loader', '@swc/core']);

const needed = new Set();

function need(path) {
  // npm does not install optional packages of other platforms.
  if (needed.has(path) || !existsSync(join(from, path))) return;
  needed.add(path);
  const { dependencies, optionalDependencies, peerDependencies } = packages[path];
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
    const found = omitted.has(name) ? undefined : resolve(path, name);
    if (found) need(found);
  }
}

/** The package that `name` is in the package at `path`, as Node finds it. Undefined if it is an optional peer that nobody installed. */
function resolve(path, name) {
  const candidate = path === '' ? `node_modules/${name}` : `${path}/node_modules/${name}`;
  if (packages[candidate]) return candidate;
  return path === '' ? undefined : resolve(path.slice(0, Math.max(0, path.lastIndexOf('node_modules') - 1)), name);
}

const platform = { linux: 'linux', darwin: 'apple', win32: 'windows' }[process.platform];
const core = new RegExp(`^${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-.*${platform}`);

function belongs(path) {
  const [, release] = path.split(`${sep}core-bridge${sep}releases${sep}`);
  return release === undefined || core.test(release);
}

for (const name of Object.keys(packages[''].dependencies)) need(resolve('', name));
for (const path of needed) {
  const source = join(from, path);
  // A nested package is copied by itself, if it is needed.
  const nested = join(source, 'node_modules');
  const target = join(to, '..', path);
  mkdirSync(dirname(target), { recursive: true });
  cpSync(source, target, { recursive: true, filter: (it) => it !== nested && belongs(it) });
}
for (const name of stubbed) {
  mkdirSync(join(to, name));
  writeFileSync(join(to, name, 'index.js'), `// The image has no bundler.\n`);
}
