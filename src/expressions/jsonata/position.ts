/** Line and column (from 1) of a token, for a problem. JSONata gives the offset after the token; empty if it gives none. */
export function positionOf(source: string, position: number | undefined): { line?: number; column?: number } {
  if (position === undefined || !Number.isInteger(position)) return {};
  const before = source.slice(0, Math.max(0, position - 1));
  const line = before.split('\n').length;
  return { line, column: before.length - before.lastIndexOf('\n') };
}
