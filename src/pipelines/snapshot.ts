import type { ActiveRun, HeldRun, PipelineState, Reservation, SuspendedRun } from './state.js';
import { Topics, type TopicsSnapshot } from './topics.js';

/** A run that holds its events by their places. */
type Held<R extends HeldRun> = Omit<R, 'reservations'> & { reservations: number[] };

/** A pipeline as plain JSON, for a fresh execution to go on with. */
export interface Snapshot extends Omit<PipelineState, 'topics' | 'active' | 'suspended' | 'retries'> {
  topics: TopicsSnapshot;
  active?: Held<ActiveRun>;
  suspended: Held<SuspendedRun>[];
  retries: Held<SuspendedRun>[];
}

export function snapshot({ topics, active, suspended, retries, ...rest }: PipelineState): Snapshot {
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

/** The pipeline that a snapshot was made of. The snapshot must not be used any more. */
export function restore({ topics: given, active, suspended, retries, ...rest }: Snapshot): PipelineState {
  const topics = Topics.restore(given);
  const bySeq = new Map<number, Reservation>();
  for (const [name, , events] of given.topics) for (const [id, , , seq] of events) bySeq.set(seq, [name, id]);
  const whole = <R extends HeldRun>(run: Held<R>): R => {
    const reservations = run.reservations.map((seq) => bySeq.get(seq)!);
    topics.reserve(reservations, run.key);
    return { ...run, reservations } as unknown as R;
  };
  return {
    ...rest,
    topics,
    ...(active && { active: whole(active) }),
    suspended: suspended.map((run) => whole<SuspendedRun>(run)),
    retries: retries.map((run) => whole<SuspendedRun>(run)),
  };
}
