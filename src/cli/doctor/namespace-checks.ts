import type { Config } from '../../config/config-types.js';
import { encryptionKeys } from '../../config/encryption-keys.js';
import { findFaults } from '../../service/operation/faults-and-attention.js';
import { orchestratorsOf } from '../../service/orchestrators.js';
import type { BlockedRun } from '../../service/runs-interface.js';
import { type Connected, connect } from '../../temporal/connection.js';
import { keyIdOf } from '../../temporal/encryption/payload-codec.js';
import { createCommands, inspectNamespace } from '../../temporal/inspect-and-set-up-namespace.js';
import { isUntouched } from '../../temporal/namespace-secret.js';
import { TemporalPipelines } from '../../temporal/pipelines/temporal-pipelines.js';
import { pollersOf } from '../../temporal/queue-pollers.js';
import { areRuns } from '../../temporal/runs/run-visibility-query.js';
import { TemporalRuns } from '../../temporal/runs/temporal-runs.js';
import { AlertRecords } from '../../temporal/schedules/alert-record-store.js';
import { TemporalSchedules } from '../../temporal/schedules/bindings/temporal-bindings.js';
import { queueOf } from '../../temporal/schedules/jobs/dispatch-action.js';
import { TemporalJobs } from '../../temporal/schedules/jobs/temporal-jobs.js';
import { deploymentOf, foreignPollers, pollerText } from '../../temporal/worker/worker-identity.js';
import { type DeploymentVersion, deploymentVersions, workerVersion } from '../../temporal/worker/worker-version.js';
import { type Check, failedCheck, ok, warn } from './check-result.js';

const shortRetentionDays = 30;

/** Checks of the namespace: retention, search attributes, workers, encryption and blocked runs. */
export async function namespaceChecks(config: Config): Promise<Check[]> {
  const { namespace } = config.temporal;
  const connected = await connect(config, { timeoutMs: 3_000 });
  try {
    const report = await inspectNamespace(connected.connection, namespace);
    const days = report.retentionDays;
    const lacking = [...report.missing, ...report.mistyped];
    return [
      ok('namespace', 'Namespace', namespace),
      days >= shortRetentionDays
        ? ok('retention', 'Retention', `${days} days`)
        : warn(
            'retention',
            'Retention',
            `${days} days; older runs of schedules are not listed`,
            `temporal operator namespace update --namespace ${namespace} --retention 90d`,
          ),
      lacking.length === 0
        ? ok('search-attributes', 'Search attributes', 'all present')
        : warn(
            'search-attributes',
            'Search attributes',
            `missing: ${lacking.join(', ')}; the worker adds them if permitted`,
            createCommands(namespace, lacking).join('\n'),
          ),
      await workersCheck(config, connected.client),
      ...(await allowedQueuesCheck(config, connected.client)),
      ...(await workerVersionChecks(config, connected.client)),
      // These checks query by search attributes; the server rejects queries with unknown ones.
      ...(lacking.length === 0
        ? [await encryptionCheck(config, connected.client), ...(await faultChecks(config, connected.client))]
        : [warn('runs', 'Runs', 'not checked: search attributes are missing')]),
    ];
  } catch (error) {
    return [failedCheck('namespace', 'Namespace', error)];
  } finally {
    await connected.close();
  }
}

/** Checks for what needs an operator: the same faults as `GET /api/v1/attention`. */
async function faultChecks(config: Config, client: Connected['client']): Promise<Check[]> {
  const { blockedRuns, failedCompensations, pipelines, schedules, jobs, unavailable } = await findFaults({
    runs: new TemporalRuns(client, config),
    pipelines: new TemporalPipelines(client, config),
    schedules: new TemporalSchedules(client, config),
    jobs: new TemporalJobs(client, config),
    orchestrators: orchestratorsOf(config),
  });
  const text = (about: string, fault: { text: string }) => `${about}: ${fault.text}`;
  const checks = [
    blockedRuns.length === 0
      ? ok('runs', 'Runs', 'none is blocked')
      : warn(
          'runs',
          'Runs',
          `blocked by failing workflow tasks: ${blockedRuns.map(inShort).join(', ')}`,
          'See `journeyman run show` (or `journeyman pipeline show`) and the worker’s log (“A workflow task failed”).\n' +
            'They continue once a worker can complete the task; `temporal workflow terminate` ends a run.',
        ),
    faultCheck(
      'failedCompensations',
      'Compensations',
      failedCompensations.map((it) => text(`${it.journeyId} (${it.journeyName})`, it)),
    ),
    faultCheck(
      'pipelines',
      'Pipelines',
      pipelines.map((it) => text(it.name, it)),
    ),
    faultCheck(
      'schedules',
      'Schedules',
      schedules.map((it) => text(`${it.scheduleId} (${it.journeyName})`, it)),
    ),
    faultCheck(
      'jobs',
      'Jobs',
      jobs.map((it) => text(`${it.orchestratorId} ${it.jobId}`, it)),
    ),
  ];
  const alerts = await alertsCheck(config, client);
  return [...checks, ...alerts].map((check) =>
    unavailable.includes(check.id === 'runs' ? 'blockedRuns' : check.id)
      ? warn(check.id, check.name, 'could not be read', 'Run doctor again.')
      : check,
  );
}

/** Whether the messages about these faults reach their channels. */
async function alertsCheck(config: Config, client: Connected['client']): Promise<Check[]> {
  const [id, name] = ['alerts', 'Alerts'];
  if (config.alerts.to.length === 0) return [];
  const { outbox } = await new AlertRecords(client, config).read();
  const stuck = outbox.flatMap(({ to, failure }) =>
    failure === undefined ? [] : [`${to.channelProfileId}: ${failure}`],
  );
  if (stuck.length === 0) return [ok(id, name, 'delivered')];
  const last = stuck.at(-1)!;
  return [warn(id, name, `${stuck.length} could not be sent yet`, last)];
}

function faultCheck(id: string, name: string, faults: readonly string[]): Check {
  if (faults.length === 0) return ok(id, name, 'none needs attention');
  return warn(id, name, `${faults.length} need attention`, faults.slice(0, mostFaults).join('\n'));
}

const mostFaults = 20;

function inShort({ journeyId, journeyName, attempt }: BlockedRun): string {
  return `${journeyId} (${journeyName === '' ? '' : `${journeyName}, `}${attempt} attempts)`;
}

/** Number of newest runs, and of running ones, that are inspected. */
const inspected = 500;

/** Counts the inspected runs and schedules by the key that encrypted them. */
async function keysInUse({ workflowService, options }: Connected['client']): Promise<Map<string, number>> {
  const { namespace } = options;
  const list = (query: string) =>
    workflowService
      .listWorkflowExecutions({ namespace, query, pageSize: inspected })
      .then(({ executions }) => executions);
  const [running, newest, { schedules }] = await Promise.all([
    list(`${areRuns} AND ExecutionStatus = 'Running'`),
    list(areRuns),
    workflowService.listSchedules({ namespace, maximumPageSize: inspected }),
  ]);
  const runs = new Map([...running, ...newest].map((it) => [it.execution?.runId, it]));
  const used = new Map<string, number>();
  for (const { memo } of [...runs.values(), ...schedules])
    for (const id of new Set(Object.values(memo?.fields ?? {}).map(keyIdOf)))
      if (id !== undefined) used.set(id, (used.get(id) ?? 0) + 1);
  return used;
}

/** Checks that this process has the keys that runs and schedules need. Reading them also reports a missing or malformed one. */
export async function encryptionCheck(config: Config, client: Connected['client']): Promise<Check> {
  const [id, name] = ['encryption', 'Encryption'];
  const keys = [...encryptionKeys(config).keys()];
  const used = await keysInUse(client);
  const unknown = [...used].filter(([key]) => !keys.includes(key));
  if (unknown.length > 0)
    return {
      id,
      name,
      status: 'bad',
      detail: `encrypted with a key that is not configured here: ${unknown.map(counted).join(', ')}`,
      hint: 'These runs and schedules cannot be read, and the runs are blocked. Add the key to encryption.keys, after the current one.',
    };
  const [current, ...others] = keys;
  if (current === undefined)
    return { id, name, status: 'info', detail: 'off: anyone with access to Temporal can read every run' };
  const also = others.length === 0 ? '' : `, also reads ${others.map((key) => `"${key}"`).join(', ')}`;
  const inUse = used.size === 0 ? '' : `; in use: ${[...used].map(counted).join(', ')}`;
  return { id, name, status: 'ok', detail: `with "${current}"${also}${inUse}` };
}

function counted([key, count]: [string, number]): string {
  return `"${key}" (${count === 1 ? 'one run or schedule' : `${count} runs and schedules`})`;
}

/** Checks that workers poll the queues on which the configuration allows activities and workflows. */
export async function allowedQueuesCheck({ tasks }: Config, client: Connected['client']): Promise<Check[]> {
  const checks = await Promise.all([
    queuesCheck(['activities', 'Activities of your workers'], Object.keys(tasks.activities), client, 'activity'),
    queuesCheck(['workflows', 'Workflows of your workers'], Object.keys(tasks.workflows), client, 'workflow'),
  ]);
  return checks.flat();
}

async function queuesCheck(
  about: [id: string, name: string],
  queues: readonly string[],
  client: Connected['client'],
  type: 'activity' | 'workflow',
): Promise<Check[]> {
  if (queues.length === 0) return [];
  const found = await Promise.all(queues.map(async (queue) => ({ queue, ...(await pollersOf(client, queue, type)) })));
  const idle = found.filter(({ works }) => !works).map(({ queue }) => queue);
  if (idle.length === 0) return [ok(...about, `workers poll ${queues.join(', ')}`)];
  const hint = 'What journeys start there waits until a worker polls the queue, or times out.';
  return [warn(...about, `no worker polls ${idle.join(', ')}`, hint)];
}

/** Checks that workers poll the task queues of journeys and of each orchestrator's jobs. */
export async function workersCheck(config: Config, client: Connected['client']): Promise<Check> {
  const { orchestrators } = config;
  const { taskQueue } = config.temporal;
  const about = { id: 'workers', name: 'Workers' };
  const { works, at, pollers } = await pollersOf(client, taskQueue);
  if (!works)
    return {
      ...about,
      // In an unused namespace nothing waits for a worker, and an operator who prepares one runs doctor first.
      status: (await isUntouched(client)) ? 'warn' : 'bad',
      detail: `none is polling the task queue ${taskQueue}${at === undefined ? '' : `; the last poll was at ${at}`}`,
      hint: 'Start one: journeyman worker, or journeyman up for everything. Until then, started journeys wait.',
    };
  const foreign = foreignPollers(config, pollers);
  if (foreign.length > 0)
    return {
      ...about,
      status: 'warn',
      detail: `${foreign.map(pollerText).join(', ')} polling the task queue ${taskQueue}; this folder is ${deploymentOf(config)}`,
      hint: 'Each worker runs tasks of the others with its own configuration. Name each installation with deployment.name.',
    };
  const idle: string[] = [];
  for (const id of Object.keys(orchestrators))
    if (!(await pollersOf(client, queueOf(taskQueue, id))).works) idle.push(id);
  if (idle.length > 0)
    return {
      ...about,
      status: 'warn',
      detail: `none is polling for the jobs of ${idle.join(', ')}`,
      hint: 'Add these orchestrators to the configuration of the workers. Until then, jobs wait.',
    };
  const gone = pollers.filter((it) => !it.works);
  if (gone.length > 0)
    return {
      ...about,
      status: 'warn',
      detail: `${pollers.length - gone.length} of ${pollers.length} poll the task queue ${taskQueue}; no poll since: ${gone.map((it) => `${pollerText(it)} (${it.at})`).join(', ')}`,
      hint: 'Such a worker is frozen, or was stopped in the last minutes. If it still runs, restart it.',
    };
  return {
    ...about,
    status: 'ok',
    detail: `${pollers.map(pollerText).join(', ')} polling the task queue ${taskQueue}`,
  };
}

/** Shows the versions of the worker deployment and what runs on each. No check if workers are not versioned. */
async function workerVersionChecks(config: Config, client: Connected['client']): Promise<Check[]> {
  const [id, name] = ['worker-versions', 'Worker versions'];
  const { deployment } = config;
  if (deployment.name === undefined) return [];
  const versions = await deploymentVersions(client, deployment.name);
  const own = workerVersion(config);
  const current = versions.find(({ status }) => status === 'current');
  const detail = versions.map(versionText).join('\n');
  const makeCurrent = `temporal worker deployment set-current-version --deployment-name ${deployment.name}`;
  if (!own) {
    if (!current) return [];
    const hint = `Workers without a version get no work. Set deployment.buildId, or run: ${makeCurrent} --unversioned`;
    return [warn(id, name, `${detail}\nthis configuration has none`, hint)];
  }
  const ours = `${own.deploymentName}:${own.buildId}`;
  const found = versions.find(({ version }) => version === ours);
  if (!found) return [warn(id, name, `${detail === '' ? '' : `${detail}\n`}${ours}: no worker has polled yet`)];
  if (found.status === 'current' || found.status === 'ramping') return [ok(id, name, detail)];
  const hint = `This configuration is ${ours}, which gets no new work. To change that: ${makeCurrent} --build-id ${own.buildId}`;
  return [warn(id, name, detail, hint)];
}

function versionText({ version, status, percentage, runs, pipelines }: DeploymentVersion): string {
  const share = percentage === undefined ? '' : ` ${percentage} %`;
  const counts = [
    `${runs} running ${runs === 1 ? 'journey' : 'journeys'}`,
    ...(pipelines === 0 ? [] : [`${pipelines} ${pipelines === 1 ? 'pipeline' : 'pipelines'}`]),
  ];
  return `${version}: ${status}${share}, ${counts.join(', ')}`;
}
