import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { SdkBundle } from '../sdk-internals.js';

/** The folder that this build is in: `dist`. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** File of the workflow bundle: built with the package, loaded at startup. */
export const bundlePath = join(root, 'workflow-bundle.js');

/** Builds the workflow bundle unless it is newer than its sources; returns whether it did. */
export function ensureBundle(): Promise<boolean> {
  ensured ??= ensure();
  return ensured;
}

/** Shared by the workers of one process. */
let ensured: Promise<boolean> | undefined;

async function ensure(): Promise<boolean> {
  if (isFresh()) return false;
  // Loaded only if there is something to build, because it loads a bundler.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const preload = join(root, 'workflows', 'preload.js');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.js'),
    preloadModules: [preload],
    failureConverterPath: preload,
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => {
      const loader = join(root, 'src', 'temporal', 'worker', 'jsonata-webpack-loader.js');
      config.module?.rules?.push({ test: /[\\/]node_modules[\\/]jsonata[\\/]jsonata\.js$/, use: [{ loader }] });
      return config;
    },
  });
  const partial = `${bundlePath}.${process.pid}`;
  writeFileSync(partial, inAscii(withLightMap(code)));
  renameSync(partial, bundlePath);
  return true;
}

/** The bundle with a source map of positions only, which is all that stack traces need: source texts are half of the file. */
function withLightMap(code: string): string {
  return code.replace(/(sourceMappingURL=data:[^,]*;base64,)([A-Za-z0-9+/=]+)/, (_, intro: string, encoded: string) => {
    const { sourcesContent, sources, ...map } = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap;
    const light = { ...map, sources: sources.map((it) => (isAbsolute(it) ? relative(join(root, '..'), it) : it)) };
    return intro + Buffer.from(JSON.stringify(light)).toString('base64');
  });
}

/**
 * The bundle with escapes for all other characters, which are in strings, patterns and comments only. V8 stores a text with a single one of
 * them in two bytes per character, and a worker holds the bundle several times.
 */
function inAscii(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The bundle read last, until it is collected: the next worker of the process needs it for its start only. */
let last: { readonly source: string; readonly bundle: WeakRef<SdkBundle> } | undefined;

/** Reads a bundle. The SDK also runs it in the main thread, for debuggers. */
export async function readBundle(given: { codePath: string } | { code: string }): Promise<SdkBundle> {
  const source = 'codePath' in given ? given.codePath : given.code;
  const known = last?.source === source ? last.bundle.deref() : undefined;
  if (known) return known;
  const code = 'codePath' in given ? await readFile(given.codePath, 'utf8') : given.code;
  const encoded = code.slice(code.lastIndexOf('base64,') + 'base64,'.length);
  const sourceMap = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SdkBundle['sourceMap'];
  const bundle = { code, sourceMap, filename: 'codePath' in given ? given.codePath : resolve(sourceMap.file) };
  last = { source, bundle: new WeakRef(bundle) };
  return bundle;
}

interface SourceMap {
  sources: string[];
  sourcesContent?: string[];
}

/** Whether the bundle exists and is newer than its sources. */
export function isFresh(): boolean {
  if (!existsSync(bundlePath)) return false;
  // An installed package has no sources to build from, and file times are those of the installation.
  if (!existsSync(join(root, '..', 'tsconfig.json'))) return true;
  const built = statSync(bundlePath).mtimeMs;
  const lock = join(root, '..', 'node_modules', '.package-lock.json');
  const sources = [
    ...scripts(join(root, 'workflows')),
    ...scripts(join(root, 'src')),
    ...(existsSync(lock) ? [lock] : []),
  ];
  return sources.every((file) => statSync(file).mtimeMs <= built);
}

function scripts(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.c?js$/.test(name))
    .map((name) => join(folder, name));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) void ensureBundle();
