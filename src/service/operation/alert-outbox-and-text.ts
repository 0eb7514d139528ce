import { formatInstant } from '../../base/time/instant.js';
import { alertKinds, type Condition, type News } from './decide-alerts.js';

/** A channel, as the configuration names it. */
export interface AlertDestination {
  readonly channelProfileId: string;
  readonly channelId?: string;
}

/** A message that has not been delivered yet. */
export interface PendingMessage {
  /** The key by which channels recognise a repetition. */
  readonly id: string;
  readonly to: AlertDestination;
  readonly text: string;
  readonly createdAt: string;
  readonly attempts: number;
  /** Nobody tries before. While a gateway tries, this is the time at which another may take over. */
  readonly notBefore: string;
  /** The reason of the last failure. */
  readonly failure?: string;
}

/** Time that a gateway has for an attempt to send; then another may repeat it, with the same key. */
const claimMs = 60_000;
/** Time after which an undelivered message is dropped, and the most that are kept. */
const keptMs = 24 * 3_600_000;
const mostKept = 50;
const longestDelayMs = 300_000;

/** The outbox after a gateway has taken the messages that are due: others leave these alone until their claim ends. */
export function claimDue(outbox: readonly PendingMessage[], now: number) {
  const kept = outbox.filter(({ createdAt }) => now - Date.parse(createdAt) < keptMs).slice(-mostKept);
  const until = formatInstant(now + claimMs);
  const taken = kept.map((it) =>
    now < Date.parse(it.notBefore) ? it : { ...it, attempts: it.attempts + 1, notBefore: until },
  );
  return {
    outbox: taken,
    claimed: taken.filter((it) => !kept.includes(it)),
    dropped: outbox.filter((it) => !kept.includes(it)),
  };
}

/** A message that could not be sent: it is tried again when the channel says, or after increasing delays. */
export function tryLater(
  message: PendingMessage,
  failure: string,
  now: number,
  retryAfterSec?: unknown,
): PendingMessage {
  const delay = typeof retryAfterSec === 'number' ? retryAfterSec * 1_000 : 2_500 * 2 ** message.attempts;
  return { ...message, notBefore: formatInstant(now + Math.min(delay, longestDelayMs)), failure };
}

/** Conditions of a kind that a message lists. */
const listed = 8;
const longestLine = 600;
const longestMessage = 3_500;

/** The text of a message. `consoleUrl` is the address of the console; undefined if it is switched off. */
export function alertText(name: string, { begun, recovered }: News, consoleUrl: string | undefined): string {
  const link = (page: string) => (consoleUrl === undefined ? '' : ` ${consoleUrl}${page}`);
  const sections = Object.entries(alertKinds).flatMap(([kind, { heading, page }]) => {
    const own = lines(begun.filter((it) => it.kind === kind));
    if (own.length === 0) return [];
    const shown = own.slice(0, listed).map((it) => `• ${cut(it.text)}${link(it.page)}`);
    const rest = own.length > listed ? [`• and ${own.length - listed} more:${link(page)}`] : [];
    return [[`${heading}:`, ...shown, ...rest].join('\n')];
  });
  const over = recovered.map(({ kind, title }) => `${alertKinds[kind].heading.toLowerCase()}: ${title}`);
  const count = begun.length === 1 ? '1 thing needs a person.' : `${begun.length} things need a person.`;
  const text = [
    `${name}: ${begun.length > 0 ? count : 'Recovered.'}`,
    ...sections,
    ...(over.length > 0
      ? [`No longer a problem: ${over.slice(0, listed).join('; ')}${over.length > listed ? '; …' : ''}`]
      : []),
  ].join('\n');
  return text.length > longestMessage ? `${text.slice(0, longestMessage)}…` : text;
}

/** One line for each condition; failed runs with the same code are one. */
function lines(conditions: readonly Condition[]): { text: string; page: string }[] {
  const groups = new Map<string, Condition[]>();
  for (const it of conditions) {
    const group = it.kind === 'failedRun' ? `${it.title} ${it.text}` : it.id;
    groups.set(group, [...(groups.get(group) ?? []), it]);
  }
  return [...groups.values()].map(([first, ...others]) => {
    const { title, text, page } = first!;
    if (others.length === 0) return { text: `${title}: ${text}`, page };
    const journey = `/runs?phase=FAILED&journey=${encodeURIComponent(title)}`;
    return { text: `${title}: ${others.length + 1} runs. ${text}`, page: journey };
  });
}

function cut(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
}
