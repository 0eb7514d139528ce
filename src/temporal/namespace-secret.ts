import { randomBytes } from 'node:crypto';
import { type Client, ScheduleAlreadyRunning } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import { refuse } from '../base/problems/problem.js';
import type { Config } from '../config/config-types.js';
import { secretReader } from '../config/read-secret.js';
import { asProblem, isNotFound } from './classify-temporal-errors.js';
import { renewedAction } from './encryption/data-converter.js';
import { keyIdOf } from './encryption/payload-codec.js';
import type { RawDescription } from './schedules/describe-schedule.js';
import { writeSchedule } from './schedules/write-schedule.js';
import { decodeArrayFromPayloads } from './sdk-internals.js';

/** The Schedule that stores it: the only place in a namespace that is written once and outlives every process and run. */
const scheduleId = 'journeyman-secret';

/** Configurable secret for hashing start keys; all gateways of a namespace must have the same. */
const configured = 'secret://journeyman/idempotency';

const known = new WeakMap<Client, Promise<string>>();

/** The secret from which ids of the client's namespace are derived, so that they cannot be guessed. Created on first use. */
export function namespaceSecret(client: Client): Promise<string> {
  const asked = known.get(client);
  if (asked) return asked;
  const asking = readOrWrite(client).catch((error) => {
    known.delete(client);
    throw asProblem(error);
  });
  known.set(client, asking);
  return asking;
}

async function readOrWrite(client: Client): Promise<string> {
  const found = await read(client);
  if (found) return found;
  await writeSecret(client, randomBytes(32).toString('base64url'));
  return (
    (await read(client)) ??
    refuse('TEMPORAL_UNAVAILABLE', `The Schedule ${scheduleId} was deleted during its creation.`)
  );
}

/** Reports whether a namespace was never used by a gateway, worker or command: the first of them creates the secret. */
export async function isUntouched(client: Client): Promise<boolean> {
  return (await describe(client)) === undefined;
}

async function describe({ workflowService, options: { namespace } }: Client): Promise<RawDescription | undefined> {
  return await workflowService.describeSchedule({ namespace, scheduleId }).catch((error) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}

async function read(client: Client): Promise<string | undefined> {
  const { loadedDataConverter } = client.options;
  const raw = await describe(client);
  if (!raw) return undefined;
  const action = raw.schedule?.action?.startWorkflow;
  const kept = action?.memo?.fields?.secret ?? raw.memo?.fields?.secret;
  if (!kept) return undefined;
  const [secret] = (await decodeArrayFromPayloads(loadedDataConverter, [kept])) as [string];
  await renew(client, raw, kept);
  return secret;
}

/** Stores a copy encrypted with the current key, so that the previous key can be removed; the original is immutable. */
async function renew(client: Client, raw: RawDescription, kept: Payload): Promise<void> {
  const action = { ...raw.schedule?.action?.startWorkflow, memo: { fields: { secret: kept } } };
  const renewed = await renewedAction(client, action);
  if (keyIdOf(kept) === undefined || renewed.memo?.fields?.secret === kept) return;
  await writeSchedule(client, scheduleId, raw, {
    schedule: { action: { startWorkflow: renewed } },
    searchAttributes: {},
  });
}

/** Stores the secret of a namespace; the first writer wins. */
export async function writeSecret(client: Client, secret: string): Promise<void> {
  try {
    await client.schedule.create({
      scheduleId,
      spec: {},
      // It is paused and never due; a manual trigger starts a run that no worker takes and that times out soon.
      action: {
        type: 'startWorkflow',
        workflowType: scheduleId,
        workflowId: scheduleId,
        taskQueue: scheduleId,
        workflowExecutionTimeout: '1 minute',
      },
      // The memo of a Schedule is immutable, as required here.
      memo: { secret },
      state: { paused: true, note: 'Stores the secret from which Journeyman derives ids. Do not delete it.' },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/**
 * The secret for hashing callers' keys. `previous` is the namespace's own, if another is configured now, to find runs that were started
 * before.
 */
export async function keySecrets(
  client: Client,
  { secrets }: Pick<Config, 'secrets'>,
): Promise<{ current: string; previous?: string }> {
  const own = await namespaceSecret(client);
  if (!Object.hasOwn(secrets, configured)) return { current: own };
  return { current: secretReader(secrets)(configured).reveal(), previous: own };
}
