/** Inserts spaces at word boundaries: before a capital after a lower-case letter or digit, and before the last of several capitals. */
function spaced(text: string): string {
  return text.replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2').replace(/([a-z\d])([A-Z])/g, '$1 $2');
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Converts `first_second` to `firstSecond`. */
export function camelize(text: string): string {
  const joined = text.replace(/^_+/, '').replace(/_+([^_]?)/g, (_, c: string) => c.toUpperCase());
  return joined.slice(0, 1).toLowerCase() + joined.slice(1);
}

/** Capitalizes words and separates them with spaces; a word starts after anything but a-z, a digit or `_`. */
export function capitalize(text: string): string {
  const lower = spaced(text)
    .replace(/[_\s-]/g, ' ')
    .toLowerCase();
  return upperFirst(lower.replace(/\b[a-z]/g, (c) => c.toUpperCase()));
}

/** Separates words with dashes. */
export function dasherize(text: string): string {
  return spaced(text).replace(/[\s_]/g, '-').toLowerCase();
}

/** Separates words with underscores. */
export function underscore(text: string): string {
  return spaced(text).replace(/[\s-]/g, '_').toLowerCase();
}

/** Irregular words, also as endings (`salesperson`). The first letter is kept. */
const irregular: readonly [one: string, many: string][] = [
  ['person', 'people'],
  ['man', 'men'],
  ['child', 'children'],
  ['sex', 'sexes'],
  ['move', 'moves'],
  ['die', 'dice'],
  ['foot', 'feet'],
  ['tooth', 'teeth'],
  ['goose', 'geese'],
  ['cow', 'kine'],
];

const uncountable: ReadonlySet<string> = new Set(
  'equipment information rice money species series fish sheep deer aircraft'.split(' '),
);

function changed(from: string, to: string): [RegExp, string] {
  return [new RegExp(`(${from[0]})${from.slice(1)}$`, 'i'), `$1${to.slice(1)}`];
}

const plurals: readonly [RegExp, string][] = [
  [/(hu)man$/i, '$1mans'],
  ...irregular.map(([one, many]) => changed(one, many)),
  [/^(ox)$/i, '$1en'],
  [/(quiz)$/i, '$1zes'],
  [/([m|l])ouse$/i, '$1ice'],
  [/(matr)ix$|ex$/i, '$1ices'],
  [/(x|ch|ss|sh)$/i, '$1es'],
  [/([^aeiouy]|qu)y$/i, '$1ies'],
  [/(?:([^f])fe|([lr])f)$/i, '$1$2ves'],
  [/sis$/i, 'ses'],
  [/([ti])um$/i, '$1a'],
  [/(buffal|tomat)o$/i, '$1oes'],
  [/(bu)s$/i, '$1ses'],
  [/(alias|status)$/i, '$1es'],
  [/(octop|vir|fung|alumn)us$/i, '$1i'],
  [/(ax|test)is$/i, '$1es'],
  [/(alumna)$/i, '$1e'],
  [/s$/i, 's'],
  [/$/, 's'],
];

const singulars: readonly [RegExp, string][] = [
  ...irregular.map(([one, many]) => changed(many, one)),
  [/^(ox)en$/i, '$1'],
  [/(thie)ves$/i, '$1f'],
  [/(alumna)e$/i, '$1'],
  [/(quiz)zes$/i, '$1'],
  [/(matr)ices$/i, '$1ix'],
  [/(vert|ind)ices$/i, '$1ex'],
  [/(alias|status)(?:es)?$/i, '$1'],
  [/(n)ews$/i, '$1ews'],
  [/(octop|vir|fung|alumn)i$/i, '$1us'],
  [/(cris|ax|test)es$/i, '$1is'],
  [/(shoe)s$/i, '$1'],
  [/(o)es$/i, '$1'],
  [/(bus)es$/i, '$1'],
  [/([m|l])ice$/i, '$1ouse'],
  [/(x|ch|ss|sh)es$/i, '$1'],
  [/(m)ovies$/i, '$1ovie'],
  [/(s)eries$/i, '$1eries'],
  [/([^aeiouy]|qu)ies$/i, '$1y'],
  [/([lr])ves$/i, '$1f'],
  [/(leave)s$/i, '$1'],
  [/(tive)s$/i, '$1'],
  [/(hive)s$/i, '$1'],
  [/([^f])ves$/i, '$1fe'],
  [/(analy|ba|diagno|parenthe|progno|synop|the)ses$/i, '$1sis'],
  [/([ti])a$/i, '$1um'],
  [/(.)s$/i, '$1'],
];

/** Applies the first matching rule. In Java `$` also matches before a final line break, and an empty match there is replaced too. */
function inflect(word: string, rules: readonly [RegExp, string][]): string {
  const end = word.endsWith('\n') ? '\n' : '';
  const body = end ? word.slice(0, -1) : word;
  for (const [pattern, by] of rules) {
    if (pattern.test(body)) return body.replace(pattern, by) + end + (end && pattern.source === '$' ? by : '');
  }
  return word;
}

/** Plural of an English word. */
export function pluralize(word: string): string {
  if (word === '' || uncountable.has(word.toLowerCase())) return word;
  return inflect(word, plurals);
}

/** Singular of an English word. */
export function singularize(word: string): string {
  if (word === '' || uncountable.has(word.toLowerCase())) return word;
  return inflect(word, singulars);
}
