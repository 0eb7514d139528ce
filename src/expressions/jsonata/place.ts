/** Line and column (from 1) of an offset in `source`, as the extras of a problem; empty when there is none. */
export function place(source: string, offset: number | undefined): { line?: number; column?: number } {
  if (offset === undefined || !Number.isInteger(offset)) return {};
  const before = source.slice(0, Math.max(0, offset));
  const line = before.split('\n').length;
  return { line, column: before.length - before.lastIndexOf('\n') };
}
