import { typeFault } from '../runtime/evaluation-fault.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import { type FunctionDefinition, overload } from '../runtime/library-function-overloads.js';
import { builtinTypes, TypeValue } from '../runtime/type-values.js';
import { DwObject, T, type Value } from '../runtime/values.js';

function base(type: TypeValue): TypeValue {
  let it = type;
  while (it.target) it = it.target;
  return it;
}

function isNamed(kind: string): FunctionDefinition {
  return [
    `is${kind}Type`,
    overload(
      [T.Type],
      (_ev: Evaluation, type: TypeValue) => base(type).shape.kind !== 'literal' && base(type).name === kind,
    ),
  ];
}

function isShape(name: string, kind: string): FunctionDefinition {
  return [name, overload([T.Type], (_ev: Evaluation, type: TypeValue) => base(type).shape.kind === kind)];
}

function members(name: string, kind: 'union' | 'intersection'): FunctionDefinition {
  return [
    name,
    overload([T.Type], (_ev: Evaluation, type: TypeValue) => {
      const { shape } = base(type);
      if (shape.kind !== kind) throw typeFault(`The type is not ${kind === 'union' ? 'a union' : 'an intersection'}`);
      return [...(shape as { members: TypeValue[] }).members];
    }),
  ];
}

function functionShape(type: TypeValue) {
  const { shape } = base(type);
  if (shape.kind !== 'function') throw typeFault('The type is not a function');
  return shape;
}

const anyType = builtinTypes.get('Any')!;

function fieldsOf(_ev: Evaluation, type: TypeValue): Value {
  const { shape } = base(type);
  if (shape.kind !== 'object') return [];
  return shape.fields.map((it) => {
    const name = new DwObject(['localName', 'namespace'], [it.name ?? '_', null]);
    const key = new DwObject(['name', 'attributes'], [name, []]);
    return new DwObject(['key', 'required', 'repeated', 'value'], [key, !it.optional, it.repeated, it.type]);
  });
}

const kinds =
  'Any Array Binary Boolean Date DateTime Function Key LocalDateTime LocalTime Namespace Nothing Null Number Object Period Range Regex String Time TimeZone Type Uri';

/** Functions of dw::core::Types. */
export const typeFunctions: readonly FunctionDefinition[] = [
  ...kinds.split(' ').map(isNamed),
  isShape('isUnionType', 'union'),
  isShape('isIntersectionType', 'intersection'),
  isShape('isLiteralType', 'literal'),
  ['isReferenceType', overload([T.Type], (_ev: Evaluation, type: TypeValue) => type.reference)],
  ['arrayItem', overload([T.Type], (_ev: Evaluation, type: TypeValue) => base(type).args[0] ?? anyType)],
  ['nameOf', overload([T.Type], (_ev: Evaluation, type: TypeValue) => type.name)],
  [
    'baseTypeOf',
    overload([T.Type], (_ev: Evaluation, type: TypeValue) => builtinTypes.get(base(type).name) ?? base(type)),
  ],
  members('unionItems', 'union'),
  members('intersectionItems', 'intersection'),
  ['objectFields', overload([T.Type], fieldsOf)],
  [
    'literalValueOf',
    overload([T.Type], (_ev: Evaluation, type: TypeValue) => {
      const { shape } = base(type);
      if (shape.kind !== 'literal') throw typeFault('The type is not a literal');
      return shape.value;
    }),
  ],
  [
    'functionParamTypes',
    overload([T.Type], (_ev: Evaluation, type: TypeValue) =>
      functionShape(type).params.map(
        (it) => new DwObject(['paramType', 'name', 'optional'], [it.type, it.name, it.optional]),
      ),
    ),
  ],
  ['functionReturnType', overload([T.Type], (_ev: Evaluation, type: TypeValue) => functionShape(type).result)],
  ['metadataOf', overload([T.Type], (_ev: Evaluation, type: TypeValue) => type.options ?? new DwObject())],
];

/** Types of dw::core::Types. */
export const typesTypes: ReadonlyMap<string, TypeValue> = new Map([
  ['Field', new TypeValue('Field', T.Object)],
  ['QName', new TypeValue('QName', T.Object)],
  ['FunctionParam', new TypeValue('FunctionParam', T.Object)],
]);
