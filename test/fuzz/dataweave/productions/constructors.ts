import type { Generator } from '../generator.js';
import { build, list, type Node } from '../tree.js';
import type { Production } from './production.js';

/** Creation and update of arrays and objects. */
export const constructors: Production[] = [
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
