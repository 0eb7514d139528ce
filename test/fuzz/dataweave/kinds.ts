import { fill } from './fill.js';
import type { Generator } from './generator.js';
import { keys } from './keys.js';
import { moduleSignatures } from './signatures.js';
import { bare, build, leaf, type Node } from './tree.js';

/** A kind of expression that is generated and counted separately. */
export interface Kind {
  name: string;
  weight: number;
  make(g: Generator): Node;
}

/** All kinds with their shares of the cases. */
export const kinds: readonly Kind[] = [
  { name: 'general', weight: 45, make: general },
  { name: 'ranges', weight: 15, make: (g) => observed(g, rangeObservers, derivedRange(g, 1 + g.random.below(3))) },
  { name: 'binaries', weight: 10, make: (g) => observed(g, binaryObservers, binary(g, 1 + g.random.below(3))) },
  { name: 'keys', weight: 10, make: keys },
  { name: 'imports', weight: 10, make: imports },
  { name: 'journeys', weight: 20, make: (g) => journey(g, g.random.pick(journeyTypes), 1 + g.random.below(3)) },
];

/** An expression of any type, sometimes with a header. */
function general(g: Generator): Node {
  const { random } = g;
  const depth = 1 + random.below(4);
  const type = g.someType();
  if (!random.chance(0.06)) return g.expression(type, depth);
  const kind = g.someType();
  const first = g.expression(kind, 1);
  const body = g.within([{ name: 'h', type: kind }], () => g.expression(type, depth));
  const modules = random.pick(['', 'import * from dw::core::Strings\n', 'import dw::core::Arrays\n']);
  return build(type, 'header', { value: false })`${modules}var h = ${first}\n---\n${body}`;
}

function enclosed(node: Node): Node {
  return node.atom ? node : build(node.type, 'parens', { atom: true })`(${node})`;
}

function observed(g: Generator, templates: readonly string[], subject: Node): Node {
  const it = enclosed(subject);
  return fill('any', g.random.pick(templates), (type) => {
    if (type === 'pair') return build('[any]', 'array', { atom: true })`[${it}, ${it}]`;
    return type === 'it' ? it : g.operand(type, 1);
  });
}

const rangeSteps = [
  '{{it}}[{{small}} to {{small}}]',
  '{{it}}[?($ > {{small}})]',
  '{{it}} -- {{it}}',
  '{{it}} -- {{[num]}}',
  '{{it}} - {{small}}',
  '{{it}} + {{small}}',
  '{{it}} << {{small}}',
  '{{small}} >> {{it}}',
  '{{it}} ++ {{it}}',
  '{{it}} orderBy -$',
  '{{it}} orderBy $',
  '{{it}} filter ($ > {{small}})',
  '{{it}} filter true',
  '{{it}} map $',
  '{{it}} map ($ to {{small}})',
  '{{it}} flatMap [$]',
  '{{it}} flatMap ($ to {{small}})',
  '{{it}} distinctBy $',
  '{{it}} distinctBy ($ mod 2)',
  '({{it}} groupBy ($ mod 2))."0"',
  '{{it}} reduce ((x, all = []) -> all + x)',
  'flatten([{{it}}, {{it}}])',
  '{{it}} default {{it}}',
  'if ({{bool}}) {{it}} else {{it}}',
  '{{it}} match { case r is Range -> r case a is Array -> a ++ [0] else -> $ }',
  '{{it}} match { case [h ~ t] -> t else -> $ }',
  '{{it}} as Array',
  '((x: Array) -> x)({{it}})',
  '((x) -> x)({{it}})',
  '((x: Array | Null) -> x)({{it}})',
  'do { var r = {{it}} --- r }',
  '{a: {{it}}}.a',
  '[{{it}}][0]',
  '[{{it}}]..',
  'zip({{it}}, {{it}})',
  '{{it}} update { case [0] -> 9 }',
  'dw::core::Arrays::take({{it}}, {{small}})',
  'dw::core::Arrays::drop({{it}}, {{small}})',
  'dw::core::Arrays::slice({{it}}, {{small}}, {{small}})',
  'dw::core::Arrays::takeWhile({{it}}, (x) -> x != {{small}})',
  'dw::core::Arrays::dropWhile({{it}}, (x) -> x != {{small}})',
  'dw::core::Arrays::divideBy({{it}}, {{smallpos}})[0]',
  'dw::core::Arrays::splitAt({{it}}, {{small}}).r',
  'dw::core::Arrays::splitWhere({{it}}, (x) -> x > {{small}}).l',
  'dw::core::Arrays::partition({{it}}, (x) -> x > {{small}}).success',
  'dw::util::Tree::mapLeafValues({a: {{it}}}, (v, p) -> v).a',
  'dw::util::Tree::filterArrayLeafs({a: {{it}}}, (v, p) -> v != {{small}}).a',
  '({{it}} dw::util::Values::mask 0 with 9)',
  '({a: {{it}}} mapObject {b: $}).b',
  '({a: {{it}}} ++ {c: 1}).a',
  'valuesOf({a: {{it}}})[0]',
  'dw::Runtime::try(() -> {{it}}).result',
];

const rangeObservers = [
  '{{it}}',
  'typeOf({{it}})',
  '{{it}} is Array',
  '{{it}} is Range',
  'flatten([{{it}}, [1]])',
  '[{{it}}] flatMap $',
  '{{it}} == {{[num]}}',
  '{{it}} ~= [1, 2]',
  '[{{it}}] contains [1, 2]',
  '[{{it}}, [1, 2]] distinctBy $',
  '[5, 6, 7, 8][{{it}}]',
  '"hello"[{{it}}]',
  'sizeOf({{it}})',
  'isEmpty({{it}})',
  '{{it}} joinBy "-"',
  '{{it}} reduce ($ + $$)',
  'sum({{it}})',
  'max({{it}})',
  '{{it}}[-1]',
  '{{it}} contains {{small}}',
  '{{it}} find {{small}}',
  'write({{it}})',
  'write({a: {{it}}}, "application/json", {indent: false})',
  '{{it}} match { case is Range -> "range" case is Array -> "array" else -> "other" }',
  'unzip({{pair}})',
  '{a: {{it}}} -- {a: [1, 2]}',
  'dw::util::Diff::diff({{it}}, [1, 2])',
  'dw::util::Diff::diff([1, 2], {{it}})',
  'dw::core::Types::isRangeType(typeOf({{it}}))',
];

function derivedRange(g: Generator, depth: number): Node {
  if (depth <= 0) return build('[num]', 'to', { atom: true })`(${g.literal('small')} to ${g.literal('small')})`;
  return fill('[num]', g.random.pick(rangeSteps), (type) => {
    if (type === 'it') return enclosed(derivedRange(g, depth - 1));
    return g.operand(type, 0);
  });
}

const binarySteps = [
  '{{text}} as Binary',
  '{{text}} as Binary {base: "16"}',
  '{{hexes}} as Binary {base: "16"}',
  '{{base64}} as Binary {base: "64"}',
  '{{base64}} as Binary {base: 64}',
  '{{text}} as Binary {encoding: {{charset}}}',
  '{{int}} as Binary',
  '{{it}} ++ {{it}}',
  '{{it}}[{{small}} to {{small}}]',
  '{{it}} as Binary {base: "16"}',
  '{{it}} default {{it}}',
  'dw::core::Binaries::fromHex({{hexes}})',
  'dw::core::Binaries::fromBase64({{base64}})',
  'dw::core::Binaries::concatWith({{it}}, {{it}})',
  'if ({{bool}}) {{it}} else {{it}}',
  '{a: {{it}}}.a',
  '[{{it}}][0]',
];

const binaryObservers = [
  '{{it}}',
  '{{it}} as String',
  '{{it}} as String {base: "16"}',
  '{{it}} as String {base: "64"}',
  '{{it}} as String {base: 16}',
  '{{it}} as String {base: "8"}',
  '{{it}} as String {encoding: "UTF-8"}',
  '{{it}} as String {encoding: "ISO-8859-1"}',
  '{{it}} as String {encoding: "US-ASCII"}',
  '{{it}} as String {format: "x"}',
  '{{it}} as String {base: "16"} default "none"',
  '{{it}} as Number',
  '{{it}} as Number {base: "16"}',
  'sizeOf({{it}})',
  'isEmpty({{it}})',
  '{{it}} == {{it}}',
  '{{it}} == "hi"',
  '{{it}} ~= "hi"',
  '{{it}} ++ "x"',
  '"<$({{it}})>"',
  'upper({{it}})',
  'write({{it}})',
  'write({a: {{it}}}, "application/json")',
  'typeOf({{it}})',
  '{{it}} is String',
  '{{it}} is Binary',
  'dw::core::Binaries::toHex({{it}})',
  'dw::core::Binaries::toBase64({{it}})',
  'dw::core::Binaries::readLinesWith({{it}}, "UTF-8")',
  'dw::Crypto::MD5({{it}})',
  '{a: {{it}}, b: [{{it}}]}',
  '[1, 2, 3][{{it}}]',
  '{{it}} contains "h"',
];

const texts: Record<string, readonly string[]> = {
  text: ['"hi"', '""', '"ñ€"', '"a\\nb"', '"6869"', 'payload.s', 'context.name', '"true"', '"12"'],
  hexes: ['"6869"', '"FFfe"', '""', '"zz"', '"123"', '"c3B1"', '"00"'],
  base64: ['"aGk="', '"aGk"', '""', '"a"', '"w7E="', '"a!"', '"aGVsbG8gd29ybGQ"'],
  charset: ['"UTF-8"', '"ISO-8859-1"', '"US-ASCII"', '"UTF-16"', '"nope"'],
};

function binary(g: Generator, depth: number): Node {
  const template = g.random.pick(depth <= 0 ? binarySteps.filter((it) => !it.includes('{{it}}')) : binarySteps);
  return fill('binary', template, (type) => {
    if (type === 'it') return enclosed(binary(g, depth - 1));
    return texts[type] ? leaf('str', 'fixed text', g.random.pick(texts[type])) : g.operand(type, 0);
  });
}

/** Two to four imports of modules that share names, and a body that calls their exports. */
function imports(g: Generator): Node {
  const { random } = g;
  const modules = Array.from({ length: 2 + random.below(3) }, () => random.pick([...moduleSignatures.keys()]));
  const names = modules.flatMap((module) => moduleSignatures.get(module)!);
  const shared = names.filter(({ name }, i) => names.findIndex((it) => it.name === name) !== i);
  const lines = modules.map((module) => {
    const own = moduleSignatures.get(module)!;
    const [one, two] = [random.pick(own).name, random.pick(own).name];
    return random.weighted<string>([
      [6, `import * from ${module}`],
      [2, `import ${[...new Set([one, two])].join(', ')} from ${module}`],
      [1, `import ${one} as ${two} from ${module}`],
      [1, `import ${module}`],
      [1, `import ${module} as M`],
    ]);
  });
  const calls = Array.from({ length: 1 + random.below(2) }, () => {
    const signature = shared.length > 0 && random.chance(0.6) ? random.pick(shared) : random.pick(names);
    return g.call(random.chance(0.1) ? { ...signature, name: `M::${signature.name}` } : signature, 1);
  });
  const items = calls.flatMap((call, i) => (i > 0 ? [', ', call] : [call]));
  const body: Node = { type: '[any]', label: 'array', parts: ['[', ...items, ']'], atom: true, value: true };
  if (random.chance(0.15)) {
    const block = `do { ${lines.slice(1).join(' ')} --- `;
    return build('any', 'header', { value: false })`${lines[0]!}\n---\n${block}${body} }`;
  }
  return build('any', 'header', { value: false })`${lines.join('\n')}\n---\n${body}`;
}

const journeyTypes = ['obj', 'obj', 'obj', 'bool', 'bool', 'str', 'num', '[obj]', 'datetime'];

/** Typical expressions of journeys: mappers, predicates, keys, texts and dates over a context. */
const journeyTemplates: Record<string, readonly string[]> = {
  obj: [
    'context ++ {{obj}}',
    'context ++ { count: (context.count default 0) + 1 }',
    'context ++ { outcome: { status: {{str}}, total: {{num}}, at: {{datetime}} as String } }',
    '{ id: context.order.id, status: {{str}}, total: {{num}} }',
    '{ name: context.order.customer.name default "unknown", ok: {{bool}}, rows: {{[obj]}} }',
    '{ (note: {{str}}) if {{bool}}, id: context.order.id }',
    '{ ({{obj}}), status: {{str}} }',
    '(context - "rows") ++ { size: sizeOf(context.rows default []) }',
    'context.order -- ["lines", "customer"]',
    '{{[obj]}} groupBy ((row) -> {{str with row:obj}})',
    '({{[obj]}} groupBy $.sku) mapObject ((rows, sku) -> { (sku): sum(rows.qty) })',
    '({{[obj]}} groupBy $.name) mapObject ((rows, name) -> { (name): sizeOf(rows) })',
    '{{[obj]}} reduce ((row, all = {}) -> all ++ { (row.name default "none"): row.id })',
    '(payload.o default {}) filterObject ((value, key) -> value != null)',
    'context.order mapObject ((value, key) -> { (upper(key as String)): value })',
    'context update { case .count -> $ + 1 case .order.status -> {{str}} }',
    'if ({{bool}}) {{obj}} else {{obj}}',
    'payload match { case p if (p.n > 5) -> {{obj}} else -> { status: {{str}} } }',
    'do { var order = context.order var lines = order.lines default [] --- { id: order.id, total: sum(lines map ($.qty * $.price)), first: lines[0].sku } }',
    '({{[obj]}} filter ((row) -> {{bool with row:obj}}))[0] default {}',
    '{ l: ({{[obj]}} maxBy $.id), s: ({{[obj]}} minBy $.id) }',
  ],
  '[obj]': [
    'context.rows',
    'payload.items',
    'context.order.lines',
    '(context.missing default [])',
    '{{[obj]}} map ((row, index) -> {{obj with row:obj,index:int}})',
    '{{[obj]}} map { id: $.id, label: "$($$): $($.name default "?")" }',
    '{{[obj]}} filter ((row) -> {{bool with row:obj}})',
    '{{[obj]}} filter ($.price default 0) > {{num}}',
    '{{[obj]}} orderBy ((row) -> row.id)',
    '{{[obj]}} orderBy -($.id default 0)',
    '{{[obj]}} distinctBy $.name',
    '{{[obj]}} flatMap ((row) -> (row.tags default []) map ((tag) -> { tag: tag, id: row.id }))',
    '({{[obj]}} groupBy $.name) pluck ((rows, name) -> { name: name, n: sizeOf(rows), ids: rows.id })',
    '(({{[obj]}} groupBy $.sku) pluck ((rows, sku) -> { sku: sku as String, qty: sum(rows.qty default [0]) })) orderBy -$.qty',
    '{{[obj]}} ++ {{[obj]}}',
    '({{[obj]}} default [])[0 to 1] default []',
    '{{[obj]}} map ($ ++ { seen: {{bool}} })',
    '{{[obj]}} map ($ - "tags")',
  ],
  bool: [
    'context.done == true and {{bool}}',
    'context.order.status == "{{status}}"',
    'context.order.status == "{{status}}" or context.order.status == "{{status}}"',
    '["NEW", "PAID"] contains context.order.status',
    '(context.order.lines default []) contains ((l) -> l.qty > 1)',
    '{{num}} > {{num}}',
    '{{num}} >= (context.limit default {{num}})',
    'not (context.done default false)',
    '!(context.done default false) and {{bool}}',
    'context.order.customer.email != null',
    'context.order.customer.email?',
    'isEmpty(context.order.lines)',
    'isBlank(context.order.customer.name)',
    'sizeOf({{[obj]}}) > 0',
    '{{datetime}} > {{datetime}}',
    '(context.order.due as Date) < (context.order.placedAt as DateTime as Date)',
    'upper(context.order.status default "") == "PAID"',
    '(context.order.customer.email default "") matches /.+@.+/',
    '(context.name default "") startsWith "a"',
    'sizeOf({{[obj]}} filter ((row) -> {{bool with row:obj}})) == sizeOf({{[obj]}})',
    'payload.b is Boolean and payload.b',
  ],
  str: [
    'context.order.status',
    'context.order.customer.name default "unknown"',
    '"Order $(context.order.id) of $(context.order.customer.name default "nobody")"',
    '"$({{str}})-$({{num}})"',
    '"Total: " ++ ({{num}} as String {format: "#,##0.00"})',
    '{{str}} ++ "/" ++ {{str}}',
    'upper({{str}})',
    'trim({{str}} default "")',
    '{{str}} replace /[^a-zA-Z0-9]/ with "_"',
    '({{str}} splitBy "-")[0] default ""',
    '({{[obj]}} map $.name) joinBy ", "',
    '({{[obj]}} map ((row, i) -> "$(i + 1). $(row.name default "none")")) joinBy "\\n"',
    '({{datetime}} as String {format: "yyyy-MM-dd"})',
    '({{datetime}} as String {format: "dd/MM/yyyy HH:mm"})',
    'context.order.due as Date as String {format: "EEEE, d MMMM yyyy"}',
    'if ({{bool}}) {{str}} else {{str}}',
    'context.order.status match { case "NEW" -> {{str}} case s if (s == "PAID") -> lower(s) else -> "other" }',
    'context.order.lines[0].sku default "none"',
    'context.order.customer.address.city default "nowhere"',
    '(context.order.id as String)[0 to 1] default ""',
    'write({{obj}}, "application/json", {indent: false})',
    '"{{status}}"',
  ],
  num: [
    'context.total',
    '(context.count default 0) + 1',
    'context.order.lines[0].price default 0',
    'sum((context.order.lines default []) map ((l) -> (l.price default 0) * (l.qty default 1)))',
    '{{[obj]}} reduce ((row, total = 0) -> total + (row.price default 0))',
    'sizeOf({{[obj]}})',
    'round({{num}} * 100) / 100',
    '({{num}} * 1.19) as String {format: "0.00"} as Number',
    'max([{{num}}, {{num}}])',
    '({{[obj]}} maxBy ($.price default 0)).price default 0',
    'avg(({{[obj]}} map ($.id default 0)) ++ [1])',
    'if ({{bool}}) {{num}} else {{num}}',
    'daysBetween(context.order.due as Date, |2025-01-31|)',
    '({{datetime}} - {{datetime}}) as Number {unit: "seconds"}',
    '(payload.digits as Number) default 0',
    '{{num}} mod 7',
    'abs({{num}}) + {{num}}',
  ],
  datetime: [
    'now()',
    'context.order.placedAt as DateTime',
    '{{datetime}} + |P1D|',
    '{{datetime}} - |PT36H|',
    '{{datetime}} + ("P$(context.count)D" as Period)',
    '{{datetime}} >> "Europe/Madrid"',
    '(context.order.missing default context.order.placedAt) as DateTime',
    '(context.order.due ++ "T08:00:00Z") as DateTime',
  ],
};

function journey(g: Generator, type: string, depth: number): Node {
  const templates = journeyTemplates[type]!;
  const chosen = depth <= 0 ? templates.filter((it) => !/\{\{(?!status)/.test(it)) : templates;
  if (chosen.length === 0) return g.expression(type, 1);
  if (g.scope.length > 0 && g.random.chance(0.4)) return bare(g.expression(type, 0));
  return fill(type, g.random.pick(chosen), (wanted, names) => {
    if (wanted === 'status') return leaf('str', 'fixed status', g.random.pick(['NEW', 'PAID', 'CANCELLED']));
    const variables = names.map(([name, kind]) => ({ name, type: kind }));
    const make = () => enclosed(journey(g, wanted, depth - 1));
    return variables.length > 0 ? g.within(variables, make) : make();
  });
}
