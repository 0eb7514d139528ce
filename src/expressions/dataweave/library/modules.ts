import { type Definition, type LibraryFunction, library } from '../dispatch.js';
import type { TypeValue } from '../types.js';
import type { Value } from '../values.js';
import { arrayFunctions } from './arrays.js';
import { dateFunctions, periodFunctions, timerFunctions } from './calendar.js';
import { coercionFunctions } from './coercions.js';
import { collectionFunctions } from './collections.js';
import { generalFunctions } from './core.js';
import { journeyFunctions } from './journey.js';
import { mathFunctions, numberFunctions } from './maths.js';
import { objectFunctions } from './objects.js';
import { operatorFunctions } from './operators.js';
import { runtimeFunctions } from './runtime.js';
import { stringFunctions } from './strings.js';
import { textFunctions } from './text.js';
import { typeFunctions, typesTypes } from './types.js';
import { binaryFunctions, urlFunctions } from './urls.js';
import { treeConstants, treeFunctions, valueFunctions } from './values.js';

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

const modules: ReadonlyMap<string, Module> = new Map([
  ['dw::Core', core],
  ['dw::Runtime', module(runtimeFunctions)],
  ['dw::core::Arrays', arrays],
  ['dw::core::Binaries', module(binaryFunctions)],
  ['dw::core::Dates', module(dateFunctions)],
  ['dw::core::Numbers', module(numberFunctions)],
  ['dw::core::Objects', module(objectFunctions)],
  ['dw::core::Periods', module(periodFunctions)],
  ['dw::core::Strings', module(stringFunctions)],
  ['dw::core::Types', module(typeFunctions, { types: typesTypes })],
  ['dw::core::URL', module(urlFunctions)],
  ['dw::util::Coercions', module(coercionFunctions)],
  ['dw::util::Math', module(mathFunctions)],
  ['dw::util::Timer', module(timerFunctions)],
  ['dw::util::Tree', module(treeFunctions, { constants: treeConstants })],
  ['dw::util::Values', module(valueFunctions)],
]);

export function moduleNamed(path: string): Module | undefined {
  return modules.get(path);
}

export function moduleNames(): Iterable<string> {
  return modules.keys();
}

export function coreFunction(name: string): LibraryFunction | undefined {
  return core.functions.get(name);
}

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
