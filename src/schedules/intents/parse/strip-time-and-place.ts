import type { IntentContext } from '../intent-types.js';
import { numberPattern } from '../number-words.js';
import { joinWords, normalize } from '../split-words.js';
import { emptyWhen, hasSchedule, type When } from '../time/time-expression.js';
import { longestPhrase, type Side } from '../time/time-phrases.js';

/** Place to post to, as the utterance names it. */
export interface Where {
  /** Channel names with their `#`. */
  channels?: string[];
  /** The conversation that the utterance is part of. */
  here?: true;
  /** One person: "remind me", "tell @dana". */
  person?: true;
  /** The thread that the utterance is part of. */
  thread?: true;
  /** Channel id from an answer. */
  channelId?: string;
}

/** Words left after phrases of time and place were stripped, and the content of those phrases. */
export interface Stripped {
  words: string[];
  when: When;
  where: Where;
  /** "instead", "from now on": the request changes an existing job. */
  instead?: true;
  /** "at 2pm: weekly sync": everything after the colon is text. */
  closed?: true;
}

export function unstripped(words: readonly string[]): Stripped {
  return { words: [...words], when: emptyWhen(), where: {} };
}

const polite = /^(?:thanks|thank you|thx|ok|okay|cheers|automatically|for me|for us|thank you very much|many thanks)$/;
const joint = /^(?:and|then|,|-|–|also)$/;

/** Strips phrases of time and place from one end, longest first. A second phrase of the same kind is left in place. */
export function stripPhrases(
  from: Stripped,
  side: Side,
  context: IntentContext,
  what: 'all' | 'place' = 'all',
): Stripped {
  let state = from;
  for (;;) {
    const next = side === 'start' && state.closed ? undefined : stripOne(state, side, context, what);
    if (!next) return side === 'end' ? stripSecondTime(state, context) : state;
    const taken = side === 'start' ? state.words[state.words.length - next.words.length - 1] : undefined;
    state = taken?.endsWith(':') ? { ...next, closed: true } : next;
  }
}

/** Strips a second complete time: "every Monday at 9am and every Friday at 5pm". */
function stripSecondTime(state: Stripped, context: IntentContext): Stripped {
  const { words, when } = state;
  const last = words.at(-1) ?? '';
  if (!when.times || when.other || !(joint.test(normalize([last]) || last) || last.endsWith(','))) return state;
  const before = /,$/.test(last) && !joint.test(normalize([last])) ? words : words.slice(0, -1);
  let earlier: Stripped = { words: before, when: emptyWhen(), where: state.where };
  for (;;) {
    const next = stripOne(earlier, 'end', context, 'all');
    if (!next) break;
    earlier = next;
  }
  const whole = ({ times, recurrence, date }: When) =>
    times !== undefined && (Object.keys(recurrence).length > 0 || date !== undefined);
  if (!whole(earlier.when)) return state;
  return { ...state, words: earlier.words, where: earlier.where, when: { ...when, other: earlier.when } };
}

/** Strips phrases from words that follow the action; what remains of them was not understood. */
export function withTail(
  state: Stripped,
  tail: readonly string[],
  quotes: readonly string[],
  context: IntentContext,
): Stripped {
  const after = stripPhrases({ ...state, words: [...tail] }, 'start', context);
  if (after.words.length === 0) return after;
  const unclear = [joinWords(after.words, quotes), state.when.unclear].filter(Boolean).join(', ');
  return { ...after, words: [], when: { ...after.when, unclear } };
}

function stripOne(state: Stripped, side: Side, context: IntentContext, what: 'all' | 'place'): Stripped | undefined {
  const { words, when, where } = state;
  if (words.length === 0) return undefined;
  const take = (count: number) => (side === 'end' ? words.slice(-count) : words.slice(0, count));
  const leave = (count: number) => (side === 'end' ? words.slice(0, -count) : words.slice(count));
  for (let count = Math.min(4, words.length); count > 0; count--) {
    const phrase = normalize(take(count));
    // "post thanks in #team": thanks are politeness only at the very end.
    const outermost = !hasSchedule(when) && Object.keys(where).length === 0;
    const aside = /^(?:please|pls|plz|kindly)$/.test(phrase) || (outermost && polite.test(phrase));
    const only = side === 'end' && phrase === 'only' && outermost;
    if (phrase === '' || aside || only) return { ...state, words: leave(count) };
    if (/^(?:instead|from now on|going forward|from here on)$/.test(phrase))
      return { ...state, words: leave(count), instead: true };
  }
  const place = stripPlace(words, where, side, context);
  if (place) return { ...state, words: place.rest, where: place.where };
  if (what === 'place') return undefined;
  const step = longestPhrase(words, when, side) ?? betweenTimes(words, when, side);
  if (step) return { ...state, words: step.rest, when: step.when };
  // "at 9am and in Berlin", "every day, at noon": the conjunction is stripped too.
  const last = side === 'end' ? words.at(-1)! : words[0]!;
  if (!joint.test(normalize([last]) || last) || !(hasSchedule(when) || where.channels)) return undefined;
  const beyond: Stripped | undefined = stripOne({ ...state, words: leave(1) }, side, context, what);
  return beyond;
}

/** "every Friday in Berlin at 9am": a place between two time phrases is a zone. */
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

function stripPlace(
  words: readonly string[],
  where: Where,
  side: Side,
  context: IntentContext,
): { rest: string[]; where: Where } | undefined {
  if (Object.keys(where).length > 0) return undefined;
  for (let count = Math.min(8, words.length); count > 0; count--) {
    const part = side === 'end' ? words.slice(-count) : words.slice(0, count);
    const rest = side === 'end' ? words.slice(0, -count) : words.slice(count);
    const found = readPlace(normalize(part), context.channels, rest.length > 0);
    // "the weekend is here"
    if (found?.here && side === 'end' && /^(?:is|are|was|were|be|.+'s)$/.test(normalize(rest.slice(-1))))
      return undefined;
    if (found) return { rest, where: found };
  }
  return undefined;
}

/** Reads `in #team`, `to the ops channel`, `here`, `in this thread`. */
export function readPlace(phrase: string, channels: IntentContext['channels'], within = true): Where | undefined {
  const person = /^(?:to|for) (<?@[\w.-]+>?)$/.exec(phrase)?.[1];
  if (person !== undefined && within) return { person: true };
  if (/^(?:in|to|on|into) (?:all|every|each)(?: of)?(?: the| my| our)? channels?$/.test(phrase))
    return { channels: channels.map(([name]) => name) };
  const names = list.exec(phrase)?.[1]?.match(new RegExp(channel, 'g'));
  if (names) return { channels: [...new Set(names)] };
  if (/^(?:in|to|on) (?:this|the|that|our) thread$|^(?:as a |in )(?:thread )?reply(?: here)?$/.test(phrase))
    return { thread: true };
  if (
    /^(?:in |to |right |over |into )?(?:here|(?:this|the current|our) (?:channel|conversation|chat|room))$/.test(phrase)
  )
    return { here: true };
  const spoken = /^(?:in|to|into|on) (?:the )?([\w-]{1,80})(?: (channel|room|team|group|crew|folks))?$/.exec(phrase);
  if (!spoken || !within) return undefined;
  const name = `#${spoken[1]}`;
  const known = channels.some(([it]) => it.toLowerCase() === name);
  return known || (spoken[2] === 'channel' && !/^(?:this|same|right|wrong|a|every|each|any)$/.test(spoken[1]!))
    ? { channels: [name] }
    : undefined;
}

/** Reads a place that is named by itself, as in an answer: "the ops channel", "#ops". */
export function placeNamed(words: string, channels: IntentContext['channels']): Where | undefined {
  const phrase = normalize(words.trim().split(/\s+/));
  return readPlace(phrase, channels) ?? readPlace(`to ${phrase}`, channels);
}

/** Time and place without the remaining words. */
export function withoutWords({ words: _, ...rest }: Stripped): Omit<Stripped, 'words'> {
  return rest;
}

const article = /^(?:an?|the|new|another|one|up|in|me|us|my|our)$/;

/** Whether the words begin with an article, as in "a note …", "#team a note …". */
export function startsWithArticle(from: Stripped, context: IntentContext): boolean {
  return article.test(normalize(stripPhrases(from, 'start', context, 'place').words.slice(0, 1)));
}

/** Removes leading "a", "the", "new". */
export function withoutArticles(from: Stripped): Stripped {
  let { words } = from;
  while (article.test(normalize(words.slice(0, 1)))) words = words.slice(1);
  return { ...from, words };
}

const timeUnit =
  '(?:seconds?|minutes?|hours?|days?|nights?|weeks?|weekends?|months?|quarters?|years?|mornings?|afternoons?|evenings?)';

const ordinals =
  '(?:\\d+(?:st|nd|rd|th)|first|second|third|fourth|(?:fif|six|seven|eigh|nin|ten|eleven|twelf|\\w+teen|twentie|thirtie)th|last|other)';

/** "the day before Christmas", "five minutes before": a relative date. */
const relative = new RegExp(
  `^(?:the|few|${numberPattern}) ${timeUnit} (?:before|after|prior to|ahead of)(?: \\S+){0,5}$`,
);

/** Whether the words begin with a relative time: "10 minutes before the meeting". */
export function startsRelative(words: readonly string[]): boolean {
  return relative.test(normalize(words.slice(0, 4)));
}

/** Words that say on which days something happens, and were not understood. */
const dayLeftovers: readonly RegExp[] = [
  relative,
  // "every leap day", "every 1st, 2nd and last", "each payday".
  new RegExp(`^(?:every|each) (?:\\S+ ){0,4}?(?:${timeUnit}|\\w+days?|${ordinals}|time)\\b.*$`),
  // "on bank holidays", "on random days", "during the season", "in the first week of the month", "on the first".
  /^(?:on|in|over|during|throughout) (?:\S+ ){0,3}(?:holidays?|days|dates|weeks|months|quarters|occasions|seasons?|summer|winter|spring|autumn)$/,
  new RegExp(`^(?:on|in|over|during|throughout) (?:\\S+ ){0,3}${timeUnit} of (?:the|each|every) ${timeUnit}$`),
  new RegExp(`^on (?:the )?${ordinals}(?:(?:,|,? and) (?:the )?${ordinals})*$`),
];

/** More words that are about time directly before a time phrase. */
const leftovers: readonly RegExp[] = [
  ...dayLeftovers,
  // "fortnightly on a", "weekly at the".
  /^(?:(?:bi-?)?weekly|fortnightly|hourly|daily|nightly|monthly|quarterly|yearly|annually)(?: (?:on|at|in|from)(?: an?| the)?)?$/,
  // "once at 6pm and then", "twice", "5 times".
  new RegExp(
    `^(?:(?:once|twice|thrice)(?: (?:at|on|in|and) .+)?|(?:${numberPattern}|several|a few) times|one time)(?: in total)?$`,
  ),
  // Words that connect to a time phrase.
  /^(?:(?:and|or|but|and then)(?: not| also| again)?|before|after|until|till|about|regarding|around|between|during|within|except|unless|by|from|starting|beginning|not|never|only)$/,
  // "the backup runs every night": what happens then, not when to post. "see you tomorrow".
  /^(?:runs|starts|begins|happens|opens|closes|ends|see (?:you|ya)(?: all)?)$/,
];

/** Number of words that a leftover can have. */
const longestLeftover = 10;

/**
 * Position in an unquoted text from which the rest is about time too; undefined if there is none. More words are about time if a time
 * phrase follows, or precedes the text, than in a text alone.
 */
function leftoverTimeAt(words: readonly string[], time: 'after' | 'before' | 'none'): number | undefined {
  const patterns = { after: leftovers, before: dayLeftovers, none: [relative] }[time];
  for (let at = Math.max(1, words.length - longestLeftover); at < words.length; at++) {
    const tail = normalize(words.slice(at));
    if (patterns.some((it) => it.test(tail))) return at;
  }
  return undefined;
}

/** A text that ends in words about time which were not understood: "hello every leap day" before "at 9am". They must not become text. */
export function withoutLeftover(
  state: Stripped,
  before: Stripped,
  quotes: readonly string[],
  context: IntentContext,
): Stripped {
  const time = state.when !== before.when ? 'after' : hasSchedule(state.when) ? 'before' : 'none';
  const at = leftoverTimeAt(state.words, time);
  if (at === undefined) return state;
  const single = Object.keys(state.when.recurrence).length === 0;
  if (single && /^(?:once|one time)$/.test(normalize(state.words.slice(at))))
    return { ...state, words: state.words.slice(0, at) };
  const rest = withTail(state, state.words.slice(at), quotes, context);
  return { ...rest, words: state.words.slice(0, at) };
}
