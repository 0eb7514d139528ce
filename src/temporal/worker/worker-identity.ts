import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { basename, resolve } from 'node:path';
import type { Config } from '../../config/config-types.js';

type Folder = Pick<Config, 'deployment' | 'specs' | 'source'>;

/** The deployment that a configuration belongs to: its name, or else its folder, with a hash that distinguishes folders of the same name. */
export function deploymentOf({ deployment, specs, source }: Folder): string {
  if (deployment.name !== undefined) return deployment.name;
  const hash = createHash('sha256')
    .update(`${hostname()}:${resolve(specs)}`)
    .digest('hex');
  // Temporal allows neither dots nor colons in the name of a worker deployment.
  const folder = basename(source.baseDir).replace(/[^\p{L}\p{N}_-]+/gu, '-');
  return `${folder || 'root'}~${hash.slice(0, 8)}`;
}

/**
 * The pollers that serve another deployment. A worker reports its deployment to Temporal apart from its identity, which is in most events of a
 * history. Workers that were not started by Journeyman do not report one.
 */
export function foreignPollers<T extends { identity: string; deployment?: string; works: boolean }>(
  config: Folder,
  pollers: readonly T[],
): T[] {
  return pollers.filter(({ identity, deployment, works }) => {
    const [, pid, host] = /^(\d+)@(\S+)$/.exec(identity) ?? [];
    const isForeign = works && pid !== undefined && deployment !== undefined && deployment !== deploymentOf(config);
    return isForeign && mayBeAlive(Number(pid), host!);
  });
}

/** A poller as text: its process and host, and its deployment if it reports one. */
export function pollerText({ identity, deployment }: { identity: string; deployment?: string }): string {
  return deployment === undefined ? identity : `${identity} ${deployment}`;
}

/** The server shows pollers for some time after their end; on this machine their processes can be checked. */
function mayBeAlive(pid: number, host: string): boolean {
  if (host !== hostname()) return true;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
