import type { Finding } from '../problems/problem.js';
import { type CodeEntry, registry } from '../problems/registry.js';
import type { Source } from './parse.js';
import type { LineColumn, Position } from './positions.js';

/** The position of the value at `pointer`, or of the nearest value around it; `own` tells which. */
export function positionAt({ positions }: Source, pointer: string): { position: Position; own: boolean } | undefined {
  for (let at = pointer; ; at = at.slice(0, at.lastIndexOf('/'))) {
    const position = positions.get(at);
    if (position) return { position, own: at === pointer };
    if (at === '') return undefined;
  }
}

/** Line and column of the value at `pointer`, or of its key where it has one. */
export function lineColumnAt(source: Source, pointer: string): LineColumn {
  const { position } = positionAt(source, pointer) ?? {};
  return source.lines.at(position?.key ?? position?.start ?? 0);
}

/** What is wrong with the text itself, as findings. */
export function sourceFindings({ problems, lines }: Source): Finding[] {
  return problems.map(({ code, message, pointer, offset, hint: own }) => {
    const entry: CodeEntry = registry[code];
    const hint = own ?? entry.hint;
    return {
      code,
      severity: 'error',
      message,
      pointer,
      ...lines.at(offset),
      ...(hint === undefined ? {} : { hint }),
    };
  });
}
