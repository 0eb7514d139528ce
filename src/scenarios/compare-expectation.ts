import type { Json } from '../base/json/value.js';
import type { Problem } from '../base/problems/problem.js';
import { addDuration } from '../base/time/duration.js';
import { describeDifference, differences, subjectAt } from './json-differences.js';
import type { Expectation, ExpectedCall, Scenario, StepExpectation } from './scenario.js';
import type { Observation, ObservedCompensation, SubmissionAnswer } from './scenario-observation.js';
import type { RecordedCall } from './scripted-backend.js';

/** A mismatch between a scenario and an observation. */
export interface Mismatch {
  /** The part that differs: `output`, `calls`, `steps[0].status`. */
  subject: string;
  message: string;
  hint?: string;
  line: number;
  column: number;
}

/** The parts of a scenario that a comparison needs. */
export type Compared = Pick<Scenario, 'pointer' | 'now' | 'steps' | 'expect' | 'place'>;

/** Compares an observation with the expectations of its scenario. */
export function mismatchesOf(scenario: Compared, seen: Observation): Mismatch[] {
  return new Comparison(scenario, seen).run();
}

class Comparison {
  private readonly found: Mismatch[] = [];

  constructor(
    private readonly scenario: Compared,
    private readonly seen: Observation,
  ) {}

  run(): Mismatch[] {
    const { scenario, seen } = this;
    for (const { message, pointer, hint } of seen.problems) {
      this.add('scenario', pointer ?? scenario.pointer, message, hint);
    }
    scenario.steps.forEach((step, i) => {
      const answer = seen.answers[i];
      if (answer) this.answer(`steps[${i}]`, step.pointer, step.expect, answer);
    });
    this.expectation(scenario.expect);
    return this.found.sort((a, b) => a.line - b.line || a.column - b.column);
  }

  private expectation(expect: Expectation): void {
    const { seen } = this;
    if (expect.refused !== undefined || seen.refused) {
      const code = seen.refused?.code;
      if (code !== expect.refused) {
        const detail = seen.refused ? described(seen.refused) : 'a start';
        this.note('refused', `expected ${expect.refused ?? 'a start'}, got ${detail}`);
      }
      return;
    }
    const { outcome } = seen;
    const error = outcome?.error;
    const because = error ? ` (${error.code}: ${error.reason})` : '';
    if (expect.phase !== undefined && expect.phase !== seen.phase) {
      this.note('phase', `expected ${expect.phase}, got ${seen.phase}${because}`);
    }
    this.same('errorCode', expect.errorCode, error?.code, because);
    this.same('reason', expect.reason, error?.reason);
    this.same('terminationKind', expect.terminationKind, outcome?.terminationKind);
    this.same('status', expect.status, outcome?.status);
    this.same('outcomeId', expect.outcomeId, outcome?.outcomeId);
    this.same('output', expect.output, outcome?.output);
    this.same('outputIncludes', expect.outputIncludes, outcome?.output);
    this.same('contextIncludes', expect.contextIncludes, seen.context);
    this.same('currentState', expect.currentState, seen.currentState);
    this.same('states', way(expect.states), way(seen.states) ?? way(expect.states));
    if (seen.activeSteps) this.same('activeSteps', sorted(expect.activeSteps), sorted(seen.activeSteps));
    this.same('tags', sorted(expect.tags), sorted(outcome?.tags));
    this.same('attributes', expect.attributes, outcome?.attributes);
    if (seen.compensation !== undefined) this.compensation(expect, seen.compensation);
    if (seen.schedules) this.differ('schedules', expect.schedules, seen.schedules, true, this.at('schedules'));
    this.elapsed(expect);
    this.due(expect);
    if (expect.calls) this.calls(expect.calls);
    if (expect.callsInAnyOrder) this.callsInAnyOrder(expect.callsInAnyOrder);
  }

  private compensation({ compensation: expected }: Expectation, actual: ObservedCompensation | null): void {
    if (expected === undefined) return;
    if (expected && actual) this.differ('compensation', expected, actual, true, this.at('compensation'));
    else if (expected !== actual)
      this.note('compensation', `expected ${expected ? 'one' : 'none'}, got ${actual ? actual.phase : 'none'}`);
  }

  private elapsed({ elapsed }: Expectation): void {
    const { elapsedMs } = this.seen;
    if (!elapsed || elapsedMs === undefined) return;
    const expected = addDuration(this.scenario.now, elapsed) - this.scenario.now;
    if (expected !== elapsedMs) this.note('elapsed', `expected ${seconds(expected)}, got ${seconds(elapsedMs)}`);
  }

  /** Set if the runner knows it; an ended run has none. */
  private due({ dueAt }: Expectation): void {
    const { dueMs, phase, elapsedMs } = this.seen;
    if (!dueAt || elapsedMs === undefined) return;
    const expected = addDuration(this.scenario.now, dueAt) - this.scenario.now;
    if (expected === dueMs) return;
    const got =
      dueMs === undefined ? (phase === 'RUNNING' ? 'nothing' : `a run that ended as ${phase}`) : seconds(dueMs);
    this.note('dueAt', `expected ${seconds(expected)}, got ${got}`);
  }

  private calls(expected: ExpectedCall[]): void {
    const { calls } = this.seen;
    expected.forEach((it, i) => {
      this.call(it, calls[i], `calls[${i}]`, `calls/${i}`);
    });
    for (const call of calls.slice(expected.length)) this.note('calls', `unexpected ${shown(call)}`);
  }

  /** Matches each expected call with the first call that fits completely, otherwise with the first of its kind, and reports the differences. */
  private callsInAnyOrder(expected: ExpectedCall[]): void {
    const left = [...this.seen.calls];
    const taken = expected.map((it) => {
      const ofKind = left.filter((call) => it.calls.matches(call));
      const call = ofKind.find((other) => fits(it, other)) ?? ofKind[0];
      if (call) left.splice(left.indexOf(call), 1);
      return call;
    });
    expected.forEach((it, i) => {
      this.call(it, taken[i], `callsInAnyOrder[${i}]`, `callsInAnyOrder/${i}`);
    });
    for (const call of left) this.note('callsInAnyOrder', `unexpected ${shown(call)}`);
  }

  private call(expected: ExpectedCall, call: RecordedCall | undefined, subject: string, at: string): void {
    const { calls: pattern, body, bodyIncludes, headers } = expected;
    if (!call || !pattern.matches(call)) {
      this.note(subject, `expected ${pattern.text}, got ${call ? shown(call) : 'no further call'}`, at);
      return;
    }
    const pointer = `${this.scenario.pointer}/expect/${at}`;
    this.differ(`${subject}.body`, body, call.body, false, pointer);
    this.differ(`${subject}.body`, bodyIncludes, call.body, true, pointer);
    for (const [name, value] of Object.entries(headers ?? {})) {
      this.differ(`${subject}.headers.${name}`, value, call.headers[name.toLowerCase()], false, pointer);
    }
  }

  private answer(
    subject: string,
    pointer: string,
    expect: StepExpectation | undefined,
    answer: SubmissionAnswer,
  ): void {
    const refused = answer.code !== undefined;
    const wantsRefusal = expect?.code !== undefined || (expect?.status ?? 200) >= 400;
    if (refused && !wantsRefusal) {
      this.add(subject, pointer, `rejected with ${answer.code}: ${answer.detail ?? ''}`);
      return;
    }
    for (const field of ['status', 'code', 'phase', 'currentState'] as const) {
      this.differ(`${subject}.${field}`, expect?.[field], answer[field], false, pointer);
    }
    this.differ(`${subject}.activeSteps`, sorted(expect?.activeSteps), sorted(answer.activeSteps), false, pointer);
    this.differ(`${subject}.response`, expect?.includes, answer.body, true, pointer);
  }

  private same(field: keyof Expectation, expected: Json | undefined, actual: Json | undefined, more = ''): void {
    this.differ(field, expected, actual, field.endsWith('Includes'), this.at(field), more);
  }

  private differ(
    subject: string,
    expected: Json | undefined,
    actual: Json | undefined,
    part: boolean,
    pointer: string,
    more = '',
  ): void {
    if (expected === undefined) return;
    for (const it of differences(expected, actual, part)) {
      this.add(subjectAt(subject, it.path), pointer, `${describeDifference(it)}${more}`);
    }
  }

  private note(subject: string, message: string, at = subject): void {
    this.add(subject, this.at(at), message);
  }

  private at(field: string): string {
    return `${this.scenario.pointer}/expect/${field}`;
  }

  private add(subject: string, pointer: string, message: string, hint?: string): void {
    this.found.push({ subject, message, ...(hint !== undefined && { hint }), ...this.scenario.place(pointer) });
  }
}

/** Whether a call has the expected body and headers. */
function fits({ body, bodyIncludes, headers = {} }: ExpectedCall, call: RecordedCall): boolean {
  const same = (expected: Json | undefined, actual: Json | undefined, part: boolean) =>
    expected === undefined || differences(expected, actual, part).length === 0;
  return (
    same(body, call.body, false) &&
    same(bodyIncludes, call.body, true) &&
    Object.entries(headers).every(([name, value]) => call.headers[name.toLowerCase()] === value)
  );
}

/** A problem with every place that it names. */
function described({ code, detail, title, errors = [] }: Problem): string {
  const places = errors.map(({ pointer, message }) => (pointer === '' ? message : `${pointer} ${message}`));
  // The detail may already contain the message.
  const more = places.filter((place) => !detail?.includes(place));
  return `${code} (${[detail ?? title, ...more].join('; ')})`;
}

/** The states in one line, so that a missing one does not make all the later ones differ. */
function way(states: string[] | undefined): string | undefined {
  return states?.join(' → ');
}

function sorted(texts: string[] | undefined): string[] | undefined {
  return texts && [...texts].sort();
}

function shown({ method, url, operation }: RecordedCall): string {
  return `${method} ${url}${operation === undefined ? '' : ` (${operation})`}`;
}

function seconds(ms: number): string {
  return `PT${ms / 1000}S`;
}
