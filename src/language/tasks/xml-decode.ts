import { XMLParser, XMLValidator } from 'fast-xml-parser';
import type { Place } from '../../base/document/placed-value.js';
import { describeType } from '../../base/document/read-fields.js';
import { fixed, part, shape, wordOf } from '../../base/document/schema-builders.js';
import { copy, isObject, type Json, own } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { timeless } from '../../base/time/time-scale.js';
import type { Target } from '../../engine/definition/definition.js';
import type { TaskRunner } from '../../engine/runner-interfaces.js';
import type { TaskHost } from '../../engine/task-host.js';
import { nothing } from '../analysis/cost/cost-counters.js';
import { readTarget } from '../read/read-mapper-target.js';
import { writing } from '../states/context-reads-and-writes.js';
import { none, type TaskKind } from './task-kind.js';

/** A decode, normalised. */
export type XmlDecodeTask = { kind: 'xmlDecode:v1'; sourceVar: string; target: Target };

/** JSON Schema of `xmlDecode:v1`. */
const schema = {
  ...shape(
    'Turns an XML text in the context into JSON.',
    {
      kind: fixed('xmlDecode:v1', 'The kind of task.'),
      sourceVar: part('identifier', 'The context field that holds the XML.'),
      target: shape('Where the JSON goes.', {
        kind: {
          ...wordOf('context (default): the place at path. var: the variable resultVar.', 'context', 'var'),
          default: 'context',
        },
        path: { type: 'string', description: 'A dot path into the context.' },
      }),
      resultVar: part('identifier', 'The context variable that takes the JSON.'),
    },
    ['kind', 'sourceVar'],
  ),
  examples: [
    { kind: 'xmlDecode:v1', sourceVar: 'xml', target: { kind: 'var' }, resultVar: 'invoice' },
    { kind: 'xmlDecode:v1', sourceVar: 'xml', target: { kind: 'context', path: 'order.invoice' } },
  ],
};

/** Characters per unit of work. */
const charactersPerUnit = 500;

/** Decodes within the run, without an effect. */
const run: TaskRunner<XmlDecodeTask> = {
  compute({ sourceVar, target }: XmlDecodeTask, host: TaskHost): void {
    const text = own(host.context, sourceVar);
    const xml = typeof text === 'string' ? text : refuse('XML_DECODE_PARSE', `context.${sourceVar} is not a text.`);
    host.spend(xml.length / charactersPerUnit);
    host.writeTarget(target, decodeXml(xml));
  },
};

/** Turns XML into JSON. */
export const xmlDecode: TaskKind<XmlDecodeTask> = {
  kind: 'xmlDecode:v1',
  isExtension: false,
  schema,
  read,
  run,
  effect: undefined,
  cost: () => nothing,
  caption: ({ sourceVar }) => `decodes XML in ${sourceVar}`,
  data: {
    ...writing(({ target }) => [target]),
    reads: ({ sourceVar }) => [{ name: sourceVar, at: 'task/sourceVar' }],
  },
  call: none,
  credential: none,
  scheduledStart: none,
  stops: none,
  failures: none,
  scale: timeless,
};

/** Reads the task block. */
function read(block: Place): XmlDecodeTask | undefined {
  const source = block.at('sourceVar');
  const named = typeof source.value === 'string' && /^[A-Za-z_][A-Za-z0-9_]*$/.test(source.value);
  if (!named)
    (source.value === undefined ? block : source).error(
      'XML_SOURCE',
      `sourceVar must be a variable name, not ${describeType(source.value)}.`,
    );
  if (block.at('target').at('kind').value === 'var' && !block.has('resultVar')) {
    block.error('XML_RESULTVAR', 'target.kind is var, but resultVar is missing.', undefined, 'key');
    return undefined;
  }
  const target = readTarget(block, ['context', 'var'], block.at('resultVar'), 'XML_TARGET');
  return named && target ? { kind: 'xmlDecode:v1', sourceVar: source.value as string, target } : undefined;
}

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  // Values stay texts: `007` may be an article number. A mapper can convert them.
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // Only the entities of XML itself. An object, so that numeric references such as `&#65;` are decoded too.
  htmlEntities: {} as unknown as boolean,
  // Bounds the recursion that builds the tree.
  maxNestedTags: 200,
  // Safe: the result is copied to objects without a prototype.
  onDangerousProperty: (name) => name,
});

/**
 * Converts an XML text to JSON. Documents with a DTD are refused: a DTD can declare entities, and nothing here needs one.
 */
function decodeXml(text: string): Json {
  if (/<!DOCTYPE/i.test(text)) refuseXml('A document type is not allowed.');
  const checked = XMLValidator.validate(text);
  if (checked !== true) {
    const { msg, line, col } = checked.err;
    refuseXml(`Line ${line}${col === undefined ? '' : `, column ${col}`}: ${msg}`);
  }
  const fault = xmlFault(text);
  if (fault !== undefined) refuseXml(fault);
  const decoded = parsed(text);
  if (hasSeveralRoots(decoded)) refuseXml('There is more than one root element.');
  return decoded;
}

function parsed(text: string): Json {
  try {
    return copy(parser.parse(text) as Json);
  } catch (error) {
    return refuseXml(error instanceof Error ? error.message : String(error));
  }
}

function hasSeveralRoots(decoded: Json): boolean {
  const roots = isObject(decoded) ? Object.values(decoded) : [];
  return roots.length !== 1 || Array.isArray(roots[0]);
}

/** The library quotes the part that it cannot parse, which may be most of the text. */
const longestReason = 300;

function refuseXml(detail: string): never {
  return refuse('XML_DECODE_PARSE', detail.length > longestReason ? `${detail.slice(0, longestReason)}…` : detail);
}

/** Delimiters of literal text, comments and processing instructions. */
const opaque = [
  ['<![CDATA[', ']]>'],
  ['<!--', '-->'],
  ['<?', '?>'],
] as const;

/** Returns a fault of the XML that the library overlooks: text after the root element, or an unknown entity. */
function xmlFault(text: string): string | undefined {
  const plain = withoutOpaque(text).trimEnd();
  if (!plain.endsWith('>')) return 'There is text after the root element.';
  for (const [reference] of plain.matchAll(/&[^;&<\s]{0,40};?/g))
    if (!isKnown(reference)) return `${reference} is not a known entity.`;
  return undefined;
}

function withoutOpaque(text: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const [open, close] = opaque.find(([mark]) => text.startsWith(mark, at)) ?? [];
    if (open === undefined || close === undefined) continue;
    const end = text.indexOf(close, at + open.length);
    if (end < 0) break;
    parts.push(text.slice(from, at));
    from = end + close.length;
    at = from - 1;
  }
  return [...parts, text.slice(from)].join('');
}

/** Whether a reference is one of the five entities of XML, or a character that XML allows. */
function isKnown(reference: string): boolean {
  if (/^&(?:lt|gt|amp|quot|apos);$/.test(reference)) return true;
  const [, hex, decimal] = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(reference) ?? [];
  const code = hex === undefined ? Number(decimal ?? Number.NaN) : Number.parseInt(hex, 16);
  if (code < 0x20) return code === 9 || code === 10 || code === 13;
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || (code >= 0x10000 && code <= 0x10ffff);
}
