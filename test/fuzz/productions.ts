import { fields } from './documents.js';
import type { Generator } from './generator.js';
import { formats, temporalFields, typeNames } from './literals.js';
import { build, leaf, list, type Node } from './tree.js';

/** One way to make an expression of a type; `*` fits any, `[]` any array. */
export interface Production {
  type: string;
  weight: number;
  make(g: Generator, type: string, depth: number): Node | undefined;
}

const infix = (type: string, op: string, left: Node, right: Node): Node => build(type, op)`${left} ${op} ${right}`;

function binary(type: string, weight: number, operators: string[], left: string, right = left): Production {
  return {
    type,
    weight,
    make: (g, _type, depth) => infix(type, g.random.pick(operators), g.operand(left, depth), g.operand(right, depth)),
  };
}

const temporalKinds = ['date', 'datetime', 'localdatetime', 'time', 'localtime', 'period'];

const operators: Production[] = [
  binary('num', 8, ['+', '-', '*', '/'], 'num'),
  binary('num', 1, ['+', '-', '*', '/'], 'num', 'str'),
  binary('str', 6, ['++'], 'str'),
  binary('str', 2, ['++'], 'str', 'num'),
  binary('bool', 4, ['<', '>', '<=', '>='], 'num'),
  binary('bool', 1, ['<', '>', '<=', '>='], 'str'),
  binary('bool', 1, ['<', '>=', '<=', '=='], 'date'),
  binary('bool', 1, ['<', '>=', '==', '!='], 'datetime'),
  binary('bool', 4, ['and', 'or'], 'bool'),
  binary('bool', 1, ['~='], 'any'),
  binary('period', 1, ['-'], 'date'),
  binary('period', 1, ['-'], 'datetime'),
  binary('date', 3, ['+', '-'], 'date', 'period'),
  binary('datetime', 3, ['+', '-'], 'datetime', 'period'),
  binary('localdatetime', 2, ['+', '-'], 'localdatetime', 'period'),
  binary('localtime', 2, ['+', '-'], 'localtime', 'period'),
  binary('localdatetime', 1, ['++'], 'date', 'localtime'),
  binary('obj', 4, ['++'], 'obj'),
  binary('obj', 1, ['--'], 'obj', '[str]'),
  binary('obj', 1, ['-'], 'obj', 'str'),
  {
    type: 'bool',
    weight: 5,
    make: (g, _type, depth) => {
      const side = g.someType();
      return infix('bool', g.random.pick(['==', '!=', '==']), g.operand(side, depth), g.operand(side, depth));
    },
  },
  {
    type: 'bool',
    weight: 2,
    make: (g, _type, depth) => build('bool', 'not')`${g.random.pick(['not ', '!'])}${g.operand('bool', depth)}`,
  },
  { type: 'num', weight: 1, make: (g, _type, depth) => build('num', 'negate')`-${g.operand('num', depth)}` },
  {
    type: '[]',
    weight: 2,
    make: (g, type, depth) => infix(type, '++', g.operand(type, depth), g.operand(type, depth)),
  },
  {
    type: '[]',
    weight: 1,
    make: (g, type, depth) => infix(type, g.random.pick(['--']), g.operand(type, depth), g.operand(type, depth)),
  },
  {
    type: '[]',
    weight: 2,
    make: (g, type, depth) => {
      const item = g.operand(type.slice(1, -1), depth);
      const all = g.operand(type, depth);
      return g.random.chance(0.3)
        ? infix(type, '>>', item, all)
        : infix(type, g.random.pick(['<<', '+', '-']), all, item);
    },
  },
];

const selectors: Production[] = [
  {
    type: '*',
    weight: 0.8,
    make: (g, type, depth) =>
      build(type, 'index', { atom: true })`${atomic(g, `[${type}]`, depth)}[${g.literal('index')}]`,
  },
  {
    type: '[]',
    weight: 1,
    make: (g, type, depth) =>
      build(type, 'slice', { atom: true })`${atomic(g, type, depth)}[${g.literal('small')} to ${g.literal('small')}]`,
  },
  {
    type: 'str',
    weight: 1,
    make: (g, _type, depth) =>
      build('str', 'slice', { atom: true })`${atomic(g, 'str', depth)}[${g.literal('small')} to ${g.literal('small')}]`,
  },
  {
    type: '*',
    weight: 2,
    make: (g, type, depth) => {
      const names = fields[type];
      if (!names) return undefined;
      return build(type, '.field', { atom: true })`${atomic(g, 'obj', depth)}.${g.random.pick(names)}`;
    },
  },
  {
    type: '[]',
    weight: 1,
    make: (g, type, depth) => {
      const names = fields[type.slice(1, -1)] ?? ['a'];
      const [target, how] = g.random.pick([
        ['[obj]', '.'],
        ['obj', '.*'],
        ['[obj]', '.*'],
        ['obj', '..'],
        ['[obj]', '..'],
        ['obj', '..*'],
      ] as const);
      return build(type, how, { atom: true })`${atomic(g, target, depth)}${how}${g.random.pick(names)}`;
    },
  },
  {
    type: '[]',
    weight: 0.4,
    make: (g, type, depth) => {
      const how = g.random.pick(['[*"a"]', '.."a"', '.*"a"', '..&a', '..']);
      return build(type, how, { atom: true })`${atomic(g, 'obj', depth)}${how}`;
    },
  },
  {
    type: '*',
    weight: 0.5,
    make: (g, type, depth) =>
      build(type, '[(key)]', { atom: true })`${atomic(g, 'obj', depth)}[${g.expression('str', depth)}]`,
  },
  {
    type: 'obj',
    weight: 0.5,
    make: (g, _type, depth) =>
      build('obj', '.&', { atom: true })`${atomic(g, 'obj', depth)}.&${g.random.pick(['a', 'id', 'name'])}`,
  },
  {
    type: '*',
    weight: 0.7,
    make: (g, type, depth) =>
      build(type, '["key"]', { atom: true })`${atomic(g, 'obj', depth)}["${g.random.pick(fields[type] ?? ['a'])}"]`,
  },
  {
    type: 'bool',
    weight: 1,
    make: (g, _type, depth) =>
      build('bool', '?', { atom: true })`${atomic(g, 'obj', depth)}.${g.random.pick(['a', 'id', 'zz'])}?`,
  },
  {
    type: 'num',
    weight: 0.4,
    make: (g, _type, depth) =>
      build('num', '!', { atom: true })`${atomic(g, 'obj', depth)}.${g.random.pick(['a', 'id', 'zz'])}!`,
  },
  {
    type: '[]',
    weight: 0.7,
    make: (g, type, depth) => {
      const test = g.within(
        [
          { name: '$', type: type.slice(1, -1) },
          { name: '$$', type: 'int' },
        ],
        () => g.expression('bool', depth),
      );
      return build(type, '[?()]', { atom: true })`${atomic(g, type, depth)}[?(${test})]`;
    },
  },
  {
    type: 'num',
    weight: 2,
    make: (g, _type, depth) => {
      const kind = g.random.pick(temporalKinds);
      return build('num', `.${kind} field`, {
        atom: true,
      })`${atomic(g, kind, depth)}.${g.random.pick(temporalFields[kind]!)}`;
    },
  },
];

function atomic(g: Generator, type: string, depth: number): Node {
  const node = g.expression(type, depth);
  return node.atom ? node : build(node.type, 'parens', { atom: true })`(${node})`;
}

const control: Production[] = [
  {
    type: '*',
    weight: 2,
    make: (g, type, depth) =>
      build(type, 'if')`if (${g.expression('bool', depth)}) ${g.operand(type, depth)} else ${g.operand(type, depth)}`,
  },
  {
    type: '*',
    weight: 3,
    make: (g, type, depth) =>
      infix(type, 'default', g.operand(g.random.chance(0.4) ? 'null' : type, depth), g.operand(type, depth)),
  },
  {
    type: '*',
    weight: 1,
    make: (g, type, depth) => {
      const kind = g.someType();
      const name = g.name('x');
      const bound = g.expression(kind, depth);
      const body = g.within([...g.scope, { name, type: kind }], () => g.expression(type, depth));
      if (g.random.chance(0.3)) return build(type, 'using')`using (${name} = ${bound}) ${body}`;
      return build(type, 'do', { atom: true })`do { var ${name} = ${bound} --- ${body} }`;
    },
  },
  {
    type: '*',
    weight: 0.6,
    make: (g, type, depth) => {
      const name = g.name('f');
      const kind = g.itemType();
      const parameter = g.name('p');
      const body = g.within([{ name: parameter, type: kind }], () => g.expression(type, depth));
      const call = build(type, 'call', { atom: true })`${name}(${g.expression(kind, depth)})`;
      return build(type, 'fun', { atom: true })`do { fun ${name}(${parameter}) = ${body} --- ${call} }`;
    },
  },
  { type: '*', weight: 1.2, make: matching },
  {
    type: '*',
    weight: 0.5,
    make: (g, type, depth) => {
      const [kind, declared] = g.random.pick([
        ['num', 'Number'],
        ['str', 'String'],
        ['bool', 'Boolean'],
        ['obj', 'Object'],
        ['date', 'Date'],
        ['[num]', 'Array<Number>'],
        ['num', 'Any'],
      ] as const);
      const name = g.name('p');
      const body = g.within([...g.scope, { name, type: kind }], () => g.expression(type, depth));
      return build(type, `typed ${declared}`, {
        atom: true,
      })`((${name}: ${declared}) -> ${body})(${g.expression(kind, depth)})`;
    },
  },
  {
    type: '*',
    weight: 0.4,
    make: (g, type, depth) => build(type, 'comment')`/* ${g.name('c')} */ ${g.expression(type, depth)}`,
  },
  {
    type: '*',
    weight: 0.4,
    make: (g, type, depth) => {
      const tried = build(type, 'try', { atom: true })`dw::Runtime::try(() -> ${g.expression(type, depth)})`;
      return g.random.chance(0.5)
        ? build('bool', 'try.success', { atom: true })`${tried}.success`
        : build(type, 'orElse')`${tried} dw::Runtime::orElse (() -> ${g.expression(type, depth)})`;
    },
  },
];

function matching(g: Generator, type: string, depth: number): Node {
  const kind = g.someType();
  const cases: Node[] = [];
  const result = () => g.expression(type, depth);
  const clause = (pattern: Node | string, variables: { name: string; type: string }[] = []) =>
    build('case', 'case', { value: false })`case ${pattern} -> ${g.within(variables, result)}`;
  for (let i = g.random.below(3); i >= 0; i--) {
    const name = g.name('m');
    const variable = { name, type: kind };
    switch (g.random.below(5)) {
      case 0:
        cases.push(clause(`is ${g.random.pick(typeNames)}`, [{ name: '$', type: kind }]));
        break;
      case 1: {
        const guard = g.within([variable], () => g.expression('bool', depth));
        cases.push(clause(build('pattern', 'guard', { value: false })`${name} if (${guard})`, [variable]));
        break;
      }
      case 2:
        cases.push(clause(g.literal(g.random.pick(['num', 'str', 'bool', 'null'])), [{ name: '$', type: kind }]));
        break;
      case 3:
        cases.push(clause(`${name} is ${g.random.pick(typeNames)}`, [variable]));
        break;
      default:
        if (kind.startsWith('[')) {
          const rest = g.name('r');
          cases.push(
            clause(`[${name} ~ ${rest}]`, [
              { name, type: kind.slice(1, -1) },
              { name: rest, type: kind },
            ]),
          );
        } else cases.push(clause(`${name} matches ${g.literal('regex').parts[0]}`, [{ name, type: '[str]' }]));
    }
  }
  const otherwise = g.random.chance(0.9) ? build('case', 'else', { value: false })` else -> ${result()}` : '';
  return build(type, 'match')`${g.operand(kind, depth)} match { ${list('cases', ' ', cases)}${otherwise} }`;
}

const coercions: Production[] = [
  {
    type: 'str',
    weight: 2,
    make: (g, _type, depth) =>
      build(
        'str',
        'as String',
      )`${g.operand(g.random.pick(['num', 'bool', 'date', 'datetime', 'str']), depth)} as String`,
  },
  {
    type: 'str',
    weight: 2,
    make: (g, _type, depth) => {
      const kind = g.random.pick(Object.keys(formats));
      const format = leaf('str', 'fixed format', `"${g.random.pick(formats[kind]!)}"`);
      return build('str', `as String {format} of ${kind}`)`${g.operand(kind, depth)} as String {format: ${format}}`;
    },
  },
  {
    type: 'num',
    weight: 2,
    make: (g, _type, depth) =>
      build('num', 'as Number')`${g.operand(g.random.pick(['str', 'num', 'datetime', 'period']), depth)} as Number`,
  },
  {
    type: 'num',
    weight: 0.5,
    make: (g, _type, depth) =>
      build(
        'num',
        'as Number {unit}',
      )`${g.operand(g.random.pick(['datetime', 'period']), depth)} as Number {unit: "${g.random.pick(['milliseconds', 'seconds', 'minutes', 'hours', 'days', 'months', 'years', 'nanos'])}"}`,
  },
  {
    type: 'bool',
    weight: 0.5,
    make: (g, _type, depth) => build('bool', 'as Boolean')`${g.operand('str', depth)} as Boolean`,
  },
  {
    type: 'bool',
    weight: 2,
    make: (g, _type, depth) => build('bool', 'is')`${g.operand('any', depth)} is ${g.random.pick(typeNames)}`,
  },
  ...(['date', 'datetime', 'localdatetime', 'localtime', 'time', 'period'] as const).map(
    (type): Production => ({
      type,
      weight: 1,
      make: (g, _type, depth) => {
        const name = {
          date: 'Date',
          datetime: 'DateTime',
          localdatetime: 'LocalDateTime',
          localtime: 'LocalTime',
          time: 'Time',
          period: 'Period',
        }[type];
        return build(
          type,
          `as ${name}`,
        )`${g.operand(g.random.pick(['datetime', 'localdatetime', 'str', 'num', type]), depth)} as ${name}`;
      },
    }),
  ),
  {
    type: 'datetime',
    weight: 1,
    make: (g, _type, depth) =>
      infix(
        'datetime',
        '>>',
        g.operand('datetime', depth),
        leaf('str', 'zone', g.random.pick(['"UTC"', '"America/New_York"', '"+03:00"', '"Asia/Tokyo"', '|-02:00|'])),
      ),
  },
  {
    type: 'str',
    weight: 2,
    make: (g, _type, depth) => {
      const inner = g.expression(g.random.pick(['num', 'str', 'bool', 'date']), depth);
      return build('str', 'interpolation', { atom: true })`"<$(${inner})>"`;
    },
  },
  {
    type: 'str',
    weight: 0.7,
    make: (g, _type, depth) =>
      build('str', 'write', { atom: true })`write(${g.expression('any', depth)}, "application/json")`,
  },
  {
    type: '*',
    weight: 0.3,
    make: (g, type) =>
      build(type, 'read', {
        atom: true,
      })`read(${leaf('str', 'fixed json', g.random.pick(['\'{"a": [1, 2.50, null]}\'', "'[1, 2]'", '\'"x"\'', "'{'", '\'{"a": 1, "a": 2}\'']))}, "application/json")`,
  },
];

const constructors: Production[] = [
  {
    type: '[]',
    weight: 4,
    make: (g, type, depth) => {
      const items = Array.from({ length: g.random.below(4) }, () => {
        const item = g.expression(type.slice(1, -1), depth);
        return g.random.chance(0.06)
          ? build('item', 'conditional item', { value: false })`(${item}) if ${g.operand('bool', depth)}`
          : item;
      });
      return build(type, 'array', { atom: true })`[${list('items', ', ', items)}]`;
    },
  },
  {
    type: 'obj',
    weight: 5,
    make: (g, type, depth) => {
      const entries = Array.from({ length: 1 + g.random.below(3) }, () => field(g, depth));
      return build(type, 'object', { atom: true })`{${list('fields', ', ', entries)}}`;
    },
  },
  {
    type: 'obj',
    weight: 1,
    make: (g, type, depth) => {
      const cases = Array.from({ length: 1 + g.random.below(2) }, () => {
        const path = g.random.pick([
          '.a',
          '.id',
          '.name',
          '.zz',
          '.zz!',
          '["a"]',
          '.c.d',
          '.c.d[0]',
          '.tags[0]',
          '.*a',
          'x at .a',
          '.a if ($ is Number)',
        ]);
        const name = path.startsWith('x ') ? 'x' : '$';
        const value = g.within([{ name, type: 'any' }], () => g.expression('any', depth));
        return build('case', `update ${path}`, { value: false })`case ${path} -> ${value}`;
      });
      return build(type, 'update')`${g.operand('obj', depth)} update { ${list('cases', ' ', cases)} }`;
    },
  },
  {
    type: 'num',
    weight: 1,
    make: (g, _type, depth) => {
      const item = g.itemType();
      const from = g.operand(`[${item}]`, depth);
      const [it, sum] = [g.name('v'), g.name('acc')];
      const start = g.literal('num');
      const body = g.within([...g.scope, { name: it, type: item }, { name: sum, type: 'num' }], () =>
        g.expression('num', depth),
      );
      return build('num', 'reduce with start')`${from} reduce ((${it}, ${sum} = ${start}) -> ${body})`;
    },
  },
];

function field(g: Generator, depth: number): Node {
  const type = g.someType();
  const value = g.expression(type, depth);
  const make = build('field', 'field', { value: false });
  switch (g.random.below(12)) {
    case 0:
      return build('field', 'dynamic key', { value: false })`(${g.expression('str', depth)}): ${value}`;
    case 1:
      return build('field', 'conditional field', {
        value: false,
      })`(${g.random.pick(['a', 'b'])}: ${value}) if ${g.operand('bool', depth)}`;
    case 2:
      return build('field', 'spread', {
        value: false,
      })`(${g.expression(g.random.pick(['obj', 'obj', '[obj]', 'null']), depth)})`;
    case 3:
      return make`"${g.random.pick(['a', 'b c', 'x-y'])}": ${value}`;
    default:
      return make`${g.random.pick(['a', 'b', 'c', 'id', 'name', 'n'])}: ${value}`;
  }
}

/** Every construct beside plain calls. */
export const productions: readonly Production[] = [
  ...operators,
  ...selectors,
  ...control,
  ...coercions,
  ...constructors,
];
