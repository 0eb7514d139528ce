import { canonical, equal, type Json } from '../../../src/base/json/value.js';
import { type Books, shown, withoutPayload, withValue } from './books.js';
import { nameOf } from './check-frames.js';
import { differences } from './check-states.js';
import type { StepFact } from './facts.js';
import type { Submitted, Visit } from './log.js';

/** Early submissions that a run keeps for one step. */
const maxEarly = 10;

/** Every submission is accepted once or rejected for the right reason, and every step accepts one or times out. */
export function checkSubmissions(books: Books): string[] {
  return new SubmissionBooks(books).check();
}

class SubmissionBooks {
  private readonly found: string[] = [];
  private readonly open = new Map<string, Visit>();
  private readonly kept = new Map<string, Json[]>();
  private readonly keys = new Map<string, Submitted>();
  private readonly taken = new Set<Visit>();
  /** Finished steps without a submission so far. */
  private readonly pending = new Set<Visit>();
  private hasEnded = false;

  constructor(private readonly books: Books) {}

  check(): string[] {
    const { log } = this.books;
    const steps = log.visits.filter((it) => this.books.fact(it).is === 'step');
    const events: { seq: number; happen: () => void }[] = [
      ...steps.map((it) => ({ seq: it.entered, happen: () => this.entered(it) })),
      ...steps.flatMap((it) => (it.left === undefined ? [] : [{ seq: it.left, happen: () => this.closed(it) }])),
      // A step that was cut short no longer waits.
      ...steps.map((it) => ({ seq: this.books.cutOf(it.frame), happen: () => this.closed(it) })),
      ...log.submissions.map((it) => ({ seq: it.seq, happen: () => this.submitted(it) })),
      ...(log.ended === undefined ? [] : [{ seq: log.ended, happen: () => this.end() }]),
    ];
    for (const { happen } of events.sort((a, b) => a.seq - b.seq)) happen();
    this.checkTimeouts();
    return this.found;
  }

  private end(): void {
    this.hasEnded = true;
  }

  private entered(visit: Visit): void {
    const address = addressOf(visit);
    const queue = this.kept.get(address) ?? [];
    while (queue.length > 0) {
      const payload = queue.shift()!;
      if (!isValid(payload)) continue;
      this.takes(visit, payload, visit.enteredAt);
      return;
    }
    this.open.set(address, visit);
    if (visit.left !== undefined) this.pending.add(visit);
  }

  private closed(visit: Visit): void {
    if (this.open.get(addressOf(visit)) === visit) this.open.delete(addressOf(visit));
  }

  private takes(visit: Visit, payload: Json, at: number): void {
    const { books } = this;
    this.pending.delete(visit);
    if (this.taken.has(visit)) this.found.push(`${nameOf(visit)} accepted two submissions`);
    this.taken.add(visit);
    const { next } = books.fact(visit) as StepFact;
    if (visit.left === undefined) this.found.push(`${nameOf(visit)} accepted ${shown(payload)}, and nothing followed`);
    else this.found.push(...differences(visit, { after: withValue(visit.before, 'payload', payload), next, at }));
  }

  /** Steps without a submission ended at their timeouts. */
  private checkTimeouts(): void {
    const { books } = this;
    for (const visit of this.pending) {
      const { timeoutMs, onTimeout } = books.fact(visit) as StepFact;
      if (timeoutMs === undefined) this.found.push(`${nameOf(visit)} continued without a submission`);
      else {
        const at = books.arrival(visit.enteredAt + timeoutMs);
        this.found.push(...differences(visit, { after: withoutPayload(visit.before), next: onTimeout!, at }));
      }
    }
  }

  private submitted(it: Submitted): void {
    const expected = this.verdict(it);
    if (it.verdict !== expected)
      this.found.push(`a submission of ${it.address} at ${it.at} had the result ${it.verdict}, not ${expected}`);
    if (['accepted', 'kept', 'repeated'].includes(expected)) this.answered(it);
  }

  /** A repeated submission gets the response of the first one. */
  private answered(it: Submitted): void {
    if (it.answer === undefined) this.found.push(`a submission of ${it.address} at ${it.at} was never answered`);
    const first = it.key === undefined ? it : this.keys.get(it.key)!;
    if (!equal(first.answer, it.answer))
      this.found.push(`${it.key} was answered ${shown(it.answer)}, and first ${shown(first.answer)}`);
  }

  private verdict(it: Submitted): string {
    const { address, payload, how, key } = it;
    const before = key === undefined ? undefined : this.keys.get(key);
    if (before) return canonical(before.payload) === canonical(payload) ? 'repeated' : 'IDEMPOTENCY_KEY_REUSED';
    const verdict = this.firstVerdict(it);
    if (key !== undefined && (verdict === 'accepted' || verdict === 'kept')) this.keys.set(key, it);
    if (verdict === 'accepted' || (how === 'signal' && this.open.has(address) && isValid(payload))) {
      const visit = this.open.get(address)!;
      this.open.delete(address);
      this.takes(visit, payload, it.at);
    }
    return verdict;
  }

  private firstVerdict({ address, payload, how }: Submitted): string {
    const wrong = this.wrongAddress(address);
    const isOpen = this.open.has(address);
    const queue = this.kept.get(address) ?? [];
    if (how === 'signal') {
      if (!wrong && !isOpen) this.kept.set(address, [...queue, payload].slice(-maxEarly));
      return 'signal';
    }
    if (how === 'early' && this.hasEnded) return 'RUN_UNKNOWN';
    if (wrong) return wrong;
    if (!isOpen && how === 'step') return 'STEP_NOT_ACTIVE';
    if (!isValid(payload)) return 'STEP_INVALID';
    if (isOpen) return 'accepted';
    if (queue.length >= maxEarly) return 'STEP_FULL';
    this.kept.set(address, [...queue, payload]);
    return 'kept';
  }

  private wrongAddress(address: string): string | undefined {
    const [step, item] = address.split('/');
    const use = this.books.world.steps.get(step!);
    if (!use) return 'STEP_UNKNOWN';
    if (item === undefined) return use.alone ? undefined : 'STEP_ITEM_REQUIRED';
    return use.inItems ? undefined : 'STEP_UNKNOWN';
  }
}

function addressOf({ state, itemName }: Visit): string {
  return itemName === undefined ? state : `${state}/${itemName}`;
}

function isValid(payload: Json): boolean {
  return typeof payload === 'number';
}
