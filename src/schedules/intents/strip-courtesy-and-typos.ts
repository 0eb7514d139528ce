import { normalize } from './split-words.js';

const openings =
  /^(?:please|pls|kindly|hey|hi|hello|yo|hiya|heya|howdy|(?:hey|hi|hello) (?:there|all|team|folks|bot)|good (?:morning|afternoon|evening)|dear (?:bot|journeyman)|ok|okay|so|now|just|bot|journeyman|uh|uhm|um|er|erm|hmm|well|like|you know|maybe|perhaps|actually|possibly|alright|go ahead and|can you|could you|would you|will you|can u|could u|would u|will u|can we|could we|can someone|could someone|can somebody|can anyone|gotta|can i|could i|may i|it would be great if you could|i was wondering if you could|would it be possible to|is it possible to|would be nice to|i want you to|i want to|i would like you to|i would like to|i'd like to|i'd like you to|i'd like|i need you to|i need to|i need|i want|we need to|we want to|we need|we want|we'd like|we would like|i would like|would you mind|do you mind|let's|lets|you should|make sure to|make sure you|be sure to|remember to|don't forget to|help me|try to|and|then)$/;

/** Base forms for "would you mind running …". */
const gerundVerbs: Record<string, string> = {
  running: 'run',
  starting: 'start',
  posting: 'post',
  sending: 'send',
  reminding: 'remind',
  telling: 'tell',
  scheduling: 'schedule',
  pausing: 'pause',
  stopping: 'stop',
  resuming: 'resume',
  deleting: 'delete',
  cancelling: 'cancel',
  canceling: 'cancel',
  removing: 'remove',
  moving: 'move',
  changing: 'change',
  listing: 'list',
  showing: 'show',
};

/** Words without polite openings. */
export function withoutCourtesy(words: readonly string[]): string[] {
  let rest = [...words];
  for (let again = true; again && rest.length > 1; ) {
    again = false;
    for (const count of [5, 4, 3, 2, 1]) {
      const lead = normalize(rest.slice(0, count));
      if (rest.length > count && (openings.test(lead) || (count === 1 && /^<?@[\w.-]+>?,?$/.test(rest[0]!)))) {
        rest = rest.slice(count);
        const verb = /^(?:would|do) you mind$/.test(lead) ? normalize(rest.slice(0, 1)) : '';
        if (Object.hasOwn(gerundVerbs, verb)) rest = [gerundVerbs[verb]!, ...rest.slice(1)];
        again = true;
        break;
      }
    }
  }
  return rest;
}

const closing =
  /^(?:if (?:that|it|this)(?:'s| is) (?:ok|okay|fine|possible|alright|not too much (?:trouble|to ask))|if (?:you )?(?:can|could|possible|don't mind)|when you (?:can|get a chance|have time)|would you|will you|can you|could you|cheers|ta|thanks(?: a lot| so much| a bunch)?|thank you(?: so much| very much)?|much appreciated|appreciated|thx)$/;

/** Words without a polite ending. "post thanks" keeps its text. */
export function withoutClosing(words: readonly string[]): string[] {
  for (let count = Math.min(9, words.length - 3); count > 0; count--)
    if (closing.test(normalize(words.slice(-count)))) return withoutClosing(words.slice(0, -count));
  return [...words];
}

const commandVerbs = [
  'pause',
  'resume',
  'delete',
  'cancel',
  'remove',
  'remind',
  'schedule',
  'change',
  'update',
  'reschedule',
  'trigger',
  'announce',
];

/** Corrects a misspelled verb at the beginning: "puase the report". */
export function withoutTypo([first = '', ...rest]: readonly string[]): string[] {
  const said = normalize([first]);
  const known = said === 'rnu' ? 'run' : said === 'dont' ? "don't" : undefined;
  const verb = known ?? commandVerbs.find((it) => isTypo(said, it));
  const plain = rest.map((word) => word.replace(/^(?:shedul|scedul|shcedul|schedual)(?=e|s|d)/i, 'schedul'));
  return first === '' ? [] : [verb ?? first, ...plain];
}

/** Whether two words of at least five letters differ by one letter, or by two letters in the wrong order. */
export function isTypo(a: string, b: string): boolean {
  if (a === b || Math.min(a.length, b.length) < 5 || Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  const [x, y] = [a.slice(at), b.slice(at)];
  return (
    x.slice(1) === y.slice(1) ||
    x === y.slice(1) ||
    x.slice(1) === y ||
    (x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2))
  );
}
