import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config/config.js';
import type { Check } from './doctor-checks.js';

/** Whether each orchestrator can write below its root, and the shared folders are there. */
export function orchestratorChecks({ orchestrators, shared }: Config): Check[] {
  const roots = Object.entries(orchestrators).map(([id, { root }]): Check => {
    const about = { id: `orchestrator.${id}`, name: `Orchestrator ${id}` };
    const fault = writeFault(root);
    if (fault === undefined) return { ...about, status: 'ok', detail: root };
    const hint = `Jobs run, but nothing is written down for people. Set orchestrators.${id}.root to a folder that can be written.`;
    return { ...about, status: 'warn', detail: fault, hint };
  });
  const folders = Object.entries(shared).flatMap(([name, path]): Check[] =>
    existsSync(path)
      ? []
      : [
          {
            id: `shared.${name}`,
            name: `Shared folder ${name}`,
            status: 'warn',
            detail: `there is no ${path}`,
            hint: `Create it, or correct shared.${name}.`,
          },
        ],
  );
  return [...roots, ...folders];
}

/** Why nothing can be written in a folder, or in the nearest one above it that is there. */
export function writeFault(folder: string): string | undefined {
  let at = folder;
  while (!existsSync(at) && dirname(at) !== at) at = dirname(at);
  try {
    accessSync(at, constants.W_OK);
    if (statSync(at).isDirectory()) return undefined;
  } catch {
    // Said below.
  }
  return `${at} is not a folder that can be written`;
}
