import type { Json } from '../../base/json/value.js';
import type { Diagram } from '../../graph/diagram.js';
import type { ItemPhase, StepItem } from './run-types.js';

/** A journey or Api in the list. */
export interface DefinitionItem {
  readonly name: string;
  readonly kind: 'Journey' | 'Api';
  readonly version: string;
  /** Newest first. */
  readonly versions: readonly string[];
  readonly description?: string;
  readonly tags: readonly string[];
  readonly startMode: 'sync' | 'async';
  readonly path?: string;
  readonly guarded?: boolean;
}

/** Journeys and Apis that the caller may use. */
export interface DefinitionList {
  readonly items: readonly DefinitionItem[];
  /** For operators: files with errors. */
  readonly brokenFiles?: readonly {
    readonly file: string;
    readonly code: string;
    readonly message: string;
    readonly line?: number;
  }[];
}

/** One journey or Api in one version. */
export interface DefinitionDetails extends DefinitionItem {
  readonly inputSchema: Json;
  readonly outputSchema: Json;
  readonly steps: readonly StepItem[];
  /** For operators. */
  readonly diagram?: Diagram;
  readonly source?: { readonly file: string; readonly text: string };
}

/** Differences between two versions. */
export interface DefinitionChanges {
  readonly from: string | null;
  readonly to: string;
  readonly breaking: boolean;
  readonly changes: readonly {
    readonly code: string;
    readonly concerns: string;
    readonly breaking: boolean;
    readonly pointer: string;
    readonly message: string;
  }[];
}

/** How often each edge of the graph was taken, by the keys of the edges. */
export interface EdgeCounts {
  readonly last: number;
  readonly runs: number;
  readonly counted: number;
  readonly edges: Readonly<Record<string, number>>;
}

/** Outcomes and durations of the latest runs that have ended. */
export interface DefinitionStats {
  readonly runs: number;
  readonly last: number;
  readonly phases: Readonly<Partial<Record<ItemPhase, number>>>;
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  readonly durationMs: { readonly median: number; readonly p90: number; readonly max: number } | null;
  readonly items: readonly {
    readonly journeyId: string;
    readonly phase: ItemPhase;
    readonly code: string | null;
    readonly startedAt: string;
    readonly durationMs: number;
  }[];
}
