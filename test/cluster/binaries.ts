import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The external programs of a cluster. */
export interface Binaries {
  readonly temporal: string;
  readonly sqlTool: string;
  /** Folder of initdb and postgres. */
  readonly postgresql: string;
  /** PostgreSQL does not run as root. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly versions: string;
}

const script = fileURLToPath(new URL('../../../../test/tools/install-cluster.sh', import.meta.url));

/** Finds or installs the programs; exits with the script's message on failure. */
export function findBinaries(): Binaries {
  const found = spawnSync(script, { stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' });
  if (found.status !== 0) process.exit(found.status ?? 1);
  const values = new Map(
    found.stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2) as [string, string]),
  );
  const folder = values.get('postgresql')!;
  const version = execFileSync(`${folder}/postgres`, ['--version'], { encoding: 'utf8' }).trim();
  return {
    temporal: values.get('temporal')!,
    sqlTool: values.get('sql')!,
    postgresql: folder,
    versions: `Temporal ${values.get('version')}, ${version}`,
    ...(process.getuid?.() === 0 && { user: { uid: idOf('-u'), gid: idOf('-g') } }),
  };
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}
