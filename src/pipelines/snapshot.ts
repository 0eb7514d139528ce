import type { ActiveRun, HeldRun, PipelineState, Reservation, SuspendedRun } from './state.js';
import { joinsOf } from './topics/join-by-key.js';
import { Topics, type TopicsSnapshot } from './topics/topic-event-store.js';

/** A run with its reserved events by their places. */
type Held<R extends HeldRun> = Omit<R, 'reservations'> & { reservations: number[] };

/** A pipeline as plain JSON, for continue-as-new. */
export interface PipelineSnapshot extends Omit<PipelineState, 'topics' | 'active' | 'suspended' | 'retries'> {
  topics: TopicsSnapshot;
  active?: Held<ActiveRun>;
  suspended: Held<SuspendedRun>[];
  retries: Held<SuspendedRun>[];
}

export function snapshot({ topics, active, suspended, retries, ...rest }: PipelineState): PipelineSnapshot {
  const held = <R extends HeldRun>(run: R): Held<R> => ({
    ...run,
    reservations: run.reservations.map(([topic, id]) => topics.find(topic, id)!.seq),
  });
  return {
    ...rest,
    topics: topics.snapshot(),
    ...(active && { active: held(active) }),
    suspended: suspended.map(held),
    retries: retries.map(held),
  };
}

/** Restores a pipeline from a snapshot, which must not be used afterwards. */
export function restore({ topics: given, active, suspended, retries, ...rest }: PipelineSnapshot): PipelineState {
  const topics = Topics.restore(given);
  const bySeq = new Map<number, Reservation>();
  for (const [name, , events] of given.topics) for (const [id, , , seq] of events) bySeq.set(seq, [name, id]);
  const whole = <R extends HeldRun>(run: Held<R>): R => {
    const reservations = run.reservations.map((seq) => bySeq.get(seq)!);
    topics.reserve(reservations, run.key);
    return { ...run, reservations } as unknown as R;
  };
  topics.setJoins(joinsOf(rest.definition));
  return {
    ...rest,
    topics,
    ...(active && { active: whole(active) }),
    suspended: suspended.map((run) => whole<SuspendedRun>(run)),
    retries: retries.map((run) => whole<SuspendedRun>(run)),
  };
}
