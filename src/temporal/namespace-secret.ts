import { randomBytes } from 'node:crypto';
import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type { Config } from '../config/config.js';
import { secretReader } from '../config/secret.js';
import { refuse } from '../problems/problem.js';
import { keyIdOf } from './encryption/codec.js';
import { renewedAction } from './encryption/converter.js';
import { asProblem, isNotFound } from './failures.js';
import { write } from './schedules/change.js';
import type { RawDescription } from './schedules/snapshot.js';
import { decodeArrayFromPayloads } from './sdk.js';

/** The secret that ids of a namespace are made with, so that nobody can compute them from what they stand for. */
export interface NamespaceSecret {
  readonly value: string;
  /** Whether there were runs or schedules before it, with ids made without it: those must still be found. */
  readonly legacy: boolean;
}

/** The Schedule that keeps it: a namespace has no other place that is written once and outlives every process and every run. */
const scheduleId = 'journeyman-secret';

/** Where an operator may put the secret that start keys are hashed with; all gateways of a namespace must have the same. */
const configured = 'secret://journeyman/idempotency';

const known = new WeakMap<Client, Promise<NamespaceSecret>>();

/** The secret of the client's namespace; made by whoever asks first. */
export function namespaceSecret(client: Client): Promise<NamespaceSecret> {
  const asked = known.get(client);
  if (asked) return asked;
  const asking = readOrWrite(client).catch((error) => {
    known.delete(client);
    throw asProblem(error);
  });
  known.set(client, asking);
  return asking;
}

async function readOrWrite(client: Client): Promise<NamespaceSecret> {
  const found = await read(client);
  if (found) return found;
  await writeSecret(client, { value: randomBytes(32).toString('base64url'), legacy: await isUsed(client) });
  return (
    (await read(client)) ?? refuse('TEMPORAL_UNAVAILABLE', `The Schedule ${scheduleId} was deleted while it was made.`)
  );
}

/** Whether no gateway, worker or command of ours has ever worked in the client's namespace: the first of them makes the secret. */
export async function isUntouched(client: Client): Promise<boolean> {
  return (await describe(client)) === undefined && !(await isUsed(client));
}

async function describe({ workflowService, options: { namespace } }: Client): Promise<RawDescription | undefined> {
  return await workflowService.describeSchedule({ namespace, scheduleId }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

async function read(client: Client): Promise<NamespaceSecret | undefined> {
  const { loadedDataConverter } = client.options;
  const raw = await describe(client);
  if (!raw) return undefined;
  const action = raw.schedule?.action?.startWorkflow;
  const kept = action?.memo?.fields?.secret ?? raw.memo?.fields?.secret;
  if (!kept) return undefined;
  const [secret] = (await decodeArrayFromPayloads(loadedDataConverter, [kept])) as [NamespaceSecret];
  await renew(client, raw, kept);
  return secret;
}

/** A copy under the key that encrypts now, so that the one before it can be given up: the first stays as it was written. */
async function renew(client: Client, raw: RawDescription, kept: Payload): Promise<void> {
  const action = { ...raw.schedule?.action?.startWorkflow, memo: { fields: { secret: kept } } };
  const renewed = await renewedAction(client, action);
  if (keyIdOf(kept) === undefined || renewed.memo?.fields?.secret === kept) return;
  await write(client, scheduleId, raw, {
    schedule: { action: { startWorkflow: renewed } },
    searchAttributes: {},
  });
}

/** Gives a namespace its secret, unless it has one: the first writer wins. */
export async function writeSecret(client: Client, secret: NamespaceSecret): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId,
      spec: {},
      // It is never due, and it is paused; triggering it by hand starts a run that nobody takes and that ends soon.
      action: {
        type: 'startWorkflow',
        workflowType: scheduleId,
        workflowId: scheduleId,
        taskQueue: scheduleId,
        workflowExecutionTimeout: '1 minute',
      },
      // A Schedule's own memo cannot be changed, which is what we want here.
      memo: { secret },
      state: { paused: true, note: 'Keeps the secret that Journeyman makes ids with. Do not delete it.' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/** The type of all runs in the days when ids needed no secret. */
const legacyType = 'journey';

/** Whether an earlier version may have made ids here. */
async function isUsed({ workflowService, options: { namespace } }: Client): Promise<boolean> {
  const [{ count }, { schedules }] = await Promise.all([
    workflowService.countWorkflowExecutions({ namespace, query: `WorkflowType = '${legacyType}'` }),
    workflowService.listSchedules({ namespace, maximumPageSize: 10 }),
  ]);
  return Number(count) > 0 || schedules.some((it) => it.scheduleId?.startsWith('journeyman-') !== true);
}

/** The secrets that a caller's key may have been hashed with: the current one, and those before it. */
export async function keySecrets(
  client: Client,
  { secrets, temporal }: Pick<Config, 'secrets' | 'temporal'>,
): Promise<{ current: string; earlier: string[] }> {
  const { value, legacy } = await namespaceSecret(client);
  const before = legacy ? [`journeyman/${temporal.namespace}`] : [];
  if (!Object.hasOwn(secrets, configured)) return { current: value, earlier: before };
  return { current: secretReader(secrets)(configured).reveal(), earlier: [value, ...before] };
}
