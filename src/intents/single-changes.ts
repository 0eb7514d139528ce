import type { Frame } from './frame.js';
import { isJob, jobsNamed } from './names.js';
import { empty } from './policies.js';
import { readRecurrence } from './recurrence.js';
import type { IntentContext } from './types.js';
import { nothingSaid } from './when.js';
import { plain, quoteOf, said } from './words.js';
import { saidZone } from './zones.js';

/** "rename the weekly report to …", "call job-1 …". */
export function readRename(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  for (let at = 2; at < words.length; at++) {
    const head = said(words.slice(0, at), quotes, false);
    const found =
      /^(?:rename|re-name) (.+) (?:to|as|into)$/i.exec(head)?.[1] ??
      /^(?:change|set|update) the name of (.+) to$/i.exec(head)?.[1] ??
      /^(?:change|set|update) (.+?)(?:['’]s)? name to$/i.exec(head)?.[1] ??
      (at === words.length - 1 && quoteOf(words[at], quotes) !== undefined
        ? /^call (.+)$/i.exec(head)?.[1]
        : undefined);
    if (found === undefined || jobsNamed(found, context).length === 0) continue;
    const name = said(words.slice(at), quotes, false).replace(/[.!?]+$/, '');
    return { intent: 'update', job: found, patch: { ...empty(), name } };
  }
  return undefined;
}

const dayChanges: [RegExp, boolean][] = [
  [/^(?:add|include) (?<days>.+?) (?:to|in|for) (?<job>.+)$/, true],
  [/^(?:run|post|send) (?<job>.+?) on (?<days>.+?) (?:too|as well|also)$/, true],
  [/^(?:remove|drop|exclude|take out|delete|cancel) (?<days>.+?) (?:from|for) (?<job>.+)$/, false],
  [/^(?:don't|do not|never|no longer) (?:run|post|send|do|fire) (?<job>.+?) on (?<days>.+?)(?: any ?more)?$/, false],
  [/^(?:skip|leave out|cancel) (?<job>.+?) on (?<days>\w+days.*)$/, false],
];

/** "add Saturday to the standup reminder", "don't run it on Fridays". */
export function readDays(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  const phrase = plain(words.map((word) => said([word], quotes, false)));
  for (const [pattern, add] of dayChanges) {
    const found = pattern.exec(phrase)?.groups;
    const { weekdays, ...more } = (found && readRecurrence(`every ${found.days}`)) ?? {};
    if (weekdays === undefined || Object.keys(more).length > 0 || !isJob(found!.job!, context)) continue;
    return { intent: 'update', job: found!.job!, patch: { ...empty(), days: { add, weekdays } } };
  }
  return undefined;
}

/** "use Tokyo time for the weekly report". */
export function readZoneUse(
  words: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Frame | undefined {
  const { zone, job } =
    /^use (?<zone>.+?)(?: as)?(?: the)?(?: time ?zone)? (?:for|in|on) (?<job>.+?)[.!?]*$/i.exec(
      said(words, quotes, false),
    )?.groups ?? {};
  const spoken = zone === undefined ? undefined : saidZone(zone);
  if (!spoken || 'unknown' in spoken || !isJob(job!, context)) return undefined;
  return { intent: 'update', job: job!, patch: { ...empty(), when: { ...nothingSaid(), zone: spoken } } };
}
