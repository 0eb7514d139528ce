import { refuse } from '../../../src/base/problems/problem.js';
import {
  type NewEvent,
  type PipelineDetails,
  type Pipelines,
  refuseUnknownPipeline,
} from '../../../src/service/pipelines-interface.js';

/** A pipeline with one pending event. */
export function pipelineShown(name: string, rest: Partial<PipelineDetails> = {}): PipelineDetails {
  return {
    name,
    version: '1.0.0',
    hash: 'h',
    deployedAt: '2030-01-01T00:00:00.000Z',
    deployer: 'host:/specs',
    status: 'running',
    pauses: [],
    notes: [],
    topics: {
      mails: { pending: 1, reserved: 0, subscribers: ['answer'], bytes: 71, room: { events: 9_999, bytes: 999_929 } },
    },
    producers: {
      poll: {
        journey: 'fetch',
        publishes: ['mails'],
        queued: false,
        state: 'idle',
        cadence: 'every 5 minutes',
        nextRunAt: '2030-01-01T00:05:00.000Z',
        nextRuns: ['2030-01-01T00:05:00.000Z'],
        scheduleId: `pipeline.${name}.poll`,
        drift: [],
      },
    },
    consumers: {
      answer: { journey: 'reply', publishes: [], queued: false, topics: ['mails'], state: 'ready' },
    },
    suspended: [],
    runs: [],
    counts: { begun: 0, prepares: 0, committed: 0, failed: 0, suspended: 0 },
    ...rest,
  };
}

/** A pipeline called `inbox` that records calls. */
export class FakePipelines implements Pipelines {
  readonly calls: unknown[][] = [];
  published = new Map<string, NewEvent>();
  full = false;

  async list() {
    return [
      {
        name: 'inbox',
        version: '1.0.0',
        status: 'running',
        deployer: 'd',
        startedAt: '2030-01-01T00:00:00.000Z',
      } as const,
    ];
  }

  async show(name: string): Promise<PipelineDetails> {
    return name === 'inbox' ? pipelineShown(name) : refuseUnknownPipeline(name);
  }

  async runs(...args: unknown[]) {
    this.calls.push(['runs', ...args]);
    return { items: [] };
  }

  async events(...args: unknown[]) {
    this.calls.push(['events', ...args]);
    return { items: [{ id: 'm-1', status: 'pending' as const }], nextPageToken: 'next' };
  }

  async publish(name: string, event: NewEvent) {
    this.calls.push(['publish', name, event]);
    if (this.full) refuse('TOPIC_FULL', undefined, { retryAfterSec: 5 });
    const known = this.published.has(event.id);
    this.published.set(event.id, event);
    return { result: known ? ('duplicate' as const) : ('accepted' as const) };
  }

  async trigger(...args: unknown[]) {
    this.calls.push(['trigger', ...args]);
    return { result: 'queued' as const };
  }

  async pause(...args: unknown[]) {
    this.calls.push(['pause', ...args]);
    return { result: 'done' as const };
  }

  async resume(...args: unknown[]) {
    this.calls.push(['resume', ...args]);
    return { result: 'unchanged' as const };
  }

  async resolve(...args: unknown[]) {
    this.calls.push(['resolve', ...args]);
    return { result: 'done' as const, run: 'answer-1' };
  }

  async deploy(): Promise<never> {
    throw new Error('a gateway deploys nothing');
  }

  async removeOthers(): Promise<never> {
    throw new Error('a gateway removes nothing');
  }
}
