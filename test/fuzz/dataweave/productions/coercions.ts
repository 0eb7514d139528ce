import { formats, typeNames } from '../literals.js';
import { build, leaf } from '../tree.js';
import { infix, type Production } from './production.js';

/** Conversions between types, and to text. */
export const coercions: Production[] = [
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
