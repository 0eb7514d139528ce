import { createServer } from 'node:net';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Metrics } from '../gateway/metrics.js';

/** Everything this process counts, as Prometheus reads it: itself, its requests, and what Temporal's SDK knows of its worker. */
class ProcessMetrics implements Metrics {
  private readonly registry = new Registry();
  private readonly requests = new Histogram({
    name: 'journeyman_http_request_seconds',
    help: 'Requests that the gateway answered, by method and status',
    labelNames: ['method', 'status'],
    registers: [this.registry],
  });
  private sdk: string | undefined;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  answered(method: string, status: number, seconds: number): void {
    this.requests.observe({ method, status }, seconds);
  }

  /** The SDK serves what it counts itself and says nowhere on which port; so it gets one that is free, on loopback. */
  async addressForSdk(): Promise<string> {
    this.sdk ??= `127.0.0.1:${await freePort()}`;
    return this.sdk;
  }

  async text(): Promise<string> {
    const [own, worker] = await Promise.all([this.registry.metrics(), this.workerText()]);
    return `${own}${worker}`;
  }

  /** Nothing before the worker runs, and after it has stopped. */
  private async workerText(): Promise<string> {
    if (this.sdk === undefined) return '';
    const asked = fetch(`http://${this.sdk}/metrics`, { signal: AbortSignal.timeout(2_000) });
    return await asked.then((answer) => answer.text()).catch(() => '');
  }
}

let shared: ProcessMetrics | undefined;

/** The metrics of this process; all its parts share them. */
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
