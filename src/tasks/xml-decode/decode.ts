import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { copy, type Json } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';

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

/** An XML text as JSON, or a refusal. Documents with a DTD are refused: nothing of ours reads one, and entities are declared there. */
export function decodeXml(text: string): Json {
  if (/<!DOCTYPE/i.test(text)) refuseXml('A document type is not allowed.');
  const checked = XMLValidator.validate(text);
  if (checked !== true) refuseXml(`${checked.err.msg} (line ${checked.err.line}, column ${checked.err.col})`);
  try {
    return copy(parser.parse(text) as Json);
  } catch (error) {
    return refuseXml(error instanceof Error ? error.message : String(error));
  }
}

function refuseXml(detail: string): never {
  return refuse('XML_DECODE_PARSE', detail);
}
