import type { Action } from './action.js';
import { type Peeled, peel, type Where } from './peel.js';
import type { IntentContext } from './types.js';
import { longestPhrase, nothingSaid, saysWhen } from './when.js';
import { plain, quoteOf, said } from './words.js';

/** An action with the time and place that stood around it. */
export interface Acted extends Omit<Peeled, 'words'> {
  action: Action;
}

/** What was peeled, without the words. */
export function strip({ words: _, ...rest }: Peeled): Omit<Peeled, 'words'> {
  return rest;
}

/** A text to post, with time and place before or after it. */
export function readPost(from: Peeled, context: IntentContext, quotes: readonly string[]): Acted {
  const late = peel(from, 'end', context);
  // "send weekly numbers on Mondays": once the time is known, a text may begin with a word about time.
  const around = peel(late, 'start', context, saysWhen(late.when) ? 'place' : 'all');
  const whole = placeWithin(
    Object.keys(around.where).length === 0 || around.where === from.where ? unlessRelative(around) : around,
  );
  return { ...strip(whole), action: postOf(textOf(whole.words, quotes)) };
}

/** "send #team's numbers to #ops by mail": a channel after "in" or "to" in the midst of a text is where it goes, if no other place was said. */
function placeWithin(state: Peeled): Peeled {
  const more = /^(?:in|to)$/i.test(state.words.at(-2) ?? '') && /^#[\p{L}\p{N}_-]+$/u.test(state.words.at(-1)!);
  // Two places for one post: that is asked about.
  if (state.where.channels && more)
    return {
      ...state,
      words: state.words.slice(0, -2),
      where: { channels: [plain(state.words.slice(-1)), ...state.where.channels] },
    };
  if (Object.keys(state.where).length > 0) return state;
  const at = state.words.findIndex(
    (word, i) => /^(?:in|to|into)$/i.test(word) && /^#[\p{L}\p{N}_-]+[,:]?$/u.test(state.words[i + 1] ?? ''),
  );
  if (at < 0) return state;
  const after = state.words.slice(at + 2);
  // "hi in #team every day at 9am and bye at 5pm": two posts, of which neither can be told.
  const timed = longestPhrase(after, nothingSaid(), 'start');
  const words = timed && saysWhen(timed.when) ? [] : [...state.words.slice(0, at), ...after];
  return { ...state, words, where: { channels: [plain([state.words[at + 1]!])] } };
}

const relative =
  /(?:^| )(?:(?:the|an?|one|two|three|\d+|few) )(?:minutes?|hours?|days?|nights?|weeks?|months?|morning|evening) (?:before|after|prior to|ahead of)(?: \S+){0,5}$/;

/** "pack the day before Christmas": a time that hangs on something else is not understood, and must not be taken for text. */
function unlessRelative(state: Peeled): Peeled {
  return relative.test(plain(state.words)) ? { ...state, when: { ...state.when, unclear: true } } : state;
}

function postOf(text: string): Action {
  return text === '' ? { kind: 'open', post: true } : { kind: 'post', text };
}

const introductions =
  /^(?:(?:(?:an?|the|this) )?(?:short |quick |friendly |weekly |daily )?(?:message|note|reminder|text|post|announcement|reply|update|word)(?: (?=saying|that|to|with|reading|about|which|:)|:? ?$|: ?))?(?:(?:saying|that says|that reads|reading|which says|with the (?:text|message|words)|with|to say|:)(?: |$))?/i;

/** The text itself: a quoted passage alone, else all of the words without what introduces them. */
export function textOf(words: readonly string[], quotes: readonly string[]): string {
  const passages = words.filter((word) => quoteOf(word, quotes) !== undefined);
  if (passages.length === 1) {
    const others = plain(words.filter((word) => word !== passages[0]));
    if (
      /^(?:(?:an?|the|this|that|message|note|reminder|text|saying|says|say|reads|reading|with|post|announcement|reply|words|out|to|about|of)\b ?)*$/.test(
        others,
      )
    )
      return quoteOf(passages[0], quotes)!;
  }
  const whole = said(words, quotes);
  const text = whole.replace(introductions, '').replace(/^[:,–-]+ */, '');
  const tidy = (
    text === '' &&
    !/^(?:an?|the|this)? ?(?:message|note|reminder|text|post|announcement|reply|update|word)\b/i.test(whole)
      ? whole
      : text
  ).trim();
  return tidy.replace(/[\s,;:]+$/, '').replace(/^["'“”‘’«»`\s]+$/, '');
}

/** `#ops to rotate the keys`, `me that …`, `#team: …`. */
export function readTold(
  from: Peeled,
  context: IntentContext,
  quotes: readonly string[],
  verb: string,
): Acted | undefined {
  const early = peel(from, 'start', context);
  let { words } = early;
  let where: Where = early.where;
  let whom = false;
  const named = /^(?:me|us|everyone|everybody|the team|the channel|people|folks|all)$/;
  for (const count of [2, 1])
    if (named.test(plain(words.slice(0, count)))) {
      words = words.slice(count);
      whom = true;
      break;
    }
  // A job posts to channels, and what is meant for one person is not said in front of all.
  if (whom && verb === 'dm') where = { channels: ['@'] };
  if (!whom && !where.channels && !where.here && !where.thread) {
    const first = plain(words.slice(0, 1));
    const known = context.channels.find(([name]) => name.toLowerCase() === `#${first}`);
    if (known) {
      words = words.slice(1);
      where = { channels: [known[0]] };
    } else if (verb !== 'remind' && verb !== 'message' && verb !== 'ping') return undefined;
  }
  const middle = peel({ ...early, words, where }, 'start', context);
  const rest = middle.words;
  if (verb === 'let' && plain(rest.slice(0, 1)) !== 'know') return undefined;
  const link = verb === 'let' ? rest.slice(1) : rest;
  const body = peel({ ...middle, words: link }, 'end', context);
  const lead = /^(?:to|that|about|of|:|-|–|know that|with)$/;
  const inner = lead.test(plain(body.words.slice(0, 1)) || body.words[0] || '') ? body.words.slice(1) : body.words;
  const told: Peeled = placeWithin(unlessRelative({ ...body, words: inner }));
  // "remind me": here, unless a place was named too.
  const here = whom && Object.keys(told.where).length === 0;
  return { ...strip(here ? { ...told, where: { here: true } } : told), action: postOf(textOf(told.words, quotes)) };
}

/** "a reminder for #ops to …", "a weekly message in #team saying …". */
export function readMessage(from: Peeled, context: IntentContext, quotes: readonly string[]): Acted | undefined {
  const state = peel(withoutArticles(peel(from, 'start', context, 'place')), 'start', context);
  const noun = /^(?:reminder|message|post|note|announcement|reply|notification|alert)$/.exec(
    plain(state.words.slice(0, 1)),
  )?.[0];
  if (noun === undefined) return undefined;
  let rest: Peeled = peel({ ...state, words: state.words.slice(1) }, 'start', context);
  let linked = false;
  for (let again = true; again; ) {
    const link = /^(?:to|that|saying|about|with|of|which|says?|reading|reads)$/.test(plain(rest.words.slice(0, 1)));
    linked ||= link;
    const next = peel(link ? { ...rest, words: rest.words.slice(1) } : rest, 'start', context);
    again = next.words.length < rest.words.length;
    rest = next;
  }
  const whom = /^(?:for )?(?:me|us|everyone|everybody|the team)(?: (?:to|that|about))?/.exec(
    plain(rest.words.slice(0, 4)),
  )?.[0];
  if (whom !== undefined)
    return readPost({ ...rest, words: rest.words.slice(whom.split(' ').length) }, context, quotes);
  // "a reminder every day in Atlantis": no text, but something about the time that is not understood.
  if (!linked && /^(?:in|at|on|for|until|till|every|each|from|during|between)$/.test(plain(rest.words.slice(0, 1))))
    return { ...strip(rest), action: { kind: 'open', post: true }, when: { ...rest.when, unclear: true } };
  return readPost(rest, context, quotes);
}

const article = /^(?:an?|the|new|another|one|up|in|me|us|my|our)$/;

/** Whether "a note …", "#team a note …" comes next. */
export function hasArticle(from: Peeled, context: IntentContext): boolean {
  return article.test(plain(peel(from, 'start', context, 'place').words.slice(0, 1)));
}

/** Without "a", "the", "new" in front. */
export function withoutArticles(from: Peeled): Peeled {
  let { words } = from;
  while (article.test(plain(words.slice(0, 1)))) words = words.slice(1);
  return { ...from, words };
}
