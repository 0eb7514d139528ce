import { type Problem, problem } from '../../base/problems/problem.js';

/** The answer to a submission, with a hash of what was submitted. */
export interface AnsweredKey<V> {
  hash: string;
  view: V;
}

/** Number of answered keys that a run remembers. */
const keysKept = 100;

/** The idempotency keys of a run's submissions: one that is repeated gets the answer of the first, and does nothing. */
export class AnsweredKeys<V> {
  private readonly answers: Map<string, AnsweredKey<V>>;
  private readonly pending = new Map<string, { hash: string; answer: Promise<V> }>();

  constructor(carried: Iterable<[key: string, answer: AnsweredKey<V>]> = []) {
    this.answers = new Map(carried);
  }

  get(key: string): AnsweredKey<V> | undefined {
    return this.answers.get(key);
  }

  /** All answers, the oldest first. */
  all(): [key: string, answer: AnsweredKey<V>][] {
    return [...this.answers];
  }

  /** Whether a submission with this key was accepted before. */
  has(key: string | undefined): key is string {
    return key !== undefined && (this.answers.has(key) || this.pending.has(key));
  }

  /** Why a submission with a known key is rejected: the key was used for something else. */
  refusal(key: string, hash: string | undefined): Problem | undefined {
    const before = this.answers.get(key) ?? this.pending.get(key);
    if (!before || before.hash === hash) return undefined;
    return problem('IDEMPOTENCY_KEY_REUSED', 'The key was used with another step or body.');
  }

  /** The answer to the first submission with this key, which `ingest` accepts. A rejected one may be repeated. */
  async answer(key: string, hash: string, ingest: () => Promise<V>): Promise<V> {
    const answered = this.answers.get(key)?.view ?? this.pending.get(key)?.answer;
    if (answered) return answered;
    const answer = ingest();
    this.pending.set(key, { hash, answer });
    const view = await answer.finally(() => this.pending.delete(key));
    this.answers.set(key, { hash, view });
    if (this.answers.size > keysKept) this.answers.delete(this.answers.keys().next().value!);
    return view;
  }
}
