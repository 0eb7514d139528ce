import type { Json, JsonObject } from '../../../src/base/json/value.js';
import type { Random } from './random.js';

/** Paths in the generated documents, by the type of their value. */
export const paths: Record<string, readonly string[]> = {
  num: [
    'payload.n',
    'payload.f',
    'payload.neg',
    'context.count',
    'context.total',
    'payload.items[0].id',
    'payload.nums[0]',
  ],
  str: [
    'payload.s',
    'payload.t',
    'context.name',
    'payload.items[0].name',
    'payload.strs[1]',
    'payload.digits',
    'payload.day',
  ],
  bool: ['payload.b', 'context.done', 'payload.items[0].ok'],
  null: ['payload.nothing', 'context.missing', 'payload.o.zz', 'payload.nums[99]'],
  obj: ['payload.o', 'context', 'payload.items[0]', 'payload.items[-1]', 'context.nested', 'payload.eo'],
  '[num]': ['payload.nums', 'payload.items.id', 'payload.ea', 'payload.items.*price'],
  '[str]': ['payload.strs', 'payload.items.name', 'payload.items[0].tags'],
  '[obj]': ['payload.items', 'context.rows'],
  '[any]': ['payload.mix', 'payload.nums', 'payload.strs', 'payload.items'],
};

/** Fields of the documents' objects, by type. */
export const fields: Record<string, readonly string[]> = {
  num: ['id', 'price', 'n', 'a', 'count', 'f'],
  str: ['name', 's', 'b', 'digits'],
  bool: ['ok', 'done'],
  '[str]': ['tags', 'strs'],
  '[num]': ['nums'],
  obj: ['meta', 'o', 'nested'],
};

const numbers = [0, 1, 2, 3, 5, -1, -7, 10, 42, 100, 0.5, 1.5, -2.5, 2.25, 99.99, 0.1, 1e-7, 1234567.891];
const words = [
  '',
  'a',
  'b',
  'abc',
  'Hello World',
  'x-y_z',
  ' padded ',
  'ñandú',
  'UPPER',
  '12',
  '3.5',
  'true',
  'a,b,c',
  '2024-02-29',
];

/** A payload and a context of a fixed shape with random leaves. */
export function documents(random: Random): JsonObject {
  const word = (): Json => random.pick(words);
  const number = (): Json => random.pick(numbers);
  const several = (make: () => Json): Json[] =>
    Array.from({ length: random.chance(0.12) ? 0 : 1 + random.below(4) }, make);
  const item = (): Json => ({
    id: random.below(4),
    name: word(),
    price: number(),
    ok: random.chance(0.5),
    tags: several(word),
    ...(random.chance(0.5) ? { meta: { k: word() } } : {}),
    ...(random.chance(0.08) ? { price: null } : {}),
  });
  return {
    payload: {
      n: random.below(20),
      f: number(),
      neg: -random.below(10) - 0.5,
      s: word(),
      t: ' Mixed Case text ',
      digits: random.pick(['12', '007', '3.50', '-4', '1e3', 'x1']),
      day: random.pick(['2024-02-29', '2023-12-31T23:59:59Z', 'nope']),
      b: random.chance(0.5),
      nothing: null,
      nums: several(number),
      strs: several(word),
      items: several(item),
      o: { a: number(), b: word(), c: { d: [1, { a: word() }] } },
      mix: [1, 'a', null, true, { a: 1 }, [2]],
      ea: [],
      eo: {},
    },
    context: {
      count: random.below(6),
      total: number(),
      name: word(),
      done: random.chance(0.5),
      nested: { a: { b: { c: number() } }, list: several(number) },
      rows: several(item),
      order: order(random, word, number),
    },
  };
}

/** An order as in the context of a journey; parts of it are sometimes missing. */
function order(random: Random, word: () => Json, number: () => Json): Json {
  const line = (): Json => ({
    sku: random.pick(['A-1', 'B-2', 'C-3']),
    qty: 1 + random.below(3),
    ...(random.chance(0.9) ? { price: number() } : {}),
  });
  return {
    id: 1000 + random.below(50),
    status: random.pick(['NEW', 'PAID', 'CANCELLED']),
    placedAt: random.pick(['2025-03-01T10:00:00Z', '2024-12-31T23:30:00+02:00']),
    due: random.pick(['2025-03-31', '2024-02-29']),
    ...(random.chance(0.9) ? { lines: Array.from({ length: random.below(4) }, line) } : {}),
    customer: {
      name: word(),
      ...(random.chance(0.7) ? { email: 'ada@example.com' } : {}),
      ...(random.chance(0.3) ? { address: { city: word() } } : {}),
    },
  };
}
