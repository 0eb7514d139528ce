import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  visit,
} from 'yaml';
import { jsonFault } from '../json/find-json-syntax-error.js';
import { escapePointer } from '../json/pointer.js';
import { emptyObject, type Json } from '../json/value.js';
import type { Code } from '../problems/registry.js';
import { yamlFault } from './reword-yaml-errors.js';
import { Lines } from './source-positions.js';

const truthy = /^(yes|no|on|off)$/i;
const timestamp = /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\S.*)?$/;
const sexagesimal = /^[-+]?\d+(:[0-5]?\d)+(\.\d*)?$/;
const leadingZero = /^[-+]?0\d+$/;
const notJson = /^[-+]?\.(inf|nan)$/i;

/**
 * The reason why YAML readers disagree about an unquoted scalar; undefined if they agree. The language accepts unquoted text only
 * if it cannot be mistaken for something else.
 */
function ambiguousPlain(node: Scalar): string | undefined {
  if (node.type !== 'PLAIN') return undefined;
  const text = node.source ?? '';
  if (truthy.test(text)) return `${text} is a boolean to some YAML readers and text to others.`;
  if (timestamp.test(text)) return `${text} is a date to some YAML readers and text to others.`;
  if (sexagesimal.test(text)) return `${text} is a base-60 number to some YAML readers and text to others.`;
  if (leadingZero.test(text)) return `${text} is an octal number to some YAML readers and decimal to others.`;
  if (notJson.test(text)) return `${text} has no JSON form.`;
  return undefined;
}

/** A parsed text: its value, the nodes that locate its parts, and its syntax errors. */
export interface Source {
  lines: Lines;
  /** The root node; `positionAt` finds values in it. */
  root: Node | null;
  value: Json | undefined;
  problems: SourceProblem[];
  /** True for a text that contains only blanks and comments; also reported as a problem. */
  empty?: true;
}

export interface SourceProblem {
  code: Code;
  message: string;
  pointer: string;
  offset: number;
  /** Replaces the hint of the code. */
  hint?: string;
}

/** Limits that make a hostile document cheap to reject; a journey is about a page of text. */
export const documentLimits = { characters: 500_000, depth: 100, nodes: 100_000 };

/** Reads YAML (our subset) or JSON into plain data with the position of every value. Never throws. */
export function parseSource(raw: string, path = ''): Source {
  // Editors do not show a byte order mark, so columns do not count it.
  const text = raw.startsWith('\uFEFF') ? raw.slice(1) : raw;
  const json = /\.json$/i.test(path);
  const source: Source = { lines: new Lines(text), root: null, value: undefined, problems: [] };
  const refuse = (code: Code, message: string, offset = 0) => {
    source.problems.push({ code, message, pointer: '', offset });
    return source;
  };
  if (text.length > documentLimits.characters)
    return refuse(
      'DOC_TOO_LARGE',
      `The document has ${text.length} characters; at most ${documentLimits.characters} are read.`,
    );
  const tooDeep = deepAt(text);
  if (tooDeep !== undefined)
    return refuse('DOC_TOO_DEEP', `Nested deeper than ${documentLimits.depth} levels.`, tooDeep);
  if (json) {
    const fault = faultOf(text);
    if (fault) return refuse('DOC_PARSE', `JSON expects ${fault.expected} here.`, fault.offset);
  }
  try {
    readYaml(text, json, source);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return refuse('DOC_TOO_DEEP', `Nested deeper than ${documentLimits.depth} levels.`);
  }
  return source;
}

function readYaml(text: string, json: boolean, source: Source): void {
  const documents = parseAllDocuments(text, { uniqueKeys: false, prettyErrors: false, schema: 'core', merge: false });
  const [first, second] = 'empty' in documents ? [] : documents;
  if (!first || (first.errors.length === 0 && first.contents === null)) {
    source.problems.push({ code: 'DOC_PARSE', message: 'The document is empty.', pointer: '', offset: 0 });
    source.empty = true;
    return;
  }
  if (second)
    source.problems.push({
      code: 'DOC_MULTIPLE',
      message: 'The file contains several YAML documents.',
      pointer: '',
      offset: second.range[0],
    });
  const seen = new Set<number>();
  for (const error of first.errors) {
    const { last, ...fault } = yamlFault(text, error, openQuote(first, text, error.pos[0]));
    if (seen.has(fault.offset)) continue;
    seen.add(fault.offset);
    source.problems.push({ ...fault, pointer: '' });
    // A misplaced line makes the lines after it look misplaced too.
    if (last) break;
  }
  source.root = first.contents;
  const known = source.problems.length;
  const walk = new Walk(text, json, source);
  const value = walk.read(first.contents, '', 0);
  if (first.errors.length === 0) source.value = value;
  // Misplaced lines misplace keys.
  else source.problems = source.problems.filter(({ code }, i) => i < known || !ofKeys.includes(code));
  if (!json) walk.tabs();
}

/** The problems that `Walk` reports about keys. */
const ofKeys: readonly Code[] = ['DOC_KEY', 'DOC_DUPLICATE_KEY'];

/** The start of the last quoted text before `end`, which is the one that is not closed there. */
function openQuote(document: Document.Parsed, text: string, end: number): number | undefined {
  let at: number | undefined;
  visit(document, {
    Scalar: (_, { range }) => {
      if (range && range[0] < end && /["']/.test(text[range[0]]!) && range[0] >= (at ?? 0)) at = range[0];
    },
  });
  return at;
}

class Walk {
  private readonly scalars: [number, number][] = [];
  private nodes = 0;

  constructor(
    private readonly text: string,
    private readonly json: boolean,
    private readonly source: Source,
  ) {}

  read(node: Node | null, pointer: string, depth: number): Json {
    if (depth > documentLimits.depth || ++this.nodes > documentLimits.nodes) throw new RangeError('document too large');
    if (node === null) return null;
    const start = node.range?.[0] ?? 0;
    if (isAlias(node)) return this.refuse('DOC_YAML_ANCHOR', 'Aliases are not part of the language.', pointer, start);
    if (node.anchor) {
      const at = this.before(`&${node.anchor}`, start);
      this.refuse('DOC_YAML_ANCHOR', `The anchor &${node.anchor} is not part of the language.`, pointer, at);
    }
    if (node.tag)
      this.refuse('DOC_YAML_TAG', `The tag ${node.tag} is not part of the language.`, pointer, this.before('!', start));
    if (isMap(node)) return this.map(node.items as Pair<Node, Node | null>[], pointer, depth);
    if (isSeq(node)) return node.items.map((item, i) => this.read(item as Node | null, `${pointer}/${i}`, depth + 1));
    return this.scalar(node as Scalar, pointer, start);
  }

  private map(items: Pair<Node, Node | null>[], pointer: string, depth: number): Json {
    const out = emptyObject();
    for (const { key: node, value } of items) {
      const at = node?.range?.[0] ?? 0;
      if (!isScalar(node)) {
        this.refuse('DOC_KEY', 'A key must be a plain name.', pointer, at);
        continue;
      }
      const key = keyText(node);
      const inner = `${pointer}/${escapePointer(key)}`;
      // The key `on` is a field of the language, and readers of YAML 1.2 agree about it.
      const ambiguous = this.json || key === 'on' ? undefined : ambiguousPlain(node);
      // An escape can write half of a surrogate pair, which neither URLs nor Temporal's names accept.
      if (/\p{Surrogate}/u.test(key))
        this.refuse('DOC_KEY', 'A key must not contain half of a surrogate pair.', inner, at);
      if (ambiguous && typeof node.value === 'string') this.refuse('DOC_YAML_IMPLICIT_TYPE', ambiguous, inner, at);
      if (node.anchor) this.refuse('DOC_YAML_ANCHOR', 'Anchors are not part of the language.', inner, at);
      if (Object.hasOwn(out, key)) this.refuse('DOC_DUPLICATE_KEY', `The key "${key}" appears twice.`, inner, at);
      else out[key] = this.read(value, inner, depth + 1);
    }
    return out;
  }

  private scalar(node: Scalar, pointer: string, start: number): Json {
    this.scalars.push([start, node.range?.[1] ?? start]);
    const ambiguous = this.json ? undefined : ambiguousPlain(node);
    if (ambiguous) this.refuse('DOC_YAML_IMPLICIT_TYPE', ambiguous, pointer, start);
    const value = node.value;
    if (!ambiguous && typeof value === 'number' && !exact(value, node.source))
      this.refuse('DOC_NUMBER', `The number ${node.source} cannot be represented exactly.`, pointer, start);
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
    return typeof value === 'number' && Number.isFinite(value) ? value : null;
  }

  /** Reports tabs as indentation: YAML forbids them in blocks, the language everywhere except inside a text. */
  tabs(): void {
    const blankRest = /[ \t\r]*(\n|$)/y;
    const reported = new Set(this.source.problems.map(({ offset }) => offset));
    let next = 0;
    for (const match of this.text.matchAll(/^ *\t/gm)) {
      const at = match.index + match[0].length - 1;
      while (next < this.scalars.length && this.scalars[next]![1] <= at) next++;
      blankRest.lastIndex = at;
      if (blankRest.test(this.text) || (this.scalars[next]?.[0] ?? Number.POSITIVE_INFINITY) <= at) continue;
      if (!reported.has(at)) this.refuse('DOC_YAML_TAB', 'Tabs cannot be used to indent.', '', at);
    }
  }

  /** The start of a node's anchor or tag, which is written before it: the last `mark` that starts a word. */
  private before(mark: string, start: number): number {
    let at = this.text.lastIndexOf(mark, start);
    while (at > 0 && !/[\s,[{:-]/.test(this.text[at - 1]!)) at = this.text.lastIndexOf(mark, at - 1);
    return at === -1 ? start : at;
  }

  private refuse(code: Code, message: string, pointer: string, offset: number): null {
    this.source.problems.push({ code, message, pointer, offset });
    return null;
  }
}

/** A key as text: as written if it reads as a number, boolean or null. */
export function keyText(node: Scalar): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

function exact(value: number, source: string | undefined): boolean {
  if (!Number.isFinite(value)) return false;
  return !/^[-+]?\d+$/.test(source ?? '') || Number.isSafeInteger(value);
}

/** The offset where brackets nest too deeply; a cheap guard before a recursive parser sees the text. */
function deepAt(text: string): number | undefined {
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 91 || char === 123) depth++;
    else if ((char === 93 || char === 125) && depth > 0) depth--;
    if (depth > documentLimits.depth * 10) return i;
  }
  return undefined;
}

function faultOf(text: string): { expected: string; offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return jsonFault(text);
  }
}
