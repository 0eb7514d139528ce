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
    ? c.located(node, (ev, slots) => {
        const given = options ? options(ev, slots) : type.options;
        const converted = convert(ev, value(ev, slots), type, options ? readOptions(given) : {});
        return given instanceof DwObject ? new Annotated(converted, null, given) : converted;
      })
    : c.located(node, (ev, slots) =>
        convert(ev, value(ev, slots), type, options ? readOptions(options(ev, slots)) : {}),
      );
  return typed(code, type.mask);
}

/** `value is Type`. */
export function compileTypeTest(c: Compiler, node: NodeOf<'is'>, names: Names): Typed {
  const value = c.code(node.value, names, null, true);
  const type = resolveType(c, node.type, names);
  return typed((ev, slots) => type.accepts(value(ev, slots)), T.Boolean);
}
