import { fields } from '../documents.js';
import { temporalFields } from '../literals.js';
import { build } from '../tree.js';
import { atomic, type Production } from './production.js';

const temporalKinds = ['date', 'datetime', 'localdatetime', 'time', 'localtime', 'period'];

/** Selectors: fields, indexes, slices, filters. */
export const selectors: Production[] = [
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
