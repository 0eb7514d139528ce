/** An operation of a client, with the times at which it was invoked and answered; one that was never answered may have happened or not. */
export interface Operation<O> {
  readonly invoked: number;
  readonly returned?: number;
  readonly what: O;
}

/** What an object may do that serves one operation after the other. An operation that has happened changes nothing when it happens again. */
export interface SequentialModel<S, O> {
  readonly initial: S;
  /** The state after the operation; undefined if it cannot have had its answer in this state. */
  apply(state: S, what: O): S | undefined;
  /** Equal for equal states. */
  keyOf(state: S): string;
}

/** The verdict: `stuckAt` are the operations that may come next after the longest order that explains the answers. */
export type Verdict<O> = { linearizable: true } | { linearizable: false; stuckAt: readonly Operation<O>[] };

/**
 * Whether a history is linearizable: whether there is one order of its operations that agrees with their times and that the model can have
 * served. Depth-first over the operations that may come next, as Wing and Gong describe it; what led to the same state after the same answers
 * before is not tried again.
 */
export function checkHistory<S, O>(history: readonly Operation<O>[], model: SequentialModel<S, O>): Verdict<O> {
  const answered = history.filter(({ returned }) => returned !== undefined).sort((a, b) => a.invoked - b.invoked);
  const unanswered = history.filter(({ returned }) => returned === undefined);
  const isPlaced = answered.map(() => false);
  const tried = new Set<string>();
  let placed = 0;
  let most = -1;
  let stuckAt: readonly Operation<O>[] = [];

  /** The operations that no remaining one precedes. */
  const candidates = () => {
    const end = Math.min(...answered.map(({ returned }, i) => (isPlaced[i] ? Number.POSITIVE_INFINITY : returned!)));
    const indexes = answered.flatMap(({ invoked }, i) => (!isPlaced[i] && invoked <= end ? [i] : []));
    return { indexes, late: unanswered.filter(({ invoked }) => invoked <= end) };
  };
  const search = (state: S): boolean => {
    if (placed === answered.length) return true;
    const key = `${isPlaced.map((it) => (it ? 1 : 0)).join('')} ${model.keyOf(state)}`;
    if (tried.has(key)) return false;
    tried.add(key);
    const { indexes, late } = candidates();
    if (placed > most) {
      most = placed;
      stuckAt = indexes.map((i) => answered[i]!);
    }
    const place = (i: number, after: S): boolean => {
      isPlaced[i] = true;
      placed += 1;
      if (search(after)) return true;
      isPlaced[i] = false;
      placed -= 1;
      return false;
    };
    const possible = indexes.flatMap((i) => {
      const after = model.apply(state, answered[i]!.what);
      return after === undefined ? [] : [{ i, after, changes: model.keyOf(after) !== model.keyOf(state) }];
    });
    // What changes nothing may as well come now: in an order in which it comes later, it can be moved to here.
    const idle = possible.find(({ changes }) => !changes);
    if (idle) return place(idle.i, idle.after);
    if (possible.some(({ i, after }) => place(i, after))) return true;
    return late.some(({ what }) => {
      const after = model.apply(state, what);
      return after !== undefined && search(after);
    });
  };
  return search(model.initial) ? { linearizable: true } : { linearizable: false, stuckAt };
}
