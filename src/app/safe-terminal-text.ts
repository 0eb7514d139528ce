/** A destination of output: a terminal, a pipe, or a test. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Colours, or plain text if colours are off. */
export interface Paint {
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

/** Characters that a terminal executes instead of showing: control characters, and those that reverse the direction of text. */
const control = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Makes untrusted text (names, ids, reasons, messages) safe for one line on a terminal: control characters are escaped as in JSON. Tables
 * and colours call it themselves.
 */
export function safe(text: string): string {
  return text.replace(control, escaped);
}

/** Quotes a text for bash and zsh. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Untrusted text as one word of a command that people copy into their shell. */
export function shellWord(text: string): string {
  const shown = safe(text);
  return /^[\w./:@%+=,-]+$/.test(shown) ? shown : shellQuoted(shown);
}

/** The same as `safe` for text of several lines, which stay separate. */
export function safeLines(text: string): string {
  return text.replace(control, (char) => (char === '\n' || char === '\t' ? char : escaped(char)));
}

/** A value as JSON that is safe on a terminal: JSON itself leaves some of those characters unescaped. */
export function safeJson(value: unknown, indent?: number): string {
  return safeLines(JSON.stringify(value, null, indent));
}

function escaped(char: string): string {
  const short = JSON.stringify(char).slice(1, -1);
  return short === char ? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}` : short;
}

/** Colours for a terminal; none for pipes or if NO_COLOR is set; FORCE_COLOR overrides both. Coloured text is made safe. */
export function paint(output: Output, env: NodeJS.ProcessEnv = process.env): Paint {
  const forced = env.FORCE_COLOR && !/^(0|false)$/.test(env.FORCE_COLOR);
  const on = forced || (output.isTTY === true && !env.NO_COLOR && !env.FORCE_COLOR && env.TERM !== 'dumb');
  const colour = (code: number) => (text: string) => {
    const shown = safe(text);
    return on ? `\u001b[${code}m${shown}\u001b[0m` : shown;
  };
  return { green: colour(32), red: colour(31), yellow: colour(33), dim: colour(2), bold: colour(1) };
}
