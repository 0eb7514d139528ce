import { existsSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** The folder that this build is in: `dist`. */
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Where the workflow bundle is kept: built once with the rest, loaded at startup. */
export const bundlePath = join(root, 'workflow-bundle.js');

/** Builds the workflow bundle unless it is newer than everything it is made of; answers whether it had to. */
export async function ensureBundle(): Promise<boolean> {
  if (isFresh()) return false;
  // Loaded only when there is something to build: it brings a bundler along.
  const { bundleWorkflowCode, DefaultLogger } = await import('@temporalio/worker');
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(root, 'workflows', 'index.js'),
    preloadModules: [join(root, 'workflows', 'preload.js')],
    logger: new DefaultLogger('WARN'),
    webpackConfigHook: (config) => {
      const loader = join(root, 'src', 'temporal', 'synchronous-jsonata.js');
      config.module?.rules?.push({ test: /[\\/]node_modules[\\/]jsonata[\\/]jsonata\.js$/, use: [{ loader }] });
      return config;
    },
  });
  const partial = `${bundlePath}.${process.pid}`;
  writeFileSync(partial, code);
  renameSync(partial, bundlePath);
  return true;
}

/** True when the bundle is there and newer than what it is made of. */
export function isFresh(): boolean {
  if (!existsSync(bundlePath)) return false;
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
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(folder, name));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await ensureBundle();
