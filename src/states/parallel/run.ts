import { applyChanges, withField, withoutField } from '../../engine/context.js';
import { childId, type Frame, newFrame, type Progress, progressOf, worksOn } from '../../engine/frame.js';
import type { Scope } from '../../engine/host.js';
import { type End, miniOutcome, success } from '../../engine/outcome.js';
import type { Run } from '../../engine/run.js';
import { work } from '../../engine/turn.js';
import type { Step } from '../../engine/vocabulary.js';
import { walk } from '../../engine/walk.js';
import { emptyObject, type Json, type JsonObject } from '../../json/value.js';
import type { ParallelState } from './read.js';

/** How far a `parallel` is. */
export interface ParallelProgress extends Progress {
  kind: 'parallel';
  /** The context that the branches were forked from. */
  fork: JsonObject;
  branches: BranchProgress[];
}

interface BranchProgress {
  frame: Frame;
  end?: End;
}

/** Runs its branches side by side, each on its own view of the context, and joins them. */
export async function execute(state: ParallelState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  let progress = progressOf<ParallelProgress>(frame, 'parallel');
  if (!progress) {
    const branches = state.branches.map(({ name, start }) => ({
      frame: newFrame(childId(frame, name), start, frame.context, frame),
    }));
    progress = { kind: 'parallel', fork: frame.context, branches };
    frame.progress = progress;
    worksOn(frame, undefined);
  }
  const { fork, branches } = progress;
  const inner = scope.fork();
  const winner = await runBranches(state, branches, frame, inner, run);
  inner.interrupt('superseded');
  run.tallies.delete(frame);
  worksOn(frame, winner.frame.request);
  return join(state, fork, branches, winner, frame, run);
}

/** Resolves with the branch that decided the join. */
function runBranches(state: ParallelState, branches: BranchProgress[], frame: Frame, scope: Scope, run: Run) {
  const live = branches.filter((branch) => !branch.end);
  run.turn.spend(live.length * work.branch);
  for (const branch of live) run.movement.working.add(branch.frame);
  run.movement.leave(frame);
  showFailures(branches, frame, run);
  return new Promise<BranchProgress>((resolve, reject) => {
    let decided = false;
    for (const branch of live) {
      const graph = state.branches[branches.indexOf(branch)]!;
      const ended = (end: End): void => {
        if (decided) return;
        branch.end = end;
        showFailures(branches, frame, run);
        decided = isDecided(state, branches);
        if (!decided) return;
        run.movement.working.add(frame);
        resolve(branch);
      };
      scope
        .inside(() => walk(graph, branch.frame, scope, run, ended))
        .catch((error) => {
          if (!decided) reject(error);
        });
    }
  });
}

/** A failure that the join will decide about shows in the run's status before it does. */
function showFailures(branches: readonly BranchProgress[], frame: Frame, run: Run): void {
  const ended = branches.filter(({ end }) => end);
  const failed = ended.filter(({ end }) => end!.phase === 'FAILED').length;
  if (failed > 0) run.tallies.set(frame, { total: branches.length, done: ended.length, failed });
}

/** Whether the branches that have ended, of which there is one, decide the join. */
export function isDecided({ join }: ParallelState, branches: BranchProgress[]): boolean {
  if (join.strategy !== 'allOf') return true;
  if (join.errorPolicy === 'failFast' && branches.some(({ end }) => end?.phase === 'FAILED')) return true;
  return branches.every(({ end }) => end);
}

async function join(
  state: ParallelState,
  fork: JsonObject,
  branches: BranchProgress[],
  winner: BranchProgress,
  frame: Frame,
  run: Run,
): Promise<Step> {
  const { strategy, errorPolicy, mapper, resultVar } = state.join;
  const first = strategy !== 'allOf';
  const failed = failedEnd(first ? [winner] : branches);
  if (failed && errorPolicy !== 'ignoreErrors' && (first || !mapper))
    return { end: { ...failed, context: frame.context } };

  noteFailures(state, first ? [winner] : branches, frame, run);
  if (mapper) {
    const result = await run.evaluate(mapper, 'join', frame, {
      branches: byName(state, branches, (branch) => branch.end!.context),
      branchOutcomes: byName(state, branches, (branch) => miniOutcome(branch.end!)),
    });
    if (resultVar !== undefined) frame.context = withField(frame.context, resultVar, result);
  } else {
    for (const branch of first ? [winner] : branches) {
      if (branch.end) frame.context = applyChanges(frame.context, ...withoutPayload(fork, branch.end.context));
    }
  }
  if (state.next !== undefined) return { next: state.next };
  return {
    end: first
      ? { ...winner.end!, context: frame.context }
      : success(withoutField(frame.context, 'payload'), frame.context),
  };
}

/** A join that goes on although branches failed tells an operator so: the context may not. */
function noteFailures(state: ParallelState, joined: readonly BranchProgress[], frame: Frame, run: Run): void {
  for (const { frame: branch, end } of joined)
    if (end?.error) {
      const name = state.branches.find((it) => branch.id === childId(frame, it.name))?.name;
      run.host.note?.(`The branch \`${name}\` of \`${frame.at}\` failed (${end.error.code}), and the join went on.`);
    }
}

function failedEnd(branches: BranchProgress[]): End | undefined {
  return branches.find(({ end }) => end?.phase === 'FAILED')?.end;
}

/** A submission belongs to the branch that took it and is never merged. */
function withoutPayload(fork: JsonObject, context: JsonObject): [JsonObject, JsonObject] {
  return [withoutField(fork, 'payload'), withoutField(context, 'payload')];
}

/** One value per branch, null for a branch that has not ended. */
function byName(state: ParallelState, branches: BranchProgress[], value: (branch: BranchProgress) => Json): JsonObject {
  const out = emptyObject();
  state.branches.forEach(({ name }, i) => {
    const branch = branches[i]!;
    out[name] = branch.end ? value(branch) : null;
  });
  return out;
}
