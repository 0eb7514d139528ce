import { Fault } from './evaluation-fault.js';

/** Names of months and days, and number notation, of a language. */
export interface Locale {
  readonly months: readonly string[];
  readonly shortMonths: readonly string[];
  readonly days: readonly string[];
  readonly shortDays: readonly string[];
  readonly halves: readonly [string, string];
  readonly decimal: string;
  readonly group: string;
}

function locale(
  months: string,
  shortMonths: string,
  days: string,
  shortDays: string,
  rest: Pick<Locale, 'halves' | 'decimal' | 'group'>,
): Locale {
  const words = (text: string) => text.split(' ');
  return {
    months: words(months),
    shortMonths: words(shortMonths),
    days: words(days),
    shortDays: words(shortDays),
    ...rest,
  };
}

/** English, the default locale. */
export const english = locale(
  'January February March April May June July August September October November December',
  'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
  'Monday Tuesday Wednesday Thursday Friday Saturday Sunday',
  'Mon Tue Wed Thu Fri Sat Sun',
  { halves: ['AM', 'PM'], decimal: '.', group: ',' },
);

const locales: ReadonlyMap<string, Locale> = new Map([
  ['en', english],
  [
    'en-gb',
    {
      ...english,
      shortMonths: english.shortMonths.map((it) => (it === 'Sep' ? 'Sept' : it)),
      halves: ['am', 'pm'],
    },
  ],
  [
    'de',
    locale(
      'Januar Februar März April Mai Juni Juli August September Oktober November Dezember',
      'Jan. Feb. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.',
      'Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag',
      'Mo. Di. Mi. Do. Fr. Sa. So.',
      { halves: ['AM', 'PM'], decimal: ',', group: '.' },
    ),
  ],
  [
    'es',
    locale(
      'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
      'ene feb mar abr may jun jul ago sept oct nov dic',
      'lunes martes miércoles jueves viernes sábado domingo',
      'lun mar mié jue vie sáb dom',
      { halves: ['a.\u00a0m.', 'p.\u00a0m.'], decimal: ',', group: '.' },
    ),
  ],
  [
    'fr',
    locale(
      'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
      'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.',
      'lundi mardi mercredi jeudi vendredi samedi dimanche',
      'lun. mar. mer. jeu. ven. sam. dim.',
      { halves: ['AM', 'PM'], decimal: ',', group: '\u202f' },
    ),
  ],
  [
    'it',
    locale(
      'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
      'gen feb mar apr mag giu lug ago set ott nov dic',
      'lunedì martedì mercoledì giovedì venerdì sabato domenica',
      'lun mar mer gio ven sab dom',
      { halves: ['AM', 'PM'], decimal: ',', group: '.' },
    ),
  ],
  [
    'nl',
    locale(
      'januari februari maart april mei juni juli augustus september oktober november december',
      'jan feb mrt apr mei jun jul aug sep okt nov dec',
      'maandag dinsdag woensdag donderdag vrijdag zaterdag zondag',
      'ma di wo do vr za zo',
      { halves: ['a.m.', 'p.m.'], decimal: ',', group: '.' },
    ),
  ],
  [
    'pt',
    locale(
      'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
      'jan. fev. mar. abr. mai. jun. jul. ago. set. out. nov. dez.',
      'segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo',
      'seg. ter. qua. qui. sex. sáb. dom.',
      { halves: ['AM', 'PM'], decimal: ',', group: '.' },
    ),
  ],
]);

/** Regions that use the notation of their language. */
const plainRegions: ReadonlySet<string> = new Set('en-us de-de es-es es-ar fr-fr it-it nl-nl pt-br'.split(' '));

/** The locale with this name; rejects an unknown one. */
export function localeNamed(name: string | null | undefined): Locale {
  if (name === null || name === undefined) return english;
  // With an underscore it is not a language tag, and the reference engine ignores the country.
  const tag = name.toLowerCase();
  const found = locales.get(plainRegions.has(tag) ? tag.slice(0, 2) : tag);
  if (!found) throw new Fault('DW_UNSUPPORTED_SYNTAX', 'This locale is not supported');
  return found;
}
