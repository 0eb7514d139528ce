import type { IntentContext } from './types.js';
import { longestPhrase, nothingSaid, type Side, saysWhen, type When } from './when.js';
import { plain } from './words.js';

/** Where something is to be posted, as it was said. */
export interface Where {
  /** Channels by name, with their `#`. */
  channels?: string[];
  /** The conversation this was said in. */
  here?: true;
  /** The thread this was said in. */
  thread?: true;
  /** The answer to a question. */
  channelId?: string;
}

/** What is left of an utterance once time and place are taken off its ends. */
export interface Peeled {
  words: string[];
  when: When;
  where: Where;
  /** "instead", "from now on": it changes something that is there. */
  instead?: true;
  /** "at 2pm: weekly sync": after a colon the text begins, whatever it says. */
  closed?: true;
}

export function unpeeled(words: readonly string[]): Peeled {
  return { words: [...words], when: nothingSaid(), where: {} };
}

const polite = /^(?:thanks|thank you|thx|ok|okay|cheers|automatically|for me|for us|thank you very much|many thanks)$/;
const joint = /^(?:and|then|,|-|–|also)$/;

/** Takes time and place off one end, phrase by phrase, longest first. What was said once is not taken a second time. */
export function peel(from: Peeled, side: Side, context: IntentContext, what: 'all' | 'place' = 'all'): Peeled {
  let state = from;
  for (;;) {
    const next = side === 'start' && state.closed ? undefined : peelOne(state, side, context, what);
    if (!next) return side === 'end' ? withOther(state, context) : state;
    const taken = side === 'start' ? state.words[state.words.length - next.words.length - 1] : undefined;
    state = taken?.endsWith(':') ? { ...next, closed: true } : next;
  }
}

/** "every Monday at 9am and every Friday at 5pm": another whole time before the one that was taken off. */
function withOther(state: Peeled, context: IntentContext): Peeled {
  const { words, when } = state;
  const last = words.at(-1) ?? '';
  if (!when.times || when.other || !(joint.test(plain([last]) || last) || last.endsWith(','))) return state;
  const before = /,$/.test(last) && !joint.test(plain([last])) ? words : words.slice(0, -1);
  let earlier: Peeled = { words: before, when: nothingSaid(), where: state.where };
  for (;;) {
    const next = peelOne(earlier, 'end', context, 'all');
    if (!next) break;
    earlier = next;
  }
  const whole = ({ times, recurrence, date }: When) =>
    times !== undefined && (Object.keys(recurrence).length > 0 || date !== undefined);
  if (!whole(earlier.when)) return state;
  return { ...state, words: earlier.words, where: earlier.where, when: { ...when, other: earlier.when } };
}

function peelOne(state: Peeled, side: Side, context: IntentContext, what: 'all' | 'place'): Peeled | undefined {
  const { words, when, where } = state;
  if (words.length === 0) return undefined;
  const take = (count: number) => (side === 'end' ? words.slice(-count) : words.slice(0, count));
  const leave = (count: number) => (side === 'end' ? words.slice(0, -count) : words.slice(count));
  for (let count = Math.min(4, words.length); count > 0; count--) {
    const phrase = plain(take(count));
    // "post thanks in #team": only at the very end are thanks addressed to us.
    const outermost = !saysWhen(when) && Object.keys(where).length === 0;
    const aside = /^(?:please|pls|plz|kindly)$/.test(phrase) || (outermost && polite.test(phrase));
    if (phrase === '' || aside) return { ...state, words: leave(count) };
    if (/^(?:instead|from now on|going forward|from here on)$/.test(phrase))
      return { ...state, words: leave(count), instead: true };
  }
  const place = readPlace(words, where, side, context);
  if (place) return { ...state, words: place.rest, where: place.where };
  if (what === 'place') return undefined;
  const step = longestPhrase(words, when, side) ?? betweenTimes(words, when, side);
  if (step) return { ...state, words: step.rest, when: step.when };
  // "at 9am and in Berlin", "every day, at noon": what joins two such phrases goes with them.
  const last = side === 'end' ? words.at(-1)! : words[0]!;
  if (!joint.test(plain([last]) || last) || !(saysWhen(when) || where.channels)) return undefined;
  const beyond: Peeled | undefined = peelOne({ ...state, words: leave(1) }, side, context, what);
  return beyond;
}

/** "every Friday in Berlin at 9am": a place between two phrases about time is a zone. */
function betweenTimes(words: readonly string[], when: When, side: Side): ReturnType<typeof longestPhrase> {
  if (side !== 'end' || when.zone || when.times === undefined) return undefined;
  const { times, ...without } = when;
  const place = longestPhrase(words, without, side);
  if (!place?.when.zone) return undefined;
  const zoned: When = { ...place.when, times };
  const before = longestPhrase(place.rest, zoned, side);
  return before ? { when: zoned, rest: place.rest } : undefined;
}

const channel = '#[^\\s,;:!?)]+';
const list = new RegExp(
  `^(?:(?:in|to|into|on|at|for) )?(?:both )?(?:the )?(?:channels? )?(${channel}(?:(?: and | & | or | )${channel})*)(?: channels?)?$`,
);

function readPlace(
  words: readonly string[],
  where: Where,
  side: Side,
  context: IntentContext,
): { rest: string[]; where: Where } | undefined {
  if (where.channels || where.here || where.thread || where.channelId !== undefined) return undefined;
  for (let count = Math.min(8, words.length); count > 0; count--) {
    const part = side === 'end' ? words.slice(-count) : words.slice(0, count);
    const rest = side === 'end' ? words.slice(0, -count) : words.slice(count);
    const found = placeOf(plain(part), context.channels, rest.length > 0);
    if (found) return { rest, where: found };
  }
  return undefined;
}

/** Reads `in #team`, `to the ops channel`, `here`, `in this thread`. */
export function placeOf(phrase: string, channels: IntentContext['channels'], within = true): Where | undefined {
  const person = /^(?:to|for) (<?@[\w.-]+>?)$/.exec(phrase)?.[1];
  if (person !== undefined && within) return { channels: [person] };
  const names = list.exec(phrase)?.[1]?.match(new RegExp(channel, 'g'));
  if (names) return { channels: [...new Set(names)] };
  if (/^(?:in|to|on) (?:this|the|that|our) thread$|^(?:as a |in )(?:thread )?reply(?: here)?$/.test(phrase))
    return { thread: true };
  if (
    /^(?:in |to |right |over |into )?(?:here|(?:this|the current|our) (?:channel|conversation|chat|room))$/.test(phrase)
  )
    return { here: true };
  const spoken = /^(?:in|to|into|on) (?:the )?([\w-]{1,80})(?: (channel|room))?$/.exec(phrase);
  if (!spoken || !within) return undefined;
  const name = `#${spoken[1]}`;
  const known = channels.some(([it]) => it.toLowerCase() === name);
  return known || (spoken[2] === 'channel' && !/^(?:this|same|right|wrong|a|every|each|any)$/.test(spoken[1]!))
    ? { channels: [name] }
    : undefined;
}
