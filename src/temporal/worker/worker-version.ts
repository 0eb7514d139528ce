import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { WorkerDeploymentVersion } from '@temporalio/common';
import type { WorkerOptions } from '@temporalio/worker';
import { pipelineWorkflow } from '../../../workflows/pipeline/workflow-contract.js';
import type { Config } from '../../config/config-types.js';
import { version } from '../../config/package-info.js';
import { interpreterVersion } from '../../engine/interpreter-version.js';
import { isNotFound } from '../classify-temporal-errors.js';
import { queryLiteral } from '../query-literal.js';
import { areRuns } from '../runs/run-visibility-query.js';
import { deploymentOf } from './worker-identity.js';

/** The version of this configuration's workers in Temporal's worker deployments; undefined if they are not versioned. */
export function workerVersion({ deployment }: Pick<Config, 'deployment'>): WorkerDeploymentVersion | undefined {
  const { name, buildId, behavior } = deployment;
  if (name === undefined || (buildId === undefined && behavior === undefined)) return undefined;
  return { deploymentName: name, buildId: `${buildId ?? version}.i${interpreterVersion}` };
}

/**
 * Options of a worker that polls as a version of its deployment. One that is not versioned gets every task; it reports its deployment and
 * the hash of its workflow code. The SDK's own build id is 92 characters long and part of three events in six.
 */
export function versioningOptions(
  config: Pick<Config, 'deployment' | 'specs' | 'source'>,
  bundle: string,
): Required<Pick<WorkerOptions, 'workerDeploymentOptions'>> {
  const versioned = workerVersion(config);
  if (versioned) {
    const defaultVersioningBehavior = config.deployment.behavior === 'pinned' ? 'PINNED' : 'AUTO_UPGRADE';
    return { workerDeploymentOptions: { useWorkerVersioning: true, version: versioned, defaultVersioningBehavior } };
  }
  const code = createHash('sha256').update(readFileSync(bundle)).digest('base64url').slice(0, 8);
  const unversioned = { deploymentName: deploymentOf(config), buildId: `${version}-${code}` };
  return { workerDeploymentOptions: { useWorkerVersioning: false, version: unversioned } };
}

/** A version of a worker deployment, with what runs on it. */
export interface DeploymentVersion {
  /** As Temporal's tools show it: `<deployment>:<build id>`. */
  readonly version: string;
  readonly status: VersionStatus;
  /** Of a ramping version: its share of the work, in percent. */
  readonly percentage?: number;
  /** Running journeys whose last workflow task it completed. */
  readonly runs: number;
  readonly pipelines: number;
}

/** Temporal's statuses of versions, by number. */
const statuses = ['unknown', 'inactive', 'current', 'ramping', 'draining', 'drained', 'created'] as const;
export type VersionStatus = (typeof statuses)[number];

/** Lists the versions of a worker deployment; none if no versioned worker has polled for it. */
export async function deploymentVersions(client: Client, deploymentName: string): Promise<DeploymentVersion[]> {
  const { namespace } = client.options;
  const info = await client.workflowService.describeWorkerDeployment({ namespace, deploymentName }).then(
    ({ workerDeploymentInfo }) => workerDeploymentInfo,
    (error) => (isNotFound(error) ? undefined : Promise.reject(error)),
  );
  const count = async (version: string, query: string) => {
    const onVersion = `TemporalWorkerDeploymentVersion = ${queryLiteral(version)} AND ExecutionStatus = 'Running'`;
    const found = await client.workflowService.countWorkflowExecutions({
      namespace,
      query: `${onVersion} AND ${query}`,
    });
    return Number(found.count);
  };
  return await Promise.all(
    (info?.versionSummaries ?? []).map(async ({ deploymentVersion, status }) => {
      const version = `${deploymentName}:${deploymentVersion?.buildId}`;
      const [runs, pipelines] = await Promise.all([
        count(version, areRuns),
        count(version, `WorkflowType = ${queryLiteral(pipelineWorkflow)}`),
      ]);
      const name = statuses[status ?? 0];
      const percentage = name === 'ramping' ? info?.routingConfig?.rampingVersionPercentage : undefined;
      return { version, status: name, ...(percentage != null && { percentage }), runs, pipelines };
    }),
  );
}
