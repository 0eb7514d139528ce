import type { Json } from '../../json/value.js';
import { callbackParameter } from '../../service/runs.js';
import { virtualCallback, virtualToken } from '../virtual/simulation.js';
import type { RunToRecord } from './record.js';
import { withTexts } from './redact.js';

/** What `src/temporal/callbacks.ts` makes: when it expires, and an HMAC. */
const token = String.raw`[0-9a-z]{6,9}\.[\w-]{43}(?![\w-])`;
const url = new RegExp(
  String.raw`https?://[^\s"'<>\\?#]{1,300}/api/v1/journeys/[^\s/?#]{1,300}/steps/([^\s/?#]{1,300})\?${callbackParameter}=${token}`,
  'g',
);
/** Wherever else one stands: alone, or in a URL that was put into another text (`callback%3D…`). */
const bare = new RegExp(String.raw`(?:(?<![\w-])|(?<=3[Dd]))${token}`, 'g');

/**
 * A run with the callback URLs that its scenario has in virtual time. Whoever has the real ones can use them, and a journey that compares
 * one with what came back goes the same way.
 */
export function withVirtualCallbacks(run: RunToRecord): RunToRecord {
  const { definition, ...input } = run.input;
  const { input: changed, ...rest } = virtual({ ...run, input });
  return { ...rest, input: { ...changed, definition } };
}

function virtual<T>(value: T): T {
  const change = (text: string) =>
    text.replace(url, (_, step: string) => virtualCallback(step)).replace(bare, virtualToken);
  return withTexts(value as Json, change) as T;
}
