import { createHash, createHmac } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { canonical } from '../../json/value.js';
import type { BindingRequest } from '../../scheduling/bindings/record.js';
import { asProblem, isNotFound } from '../failures.js';
import { namespaceSecret } from '../namespace-secret.js';

/** What makes two bindings the same one. */
export type BindingKey = Pick<BindingRequest, 'journeyName' | 'journeyVersion' | 'subjectId' | 'startStateId'>;

/**
 * The id of the binding that a key stands for. It is part of its runs' ids, and whoever knows a run's id may read that run: so nobody can
 * compute one without the namespace's secret.
 */
export function bindingId(key: BindingKey, secret: string): string {
  return `${key.journeyName}-${short(
    createHmac('sha256', secret)
      .update(canonical(parts(key)))
      .digest(),
  )}`;
}

/** The id that versions before the secret gave it. */
export function earlierBindingId(key: BindingKey): string {
  return `${key.journeyName}-${hashOf(parts(key))}`;
}

/** The id that a binding has, or will get. */
export async function idOfBinding(client: Client, key: BindingKey): Promise<string> {
  const { value, legacy } = await namespaceSecret(client);
  const earlier = earlierBindingId(key);
  return legacy && (await isThere(client, earlier)) ? earlier : bindingId(key, value);
}

/** The id of the binding that takes the place of another: one that was added beside the plain one stays such a one. */
export async function idAfterMove(client: Client, from: BindingKey & { scheduleId: string }, version: string) {
  const { value } = await namespaceSecret(client);
  const plains = [bindingId(from, value), earlierBindingId(from)];
  const plain = plains.find((id) => from.scheduleId.startsWith(id)) ?? from.scheduleId;
  const added = from.scheduleId.slice(plain.length);
  return `${await idOfBinding(client, { ...from, journeyVersion: version })}${added}`;
}

async function isThere({ workflowService, options: { namespace } }: Client, scheduleId: string): Promise<boolean> {
  return await workflowService.describeSchedule({ namespace, scheduleId }).then(
    () => true,
    (error: unknown) => {
      if (isNotFound(error)) return false;
      throw asProblem(error);
    },
  );
}

function parts({ journeyName, journeyVersion, subjectId, startStateId }: BindingKey): (string | null)[] {
  return [journeyName, journeyVersion, subjectId, startStateId];
}

/** A hash short enough for an id. */
export function hashOf(texts: (string | null)[]): string {
  return short(createHash('sha256').update(canonical(texts)).digest());
}

function short(digest: Buffer): string {
  return digest.subarray(0, 16).toString('base64url');
}
