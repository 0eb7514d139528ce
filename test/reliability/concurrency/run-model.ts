import type { SequentialModel } from './linearizable.js';

/** A client's request to a run, and the response. */
export type RunOperation =
  /** A submission: accepted, or rejected because the run did not wait for one. Without a response: `accepted`, without a return time. */
  | { kind: 'add'; key: string; answer: 'accepted' | 'refused' }
  /** A request to cancel: it takes effect later. */
  | { kind: 'cancel' }
  /** A view of the run; `contains` is the submission whose response it was. */
  | { kind: 'read'; phase: Phase; list?: readonly string[]; contains?: string };

export type Phase = 'RUNNING' | 'SUCCEEDED' | 'CANCELLED';

interface RunState {
  /** The accepted submissions, in order. */
  readonly list: readonly string[];
  readonly phase: Phase;
  readonly cancelRequested: boolean;
  /** The list that a cancelled run shows, once it has been observed. */
  readonly shown?: string;
}

/** The sequential model of a run that accepts `length` submissions, each once, and ends. */
export function runModel(length: number): SequentialModel<RunState, RunOperation> {
  return {
    initial: { list: [], phase: 'RUNNING', cancelRequested: false },
    keyOf: ({ list, phase, cancelRequested, shown }) => `${list.join()} ${phase} ${cancelRequested} ${shown}`,
    apply(state, operation) {
      if (operation.kind === 'cancel') return { ...state, cancelRequested: true };
      if (operation.kind === 'add') return add(state, operation, length);
      const seen = afterEnding(state, operation.phase, length);
      const { list, contains } = operation;
      if (!seen || (contains !== undefined && !state.list.includes(contains))) return undefined;
      return list === undefined ? seen : showing(seen, list.join());
    },
  };
}

/**
 * The state in which a client sees this list. The state after a submission shows it; a run that is cancelled in between has accepted the
 * submission and passes it to its compensation, but does not enter that state.
 */
function showing(state: RunState, seen: string): RunState | undefined {
  const { list, phase, shown } = state;
  if (phase !== 'CANCELLED') return seen === list.join() ? state : undefined;
  if (shown !== undefined) return seen === shown ? state : undefined;
  return seen === list.join() || seen === list.slice(0, -1).join() ? { ...state, shown: seen } : undefined;
}

function add(state: RunState, { key, answer }: RunOperation & { kind: 'add' }, length: number): RunState | undefined {
  const known = state.list.includes(key);
  if (answer === 'refused') return known ? undefined : state;
  if (known) return state;
  if (state.phase !== 'RUNNING' || state.list.length === length) return undefined;
  return { ...state, list: [...state.list, key] };
}

/** The state in which a client sees this phase: a run may end at any time after its last submission, or after it was cancelled. */
function afterEnding(state: RunState, phase: Phase, length: number): RunState | undefined {
  if (state.phase === phase) return state;
  if (state.phase !== 'RUNNING') return undefined;
  if (phase === 'SUCCEEDED') return state.list.length === length ? { ...state, phase } : undefined;
  return state.cancelRequested ? { ...state, phase } : undefined;
}
