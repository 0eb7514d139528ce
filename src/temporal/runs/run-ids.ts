import { createHash, createHmac, randomBytes } from 'node:crypto';
import { canonical, type Json } from '../../base/json/value.js';

/** Creates a journey id: 128 random bits as 22 characters of base64url. It grants access to the run, so it must not be guessable. */
export function newJourneyId(): string {
  return shellSafeId(randomBytes(16).toString('base64url'));
}

/** Creates an id that does not start with a hyphen, which shells would read as an option. */
export function shellSafeId(id: string): string {
  return id.replace(/^-/, '_');
}

/** Derives the journey id of a caller's key: deterministic, and not computable without the secret. */
export function keyedJourneyId(secret: string, caller: string, journey: string, key: string): string {
  const hmac = createHmac('sha256', secret).update(canonical([caller, journey, key]));
  return hmac.digest().subarray(0, 16).toString('base64url');
}

/** The hash by which payloads are compared. */
export function payloadHash(value: Json): string {
  return createHash('sha256').update(canonical(value)).digest('base64url');
}

/**
 * A caller as the owner of runs. Visibility truncates long texts, and two callers with a common prefix must stay distinct: a long name ends
 * with its hash. Names that look like such a name are hashed too.
 */
export function ownerOf(caller: string): string {
  if (caller.length <= longestOwner && caller[beginning] !== '…') return caller;
  return `${caller.slice(0, beginning)}…${createHash('sha256').update(caller).digest('base64url')}`;
}

/** A third of a Keyword's length, because some characters take three bytes. */
const longestOwner = 80;
const beginning = 32;
