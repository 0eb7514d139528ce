import { coerceTo } from '../runtime/coercion.js';
import { difference } from '../runtime/dates/date-arithmetic.js';
import type { DateTimeValue } from '../runtime/dates/date-values.js';
import type { Evaluation } from '../runtime/evaluation-state.js';
import {
  defineFunctions,
  type FunctionDefinition,
  type LibraryFunction,
  overload,
} from '../runtime/library-function-overloads.js';
import { operatorFunctions } from '../runtime/non-numeric-operators.js';
import { TypeValue } from '../runtime/type-values.js';
import { DwObject, T, type Value } from '../runtime/values.js';
import { arrayFunctions } from './arrays.js';
import { coercionFunctions } from './conversion-functions.js';
import { collectionFunctions } from './core-collections.js';
import { generalFunctions } from './core-general.js';
import { textFunctions } from './core-text.js';
import { dateFunctions, periodFunctions, timerFunctions } from './dates-and-periods.js';
import { cryptoFunctions } from './hash-functions.js';
import { valueFunctions } from './mask-and-update.js';
import { objectFunctions } from './objects.js';
import { mimeFunctions } from './read-and-write.js';
import { stringFunctions } from './strings.js';
import { diffFunctions, treeConstants, treeFunctions } from './tree-and-diff.js';
import { mathConstants, mathFunctions, numberFunctions } from './trigonometry-and-radix.js';
import { runtimeFunctions } from './try-and-fail.js';
import { typeFunctions, typesTypes } from './type-inspection.js';
import { binaryFunctions, urlFunctions } from './urls-and-binaries.js';

/** Time from `start` to `end`, in whole units of each kind. */
function durationBetween(ev: Evaluation, start: Value, end: Value): Value {
  const at = (value: Value) => coerceTo(ev, value, T.DateTime) as DateTimeValue;
  const { seconds, nanos } = difference(at(end), at(start));
  const total = seconds ?? 0;
  const units: [string, number][] = [
    ['milliseconds', total * 1000 + Math.floor(nanos / 1e6)],
    ['seconds', total],
    ['minutes', Math.trunc(total / 60)],
    ['hours', Math.trunc(total / 3600)],
    ['days', Math.trunc(total / 86_400)],
  ];
  return new DwObject(
    units.map(([unit]) => unit),
    units.map(([, n]) => n),
  );
}

/** Functions that journeys use but DataWeave does not have (deviation D8). */
const journeyFunctions: readonly FunctionDefinition[] = [
  ['durationBetween', overload([T.Any, T.Any], durationBetween)],
];

/** A module with its functions, types and constants. */
export interface Module {
  readonly functions: ReadonlyMap<string, LibraryFunction>;
  readonly types: ReadonlyMap<string, TypeValue>;
  readonly constants: ReadonlyMap<string, Value>;
}

function module(definitions: readonly FunctionDefinition[], extras: Partial<Module> = {}): Module {
  return { functions: defineFunctions(definitions), types: new Map(), constants: new Map(), ...extras };
}

const core: Module = {
  functions: new Map([
    ...defineFunctions([...collectionFunctions, ...generalFunctions, ...textFunctions]),
    ...operatorFunctions,
  ]),
  types: new Map(),
  constants: new Map(),
};

const arrays = module(arrayFunctions);

const treeTypes = new Map([...objectTypes('PathElement'), ['Path', new TypeValue('Path', T.Array)]]);
const coercionTypes = new Map([
  ...objectTypes('Formatter'),
  ['MillisOrSecs', new TypeValue('MillisOrSecs', T.String)],
  ['PeriodUnits', new TypeValue('PeriodUnits', T.String)],
]);

/** Object types of a module; their fields are ignored. */
function objectTypes(...names: string[]): ReadonlyMap<string, TypeValue> {
  return new Map(names.map((name) => [name, new TypeValue(name, T.Object)]));
}

const modules: ReadonlyMap<string, Module> = new Map([
  ['dw::Core', core],
  ['dw::Crypto', module(cryptoFunctions)],
  ['dw::Runtime', module(runtimeFunctions, { types: objectTypes('TryResult', 'TryResultFailure') })],
  ['dw::core::Arrays', arrays],
  ['dw::core::Binaries', module(binaryFunctions)],
  [
    'dw::core::Dates',
    module(dateFunctions, {
      types: objectTypes(
        'DateFactory',
        'DateTimeFactory',
        'LocalDateTimeFactory',
        'LocalTimeFactory',
        'TimeFactory',
        'Zoned',
      ),
    }),
  ],
  ['dw::core::Numbers', module(numberFunctions)],
  ['dw::core::Objects', module(objectFunctions)],
  ['dw::core::Periods', module(periodFunctions)],
  ['dw::core::Strings', module(stringFunctions)],
  ['dw::core::Types', module(typeFunctions, { types: typesTypes })],
  ['dw::core::URL', module(urlFunctions, { types: objectTypes('URI') })],
  ['dw::module::Mime', module(mimeFunctions, { types: objectTypes('MimeType', 'MimeTypeError') })],
  ['dw::util::Coercions', module(coercionFunctions, { types: coercionTypes })],
  ['dw::util::Diff', module(diffFunctions, { types: objectTypes('Diff', 'Difference') })],
  ['dw::util::Math', module(mathFunctions, { constants: mathConstants })],
  ['dw::util::Timer', module(timerFunctions, { types: objectTypes('DurationMeasurement', 'TimeMeasurement') })],
  ['dw::util::Tree', module(treeFunctions, { constants: treeConstants, types: treeTypes })],
  ['dw::util::Values', module(valueFunctions)],
]);

/** Finds a module by path. */
export function moduleNamed(path: string): Module | undefined {
  return modules.get(path);
}

/** Paths of all modules. */
export function moduleNames(): Iterable<string> {
  return modules.keys();
}

/** Finds a function of dw::Core by name. */
export function coreFunction(name: string): LibraryFunction | undefined {
  return core.functions.get(name);
}

/** Names of all functions of dw::Core. */
export function coreNames(): Iterable<string> {
  return core.functions.keys();
}

const invented = defineFunctions(journeyFunctions);
const aliases: ReadonlyMap<string, string> = new Map([
  ['any', 'some'],
  ['all', 'every'],
]);

/** Finds a function that journeys may use without an import: those of dw::core::Arrays and non-standard ones. */
export function journeyFunction(name: string): LibraryFunction | undefined {
  return invented.get(name) ?? arrays.functions.get(aliases.get(name) ?? name);
}
