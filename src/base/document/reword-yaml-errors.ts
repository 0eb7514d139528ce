import type { YAMLError } from 'yaml';
import type { Code } from '../problems/registry.js';

/** A YAML syntax error in our own words, its position, and a hint. */
export interface YamlFault {
  code: Code;
  message: string;
  offset: number;
  hint?: string;
  /** True if later errors only follow from this one. */
  last?: true;
}

const column = 'Fields of one level start in the same column. Use two spaces per level.';

/** Rewords an error of the YAML library for readers who do not know YAML's grammar. `opened`: the start of an unclosed quote. */
export function yamlFault(text: string, { code, message, pos: [offset] }: YAMLError, opened?: number): YamlFault {
  const found = text.slice(offset).match(/^\S+/)?.[0].slice(0, 30) ?? '';
  switch (code) {
    case 'TAB_AS_INDENT':
      return { code: 'DOC_YAML_TAB', message: 'Tabs cannot be used to indent.', offset, last: true };
    case 'BAD_INDENT':
      return badIndent(text, message, offset);
    case 'BLOCK_AS_IMPLICIT_KEY':
      return nested(text, offset);
    case 'MULTILINE_IMPLICIT_KEY':
      return noColon(offset);
    case 'MISSING_CHAR':
      return missing(text, message, offset, opened);
    case 'BAD_SCALAR_START':
      return parse(`An unquoted text cannot start with ${text[offset]}.`, offset, 'Put the whole text in quotes.');
    case 'BAD_DQ_ESCAPE':
      return parse(
        `${message.replace(/^Invalid escape sequence /, '')} means nothing in double quotes.`,
        offset,
        'Use single quotes, in which a backslash is a backslash, or write it twice.',
      );
    case 'BLOCK_IN_FLOW':
      return parse(
        'A comma is missing between the members of { } or [ ], or a text with a colon has no quotes.',
        offset,
        'Separate members with commas; put a text that holds a colon in quotes.',
        true,
      );
    case 'UNEXPECTED_TOKEN':
      return parse(
        `${JSON.stringify(found)} stands after the end of the value before it.`,
        offset,
        'Put the whole text in quotes; inside single quotes, an apostrophe is written twice.',
        true,
      );
    default:
      return parse(/[.!?]$/.test(message) ? message : `${message}.`, offset);
  }
}

function parse(message: string, offset: number, hint?: string, last?: true): YamlFault {
  return { code: 'DOC_PARSE', message, offset, ...(hint !== undefined && { hint }), ...(last && { last }) };
}

function badIndent(text: string, message: string, offset: number): YamlFault {
  const close = /end with a (\S)$/.exec(message)?.[1];
  if (close !== undefined)
    return parse(
      `A ${close} is missing before this line.`,
      offset,
      `Close what ${close === '}' ? '{' : '['} opened.`,
      true,
    );
  const at = offset + (/^ */.exec(text.slice(offset))?.[0].length ?? 0);
  return parse('This line is indented like none of those that it could belong to.', at, column, true);
}

/** A key inside a value: on a line that is indented too far, or after a colon in the text itself. */
function nested(text: string, offset: number): YamlFault {
  const end = text.indexOf('\n', offset);
  const rest = text.slice(offset, end === -1 ? text.length : end);
  const dash = /^ *- /.exec(rest)?.[0].length;
  if (dash !== undefined)
    return parse(
      'A dash begins an entry of a list, and the lines above it are fields.',
      offset + dash - 2,
      'Write the name of a field, without the dash; or begin all of them with a dash.',
      true,
    );
  const colon = rest.indexOf(': ');
  if (colon !== -1 || rest.endsWith(':'))
    return parse(
      'The value holds a colon and a space, which begin another value.',
      offset,
      'Put the whole text in quotes.',
      true,
    );
  const below = /\n( *)\S/.exec(text.slice(end));
  const at = below ? end + below.index + 1 + below[1]!.length : offset;
  return parse('This line is indented further than the one above it, which is complete.', at, column, true);
}

function missing(text: string, message: string, offset: number, opened: number | undefined): YamlFault {
  if (message.startsWith('Missing closing'))
    return parse('The quote that begins here is not closed.', opened ?? Math.max(0, text.length - 1), undefined, true);
  if (message.includes('without - indicator'))
    return parse('This line is indented like an entry of the list above it and has no dash.', offset, column, true);
  if (message.startsWith('Implicit map keys')) return noColon(offset);
  return parse(`${message}.`, offset, undefined, true);
}

function noColon(offset: number): YamlFault {
  return parse('This line has no colon and space after its key.', offset, 'Write it as `key: value`.', true);
}
