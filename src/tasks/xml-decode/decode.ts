import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { copy, isObject, type Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import { xmlFault } from './well-formed.js';

const parser = new XMLParser({
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  textNodeName: '#text',
  // What looks like a number may be an article's; what it is, a mapper knows.
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: true,
  ignoreDeclaration: true,
  ignorePiTags: true,
  // No names but those of XML itself; with an object here, `&#65;` is read too.
  htmlEntities: {} as unknown as boolean,
  // The tree is built by recursion.
  maxNestedTags: 200,
  // What it gives is copied to objects without a prototype.
  onDangerousProperty: (name) => name,
});

/**
 * An XML text as JSON, or a refusal. Documents with a DTD are refused: nothing of ours reads one, and entities are declared there. A lenient
 * reading, for runs that began with one, takes what the library takes.
 */
export function decodeXml(text: string, isLenient = false): Json {
  if (/<!DOCTYPE/i.test(text)) refuseXml('A document type is not allowed.');
  const checked = XMLValidator.validate(text);
  if (checked !== true) {
    const { msg, line, col } = checked.err;
    refuseXml(`Line ${line}${col === undefined ? '' : `, column ${col}`}: ${msg}`);
  }
  const fault = isLenient ? undefined : xmlFault(text);
  if (fault !== undefined) refuseXml(fault);
  const decoded = parsed(text);
  if (!isLenient && hasSeveralRoots(decoded)) refuseXml('There is more than one root element.');
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

/** The library quotes what it stumbled over, which may be most of the text. */
const longestReason = 300;

function refuseXml(detail: string): never {
  return refuse('XML_DECODE_PARSE', detail.length > longestReason ? `${detail.slice(0, longestReason)}…` : detail);
}
