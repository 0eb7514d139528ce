import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder that this build is in: `dist`. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Where the workflow bundles are kept: built once with the rest, loaded at startup. */
export const bundlePath = join(root, 'workflow-bundle.js');

/** What the workers of orchestrators load: without the interpreter, a small part of the other, and each of them loads its own. */
export const dispatchBundlePath = join(root, 'dispatch-bundle.js');

/** Builds the workflow bundles unless they are newer than everything they are made of; answers whether it had to. */
export function ensureBundle(): Promise<boolean> {
  ensured ??= ensure();
  return ensured;
}

/** Several workers of one process ask. */
let ensured: Promise<boolean> | undefined;

async function ensure(): Promise<boolean> {
  if (isFresh()) return false;
  await build(dispatchBundlePath, 'orchestrator.js', 'preload-dispatch.js');
  await build(bundlePath, 'index.js', 'preload.js');
  return true;
}

async function build(path: string, entry: string, preload: string): Promise<void> {
  // Loaded only when there is something to build: it brings a bundler along.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', entry),
    preloadModules: [join(root, 'workflows', preload)],
    failureConverterPath: join(root, 'workflows', 'failure-converter.js'),
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => {
      const loader = join(root, 'src', 'temporal', 'synchronous-jsonata.js');
      config.module?.rules?.push({ test: /[\\/]node_modules[\\/]jsonata[\\/]jsonata\.js$/, use: [{ loader }] });
      return config;
    },
  });
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, withLightMap(code));
  renameSync(partial, path);
}

/** The bundle with a source map of places alone, which is what stack traces need: the texts are half of the file, and name this machine's folders. */
function withLightMap(code: string): string {
  return code.replace(/(sourceMappingURL=data:[^,]*;base64,)([A-Za-z0-9+/=]+)/, (_, intro: string, encoded: string) => {
    const { sourcesContent, sources, ...map } = JSON.parse(Buffer.from(encoded, 'base64').toString()) as SourceMap;
    const light = { ...map, sources: sources.map((it) => (isAbsolute(it) ? relative(join(root, '..'), it) : it)) };
    return intro + Buffer.from(JSON.stringify(light)).toString('base64');
  });
}

interface SourceMap {
  sources: string[];
  sourcesContent?: string[];
}

/** True when the bundles are there and newer than what they are made of. The one checked is the last that is built. */
export function isFresh(): boolean {
  if (!existsSync(bundlePath) || !existsSync(dispatchBundlePath)) return false;
  // An installed package has no sources to build from, and its files are as old as their unpacking.
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

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await ensureBundle();
