import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder that this build is in: `dist`. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Files of the workflow bundles: built with the package, loaded at startup. */
export const bundlePath = join(root, 'workflow-bundle.js');

/** The bundle of orchestrators' workers: without the interpreter it is much smaller, and each of them loads its own. */
export const dispatchBundlePath = join(root, 'dispatch-bundle.js');

/** Builds the workflow bundles unless they are newer than their sources; returns whether it did. */
export function ensureBundle(): Promise<boolean> {
  ensured ??= ensure();
  return ensured;
}

/** Shared by the workers of one process. */
let ensured: Promise<boolean> | undefined;

async function ensure(): Promise<boolean> {
  if (isFresh()) return false;
  await build(dispatchBundlePath, 'index-dispatch.js', 'preload-dispatch.js');
  await build(bundlePath, 'index.js', 'preload.js');
  return true;
}

async function build(path: string, entry: string, preload: string): Promise<void> {
  // Loaded only if there is something to build, because it loads a bundler.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', entry),
    preloadModules: [join(root, 'workflows', preload)],
    failureConverterPath: join(root, 'workflows', 'shared', 'failure-converter.js'),
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => {
      const loader = join(root, 'src', 'temporal', 'worker', 'jsonata-webpack-loader.js');
      config.module?.rules?.push({ test: /[\\/]node_modules[\\/]jsonata[\\/]jsonata\.js$/, use: [{ loader }] });
      return config;
    },
  });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, inAscii(withLightMap(code)));
  renameSync(partial, path);
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

interface SourceMap {
  sources: string[];
  sourcesContent?: string[];
}

/** Whether the bundles exist and are newer than their sources. The one checked is built last. */
export function isFresh(): boolean {
  if (!existsSync(bundlePath) || !existsSync(dispatchBundlePath)) return false;
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
