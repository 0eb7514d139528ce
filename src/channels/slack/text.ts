/** What Slack's markup says: the words, and the channels that they name. */
export interface ReadText {
  readonly text: string;
  readonly channels: Readonly<Record<string, string>>;
}

/**
 * A Slack message as people read it. Channels become `#name` (with their ids beside), links their address; mentions of people stay as they
 * are, so that posting them again mentions the same people. `self` is our own name there: talking to us is no part of what is said.
 */
export function readText(raw: string, self: string): ReadText {
  const channels: Record<string, string> = {};
  const text = raw.replace(/<([^<>]*)>/g, (whole, inside: string) => {
    const [target = '', label = ''] = inside.split('|');
    if (target === `@${self}`) return '';
    if (/^#[CG][A-Z0-9]+$/.test(target)) {
      const name = `#${label || target.slice(1)}`;
      channels[name] = target.slice(1);
      return name;
    }
    return /^(https?|mailto):/.test(target) ? target : whole;
  });
  return { text: unescaped(text).replace(/\s+/g, ' ').trim(), channels };
}

/** Mentions of people, and links to channels and pages. Those of everybody (`<!channel>`) are not among them: data must not shout. */
const reference = /<(?:@[UW][A-Z0-9]+|#[CG][A-Z0-9]+|https?:\/\/[^<>|\s]+)(?:\|[^<>]*)?>/g;

/** Text as Slack wants it: `&`, `<` and `>` stand for themselves, except in references. */
export function writeText(text: string): string {
  const references = text.match(reference) ?? [];
  return text
    .split(reference)
    .map((part, i) => escaped(part) + (references[i] ?? ''))
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
