import type { Json } from '../../../base/json/value.js';
import type { Finding } from '../../../base/problems/problem.js';
import type { Outcome } from '../../../engine/outcome.js';
import type { Diagram } from '../../../graph/diagram.js';
import type { RecordedMoment } from '../../../scenarios/simulate/record-visited-moments.js';

/** The texts of the two editors. */
export interface Documents {
  readonly journey: string;
  /** The fields of one scenario: input, services, submissions. */
  readonly scenario: string;
}

/** A node of the graph in the text; offsets. */
export interface NodeRange {
  readonly key: string;
  readonly from: number;
  readonly to: number;
}

/** The findings of both documents, and the graph of a valid journey. */
export interface Checked {
  readonly findings: Readonly<Record<keyof Documents, readonly Finding[]>>;
  readonly diagram?: Diagram;
  readonly ranges: readonly NodeRange[];
}

/** A run from start to end, or the reason why it could not start. */
export interface Played {
  /** Milliseconds since the epoch, in virtual time. */
  readonly startedAt: number;
  readonly moments: readonly RecordedMoment[];
  readonly truncated: boolean;
  /** Problems of the scenario: calls without a reply, steps that were never active. */
  readonly troubles: readonly { readonly message: string; readonly hint?: string }[];
  /** The start was rejected; nothing ran. */
  readonly refused?: { readonly code: string; readonly detail: string };
  readonly outcome?: Outcome;
  /** The play as a scenario file. */
  readonly scenarioText: string;
}

/** An expression and the values that it may use. */
export interface EvaluationRequest {
  readonly expr: string;
  readonly lang: string;
  readonly context: Json;
  /** The virtual instant; milliseconds since the epoch. */
  readonly now: number;
}

/** A value, or the problem of an expression. */
export type Evaluated = { readonly value: Json } | { readonly code: string; readonly message: string };

/** A completion of the text from an offset on. */
export interface Suggestion {
  readonly label: string;
  /** The text to insert. */
  readonly apply: string;
  readonly kind: 'field' | 'value';
  readonly info?: string;
}

/** A place in a text. */
export interface TextPlace {
  readonly document: keyof Documents;
  readonly text: string;
  readonly offset: number;
}

/** A submission to add to a scenario. */
export interface Submission {
  /** The text of the scenario. */
  readonly scenario: string;
  readonly step: string;
  readonly schema: Json;
  readonly sinceStartMs: number;
}

/** Everything that the page asks its worker, with the answers. */
export interface Requests {
  examples: { ask: null; answer: readonly string[] };
  example: { ask: string; answer: Documents };
  check: { ask: Documents; answer: Checked };
  play: { ask: Documents; answer: Played };
  evaluate: { ask: EvaluationRequest; answer: Evaluated };
  addSubmission: { ask: Submission; answer: string };
  expressionAt: { ask: TextPlace; answer: { readonly expr: string; readonly lang: string } | null };
  complete: { ask: TextPlace; answer: { readonly from: number; readonly suggestions: readonly Suggestion[] } | null };
  describe: { ask: TextPlace; answer: { readonly from: number; readonly to: number; readonly text: string } | null };
}
