/** Tone of a badge. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle';

const tones: Readonly<Record<string, Tone>> = {
  RUNNING: 'busy',
  SUCCEEDED: 'good',
  FAILED: 'bad',
  running: 'busy',
  active: 'good',
  enabled: 'good',
  paused: 'warn',
  suspended: 'bad',
  broken: 'bad',
  failed: 'bad',
  succeeded: 'good',
  committed: 'good',
  missed: 'warn',
  drifted: 'warn',
};

/** A short coloured label, such as a phase or a state. */
export function Badge({ text, tone = tones[text] ?? 'idle' }: { readonly text: string; readonly tone?: Tone }) {
  return <span className={`badge ${tone}`}>{badgeText(text)}</span>;
}

/** The text as a badge shows it: `RUNNING` reads as `Running`. */
export function badgeText(text: string): string {
  return text === text.toUpperCase() && /^(RUNNING|SUCCEEDED|FAILED)$/.test(text)
    ? text[0] + text.slice(1).toLowerCase()
    : text;
}

/** A tag or a key with its value. */
export function Tag({ children }: { readonly children: string }) {
  return <span className="badge plain">{children}</span>;
}
