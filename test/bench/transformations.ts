import type { JsonObject } from '../../src/base/json/value.js';

/** The same transformation in both languages; both must return the same value. */
export interface Transformation {
  name: string;
  dataweave: string;
  jsonata: string;
}

const cities = ['Oslo', 'Lima', 'Pune', 'Kyiv', 'Turin'];

/** A delivery with enough lines for loops to dominate. */
export const bindings: JsonObject = {
  context: {
    deliveryId: 'D-2207',
    attempts: 2,
    express: true,
    customer: { name: 'Ida Holm', email: 'Ida.Holm@Example.org', address: { city: 'Oslo', zip: '0155' } },
    tags: ['fragile', 'cold', 'night'],
    lines: Array.from({ length: 40 }, (_, i) => ({
      sku: `S${i % 7}`,
      title: `Thing ${i}`,
      quantity: (i % 4) + 1,
      price: 5 + (i % 9) * 2.5,
      city: cities[i % cities.length]!,
    })),
  },
};

/** Typical small mappers and predicates of journeys, then loops. */
export const transformations: readonly Transformation[] = [
  { name: 'field', dataweave: 'context.customer.address.city', jsonata: 'context.customer.address.city' },
  {
    name: 'predicate',
    dataweave: 'context.attempts < 3 and context.express',
    jsonata: 'context.attempts < 3 and context.express',
  },
  {
    name: 'equality',
    dataweave: 'context.customer.address.city == "Oslo"',
    jsonata: 'context.customer.address.city = "Oslo"',
  },
  { name: 'arithmetic', dataweave: '(context.attempts + 1) * 3 - 4', jsonata: '(context.attempts + 1) * 3 - 4' },
  {
    name: 'concatenation',
    dataweave: '"PT" ++ (context.attempts * 30) ++ "S"',
    jsonata: '"PT" & (context.attempts * 30) & "S"',
  },
  {
    name: 'default',
    dataweave: 'context.carrier default "post"',
    jsonata: '$exists(context.carrier) ? context.carrier : "post"',
  },
  {
    name: 'condition',
    dataweave: 'if (context.express) "fast" else "slow"',
    jsonata: 'context.express ? "fast" : "slow"',
  },
  {
    name: 'body',
    dataweave:
      '{ id: context.deliveryId, to: context.customer.name, zip: context.customer.address.zip, retry: context.attempts + 1 }',
    jsonata:
      '{ "id": context.deliveryId, "to": context.customer.name, "zip": context.customer.address.zip, "retry": context.attempts + 1 }',
  },
  {
    name: 'merge',
    dataweave: 'context.customer ++ { vip: false }',
    jsonata: '$merge([context.customer, { "vip": false }])',
  },
  { name: 'text', dataweave: 'upper(context.customer.email)', jsonata: '$uppercase(context.customer.email)' },
  {
    name: 'split and join',
    dataweave: '(context.customer.email splitBy "@") joinBy " at "',
    jsonata: '$join($split(context.customer.email, "@"), " at ")',
  },
  { name: 'contains', dataweave: 'context.tags contains "cold"', jsonata: '"cold" in context.tags' },
  {
    name: 'map',
    dataweave: 'context.lines map (l) -> l.quantity * l.price',
    jsonata: '$map(context.lines, function($l) { $l.quantity * $l.price })',
  },
  { name: 'filter', dataweave: 'context.lines filter (l) -> l.price > 15', jsonata: 'context.lines[price > 15]' },
  {
    name: 'sum',
    dataweave: 'sum(context.lines map (l) -> l.quantity * l.price)',
    jsonata: '$sum(context.lines.(quantity * price))',
  },
  {
    name: 'reduce',
    dataweave: 'context.lines reduce ((l, all = 0) -> all + l.quantity)',
    jsonata: '$reduce(context.lines, function($all, $l) { $all + $l.quantity }, 0)',
  },
  { name: 'order', dataweave: 'context.lines orderBy (l) -> l.price', jsonata: 'context.lines^(price)' },
  {
    name: 'distinct',
    dataweave: 'context.lines.city distinctBy $',
    jsonata: '$distinct(context.lines.city)',
  },
  {
    name: 'rows',
    dataweave:
      'context.lines map (l, i) -> { n: i, sku: l.sku, label: l.title ++ " / " ++ l.city, total: l.quantity * l.price }',
    jsonata:
      '$map(context.lines, function($l, $i) { { "n": $i, "sku": $l.sku, "label": $l.title & " / " & $l.city, "total": $l.quantity * $l.price } })',
  },
  { name: 'group', dataweave: 'context.lines groupBy (l) -> l.city', jsonata: 'context.lines{ city: $ }' },
];
