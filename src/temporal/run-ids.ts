import { createHash, createHmac, randomBytes } from 'node:crypto';
import { canonical, type Json } from '../json/value.js';

/** A new journey id: 128 random bits as 22 characters of base64url. It resumes a journey, so it must not be guessable. */
export function newJourneyId(): string {
  return typeable(randomBytes(16).toString('base64url'));
}

/** An id that no shell command takes for an option. */
export function typeable(id: string): string {
  return id.replace(/^-/, '_');
}

/** The journey id that belongs to a caller's key: the same three always give the same id, and nobody else can compute it. */
export function keyedJourneyId(secret: string, caller: string, journey: string, key: string): string {
  const hmac = createHmac('sha256', secret).update(canonical([caller, journey, key]));
  return hmac.digest().subarray(0, 16).toString('base64url');
}

/** The hash by which two payloads are told apart. */
export function payloadHash(value: Json): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

/**
 * A caller as the owner of runs. Visibility cuts long texts short, and two callers that begin alike must not become one: a long name ends in
 * its hash. A caller whose own name looks like that is not taken for the one it looks like.
 */
export function ownerOf(caller: string): string {
  if (caller.length <= longestOwner && caller[beginning] !== '…') return caller;
  return `${caller.slice(0, beginning)}…${createHash('sha256').update(caller).digest('base64url')}`;
}

/** A third of what a Keyword holds, because some characters are written as three. */
const longestOwner = 80;
const beginning = 32;
