/** An operation of a client, with the times of its invocation and response; without a response it may or may not have taken effect. */
export interface Operation<O> {
  readonly invoked: number;
  readonly returned?: number;
  readonly what: O;
}

/** The behaviour of an object that serves operations sequentially. A repeated operation has no further effect. */
export interface SequentialModel<S, O> {
  readonly initial: S;
  /** The state after the operation; undefined if its response is impossible in this state. */
  apply(state: S, what: O): S | undefined;
  /** Equal for equal states. */
  keyOf(state: S): string;
}

/** The verdict: `stuckAt` are the candidates for the next operation after the longest order that explains the responses. */
export type Verdict<O> = { linearizable: true } | { linearizable: false; stuckAt: readonly Operation<O>[] };

/**
 * Whether a history is linearizable: whether an order of its operations exists that is consistent with their times and with the model.
 * Searches the possible next operations depth-first (Wing and Gong); a state that was already reached with the same responses is not
 * explored again.
 */
export function checkHistory<S, O>(history: readonly Operation<O>[], model: SequentialModel<S, O>): Verdict<O> {
  const answered = history.filter(({ returned }) => returned !== undefined).sort((a, b) => a.invoked - b.invoked);
  const unanswered = history.filter(({ returned }) => returned === undefined);
  const isPlaced = answered.map(() => false);
  const tried = new Set<string>();
  let placed = 0;
  let most = -1;
  let stuckAt: readonly Operation<O>[] = [];

  /** The operations that are not preceded by any remaining one. */
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
    // An operation without effect can be placed here: any valid order in which it comes later remains valid.
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
