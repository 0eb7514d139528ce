import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { type Problem, ProblemError, problem } from '../base/problems/problem.js';
import type { Config } from '../config/config-types.js';
import { pipelineFile } from '../library/find-files.js';
import type { FolderLibrary } from '../library/read-library.js';
import type { DeploymentResult, Pipelines } from '../service/pipelines-interface.js';

/** The result of deploying one document. */
export type DeployLine =
  | DeploymentResult
  | { name: string; problem: Problem; isGone?: true }
  | { name: string; result: 'removed' };

export interface DeployOptions {
  /** Deploys only these, and removes nothing. */
  readonly only?: readonly string[];
  /** Replaces pipelines that another deployer deployed. */
  readonly takeOver?: boolean;
  onProgress?(name: string): void;
}

/** The name that this configuration deploys under. */
export function deployerOf({ pipelines, deployment, specs }: Config): string {
  return pipelines.deployer ?? deployment.name ?? `${hostname()}:${resolve(specs)}`;
}

/** The problem of a failed deployment; an error of another kind is reported with its message. */
export function deployProblem(error: unknown): Problem {
  return error instanceof ProblemError ? error.problem : problem('PIPELINE_DEPLOY_FAILED', (error as Error).message);
}

/**
 * Deploys the pipelines of a folder, one after another; a failure does not stop the others. Pipelines of the same deployer whose document
 * was removed are paused, unless a document is unreadable: it may be theirs.
 */
export async function deployPipelines(
  config: Config,
  library: FolderLibrary,
  pipelines: Pick<Pipelines, 'deploy' | 'removeOthers'>,
  { only, takeOver = false, onProgress }: DeployOptions = {},
): Promise<DeployLine[]> {
  const deployer = deployerOf(config);
  const lines: DeployLine[] = [];
  const entries = library.pipelines();
  for (const entry of entries) {
    const { name } = entry.definition;
    if (only && !only.includes(name)) continue;
    onProgress?.(name);
    try {
      lines.push(await pipelines.deploy(entry, deployer, takeOver));
    } catch (error) {
      lines.push({ name, problem: deployProblem(error) });
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
