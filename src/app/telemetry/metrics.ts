import { createServer } from 'node:net';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { AnsweredRequest, Metrics } from '../../gateway/metrics-interface.js';
import type { ServerCall } from '../../temporal/connection.js';
import type { ServerState } from '../../temporal/queue-pollers.js';

/** The time for which the server's state is cached. */
const stateMs = 10_000;

const pipelineGauge = 'journeyman_pipeline_state';

/** A source that this worker reads, as its gauges show it. */
export interface SourceGauges {
  readonly pipeline: string;
  readonly topic: string;
  readonly isUp: boolean;
  /** Undefined while the broker cannot be reached. */
  readonly lag: number | undefined;
  readonly taken: number;
}

/** The Prometheus metrics of this process: its own, its requests', and those of Temporal's SDK. */
class ProcessMetrics implements Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'journeyman_http_request_seconds',
    help: 'Requests handled by the gateway, by method, route and status',
    labelNames: ['method', 'route', 'status'],
    // A synchronous start may take half a minute.
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 25, 30],
    registers: [this.registry],
  });
  private readonly calls = new Histogram({
    name: 'journeyman_temporal_call_seconds',
    help: 'Calls of this process to Temporal, by operation and gRPC status, counting each attempt',
    labelNames: ['operation', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30],
    registers: [this.registry],
  });
  private readonly alerts = new Gauge({
    name: 'journeyman_alerts',
    help: 'Problems that need a person, by kind, as this gateway found them last',
    labelNames: ['kind'],
    registers: [this.registry],
  });
  private readonly alertMessages = new Counter({
    name: 'journeyman_alert_messages_total',
    help: 'Attempts of this gateway to send alerts, by channel profile and outcome: sent, failed (tried again) or refused',
    labelNames: ['profile', 'outcome'],
    registers: [this.registry],
  });
  private sdk: string | undefined;
  private server: Registry | undefined;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  answered({ method, route = 'unknown', status }: AnsweredRequest, seconds: number): void {
    this.requests.observe({ method, route, status }, seconds);
  }

  /** Counts a call to Temporal. */
  called({ operation, status, ms }: ServerCall): void {
    this.calls.observe({ operation, status }, ms / 1000);
  }

  /** Shows the number of problems of each kind. */
  foundAlerts(counts: Readonly<Record<string, number>>): void {
    for (const [kind, count] of Object.entries(counts)) this.alerts.set({ kind }, count);
  }

  /** Counts an attempt to send alerts. */
  triedAlerts(profile: string, outcome: 'sent' | 'failed' | 'refused'): void {
    this.alertMessages.inc({ profile, outcome });
  }

  /** Shows the server's state, read at most every `stateMs`; returns a function that ends it. */
  showServer(read: () => Promise<ServerState>): () => void {
    const state = new Registry();
    let last: { readonly at: number; readonly state: Promise<ServerState | undefined> } | undefined;
    const current = async (): Promise<ServerState | undefined> => {
      if (last === undefined || Date.now() - last.at > stateMs)
        last = { at: Date.now(), state: read().catch(() => undefined) };
      return await last.state;
    };
    new Gauge({
      name: 'journeyman_task_backlog',
      help: 'Approximate number of tasks waiting for a worker, by task queue and type',
      labelNames: ['queue', 'type'],
      registers: [state],
      async collect() {
        this.reset();
        for (const { tasks, ...labels } of (await current())?.backlog ?? []) this.set(labels, tasks);
      },
    });
    new Gauge({
      name: 'journeyman_runs_failing',
      help: 'Runs that are blocked because their workflow tasks fail',
      registers: [state],
      async collect() {
        this.set((await current())?.failing ?? Number.NaN);
      },
    });
    this.server = state;
    return () => {
      if (this.server === state) this.server = undefined;
    };
  }

  /** Adds a gauge of the state of each pipeline, read at each scrape. */
  watchPipelines(list: () => Promise<readonly { name: string; state: string }[]>): void {
    this.registry.removeSingleMetric(pipelineGauge);
    new Gauge({
      name: pipelineGauge,
      help: '1 for the current state of each pipeline: running, suspended, failed, source, user or removed (paused), or ended',
      labelNames: ['pipeline', 'state'],
      registers: [this.registry],
      async collect() {
        const found = await list().catch(() => []);
        this.reset();
        for (const { name, state } of found) this.set({ pipeline: name, state }, 1);
      },
    });
  }

  /** Adds gauges of the sources that this worker reads, read at each scrape. */
  watchSources(list: () => Promise<readonly SourceGauges[]>): void {
    const gauges = {
      journeyman_source_up: {
        help: '1 if the source of a topic can be read, else 0',
        of: ({ isUp }: SourceGauges) => (isUp ? 1 : 0),
      },
      journeyman_source_lag: {
        help: 'Records in the partitions of this worker that are not taken into the pipeline yet',
        of: ({ lag }: SourceGauges) => lag ?? Number.NaN,
      },
      journeyman_source_events: {
        help: 'Events that this worker took from the source since it began to read it',
        of: ({ taken }: SourceGauges) => taken,
      },
    };
    for (const [name, { help, of }] of Object.entries(gauges)) {
      this.registry.removeSingleMetric(name);
      new Gauge({
        name,
        help,
        labelNames: ['pipeline', 'topic'],
        registers: [this.registry],
        async collect() {
          const found = await list().catch(() => []);
          this.reset();
          for (const it of found) this.set({ pipeline: it.pipeline, topic: it.topic }, of(it));
        },
      });
    }
  }

  /** A free loopback address for the SDK's own metrics endpoint: it does not report a port that it chose itself. */
  async addressForSdk(): Promise<string> {
    this.sdk ??= `127.0.0.1:${await freePort()}`;
    return this.sdk;
  }

  async text(): Promise<string> {
    const parts = [this.registry.metrics(), this.server?.metrics() ?? '', this.workerText()];
    return (await Promise.all(parts)).join('');
  }

  /** The SDK's metrics; empty before the worker runs and after it has stopped. */
  private async workerText(): Promise<string> {
    if (this.sdk === undefined) return '';
    const asked = fetch(`http://${this.sdk}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return await asked.then((answer) => answer.text()).catch(() => '');
  }
}

let shared: ProcessMetrics | undefined;

/** The metrics of this process, shared by all its parts. */
export function processMetrics(): ProcessMetrics {
  shared ??= new ProcessMetrics();
  return shared;
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
