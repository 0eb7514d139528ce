/** The position of a value in its text: offsets of its key (if it has one), its start and its end, and its style. */
export interface SourcePosition {
  key?: number;
  start: number;
  end: number;
  style: 'plain' | 'single' | 'double' | 'block' | 'other';
}

export interface LineColumn {
  line: number;
  column: number;
}

/** Converts offsets of a text to 1-based lines and columns. */
export class Lines {
  private readonly starts: number[] = [0];

  constructor(readonly text: string) {
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  at(offset: number): LineColumn {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - this.starts[low]! + 1 };
  }
}

/** The offset in `value` of a 1-based line and column within it. */
export function offsetWithin(value: string, place: LineColumn): number {
  let start = 0;
  for (let line = 1; line < place.line; line++) {
    const next = value.indexOf('\n', start);
    if (next === -1) break;
    start = next + 1;
  }
  return Math.min(start + place.column - 1, value.length);
}

/**
 * The offset in the document of character `offset` of a scalar's value. Indentation, folding and escapes make the two differ, so
 * value and source are walked side by side: blank source that has no counterpart is skipped, and an escape counts as one character.
 */
export function sourceOffset(text: string, position: SourcePosition, value: string, offset: number): number {
  if (text[position.start] === '|' && position.style === 'block') return literalOffset(text, position, value, offset);
  let at = contentStart(text, position);
  for (let i = 0; i < offset && at < position.end; i++) at = after(text, at, value[i]!, position);
  return Math.min(skipTo(text, at, value[offset], position), Math.max(position.end - 1, position.start));
}

/** In a literal block, value and source differ only in the indentation of lines. */
function literalOffset(text: string, position: SourcePosition, value: string, offset: number): number {
  const before = value.slice(0, offset).split('\n');
  let start = contentStart(text, position);
  for (let line = 1; line < before.length; line++) start = text.indexOf('\n', start) + 1;
  const end = text.indexOf('\n', start);
  const source = text.slice(start, end === -1 ? text.length : end).replace(/\r$/, '');
  const line = value.slice(offset - before.at(-1)!.length).split('\n', 1)[0]!;
  return start + Math.max(0, source.length - line.length) + before.at(-1)!.length;
}

function contentStart(text: string, position: SourcePosition): number {
  if (position.style === 'single' || position.style === 'double') return position.start + 1;
  if (position.style !== 'block') return position.start;
  const line = text.indexOf('\n', position.start);
  return line === -1 ? position.end : line + 1;
}

function after(text: string, from: number, char: string, position: SourcePosition): number {
  const at = skipTo(text, from, char, position);
  if (position.style === 'double' && text[at] === '\\') return at + escapeLength(text, at);
  if (position.style === 'single' && char === "'") return at + 2;
  if (isBlank(text[at]) && text[at] !== char) return skipBlank(text, at, position.end);
  return at + 1;
}

function skipTo(text: string, from: number, char: string | undefined, position: SourcePosition): number {
  if (char === undefined || text[from] === char || !isBlank(text[from])) return from;
  return isBlank(char) ? from : skipBlank(text, from, position.end);
}

function skipBlank(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(text[at])) at++;
  return at;
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\n' || char === '\r' || char === '\t';
}

function escapeLength(text: string, at: number): number {
  const kind = text[at + 1];
  if (kind === 'x') return 4;
  if (kind === 'u') return 6;
  return kind === 'U' ? 10 : 2;
}
