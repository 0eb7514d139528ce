import type { NodeOf } from '../parse/ast.js';
import { readLiteral } from '../runtime/dates/read.js';
import { Fault } from '../runtime/fault.js';
import { parseNumber } from '../runtime/numbers.js';
import { makeRegex, regexProblem } from '../runtime/regex.js';
import { textOrNull, toText } from '../runtime/text.js';
import { T, typeName, type Value } from '../runtime/values.js';
import { neverText } from './check.js';
import type { Compiler } from './compiler.js';
import type { Names } from './names.js';
import { type Typed, typed, unknown } from './typed.js';

/** A number, with all its digits. */
export function compileNumber(c: Compiler, node: NodeOf<'number'>): Typed {
  let value: Value = null;
  try {
    value = parseNumber(node.text, 1_000);
  } catch {
    value = null;
  }
  if (value === null) throw c.error(node, 'DW_UNSUPPORTED_SYNTAX', 'The number has too many digits');
  return typed(() => value, T.Number);
}

/** A date, time or period between bars. */
export function compileTemporal(c: Compiler, node: NodeOf<'temporal'>): Typed {
  const value = readLiteral(node.text);
  if (!value) throw c.error(node, 'DW_PARSE_ERROR', 'This is not a date, time or period');
  return typed(() => value, value.bits);
}

/** A regular expression between slashes. */
export function compileRegex(c: Compiler, node: NodeOf<'regex'>): Typed {
  const problem = regexProblem(node.source);
  if (problem) throw c.error(node, 'DW_UNSUPPORTED_SYNTAX', problem);
  const value = makeRegex(node.source);
  return typed(() => value, T.Regex);
}

/** Text with values inside it. */
export function compileTemplate(c: Compiler, node: NodeOf<'template'>, names: Names): Typed {
  let mask: number = T.String;
  const parts = node.parts.map((part) => {
    const made = c.compile(part, names);
    if (unknown(made.mask)) mask = T.Any;
    c.refuseIf(neverText(made.mask), part, 'This has no text');
    return made.code;
  });
  const code = c.located(node, (ev, slots) => {
    let out = '';
    for (const part of parts) {
      const value = part(ev, slots);
      out += typeof value === 'string' ? value : interpolated(value);
    }
    ev.text(out.length);
    return out;
  });
  return typed(code, mask);
}

/** The text of a value between quotes: `default` rescues a missing one, not one that has no text. */
function interpolated(value: Value): string {
  if (value !== null && textOrNull(value) === null)
    throw new Fault(
      'DW_TYPE_MISMATCH',
      `A value of type ${typeName(value)} has no text`,
      false,
      'UnsupportedTypeCoercionException',
    );
  return toText(value);
}
