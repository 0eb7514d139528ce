import { type Definition, type LibraryFunction, library } from '../runtime/dispatch.js';
import { operatorFunctions } from '../runtime/operator-functions.js';
import { TypeValue } from '../runtime/types.js';
import { T, type Value } from '../runtime/values.js';
import { arrayFunctions } from './arrays.js';
import { dateFunctions, periodFunctions, timerFunctions } from './calendar.js';
import { coercionFunctions } from './coercions.js';
import { collectionFunctions } from './collections.js';
import { generalFunctions } from './core.js';
import { cryptoFunctions } from './crypto.js';
import { diffFunctions } from './diff.js';
import { journeyFunctions } from './journey.js';
import { mathConstants, mathFunctions, numberFunctions } from './maths.js';
import { mimeFunctions } from './mime.js';
import { objectFunctions } from './objects.js';
import { runtimeFunctions } from './runtime.js';
import { stringFunctions } from './strings.js';
import { textFunctions } from './text.js';
import { treeConstants, treeFunctions } from './tree.js';
import { typeFunctions, typesTypes } from './types.js';
import { binaryFunctions, urlFunctions } from './urls.js';
import { valueFunctions } from './values.js';

/** A module: its functions, the types and the constants it declares. */
export interface Module {
  readonly functions: ReadonlyMap<string, LibraryFunction>;
  readonly types: ReadonlyMap<string, TypeValue>;
  readonly constants: ReadonlyMap<string, Value>;
}

function module(definitions: readonly Definition[], extras: Partial<Module> = {}): Module {
  return { functions: library(definitions), types: new Map(), constants: new Map(), ...extras };
}

const core: Module = {
  functions: new Map([
    ...library([...collectionFunctions, ...generalFunctions, ...textFunctions]),
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

/** Types of a module that are objects; their fields are ignored. */
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

/** The module with this path. */
export function moduleNamed(path: string): Module | undefined {
  return modules.get(path);
}

/** The paths of all modules. */
export function moduleNames(): Iterable<string> {
  return modules.keys();
}

/** The function of dw::Core with this name. */
export function coreFunction(name: string): LibraryFunction | undefined {
  return core.functions.get(name);
}

/** The names of all functions of dw::Core. */
export function coreNames(): Iterable<string> {
  return core.functions.keys();
}

const invented = library(journeyFunctions);
const aliases: ReadonlyMap<string, string> = new Map([
  ['any', 'some'],
  ['all', 'every'],
]);

/** Functions a journey may use without an import: dw::core::Arrays, and the names the journeys invented. */
export function journeyFunction(name: string): LibraryFunction | undefined {
  return invented.get(name) ?? arrays.functions.get(aliases.get(name) ?? name);
}
