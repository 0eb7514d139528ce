import { withField } from '../../engine/context.js';
import { childId, type Frame, newFrame, type Progress, progressOf, worksOn } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { type End, miniOutcome } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import { type EndedSpan, errorOf } from '../../engine/trace.js';
import { work } from '../../engine/turn.js';
import type { Step } from '../../engine/vocabulary.js';
import { walk } from '../../engine/walk.js';
import { emptyObject, isObject, type JsonObject } from '../../json/value.js';
import { refuse } from '../../problems/problem.js';
import type { SubjourneyState } from './read.js';

interface SubjourneyProgress extends Progress {
  kind: 'subjourney';
  frame: Frame;
  /** When it began, where runs are traced. */
  from?: number;
}

/** Calls a local graph with a context of its own and takes its result. */
export async function execute(state: SubjourneyState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  const graph = Object.hasOwn(run.definition.subjourneys, state.ref)
    ? run.definition.subjourneys[state.ref]
    : undefined;
  if (!graph) return refuse('SUBJ_REF_UNKNOWN', `There is no subjourney '${state.ref}'.`);
  let progress = progressOf<SubjourneyProgress>(frame, 'subjourney');
  if (!progress) {
    const context = state.input ? await input(state, frame, run) : emptyObject();
    progress = {
      kind: 'subjourney',
      frame: newFrame(childId(frame, state.ref), graph.start, context, frame),
      ...(run.host.spanEnded && { from: run.host.now() }),
    };
    frame.progress = progress;
    worksOn(frame, undefined);
  }
  const child = progress.frame;
  run.turn.spend(work.subjourney);
  run.movement.working.add(child);
  run.movement.leave(frame);
  run.spans.begin(child);
  const end = await walk(graph, child, scope, run, () => run.movement.working.add(frame));
  worksOn(frame, child.request);
  run.spans.end(child);
  run.host.spanEnded?.(spanOf(state.ref, progress, end, frame, run));
  if (state.resultVar !== undefined && (end.phase === 'SUCCEEDED' || captures(state))) {
    frame.context = withField(
      frame.context,
      state.resultVar,
      state.resultKind === 'outcome' ? miniOutcome(end) : end.output,
    );
  }
  if (end.phase === 'FAILED' && state.onFailure === 'propagate') return { end: { ...end, context: frame.context } };
  return { next: state.next };
}

/** A propagated failure still leaves its outcome behind, for the compensation that looks at it. */
function captures(state: SubjourneyState): boolean {
  return state.onFailure === 'capture' || state.resultKind === 'outcome';
}

async function input(state: SubjourneyState, frame: Frame, run: Run): Promise<JsonObject> {
  const value = await run.evaluate(state.input!, 'mapper', frame);
  return isObject(value) ? value : refuse('SUBJ_INPUT_NOT_OBJECT', 'The input of a subjourney must be an object.');
}

function spanOf(name: string, { frame, from }: SubjourneyProgress, end: End, around: Frame, run: Run): EndedSpan {
  const { info, definition, host, spans } = run;
  return {
    run: info.id,
    ...(info.trace && { trace: info.trace }),
    frame: frame.id,
    parent: spans.around(around.id),
    name,
    version: definition.version,
    kind: 'subjourney',
    from: from ?? host.now(),
    to: host.now(),
    phase: end.phase,
    ...errorOf(end),
  };
}
