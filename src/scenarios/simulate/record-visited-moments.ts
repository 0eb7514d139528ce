import type { Json, JsonObject } from '../../base/json/value.js';
import type { Definition } from '../../engine/definition/definition.js';
import type { Outcome } from '../../engine/outcome.js';
import { vocabulary } from '../../language/state-types-and-task-kinds.js';
import { stepOf } from '../../language/states/state-queries.js';
import type { Reply } from '../../language/tasks/task-kind.js';
import type { Scenario } from '../scenario.js';
import type { Observation } from '../scenario-observation.js';
import type { RecordedCall } from '../scripted-backend.js';
import { type PlayPlatform, playOn } from '../virtual/prepare-and-play-scenario.js';
import { virtualId } from '../virtual/simulation.js';
import { type StateListener, type StateVisit, withListener } from '../virtual/state-listener.js';
import { Timeline, type TimelineEvent } from './timeline.js';

/** One moment of a recorded run: something happened to a state. */
export interface RecordedMoment {
  kind: 'entered' | 'left' | 'failed' | 'effect' | 'end';
  /** Virtual milliseconds since the start. */
  sinceStartMs: number;
  state: string;
  /** The path of branches, items and subjourneys around the state; empty at the top. */
  within: string;
  /** The scheduled run that it belongs to. */
  run?: string;
  /** Texts for people; empty if there is nothing to add. */
  texts: string[];
  /** The context after this moment, of the branch or subjourney that the state is in. */
  context?: JsonObject;
  /** The context before, if the state was left. */
  before?: JsonObject;
  /** The next state, if the state was left for one. */
  next?: string;
  /** Set at the end. */
  phase?: Outcome['phase'];
  /** Set for a state that waits for a submission: its schema and when it times out. */
  step?: { schema: Json; dueMs?: number };
}

/** A run that was played once in virtual time, with everything that a reader may want to look at later. */
export interface Recording {
  moments: RecordedMoment[];
  /** True if the run had more moments than are kept. */
  truncated: boolean;
  observation: Observation;
  /** Replies that were not scripted but taken from OpenAPI documents. */
  samples: { call: RecordedCall; reply: Reply }[];
}

/** More moments than anybody steps through; their contexts share most of their parts. */
const mostMoments = 20_000;

/** Plays a run in virtual time and records each visit of a state with its context. Steps without a scripted submission wait. */
export async function recordPlay(
  platform: PlayPlatform,
  definition: Definition,
  scenario: Scenario,
  sampleReply: (operation: string) => Reply | undefined,
): Promise<Recording> {
  const recorder = new Recorder(scenario.now);
  const samples: Recording['samples'] = [];
  const observation = await playOn(platform, definition, scenario, {
    vocabulary: withListener(vocabulary, recorder),
    otherwise: async (call) => {
      const reply = call.operation === undefined ? undefined : sampleReply(call.operation);
      if (reply) samples.push({ call, reply });
      return reply;
    },
    performed: (effect, answer, calls, now) => recorder.performed(effect, answer, calls, now),
  });
  if (observation.outcome) recorder.ended(observation.outcome, observation);
  const { moments, truncated } = recorder;
  return { moments, truncated, observation, samples };
}

/** Collects moments, with the texts of a timeline. */
class Recorder implements StateListener {
  readonly moments: RecordedMoment[] = [];
  truncated = false;
  private heard: TimelineEvent[] = [];
  private readonly timeline: Timeline;

  constructor(private readonly startedAt: number) {
    this.timeline = new Timeline(startedAt, (event) => this.heard.push(event));
  }

  readonly entered: NonNullable<StateListener['entered']> = (visit) => {
    this.timeline.entered(visit);
    const { state } = visit;
    const waits = stepOf(state)?.step;
    const due = waits?.timeout && { dueMs: this.since(visit) + waits.timeout.sec * 1_000 };
    this.add('entered', visit, waits && { step: { schema: waits.schema, ...due } });
  };

  readonly left: NonNullable<StateListener['left']> = (visit, step) => {
    this.timeline.left(visit, step);
    this.add('left', visit, { before: visit.before, ...('next' in step && { next: step.next }) });
  };

  readonly failed: NonNullable<StateListener['failed']> = (visit, error) => {
    this.timeline.failed(visit, error);
    this.add('failed', visit);
  };

  performed(...[effect, answer, calls, now]: Parameters<Timeline['performed']>): void {
    this.timeline.performed(effect, answer, calls, now);
    const { state, what } = this.heard.pop()!;
    this.push({ kind: 'effect', sinceStartMs: now - this.startedAt, state, within: '', texts: [what] });
  }

  ended({ phase, error, terminatedAtState }: Outcome, { elapsedMs = 0, context }: Observation): void {
    const texts = [error ? `${phase}: ${error.code}: ${error.reason}` : phase];
    this.push({
      kind: 'end',
      sinceStartMs: elapsedMs,
      state: terminatedAtState,
      within: '',
      texts,
      phase,
      ...(context && { context }),
    });
  }

  private add(kind: RecordedMoment['kind'], visit: StateVisit, more: Partial<RecordedMoment> = {}): void {
    const { id, frame, run } = visit;
    this.push({
      kind,
      sinceStartMs: this.since(visit),
      state: id,
      within: frame.id,
      ...(run.info.id !== virtualId && { run: run.info.id }),
      texts: this.heard.splice(0).map(({ what }) => what),
      context: frame.context,
      ...more,
    });
  }

  private push(moment: RecordedMoment): void {
    this.heard = [];
    if (this.moments.length < mostMoments) this.moments.push(moment);
    else this.truncated = true;
  }

  private since({ run }: StateVisit): number {
    return run.host.now() - this.startedAt;
  }
}
