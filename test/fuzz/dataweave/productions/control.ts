import type { Generator } from '../generator.js';
import { typeNames } from '../literals.js';
import { bare, build, list, type Node, print } from '../tree.js';
import { infix, type Production } from './production.js';

/** Conditions, defaults, blocks, functions, matches, failures. */
export const control: Production[] = [
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
      if (g.random.chance(0.3)) return build(type, 'using')`using (${name} = ${bound}) ${bare(body)}`;
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
    make: (g, type, depth) => build(type, 'comment')`/* ${g.name('c')} */ ${bare(g.expression(type, depth))}`,
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
        cases.push(
          clause(print(g.literal(g.random.pick(['num', 'str', 'bool', 'null']))), [{ name: '$', type: kind }]),
        );
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
