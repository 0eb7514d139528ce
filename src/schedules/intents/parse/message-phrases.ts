import type { IntentContext } from '../intent-types.js';
import { joinWords, longestSearch, normalize, quotedText } from '../split-words.js';
import { emptyWhen, hasSchedule } from '../time/time-expression.js';
import { longestPhrase, readTimePhrases } from '../time/time-phrases.js';
import type { RequestedAction } from './action-phrases.js';
import {
  readPlace,
  type Stripped,
  startsRelative,
  stripPhrases,
  type Where,
  withoutArticles,
  withoutLeftover,
  withoutWords,
  withTail,
} from './strip-time-and-place.js';

/** An action with its time and place. */
export interface ActionRequest extends Omit<Stripped, 'words'> {
  action: RequestedAction;
}

/** Reads a text to post, with time and place before or after it. */
export function readPost(from: Stripped, context: IntentContext, quotes: readonly string[]): ActionRequest {
  const text = afterTime(from, context);
  if (text) return { ...withoutWords(text), action: postOf(messageText(text.words, quotes)) };
  const late = withoutLeftover(stripPhrases(from, 'end', context), from, quotes, context);
  // "send weekly numbers on Mondays": once the time is known, the text may begin with a time word.
  const around = stripPhrases(late, 'start', context, hasSchedule(late.when) ? 'place' : 'all');
  const whole = withoutAdverb(phrasesWithin(around, quotes, context), quotes);
  return { ...withoutWords(whole), action: postOf(messageText(whole.words, quotes)) };
}

/** `"hi" again`: a word after a quoted text that is not part of it, and not understood. */
function withoutAdverb(state: Stripped, quotes: readonly string[]): Stripped {
  const [text, adverb] = state.words;
  if (state.words.length !== 2 || quotedText(text, quotes) === undefined) return state;
  const said = /^(?:also|again|only|too|once|twice|first|last|instead|not)$/.exec(normalize([adverb!]))?.[0];
  return said === undefined ? state : { ...state, words: [text!], when: { ...state.when, unclear: said } };
}

/** "in #team at 9am on weekdays: see you at 10", "in #team on Fridays at 4pm that we close at 6": all that follows a complete time is text. */
function afterTime(from: Stripped, context: IntentContext): Stripped | undefined {
  const at = from.words.findIndex((word, i) => /\D:$/.test(word) || (i > 0 && /^that$/i.test(word)));
  if (at < 0 || at === from.words.length - 1) return undefined;
  const colon = from.words[at]!.endsWith(':');
  const head = stripPhrases({ ...from, words: from.words.slice(0, colon ? at + 1 : at) }, 'start', context);
  const { times, recurrence, date, delay, unclear } = head.when;
  const complete =
    delay !== undefined || (times !== undefined && (date !== undefined || Object.keys(recurrence).length > 0));
  if (head.words.length > 0 || unclear !== undefined || !(complete || (colon && times))) return undefined;
  return { ...head, words: from.words.slice(at + 1) };
}

/**
 * Place, time and conditions within the words of a text: "hello in #team every Friday at 9am unless it rains". The text ends where they
 * begin, and whatever follows them is not understood.
 */
function phrasesWithin(from: Stripped, quotes: readonly string[], context: IntentContext): Stripped {
  const state = placeWithin(from, quotes, context);
  const cut = (at: number): Stripped => {
    const rest = withTail(state, state.words.slice(at), quotes, context);
    return { ...rest, words: state.words.slice(0, at) };
  };
  if (hasSchedule(state.when)) {
    const second = secondTime(state.words);
    if (second !== undefined && !state.closed) return cut(second);
    const condition = state.words.findIndex((word, i) => i > 0 && /^(?:unless|except|excluding)$/i.test(word));
    return condition > 0 && !state.closed ? cut(condition) : state;
  }
  for (let at = 1; at < Math.min(longestSearch, state.words.length); at++) {
    const when = longestPhrase(state.words.slice(at), emptyWhen(), 'start')?.when;
    if (when && (Object.keys(when.recurrence).some((key) => key !== 'months') || when.delay !== undefined))
      return cut(at);
  }
  return state;
}

/** Position of a time within a text that goes on with "and": "hello on Monday and goodbye", before "on Friday". */
function secondTime(words: readonly string[]): number | undefined {
  for (let at = 1; at < Math.min(longestSearch, words.length - 2); at++) {
    if (!/^(?:on|at|every|each)$/i.test(words[at]!)) continue;
    const length = words.slice(at, at + 5).findIndex((word) => /^and$/i.test(word));
    const after = words.slice(at + length + 1);
    // "lunch at noon and dinner at 7pm" is a text.
    const timed = longestPhrase(after, emptyWhen(), 'end') !== undefined;
    if (length > 1 && !timed && readTimePhrases(words.slice(at, at + length))) return at;
  }
  return undefined;
}

/** "hello in #team every day": a channel after "in" or "to" within the text is the place, if no other was named. */
function placeWithin(from: Stripped, quotes: readonly string[], context: IntentContext): Stripped {
  // "in #team instead of #ops": both are asked about.
  const contrast = / (?:in|to) #\S+ (instead of|rather than|but not|and not|not|or)(?: in| to)?$/.exec(
    normalize(from.words),
  )?.[1];
  const contrasted = contrast !== undefined && from.where.channels !== undefined;
  const state = contrasted ? { ...from, words: from.words.slice(0, -contrast.split(' ').length) } : from;
  const more = /^(?:in|to)$/i.test(state.words.at(-2) ?? '') && /^#[\p{L}\p{N}_-]+$/u.test(state.words.at(-1)!);
  // Two places for one post are asked about.
  if (state.where.channels && more)
    return {
      ...state,
      words: state.words.slice(0, -2),
      where: { channels: [normalize(state.words.slice(-1)), ...state.where.channels] },
    };
  // "x in #ops daily at 9am, y in #team daily at 10am": a second place with a time of its own.
  const second = state.words.findIndex(
    (word, i) =>
      /^(?:in|to)$/i.test(word) &&
      /^#[\p{L}\p{N}_-]+$/u.test(state.words[i + 1] ?? '') &&
      longestPhrase(state.words.slice(i + 2), emptyWhen(), 'start') !== undefined,
  );
  if (second > 0 && state.where.channels && !state.closed)
    return {
      ...state,
      words: state.words.slice(0, second),
      where: { channels: [normalize(state.words.slice(second + 1, second + 2)), ...state.where.channels] },
    };
  if (Object.keys(state.where).length > 0) return state;
  const at = state.words.findIndex(
    (word, i) => /^(?:in|to|into)$/i.test(word) && /^#[\p{L}\p{N}_-]+[,:]?$/u.test(state.words[i + 1] ?? ''),
  );
  if (at < 0) return state;
  const [before, after] = [state.words.slice(0, at), state.words.slice(at + 2)];
  const placed: Stripped = { ...state, where: { channels: [normalize([state.words[at + 1]!])] } };
  const rest = withTail(placed, after, quotes, context);
  // Words on both sides of the place: those after it are not understood, unless they are time phrases.
  return before.length > 0 &&
    hasSchedule(rest.when) &&
    (hasSchedule(state.when) || rest.when.unclear !== joinWords(after, quotes))
    ? { ...rest, words: before }
    : { ...placed, words: [...before, ...after] };
}

function postOf(text: string): RequestedAction {
  return text === '' ? { kind: 'open', post: true } : { kind: 'post', text };
}

const introductions =
  /^(?:(?:(?:an?|the|this) )?(?:short |quick |friendly |weekly |daily )?(?:message|note|reminder|text|post|announcement|reply|update|word)(?: (?=saying|that|to|with|reading|about|which|:)|:? ?$|: ?))?(?:(?:saying|that says|that reads|reading|which says|with the (?:text|message|words)|with|to say|:)(?: |$))?/i;

/** Text of a message: a single quoted passage, else all words without their introduction. */
export function messageText(words: readonly string[], quotes: readonly string[]): string {
  const passages = words.filter((word) => quotedText(word, quotes) !== undefined);
  if (passages.length === 1) {
    const others = normalize(words.filter((word) => word !== passages[0]));
    if (
      /^(?:(?:an?|the|this|that|message|note|reminder|text|saying|says|say|reads|reading|with|post|announcement|reply|words|out|to|about|of)\b ?)*$/.test(
        others,
      )
    )
      return quotedText(passages[0], quotes)!;
  }
  const whole = joinWords(words, quotes);
  const text = whole.replace(introductions, '').replace(/^[:,–-]+ */, '');
  const tidy = (
    text === '' &&
    !/^(?:an?|the|this)? ?(?:message|note|reminder|text|post|announcement|reply|update|word)\b/i.test(whole)
      ? whole
      : text
  ).trim();
  return tidy.replace(/[\s,;:]+$/, '').replace(/^["'“”‘’«»`\s]+$/, '');
}

/** A post for somebody: it goes to the place that it names, else to the given one, and begins with the name. */
export function addressed(post: ActionRequest, where: Where, mention: string): ActionRequest {
  const { action } = post;
  if (action.kind !== 'post') return post;
  const named = Object.keys(post.where).length > 0 ? post.where : where;
  // Two channels for one post are asked about.
  const channels = where.channels && named !== where ? [...where.channels, ...(named.channels ?? [])] : undefined;
  return {
    ...post,
    where: channels ? { channels } : named,
    action: { kind: 'post', text: `${mention}${action.text}` },
  };
}

const reminderLink = /^(?:to|that|about|with|saying)$/;

/** "the ops channel every Monday at 9am to rotate the keys": takes the time from between the recipient and the text. */
function withTimeAfterRecipient(from: Stripped, context: IntentContext): Stripped {
  const { words } = from;
  for (let count = 1; count < 6 && /^[\p{L}'’&-]+,?$/u.test(words[count - 1] ?? ''); count++) {
    const bound = /^(?:by|before|after|until|till|within|past|around|except|unless|not)$/i.exec(words[count - 1]!)?.[0];
    if (reminderLink.test(normalize(words.slice(count - 1, count)))) return from;
    const after = stripPhrases({ ...from, words: words.slice(count) }, 'start', context);
    if (after.when === from.when || !reminderLink.test(normalize(after.words.slice(0, 1)))) continue;
    // "by Friday to submit": a deadline is no time at which to post.
    if (bound !== undefined)
      return {
        ...after,
        words: [...words.slice(0, count - 1), ...after.words],
        when: { ...after.when, unclear: bound },
      };
    return { ...after, words: [...words.slice(0, count), ...after.words] };
  }
  return from;
}

/** Reads `#ops to rotate the keys`, `me that …`, `#team: …`. */
export function readReminder(
  from: Stripped,
  context: IntentContext,
  quotes: readonly string[],
  verb: string,
): ActionRequest | undefined {
  const early = withTimeAfterRecipient(stripPhrases(from, 'start', context), context);
  let { words } = early;
  let where: Where = early.where;
  let whom = false;
  let person = false;
  const named = /^(?:me|us|everyone|everybody|the team|the channel|people|folks|all)$/;
  for (const count of [2, 1]) {
    const said = normalize(words.slice(0, count));
    if (!named.test(said)) continue;
    words = words.slice(count);
    whom = true;
    // A job posts to channels only: a message to one person must not become public unasked.
    person = said === 'me' || verb === 'dm';
    break;
  }
  let mention = '';
  // "remind dana to …", "remind John and Mary to …": names without @ are people too.
  const to = words.findIndex((word) => reminderLink.test(normalize([word])));
  const names = words.slice(0, Math.max(0, to));
  const first = normalize(names.slice(0, 1));
  // "remind my boss to …", "tell the ops team to …": a group, which may have a channel.
  const transitive = /^(?:remind|message|ping|dm|notify|alert|nudge|inform|warn)$/.test(verb);
  const group = transitive || (!/^(?:give|let|ask)$/.test(verb) && /^(?:the|my|our|your|his|her|their)$/.test(first));
  const isName = (word: string) => group || names.length === 1 || /^(?:\p{Lu}.*|and|&)$/u.test(word);
  const channel = context.channels.some(([it]) => it.toLowerCase() === `#${first}`);
  const people =
    names.length > 0 && names.length < 6 && names.every((word) => isName(word) && /^[\p{L}'’,&-]+$/u.test(word));
  const team = people ? readPlace(`to ${normalize(names)}`, context.channels) : undefined;
  if (!whom && Object.keys(where).length === 0 && team?.channels) {
    words = words.slice(names.length);
    where = team;
  } else if (!whom && Object.keys(where).length === 0 && people && !channel) {
    mention = `${joinWords(names, quotes)}: `;
    words = words.slice(names.length);
    whom = true;
    person = true;
  }
  if (!whom && /^<?@[\w.-]+>?[,:]?$/.test(words[0] ?? '')) {
    mention = `${words[0]!.replace(/[,:]$/, '')} `;
    words = words.slice(1);
    whom = true;
    person = true;
  }
  if (!whom && !where.channels && !where.here && !where.thread) {
    const first = normalize(words.slice(0, 1));
    const known = context.channels.find(([name]) => name.toLowerCase() === `#${first}`);
    if (known) {
      words = words.slice(1);
      where = { channels: [known[0]] };
    } else if (!transitive) return undefined;
    // "remind dana rotate the keys": where the name ends is not known, so that the text keeps it.
    else whom = person = words.length > 0 && !/^(?:to|that|about|of|with)$/.test(first) && /^\p{L}/u.test(first);
  }
  const middle = stripPhrases({ ...early, words, where }, 'start', context);
  const rest = middle.words;
  // "remind everyone in finance to …": only some of those here.
  if (whom && !person && /^(?:in|from|of|at|on|who)$/.test(normalize(rest.slice(0, 1)))) {
    mention = `${joinWords(early.words.slice(0, early.words.length - words.length), quotes)} `;
    person = true;
  }
  if (verb === 'let' && normalize(rest.slice(0, 1)) !== 'know') return undefined;
  const link = verb === 'let' ? stripPhrases({ ...middle, words: rest.slice(1) }, 'start', context) : middle;
  const body = withoutLeftover(stripPhrases(link, 'end', context), link, quotes, context);
  const lead = /^(?:to|that|about|of|:|-|–|know that|with)$/;
  const inner = lead.test(normalize(body.words.slice(0, 1)) || body.words[0] || '') ? body.words.slice(1) : body.words;
  const around = phrasesWithin({ ...body, words: inner }, quotes, context);
  // "10 minutes before the meeting at 3pm": not at 3pm.
  const relative = around.when.unclear === undefined && startsRelative(around.words);
  const unclear = joinWords(around.words, quotes);
  const stripped: Stripped = relative ? { ...around, when: { ...around.when, unclear } } : around;
  // "remind us" means this conversation, unless a place was named too.
  const here = whom && Object.keys(stripped.where).length === 0;
  const text = messageText(stripped.words, quotes);
  return {
    ...withoutWords(here ? { ...stripped, where: person ? { person: true } : { here: true } } : stripped),
    action: postOf(text === '' ? '' : `${mention}${text}`),
  };
}

/** Reads "a reminder for #ops to …", "a weekly message in #team saying …", "me a reminder to …". */
export function readMessage(
  from: Stripped,
  context: IntentContext,
  quotes: readonly string[],
): ActionRequest | undefined {
  const message = readMessageText(from, context, quotes);
  const forMe = /^(?:me\b|(?:\S+ ){0,4}(?:reminder|message|note|notification|alert) for me\b)/.test(
    normalize(from.words),
  );
  return message && forMe && Object.keys(message.where).length === 0
    ? { ...message, where: { person: true } }
    : message;
}

function readMessageText(from: Stripped, context: IntentContext, quotes: readonly string[]): ActionRequest | undefined {
  const state = stripPhrases(withoutArticles(stripPhrases(from, 'start', context, 'place')), 'start', context);
  const noun = /^(?:reminder|message|post|note|announcement|reply|notification|alert)$/.exec(
    normalize(state.words.slice(0, 1)),
  )?.[0];
  if (noun === undefined) return undefined;
  let rest: Stripped = stripPhrases({ ...state, words: state.words.slice(1) }, 'start', context);
  let linked = false;
  for (let again = true; again; ) {
    const link = /^(?:to|that|saying|about|with|of|which|says?|reading|reads)$/.test(normalize(rest.words.slice(0, 1)));
    linked ||= link;
    const next = stripPhrases(link ? { ...rest, words: rest.words.slice(1) } : rest, 'start', context);
    again = next.words.length < rest.words.length;
    rest = next;
  }
  // "a reminder to the finance team to …", "… for my boss about …".
  const group = /^(?:for )?((?:the|my|our|your|his|her|their) (?:\S+ ){1,3}?)(?:to|that|about|saying) /.exec(
    normalize(rest.words),
  )?.[1];
  if (linked && group !== undefined && Object.keys(rest.where).length === 0) {
    const place = readPlace(`to ${group.trim()}`, context.channels);
    const after = rest.words.findIndex((word, i) => i > 1 && /^(?:to|that|about|saying)$/i.test(word));
    const post = readPost({ ...rest, words: rest.words.slice(after + 1) }, context, quotes);
    return addressed(
      post,
      place ?? { person: true },
      place ? '' : `${joinWords(rest.words.slice(0, after), quotes)}: `,
    );
  }
  const whom = /^(?:for )?(?:me|us|everyone|everybody|the team)(?: (?:to|that|about))?/.exec(
    normalize(rest.words.slice(0, 4)),
  )?.[0];
  if (whom !== undefined)
    return readPost({ ...rest, words: rest.words.slice(whom.split(' ').length) }, context, quotes);
  // "a reminder every day in Atlantis": no text, and an unknown time phrase.
  if (!linked && /^(?:in|at|on|for|until|till|every|each|from|during|between)$/.test(normalize(rest.words.slice(0, 1))))
    return {
      ...withoutWords(withTail(rest, rest.words, quotes, context)),
      action: { kind: 'open', post: true },
    };
  return readPost(rest, context, quotes);
}
