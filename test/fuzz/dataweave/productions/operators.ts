import { build } from '../tree.js';
import { infix, type Production } from './production.js';

function binary(type: string, weight: number, operators: string[], left: string, right = left): Production {
  return {
    type,
    weight,
    make: (g, _type, depth) => infix(type, g.random.pick(operators), g.operand(left, depth), g.operand(right, depth)),
  };
}

/** Arithmetic, comparison, logic, and `++`, `--`, `<<` on collections. */
export const operators: Production[] = [
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
