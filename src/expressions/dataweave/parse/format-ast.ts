import { positionOf } from '../source.js';
import type { Ast } from './ast.js';

/** The syntax tree as indented text, one node per line with its position. */
export function formatAst(ast: Ast): string {
  const lines: string[] = [];
  const walk = (value: unknown, label: string, depth: number): void => {
    if (Array.isArray(value)) {
      for (const [i, item] of value.entries()) walk(item, `${label}[${i}]`, depth);
      return;
    }
    if (typeof value !== 'object' || value === null) return;
    const fields = Object.entries(value).filter(([key]) => key !== 'start' && key !== 'end' && key !== 'kind');
    const { kind = '', start } = value as { kind?: string; start?: number };
    const scalars = fields.filter(([, it]) => it !== null && typeof it !== 'object');
    const at = start === undefined ? '' : ` @${Object.values(positionOf(ast.source, start)).join(':')}`;
    const attributes = scalars.map(([key, it]) => ` ${key}=${JSON.stringify(it)}`).join('');
    lines.push(`${'  '.repeat(depth)}${label ? `${label}: ` : ''}${kind}${attributes}${at}`);
    for (const [key, it] of fields) walk(it, key, depth + 1);
  };
  walk(ast.declarations, 'header', 0);
  walk(ast.body, '', 0);
  return lines.join('\n');
}
