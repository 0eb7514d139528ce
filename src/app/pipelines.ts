import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { pipelineFile } from '../library/files.js';
import type { FolderLibrary } from '../library/library.js';
import { type Problem, ProblemError } from '../problems/problem.js';
import type { Deployed, Pipelines } from '../service/pipelines.js';

/** What became of one document. */
export type DeployLine =
  | Deployed
  | { name: string; problem: Problem; isGone?: true }
  | { name: string; result: 'removed' };

export interface DeployOptions {
  /** Only these; then nothing is removed. */
  readonly only?: readonly string[];
  onProgress?(name: string): void;
}

/** In whose name this configuration deploys. */
export function deployerOf({ pipelines, specs }: Config): string {
  return pipelines.deployer ?? `${hostname()}:${resolve(specs)}`;
}

/**
 * Deploys the pipelines of a folder, one after another: one that cannot be deployed keeps no other from it. Pipelines that the same deployer
 * deployed before, and whose document is gone, are paused; not while a document cannot be read, because it may be theirs.
 */
export async function deployPipelines(
  config: Config,
  library: FolderLibrary,
  pipelines: Pick<Pipelines, 'deploy' | 'removeOthers'>,
  { only, onProgress }: DeployOptions = {},
): Promise<DeployLine[]> {
  const deployer = deployerOf(config);
  const lines: DeployLine[] = [];
  const entries = library.pipelines();
  for (const entry of entries) {
    const { name } = entry.definition;
    if (only && !only.includes(name)) continue;
    onProgress?.(name);
    try {
      lines.push(await pipelines.deploy(entry, deployer));
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      lines.push({ name, problem: error.problem });
    }
  }
  const isWhole = !library.findings.some(({ file, severity }) => severity === 'error' && pipelineFile.test(file));
  if (only || !isWhole) return lines;
  const kept = entries.map(({ definition }) => definition.name);
  const removed = await pipelines.removeOthers(deployer, kept);
  const gone = removed.map(({ name, problem }) =>
    problem ? { name, problem, isGone: true as const } : { name, result: 'removed' as const },
  );
  return [...lines, ...gone];
}
