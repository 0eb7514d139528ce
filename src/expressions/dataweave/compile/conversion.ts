import type { NodeOf } from '../parse/ast.js';
import { convert, readOptions } from '../runtime/coerce.js';
import { Annotated, DwObject, T } from '../runtime/values.js';
import type { Compiler } from './compiler.js';
import type { Names } from './names.js';
import { resolveType } from './type.js';
import { type Typed, typed } from './typed.js';

/** `value as Type {…}`. */
export function compileConversion(c: Compiler, node: NodeOf<'as'>, names: Names): Typed {
  const value = c.code(node.value, names);
  const type = resolveType(c, node.type, names);
  const options = node.options ? c.code(node.options, names) : null;
  const code = c.ast.annotates
    ? c.located(node, (ev, frame) => {
        const given = options ? options(ev, frame) : type.options;
        const converted = convert(ev, value(ev, frame), type, options ? readOptions(given) : {});
        return given instanceof DwObject ? new Annotated(converted, null, given) : converted;
      })
    : c.located(node, (ev, frame) =>
        convert(ev, value(ev, frame), type, options ? readOptions(options(ev, frame)) : {}),
      );
  return typed(code, type.mask);
}

/** `value is Type`. */
export function compileTypeTest(c: Compiler, node: NodeOf<'is'>, names: Names): Typed {
  const value = c.code(node.value, names, null, true);
  const type = resolveType(c, node.type, names);
  return typed((ev, frame) => type.accepts(value(ev, frame)), T.Boolean);
}
