import type { Json } from '../../base/json/value.js';
import { type Finding, refuse } from '../../base/problems/problem.js';
import { validate } from '../../json-schema/validate.js';
import { type Violation, violationsText, violationText } from '../../json-schema/violation-messages.js';

const maxFindings = 50;

/** Validates inputs of runs. */
export interface InputChecks {
  /** Throws INPUT_INVALID with a finding per violation. `hash` identifies the definition of the schema. */
  check(value: Json, schema: Json, hash: string): void;
}

/** Validates with the run's own validator, which compiles nothing: for virtual time in a browser. */
export const interpretedChecks: InputChecks = { check: (value, schema) => refuseInvalid(violations(schema, value)) };

/** Throws INPUT_INVALID if there are findings. */
export function refuseInvalid(findings: readonly Finding[]): void {
  if (findings.length === 0) return;
  const shown = findings.slice(0, maxFindings);
  refuse('INPUT_INVALID', violationsText(shown, 'the body'), {
    errors: shown,
    ...(findings.length > maxFindings ? { errorsOmitted: findings.length - maxFindings } : {}),
  });
}

/** The findings of the run's own validator. */
export function violations(schema: Json, value: Json): Finding[] {
  return validate(schema, value).map(violation);
}

/** A violation of an input schema as a finding. */
export function violation(it: Violation): Finding {
  return { code: 'INPUT_INVALID', severity: 'error', ...violationText(it) };
}
