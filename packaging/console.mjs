// Builds the console (src/console) into dist/console, unless the sources of the last build have not changed. The stamp beside it holds their
// hashes: Vite names every module that it read.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'src', 'console');
const out = join(root, 'dist', 'console');
const stamp = join(root, 'dist', 'console.stamp.json');

/** Read by the build, but not as modules. */
const others = [
  'package-lock.json',
  'packaging/console.mjs',
  'src/console/icon.svg',
  'src/console/index.html',
  'src/console/playground.html',
  ...readdirSync(join(source, 'styles')).map((name) => `src/console/styles/${name}`),
];

if (!isFresh()) await build();

function isFresh() {
  if (!existsSync(stamp) || !existsSync(out)) return false;
  const hashes = JSON.parse(readFileSync(stamp, 'utf8'));
  return Object.entries(hashes).every(([file, hash]) => existsSync(join(root, file)) && hashOf(file) === hash);
}

function hashOf(file) {
  return createHash('sha256')
    .update(readFileSync(join(root, file)))
    .digest('hex');
}

async function build() {
  const began = performance.now();
  process.stderr.write('Building the console …\n');
  rmSync(stamp, { force: true });
  const { build: viteBuild } = await import('vite');
  const files = new Set(others);
  const sources = {
    name: 'sources',
    generateBundle() {
      for (const id of this.getModuleIds()) {
        const path = id.replace(/\?.*$/, '');
        const file = relative(root, path).replaceAll('\\', '/');
        if (/^(src|specs|activities)\//.test(file) && existsSync(path)) files.add(file);
      }
    },
  };
  await viteBuild({
    root: source,
    base: '/console/',
    // Scripts find each other by their own place, because the static playground may be at any path.
    experimental: {
      renderBuiltUrl: (_, { hostType }) => (hostType === 'html' ? undefined : { relative: true }),
    },
    configFile: false,
    logLevel: 'warn',
    build: {
      outDir: out,
      emptyOutDir: true,
      target: ['chrome123', 'firefox125', 'safari17.5'],
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      // The language and its expressions, which draw graphs, are one chunk that is loaded with the first graph.
      chunkSizeWarningLimit: 1000,
      rollupOptions: {
        input: ['index.html', 'playground.html'].map((name) => join(source, name)),
        // React packages mark client code for server rendering, which the console does not use; a busy machine is no reason to warn.
        onLog: (level, log, print) =>
          !['MODULE_LEVEL_DIRECTIVE', 'PLUGIN_TIMINGS'].includes(log.code) && print(level, log),
      },
    },
    worker: { format: 'es', plugins: () => [metaSchema(), sources] },
    plugins: [
      {
        // Imported by a test helper of @rjsf/core alone; forms use our own validator.
        name: 'no-ajv',
        enforce: 'pre',
        resolveId: (id) => (id === '@rjsf/validator-ajv8' ? `\0${id}` : undefined),
        load: (id) => (id === '\0@rjsf/validator-ajv8' ? 'export default {};' : undefined),
      },
      metaSchema(),
      sources,
    ],
  });
  await compress();
  // Last, so that an interrupted build is not taken for a complete one.
  const built = [...files].sort().filter((file) => existsSync(join(root, file)));
  writeFileSync(stamp, JSON.stringify(Object.fromEntries(built.map((file) => [file, hashOf(file)]))));
  process.stderr.write(`Built the console in ${((performance.now() - began) / 1000).toFixed(1)} s\n`);
}

/**
 * Replaces ajv, which generates code, by the code that it generates for the only schema that the loader checks: the one of JSON Schema itself.
 * A policy without `eval` allows that.
 */
function metaSchema() {
  return {
    name: 'meta-schema',
    enforce: 'pre',
    resolveId: (id) => (id === 'ajv/dist/2020.js' ? `\0${id}` : undefined),
    async load(id) {
      if (id !== '\0ajv/dist/2020.js') return undefined;
      const { Ajv2020 } = await import('ajv/dist/2020.js');
      const { default: standaloneCode } = await import('ajv/dist/standalone/index.js');
      const ajv = new Ajv2020({
        ...{ strict: false, allErrors: true, validateFormats: false, logger: false, verbose: true },
        code: { source: true, esm: true },
      });
      const draft = 'https://json-schema.org/draft/2020-12/schema';
      const code = standaloneCode.default(ajv, { check: draft });
      return `${code}
export class Ajv2020 {
  validate(schema, value) {
    if (schema !== ${JSON.stringify(draft)}) throw new Error('only the meta-schema is bundled');
    const valid = check(value);
    this.errors = check.errors;
    return valid;
  }
}`;
    },
  };
}

/** Compresses each file once, so that the gateway never does. */
async function compress() {
  const names = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((it) => /\.(js|css|html|svg)$/.test(it));
  await Promise.all(
    names.map(async (name) => {
      const path = join(out, name);
      const content = readFileSync(path);
      const params = { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: content.length };
      writeFileSync(`${path}.br`, await promisify(brotliCompress)(content, { params }));
      writeFileSync(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
    }),
  );
}
