import { type Definition, overload } from '../runtime/dispatch.js';
import type { Evaluation } from '../runtime/evaluation.js';
import { textOrNull } from '../runtime/text.js';
import { DwObject, fieldOf, isObjectValue, keyList, T, type Value, valueList } from '../runtime/values.js';
import type { Obj } from './collections.js';

/** The parts between semicolons that stand outside quotes. */
function sections(text: string): string[] {
  return (text.match(/(?:"(?:\\.|[^"\\])*"|[^;"]|")+/g) ?? []).map((it) => it.trim()).filter((it) => it !== '');
}

function parameters(parts: readonly string[]): DwObject {
  const out = new DwObject();
  for (const part of parts) {
    const at = part.indexOf('=');
    if (at === -1) continue;
    const value = part.slice(at + 1).trim();
    out.add(part.slice(0, at).trim(), /^".*"$/.test(value) ? value.slice(1, -1).replace(/\\(.)/g, '$1') : value);
  }
  return out;
}

function fromString(ev: Evaluation, text: string): Value {
  ev.charge(text.length);
  const [first = '', ...rest] = sections(text);
  const slash = first.indexOf('/');
  if (slash === -1) {
    const error = new DwObject(['message'], [`Unable to find a sub type in \`${text}\`.`]);
    return new DwObject(['success', 'error'], [false, error]);
  }
  const [type, subtype] = [first.slice(0, slash), first.slice(slash + 1)].map((it) => it.trim().toLowerCase());
  const mime = new DwObject(['type', 'subtype', 'parameters'], [type!, subtype!, parameters(rest)]);
  return new DwObject(['success', 'result'], [true, mime]);
}

function part(mime: Obj, name: string): string {
  return textOrNull(fieldOf(mime, name) ?? null) ?? '';
}

function isHandledBy(_ev: Evaluation, handler: Obj, mime: Obj): Value {
  const [type, subtype] = [part(handler, 'type'), part(handler, 'subtype')];
  const other = part(mime, 'subtype');
  if (type !== '*' && type !== part(mime, 'type')) return false;
  if (subtype === '*' || subtype === other) return true;
  return subtype.startsWith('*+') && other.endsWith(subtype.slice(1));
}

function mimeText(_ev: Evaluation, mime: Obj): Value {
  const given = fieldOf(mime, 'parameters') ?? null;
  const values = isObjectValue(given) ? valueList(given) : [];
  const names = isObjectValue(given) ? keyList(given) : [];
  const tail = names.map((name, i) => {
    const value = textOrNull(values[i]!) ?? '';
    return `;${name}=${/^[\w!#$%&'*+.^`|~-]+$/.test(value) ? value : JSON.stringify(value)}`;
  });
  return `${part(mime, 'type')}/${part(mime, 'subtype')}${tail.join('')}`;
}

/** dw::module::Mime. */
export const mimeFunctions: readonly Definition[] = [
  ['fromString', overload([T.String], fromString)],
  ['isHandledBy', overload([T.Object, T.Object], isHandledBy)],
  ['toString', overload([T.Object], mimeText)],
];
