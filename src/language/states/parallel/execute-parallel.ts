import { emptyObject, type Json, type JsonObject } from '../../../base/json/value.js';
import { ProblemError } from '../../../base/problems/problem.js';
import { workCosts } from '../../../engine/budgets.js';
import { executeGraph } from '../../../engine/execute-graph.js';
import { childId, type Frame, newFrame, type Progress, progressOf, setRequest } from '../../../engine/frame.js';
import { Interrupted, type Scope } from '../../../engine/host.js';
import { type End, innerOutcome, success } from '../../../engine/outcome.js';
import type { Run } from '../../../engine/run.js';
import type { Step } from '../../../engine/runner-interfaces.js';
import { applyChanges, withField, withoutField } from '../../../engine/update-context.js';
import type { ParallelState } from './parallel.js';

/** Progress of a `parallel`. */
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

/** Runs the branches concurrently, each on its own copy of the context, and joins them. */
export async function executeParallel(state: ParallelState, frame: Frame, scope: Scope, run: Run): Promise<Step> {
  let progress = progressOf<ParallelProgress>(frame, 'parallel');
  if (!progress) {
    const branches = state.branches.map(({ name, start }) => ({
      frame: newFrame(childId(frame, name), start, frame.context, frame),
    }));
    progress = { kind: 'parallel', fork: frame.context, branches };
    frame.progress = progress;
    setRequest(frame, undefined);
  }
  const { fork, branches } = progress;
  const inner = scope.fork();
  try {
    const winner = await runBranches(state, branches, frame, inner, run);
    setRequest(frame, winner.frame.request);
    return await join(state, fork, branches, winner, frame, run);
  } catch (error) {
    // A problem here is that of the mapper: branches end with theirs.
    if (error instanceof Interrupted || error instanceof ProblemError) mergeActed(fork, branches, frame);
    throw error;
  } finally {
    run.tallies.delete(frame);
  }
}

/** Resolves with the branch that decided the join, when all others have ended or were cut short. */
function runBranches(state: ParallelState, branches: BranchProgress[], frame: Frame, scope: Scope, run: Run) {
  const live = branches.filter((branch) => !branch.end);
  run.turn.spend(live.length * workCosts.branch);
  for (const branch of live) run.parking.working.add(branch.frame);
  run.parking.leave(frame);
  showFailures(branches, frame, run);
  return new Promise<BranchProgress>((resolve, reject) => {
    let inFlight = 0;
    let decided: (() => void) | undefined;
    const stopped = ({ acted }: Frame): void => {
      if (acted) frame.acted = true;
      inFlight -= 1;
      if (inFlight > 0) return;
      if (decided) decided();
      else if (scope.interruption) reject(new Interrupted(scope.interruption));
    };
    for (const branch of live) {
      const graph = state.branches[branches.indexOf(branch)]!;
      const ended = (end: End): void => {
        branch.end = end;
        if (scope.interruption) return;
        showFailures(branches, frame, run);
        if (!isDecided(state, branches)) return;
        decided = () => resolve(branch);
        run.parking.working.add(frame);
        scope.interrupt('superseded');
      };
      inFlight += 1;
      scope
        .inside(() => executeGraph(graph, branch.frame, scope, run, ended))
        .then(
          () => stopped(branch.frame),
          (error) => {
            if (error instanceof Interrupted) stopped(branch.frame);
            else reject(error);
          },
        );
    }
  });
}

/** Shows failed branches in the run's status while the join is pending. */
function showFailures(branches: readonly BranchProgress[], frame: Frame, run: Run): void {
  const ended = branches.filter(({ end }) => end);
  const failed = ended.filter(({ end }) => end!.phase === 'FAILED').length;
  if (failed > 0) run.tallies.set(frame, { total: branches.length, done: ended.length, failed });
}

/** Whether the join is decided. At least one branch has ended. */
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
  if (failed && errorPolicy !== 'ignoreErrors' && (first || !mapper)) {
    mergeActed(fork, branches, frame);
    return { end: { ...failed, context: frame.context } };
  }

  noteFailures(state, first ? [winner] : branches, frame, run);
  if (mapper) {
    const result = await run.evaluate(mapper, 'join', frame, {
      branches: byName(state, branches, contextOf),
      branchOutcomes: byName(state, branches, ({ end }) => (end ? innerOutcome(end) : null)),
    });
    if (resultVar !== undefined) frame.context = withField(frame.context, resultVar, result);
  } else {
    const cutShort = branches.filter((branch) => branch !== winner && branch.frame.acted);
    for (const branch of first ? [...cutShort, winner] : branches) merge(branch, fork, frame);
  }
  if (state.next !== undefined) return { next: state.next };
  return {
    end: first
      ? { ...winner.end!, context: frame.context }
      : success(withoutField(frame.context, 'payload'), frame.context),
  };
}

/** Logs branches that failed although the join continues: the context may not show them. */
function noteFailures(state: ParallelState, joined: readonly BranchProgress[], frame: Frame, run: Run): void {
  for (const { frame: branch, end } of joined)
    if (end?.error) {
      const name = state.branches.find((it) => branch.id === childId(frame, it.name))?.name;
      run.host.note?.(`The branch \`${name}\` of \`${frame.at}\` failed (${end.error.code}), and the join continued.`);
    }
}

function failedEnd(branches: BranchProgress[]): End | undefined {
  return branches.find(({ end }) => end?.phase === 'FAILED')?.end;
}

/** A parallel that fails or is cut short leaves behind what its branches have changed in the world, for the compensation. */
function mergeActed(fork: JsonObject, branches: readonly BranchProgress[], frame: Frame): void {
  for (const branch of branches) if (branch.frame.acted) merge(branch, fork, frame);
}

/** Merges the changes of a branch. A submission belongs to the branch that took it and is never merged. */
function merge(branch: BranchProgress, fork: JsonObject, frame: Frame): void {
  const context = contextOf(branch);
  if (context)
    frame.context = applyChanges(frame.context, withoutField(fork, 'payload'), withoutField(context, 'payload'));
}

/** The context of a branch that has ended, or was cut short after it had changed something in the world. */
function contextOf({ frame, end }: BranchProgress): JsonObject | null {
  return end?.context ?? (frame.acted ? frame.context : null);
}

/** One value per branch. */
function byName(state: ParallelState, branches: BranchProgress[], value: (branch: BranchProgress) => Json): JsonObject {
  const out = emptyObject();
  state.branches.forEach(({ name }, i) => {
    out[name] = value(branches[i]!);
  });
  return out;
}
