import type { Frame, SaidPatch } from './frame.js';
import { isJob } from './names.js';
import type { IntentContext } from './types.js';
import { nothingSaid } from './when.js';

/** A change that says nothing yet. */
export const empty = (): SaidPatch => ({ when: nothingSaid(), where: {} });

const missed = "(?:miss(?:es|ed)?|has missed|is late for|fails to make|doesn't make|didn't make|skips)";
const policies: RegExp[] = [
  new RegExp(
    `^(?:if|when|whenever|in case) (?<job>.+?) (?:ever )?${missed}\\b(?: (?:a|an|any|its|one|some|the|scheduled|due)){0,2}(?: (?:runs?|slots?|windows?|fires?|times?|executions?))?(?: (?:while|because|during|due to|when) .{1,40}?)?,? (?:then |just |please )*(?<what>(?:skip|ignore|drop|forget|leave|don't|do not|never|let it|fire|run|catch|make up|do it|execute|start|trigger|still)\\b.*)$`,
  ),
  /^(?<what>skip|ignore|drop|forget|don't run|do not run|don't catch up|do not catch up|catch up|run|make up|fire)(?: on)?(?: any| all| the)? missed (?:runs?|fires?|slots?|ones) (?:of|for|on|from|by) (?<job>.+)$/,
  /^(?:make|have|let|tell|set|change|get) (?<job>.+?) (?:to )?(?<what>skip|ignore|drop|catch up|run|make up|fire|not run|not catch up)(?: on)?(?: once)?(?: for| on)?(?: any| all| its| the)? missed (?:runs?|fires?|slots?|ones)(?: .*)?$/,
  /^(?<job>.+?) should (?<what>skip|ignore|drop|catch up|not catch up|run|not run)(?: on)?(?: any| all| its| the)? missed (?:runs?|fires?|slots?|ones)$/,
  /^(?<what>run|fire|start|skip|ignore) (?<job>.+?) (?:once )?(?:if|when) (?:it|a run|one)(?: was| is| gets| has been| were)? (?:missed|misses)$/,
  /^(?:set|change|update|switch) (?:the )?misfire[ _]?policy (?:of|for|on) (?<job>.+?) to (?<what>.+)$/,
  /^(?:set|change|update|switch) (?<job>.+?)(?:'s)? misfire[ _]?policy to (?<what>.+)$/,
];
const overlaps: [RegExp, boolean][] = [
  [
    /^(?:don't|do not|never) (?:let|allow) (?:runs of |overlapping runs (?:of|for) )?(.+?)(?: to)?(?: overlap(?: with itself)?| run(?:s)? overlap)?$/,
    false,
  ],
  [/^(.+?) (?:must|should|may|can|shall) (?:not|never) overlap(?: with itself)?$/, false],
  [/^(.+?) (?:may|can|is allowed to) overlap(?: with itself)?$/, true],
  [/^(?:disallow|forbid|prevent|no) overlap(?:ping)?(?: runs)? (?:of|for|in|on) (.+)$/, false],
  [/^(?:allow|permit|enable) overlap(?:ping)?(?: runs)? (?:of|for|in|on) (.+)$/, true],
  [/^(?:let|allow) (?:runs of )?(.+?)(?: to)? overlap(?: with itself)?$/, true],
];

/** Reads what should happen with missed runs, or whether runs may overlap. */
export function readPolicy(phrase: string, context: IntentContext): Frame | undefined {
  for (const pattern of policies) {
    const found = pattern.exec(phrase)?.groups;
    if (!found || !isJob(found.job!, context)) continue;
    const policy = policyOf(found.what!);
    // No policy makes up for each of them, so what it should be instead is asked.
    if (policy === 'fire_once_on_recovery' && /\b(?:all|each|every)\b/.test(found.what!))
      return { intent: 'update', job: found.job!, patch: empty() };
    if (policy) return { intent: 'update', job: found.job!, patch: { ...empty(), misfirePolicy: policy } };
  }
  for (const [pattern, allowOverlap] of overlaps) {
    const job = /overlap/.test(phrase) ? pattern.exec(phrase)?.[1] : undefined;
    if (job !== undefined && isJob(job, context)) return { intent: 'update', job, patch: { ...empty(), allowOverlap } };
  }
  return undefined;
}

function policyOf(what: string): SaidPatch['misfirePolicy'] {
  if (/^(?:skip|ignore|drop|forget|leave|don't|do not|not |never|let it (?:go|be)|nothing|move on)/.test(what))
    return 'skip_missed';
  if (/^(?:fire|run|catch|make up|do it|execute|start|trigger|recover|still)/.test(what))
    return 'fire_once_on_recovery';
  return undefined;
}
