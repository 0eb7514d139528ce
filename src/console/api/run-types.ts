import type { Json, JsonObject } from '../../base/json/value.js';
import type { Diagram } from '../../graph/diagram.js';

/** Phase of a run. */
export type ItemPhase = 'RUNNING' | 'SUCCEEDED' | 'FAILED';

/** A state that a run is in. */
export interface ActiveStateItem {
  readonly state: string;
  readonly type: string;
  readonly within?: string;
  readonly dueAt?: string;
  readonly items?: { readonly total: number; readonly done: number; readonly failed: number };
  readonly round?: { readonly number: number; readonly max: number };
}

/** A run as lists and its status show it. */
export interface RunItem {
  readonly journeyId: string;
  readonly journeyName: string;
  readonly journeyVersion?: string;
  readonly phase: ItemPhase;
  readonly currentState?: string;
  readonly activeStates?: readonly ActiveStateItem[];
  readonly updatedAt?: string;
  readonly startedAt?: string;
  readonly endedAt?: string | null;
  readonly code?: string | null;
  readonly tags?: readonly string[];
  readonly attributes?: Readonly<Record<string, string>>;
  readonly _links?: Readonly<Record<string, { readonly href: string; readonly method?: string }>>;
  readonly status?: string;
  readonly output?: Json;
  readonly error?: {
    readonly code: string;
    readonly reason: string;
    /** The state that failed; absent: a `fail` state ended the run. */
    readonly state?: string;
    /** The code by which lists count an unexpected failure. */
    readonly cause?: string;
    readonly line?: number;
    readonly column?: number;
  };
  readonly uncertain?: readonly { readonly state: string; readonly within?: string; readonly reason: string }[];
}

/** A page of a list. */
export interface ItemPage<T> {
  readonly items: readonly T[];
  readonly nextPageToken?: string;
}

/** Runs per phase, and the failed ones per code. */
export interface PhaseCounts {
  readonly total: number;
  readonly phases: Readonly<Partial<Record<ItemPhase, number>>>;
  readonly openSteps?: number;
  readonly failures: readonly { readonly code: string; readonly count: number }[];
  readonly otherFailures?: number;
  /** The number of runs that were counted, if not all. */
  readonly of: number | null;
}

/** A step that somebody may submit. */
export interface OpenStepItem {
  readonly journeyId: string;
  readonly key: string | null;
  readonly journeyName: string;
  readonly journeyVersion: string;
  readonly step: string;
  readonly state: string;
  readonly type: string;
  readonly within?: string;
  readonly since: string;
  readonly dueAt: string | null;
  readonly description: string | null;
  readonly schema: Json;
  readonly signed: boolean;
  readonly tags: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
  readonly href: string;
}

/** A page of open steps. */
export interface OpenStepPage extends ItemPage<OpenStepItem> {
  /** Runs whose worker did not answer in time. */
  readonly unanswered: number;
}

/** The definition that a run was started with. */
export interface RunDefinition {
  /** For operators. */
  readonly diagram?: Diagram;
  readonly steps?: readonly StepItem[];
  readonly cancellable?: boolean;
  readonly current?: boolean;
}

/** A step of a journey. */
export interface StepItem {
  readonly id: string;
  readonly type: string;
  readonly description?: string;
  readonly schema: Json;
  readonly timeoutSec?: number;
  readonly signed?: boolean;
}

/** A call of a visit. */
export interface CallItem {
  readonly kind: string;
  readonly at: string;
  readonly endedAt?: string;
  readonly outcome: 'running' | 'answered' | 'failed' | 'abandoned';
  readonly attempts?: number;
  readonly status?: number;
  readonly code?: string;
  readonly about?: string;
  readonly message?: string;
  readonly request?: Json;
  readonly response?: Json;
}

/** A timer of a visit. */
export interface TimerItem {
  readonly at: string;
  readonly dueAt: string;
  readonly firedAt?: string;
  readonly cancelledAt?: string;
}

/** A visit of a state. */
export interface VisitItem {
  readonly n: number;
  readonly kind: 'visit';
  readonly id: string;
  readonly state: string;
  readonly type: string;
  readonly within?: string;
  readonly number: number;
  readonly visit?: string;
  readonly enteredAt: string;
  readonly leftAt?: string;
  readonly outcome: 'running' | 'left' | 'ended' | 'failed' | 'interrupted';
  readonly next?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly calls?: readonly CallItem[];
  readonly timers?: readonly TimerItem[];
  readonly submissions?: readonly {
    readonly at: string;
    readonly by?: string;
    readonly signal?: boolean;
    readonly payload?: Json;
  }[];
}

/** Something else that happened to a run. */
export interface RunEventItem {
  readonly n: number;
  readonly kind: 'started' | 'signal' | 'cancel' | 'blocked' | 'migrated' | 'ended';
  readonly at: string;
  readonly name?: string;
  readonly by?: string;
  readonly message?: string;
  readonly payload?: Json;
  readonly from?: string;
  readonly to?: string;
  readonly phase?: ItemPhase;
  readonly status?: string;
  readonly state?: string;
  readonly code?: string;
  readonly reason?: string;
  readonly output?: Json;
}

/** An entry of the trail. */
export type TrailItem = VisitItem | RunEventItem;

/** A page of the trail. */
export interface TrailPage {
  readonly journeyId: string;
  readonly journeyName: string;
  readonly journeyVersion?: string;
  readonly phase: ItemPhase;
  readonly complete: boolean;
  readonly reason?: { readonly code: string; readonly detail?: string };
  readonly entries: readonly TrailItem[];
  readonly nextPageToken?: string;
  readonly cursor: string;
}

/** The context of a run before and after a visit. */
export interface ContextOfVisit {
  readonly n: number;
  readonly before: JsonObject;
  readonly after?: JsonObject;
}

/** Per-item result of a change of several runs. */
export interface BulkResult {
  readonly items: readonly {
    readonly journeyId: string;
    readonly changed: boolean;
    /** Of a retry: the run was rerun before, as `run`. */
    readonly reason?: 'RERUN_EXISTS';
    readonly run?: { readonly journeyId: string };
    readonly problem?: { readonly code: string; readonly title: string; readonly detail?: string };
  }[];
  readonly more?: boolean;
}
