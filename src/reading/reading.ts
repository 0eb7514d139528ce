import type { Expression } from '../definition/definition.js';
import type { Place } from '../document/place.js';
import type { LoadOptions } from './load-options.js';
import type { Policies } from './policies.js';

/** An expression of `spec.mappers`. */
export interface NamedMapper {
  expression: Expression;
  place: Place;
  used: boolean;
}

/** What every part of one document may need to know of the others while it is read. */
export interface Reading {
  kind: 'Journey' | 'Api';
  options: LoadOptions;
  root: Place;
  mappers: ReadonlyMap<string, NamedMapper>;
  configKeys: ReadonlySet<string>;
  topStates: ReadonlySet<string>;
  subjourneys: ReadonlySet<string>;
  apis: ReadonlyMap<string, string>;
  defaults: { timeoutMs?: number; headers: Record<string, string>; resiliencePolicyRef?: Place };
  policies: Policies;
}

/** A graph while it is read: whose ids its references may name. */
export interface Scope {
  reading: Reading;
  role: 'main' | 'branch' | 'subjourney' | 'compensation';
  /** How the graph is called in messages. */
  name: string;
  ids: ReadonlySet<string>;
  parent?: Scope;
  /** The bindings of this graph's expressions beyond the usual ones. */
  bindings: readonly string[];
  /** Set when a state or a reference could not be read, so that reachability would only repeat that. */
  broken: boolean;
}
