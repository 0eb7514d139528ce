import { fill } from './fill.js';
import type { Generator } from './generator.js';
import { build, leaf, type Node } from './tree.js';

const keyTexts = [
  ...['2024-02-29', '10:00:00', '10:00:00Z', '2024-02-29T10:00:00', '2024-02-29T10:00:00Z', 'P1D', '+01:00', 'PT1H'],
  ...['1', '-2.5', 'true', 'False', 'a', 'a', 'b', '', 'x,y', 'null', '6869', 'name', 'yyyy'],
];

const keySources = [
  'keysOf({{object}})[0]',
  '({{object}} pluck $$)[0]',
  'entriesOf({{object}})[0].key',
  'dw::core::Objects::keySet({{object}})[0]',
  'max(keysOf({{object}}))',
  '{{text}} as Key',
];

/** An expression over a variable with a Key in place of a text, number, Boolean or date. */
export function keys(g: Generator): Node {
  const { random } = g;
  const text = `"${random.pick(keyTexts)}"`;
  const source = fill('any', random.pick(keySources), (part) =>
    leaf('obj', 'fixed key', part === 'text' ? text : `{${text}: ${random.pick(['1', 'null', '"a"'])}}`),
  );
  const wanted = random.pick(['str', 'str', 'str', 'num', 'bool', 'date', 'datetime', 'localtime', 'period', 'any']);
  const type = g.someType();
  const body = g.within([{ name: 'k', type: wanted }], () =>
    random.chance(0.5)
      ? fill('any', random.pick(keyObservers), (part) =>
          part === 'k' ? leaf('any', 'variable', 'k') : g.operand(part, 1),
        )
      : g.expression(type, 1 + random.below(3)),
  );
  return build('any', 'header', {
    value: false,
  })`${random.pick(['', 'fun id(x: Any): Any = x\n'])}var k = ${source}\n---\n${body}`;
}

const keyTargets = [
  ...['String', 'Number', 'Boolean', 'Date', 'Time', 'LocalTime', 'LocalDateTime', 'DateTime', 'TimeZone', 'Period'],
  ...['Key', 'Regex', 'Binary', 'Array', 'Object', 'Null', 'Any', 'String | Null', '"a"'],
];

const keyObservers = [
  ...keyTargets.flatMap((it) => [`{{k}} as ${it}`, `{{k}} is ${it}`, `((x: ${it}) -> typeOf(x))({{k}})`]),
  ...[
    '+',
    '-',
    '*',
    '/',
    '++',
    '--',
    '<<',
    '>>',
    '<',
    '<=',
    '>',
    '>=',
    '==',
    '!=',
    '~=',
    'and',
    'or',
    'default',
  ].flatMap((it) => [
    `{{k}} ${it} {{any}}`,
    `{{any}} ${it} {{k}}`,
    `{{k}} ${it} {{str}}`,
    `{{date}} ${it} {{k}}`,
    `{{k}} ${it} {{k}}`,
  ]),
  ...['{{k}} ++ {{time}}', '{{localtime}} ++ {{k}}', '{{k}} + {{period}}', '{{k}} >> {{str}}', '{{datetime}} >> {{k}}'],
  ...['if ({{k}}) 1 else 2', 'not {{k}}', '-{{k}}', '{a: 1, (b: 2) if {{k}}}', '[1, 2] filter {{k}}', '[1][?({{k}})]'],
  ...['{{k}}[0]', '{{k}}[-1 to 0]', '{{obj}}[{{k}}]', '[1, 2, 3][{{k}}]', '{{k}}.a', '{({{k}}): 1}', '{{obj}} - {{k}}'],
  ...['"<$({{k}})>"', '{{k}} to 3', '1 to {{k}}', '{a: {{k}}, b: [{{k}}]}', '{{k}} match { case "a" -> 1 else -> $ }'],
  ...['{{k}} match { case x is String -> 1 case is Key -> 2 else -> 3 }', '{{k}} match { case /a|1/ -> 1 else -> $ }'],
  ...[
    '["a", {{k}}] distinctBy $',
    '["a", {{k}}] groupBy $',
    '["a", {{k}}] orderBy $',
    '[{{k}}, "a", {{k}}] joinBy "-"',
  ],
  ...['max(["a", {{k}}])', 'min([{{k}}, {{k}}])', 'sum([{{k}}, 1])', '["a"] contains {{k}}', '[{{k}}] -- ["a"]'],
  ...['isEmpty({{k}})', 'isBlank({{k}})', 'sizeOf({{k}})', 'upper({{k}})', 'typeOf({{k}})', 'write({{k}})'],
  ...['write({a: {{k}}}, "application/json")', 'read({{k}}, "application/json")', 'round({{k}})', 'isLeapYear({{k}})'],
  ...[
    '{{k}} splitBy ","',
    '"x,y" splitBy {{k}}',
    '{{k}} contains {{str}}',
    '{{str}} startsWith {{k}}',
    '{{k}} matches /a|b/',
  ],
  ...['{{k}} reduce ($ ++ $$)', '{{k}} as Date {format: "yyyy"}', '{{k}} as Number {format: "0.0"}'],
  ...[
    'dw::util::Coercions::toDate({{k}})',
    'dw::util::Coercions::toString({{k}})',
    'dw::util::Coercions::toNumber({{k}})',
  ],
  ...[
    'dw::util::Coercions::toDateTime({{k}})',
    'dw::util::Coercions::toBoolean({{k}})',
    'dw::util::Coercions::toDateOrNull({{k}}, [])',
  ],
  ...[
    'dw::util::Coercions::toTimeZone({{k}})',
    'dw::util::Coercions::toPeriod({{k}})',
    'dw::util::Coercions::toBinary({{k}}, "UTF-8")',
  ],
  ...[
    'daysBetween({{k}}, {{date}})',
    '{{obj}} mapObject ((v, n) -> {(n ++ {{k}}): v})',
    '{{obj}} filterObject ((v, n) -> n == {{k}})',
  ],
  ...[
    '{{obj}} pluck ($$ ~= {{k}})',
    '{{obj}} groupBy {{k}}',
    'namesOf({({{k}}): 1})',
    '{{k}} update { case .a -> 1 }',
    'dw::core::Strings::words({{k}})',
  ],
];
