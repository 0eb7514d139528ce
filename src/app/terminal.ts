/** What is written to: a terminal, a pipe, or a test. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Colours, or plain text where they would disturb. */
export interface Paint {
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

/** Colours for a terminal; none for pipes, and none when NO_COLOR is set. */
export function paint(output: Output, env: NodeJS.ProcessEnv = process.env): Paint {
  const on = output.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';
  const colour = (code: number) => (text: string) => (on ? `\u001b[${code}m${text}\u001b[0m` : text);
  return { green: colour(32), red: colour(31), yellow: colour(33), dim: colour(2), bold: colour(1) };
}
