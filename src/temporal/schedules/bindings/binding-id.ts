import { createHash, createHmac } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { canonical } from '../../../base/json/value.js';
import type { BindingRecord } from '../../../schedules/bindings/binding-record.js';
import { namespaceSecret } from '../../namespace-secret.js';

/** The identity of a binding. Without an owner it is an operator's. */
export type BindingKey = Pick<BindingRecord, 'journeyName' | 'journeyVersion' | 'subjectId' | 'startStateId' | 'owner'>;

/**
 * The id of the binding with this identity. It is part of its runs' ids, and a caller that knows a run's id may read that run: so it cannot be
 * computed without the namespace's secret.
 */
export function bindingId(key: BindingKey, secret: string): string {
  return `${key.journeyName}-${short(
    createHmac('sha256', secret)
      .update(canonical(parts(key)))
      .digest(),
  )}`;
}

/** The id of a binding in the client's namespace. */
export async function idOfBinding(client: Client, key: BindingKey): Promise<string> {
  return bindingId(key, await namespaceSecret(client));
}

/** The id of a binding after its migration to another version. The suffix of one that was added beside the plain one stays. */
export async function idAfterMigration(client: Client, from: BindingKey & { scheduleId: string }, version: string) {
  const own = await idOfBinding(client, from);
  const plain = from.scheduleId.startsWith(own) ? own : from.scheduleId;
  const added = from.scheduleId.slice(plain.length);
  return `${await idOfBinding(client, { ...from, journeyVersion: version })}${added}`;
}

function parts({ journeyName, journeyVersion, subjectId, startStateId, owner }: BindingKey): (string | null)[] {
  return [journeyName, journeyVersion, subjectId, startStateId, ...(owner === undefined ? [] : [owner])];
}

/** A hash short enough for an id. */
export function hashOf(texts: (string | null)[]): string {
  return short(createHash('sha256').update(canonical(texts)).digest());
}

function short(digest: Buffer): string {
  return digest.subarray(0, 16).toString('base64url');
}
