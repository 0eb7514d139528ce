import { type Definition, type LibraryFunction, library } from '../dispatch.js';
import type { TypeValue } from '../types.js';
import { collectionFunctions } from './collections.js';
import { generalFunctions } from './core.js';
import { operatorFunctions } from './operators.js';
import { textFunctions } from './text.js';

/** A module: its functions and the types it declares. */
export interface Module {
  readonly functions: ReadonlyMap<string, LibraryFunction>;
  readonly types: ReadonlyMap<string, TypeValue>;
}

function module(definitions: readonly Definition[], types: ReadonlyMap<string, TypeValue> = new Map()): Module {
  return { functions: library(definitions), types };
}

const core: Module = {
  functions: new Map([
    ...library([...collectionFunctions, ...generalFunctions, ...textFunctions]),
    ...operatorFunctions,
  ]),
  types: new Map(),
};

const modules: ReadonlyMap<string, Module> = new Map([['dw::Core', core]]);

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

/** Functions a journey may use without an import: dw::core::Arrays and the names the journeys invented. */
export function journeyFunction(_name: string): LibraryFunction | undefined {
  return undefined;
}
