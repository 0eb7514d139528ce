import { isDeepStrictEqual } from 'node:util';
import { parseWithNodes } from '../../../src/document/parse.js';
import { plainYaml } from '../../../src/document/plain-yaml.js';
import { mulberry, pick, type Random } from './mutate.js';

/** How the quick reading of plain YAML compares with the library. */
export interface Comparison {
  texts: number;
  /** How many of them were plain. */
  plain: number;
  /** Texts that were read as plain YAML, and that the library reads otherwise or finds a fault in. */
  disagreements: string[];
}

/** Parts of `documents` with small changes, and lines that do not belong together: some of them plain YAML, most of them hardly YAML. */
export function comparePlainYaml(documents: readonly string[], count: number, seed = 1): Comparison {
  const random = mulberry(seed);
  const out: Comparison = { texts: count, plain: 0, disagreements: [] };
  for (let i = 0; i < count; i++) {
    const text = random() < 0.3 ? anyLines(random) : changedPart(pick(documents, random), random);
    const verdict = agrees(text);
    if (verdict !== undefined) out.plain++;
    if (verdict === false) out.disagreements.push(text);
  }
  return out;
}

/** Whether the library gives a text the same value, in the same order, and finds no fault; undefined for a text that is not plain. */
export function agrees(text: string): boolean | undefined {
  const value = plainYaml(text);
  if (value === undefined) return undefined;
  const library = parseWithNodes(text, false);
  const same = isDeepStrictEqual(value, library.value) && JSON.stringify(value) === JSON.stringify(library.value);
  return same && library.problems.length === 0;
}

// biome-ignore format: one to a line would be a page
const marks = [' ', '  ', '\n', '\n  ', '\n ', ':', ': ', '-', '- ', '?', ',', '{', '}', '[', ']', '"', "'", '#', ' #', '|\n', '>-\n', '|2\n'];
// biome-ignore format: one to a line would be a page
const words = ['~', 'null', 'yes', 'on', '0', '-0', '1.', '.5', '1e3', '0x1', '0o7', '00', '1_0', '12:30', '2024-01-01', '.inf', '1.0.0', '5m'];
// biome-ignore format: one to a line would be a page
const others = ['&a ', '*a', '!!str ', '<<: ', '@', '`', '%', '\\', '\\n', '\\x41', '---\n', '...\n', '\t', '\r\n', '__proto__', 'é', '\u{1f600}'];
const insertions = [...marks, ...words, ...others];
const indents = ['', '', '', '  ', '  ', '    ', '      ', ' ', '   '];
// biome-ignore format: one to a line would be a page
const lines = [
  'a:', 'b:', 'c c:', 'd: x', 'e: |', 'f: >', 'g: >-', '- a', '- b: c', '- - x', '-', '- {', '- [a, b]', '- |', '- # c', '- k:', '# c', '',
  'h: { a: 1, b: [x, y] }', 'i: [', 'j: {', 'k: { a: [', '],', '}', ']', '},', '] }', 'x: y,', 'text here', 'l: "q"', "m: 'it''s'", 'n: 1 # c',
  '"o": p', "'q': r", 's:   t', 'u: []', 'v: ~', 'w: [a,', 'b,', 'c]', 'd }', '{', '{ a: b }', '"text"', '|', 'aa: [a: b]', 'bb: a{b', 'cc: "a" b',
  'dd: "a"#b', 'ee:#b', 'ff : g', 'hh: a, b', 'ii: ["a"b]', 'jj: [-1, -a]', 'kk: [a:b, c]', 'll: { a: , b: c }', 'mm: {"x":1}', 'nn: [a #b', 'oo: a:',
];

function anyLines(random: Random): string {
  return Array.from(
    { length: 1 + Math.floor(random() * 6) },
    (_, i) => `${i === 0 ? '' : pick(indents, random)}${pick(lines, random)}${random() < 0.05 ? '  ' : ''}\n`,
  ).join('');
}

function changedPart(document: string, random: Random): string {
  const all = document.split('\n');
  const length = 2 + Math.floor(random() * 14);
  const start = Math.floor(random() * Math.max(1, all.length - length));
  const part = all.slice(start, start + length);
  const margin = Math.min(...part.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  let text = part.map((line) => `${line.slice(Number.isFinite(margin) ? margin : 0)}\n`).join('');
  for (let rounds = Math.floor(random() * 4); rounds > 0; rounds--) text = changed(text, random);
  return text.endsWith('\n') || random() < 0.1 ? text : `${text}\n`;
}

function changed(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const all = text.split('\n');
  const line = Math.floor(random() * all.length);
  switch (Math.floor(random() * 7)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 4));
    case 1:
      return all.toSpliced(line, 1).join('\n');
    case 2:
      return all.toSpliced(line, 0, pick(all, random)).join('\n');
    case 3:
      return all.with(line, `${' '.repeat(1 + Math.floor(random() * 3))}${all[line]}`).join('\n');
    case 4:
      return all.with(line, all[line]!.replace(/^ {1,2}/, '')).join('\n');
    default:
      return text.slice(0, at) + pick(insertions, random) + text.slice(at);
  }
}
