import { type Document, isMap, isPair, isScalar, isSeq, parseDocument, visit } from 'yaml';

/** A random source that a seed determines. */
export type Random = () => number;

/** Small, fast and good enough for choosing mutations. */
export function mulberry(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const oddValues = [
  null,
  true,
  0,
  -1,
  1.5,
  '',
  ' ',
  'x',
  '__proto__',
  'constructor',
  '${',
  '${context.a}',
  'P1D',
  [],
  {},
  [null],
  { type: 'wait' },
  '\u0000',
];
const oddText = [
  '\t',
  '\n',
  ': ',
  '- ',
  '{',
  '}',
  '[',
  ']',
  '&a ',
  '*a',
  '!!str ',
  '"',
  "'",
  '|',
  '>',
  '#',
  '---\n',
  '\u0000',
  '\ud800',
  '  ',
  '%',
  '@',
  '?',
];

/** A mutated document: changed in its text, or in its structure so that it stays well-formed. */
export function mutate(text: string, random: Random): string {
  const rounds = 1 + Math.floor(random() * 3);
  let out = text;
  for (let i = 0; i < rounds; i++) out = random() < 0.35 ? mutateText(out, random) : mutateStructure(out, random);
  return out;
}

/** Any one of them. */
export function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)]!;
}

function mutateText(text: string, random: Random): string {
  const at = Math.floor(random() * text.length);
  const lines = text.split('\n');
  const line = Math.floor(random() * lines.length);
  switch (Math.floor(random() * 6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 8));
    case 1:
      return text.slice(0, at) + pick(oddText, random) + text.slice(at);
    case 2:
      return text.slice(0, at);
    case 3:
      return lines.toSpliced(line, 1).join('\n');
    case 4:
      return lines.toSpliced(line, 0, lines[line]!).join('\n');
    default:
      return lines.toSpliced(line, 1, `${random() < 0.5 ? '  ' : ''}${lines[line]!.replace(/^ {2}/, '')}`).join('\n');
  }
}

function mutateStructure(text: string, random: Random): string {
  let document: Document;
  try {
    document = parseDocument(text, { uniqueKeys: false });
  } catch {
    return mutateText(text, random);
  }
  const pairs: { value: unknown; key: unknown }[] = [];
  const lists: { items: unknown[] }[] = [];
  const maps: { items: unknown[] }[] = [];
  visit(document, (_, node) => {
    if (isPair(node)) pairs.push(node);
    if (isSeq(node)) lists.push(node as { items: unknown[] });
    if (isMap(node)) maps.push(node as { items: unknown[] });
  });
  if (pairs.length === 0) return mutateText(text, random);
  const pair = pick(pairs, random);
  const names = pairs.flatMap(({ key }) => (isScalar(key) ? [String(key.value)] : []));
  switch (Math.floor(random() * 6)) {
    case 0:
      pair.value = document.createNode(pick(oddValues, random));
      break;
    case 1:
      pair.key = document.createNode(pick(names, random));
      break;
    case 2:
      pair.value = document.createNode(pick(names, random));
      break;
    case 3: {
      const map = pick(maps, random);
      map.items.splice(Math.floor(random() * map.items.length), 1);
      break;
    }
    case 4: {
      const other = pick(pairs, random);
      [pair.value, other.value] = [other.value, pair.value];
      break;
    }
    default: {
      const list = lists.length > 0 ? pick(lists, random) : undefined;
      list?.items.splice(Math.floor(random() * list.items.length), 1);
    }
  }
  try {
    return document.toString();
  } catch {
    return text;
  }
}
