// Run after adding a dependency if the registry does not serve the packages of other platforms: npm then omits these optional
// packages from the lock file, and `npm ci` rejects the result. This adds the missing entries and changes nothing else.
import { readFileSync, writeFileSync } from 'node:fs';

const file = process.argv[2] ?? 'package-lock.json';
const systems = new Set(['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony']);
const processors = new Set(['arm64', 'x64', 'ia32', 'arm', 'ppc64', 's390x', 'wasm32', 'riscv64', 'loong64']);

const lock = JSON.parse(readFileSync(file, 'utf8'));
let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const at = `node_modules/${name}`;
    if (path === '' || lock.packages[at] !== undefined || lock.packages[`${path}/${at}`] !== undefined) continue;
    const words = name.split(/[/-]/);
    const os = words.filter((word) => systems.has(word));
    const cpu = words.filter((word) => processors.has(word));
    if (cpu.length === 0) {
      console.error(`not added: ${name} ${version}, whose name does not contain a platform`);
      continue;
    }
    const libc = words.includes('musl')
      ? ['musl']
      : words.some((word) => word.startsWith('gnu'))
        ? ['glibc']
        : undefined;
    lock.packages[at] = {
      version,
      cpu,
      ...(entry.dev && { dev: true }),
      ...(libc && os[0] === 'linux' && { libc }),
      optional: true,
      ...(os.length > 0 && { os }),
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} entries added`);
