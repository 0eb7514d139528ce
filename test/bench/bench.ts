import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { loadConfig } from '../../src/config/load-config.js';
import { ensureNamespace } from '../../src/temporal/inspect-and-set-up-namespace.js';
import { type RunningServer, startServer } from '../../src/temporal/server/start-server.js';
import type { Contestant, ContestantName, Flow, Site } from './contestants/contestant.js';
import { handWritten } from './contestants/hand-written.js';
import { interpreter } from './contestants/interpreter.js';
import { journeyman } from './contestants/journeyman.js';
import { hasZigflow, zigflow } from './contestants/zigflow.js';
import type { Measured } from './processes.js';
import type { Sample } from './report/results.js';
import { type Service, startService } from './service.js';

/** A contestant with a running worker. */
export interface Entrant {
  readonly contestant: Contestant;
  readonly site: Site;
  worker: Measured;
}

/** A part's server, service and contestants, and its measurements. */
export class Bench {
  readonly samples: Sample[] = [];
  private readonly entered: Entrant[] = [];

  constructor(
    readonly repeats: number,
    readonly server: RunningServer,
    readonly client: Client,
    readonly service: Service,
  ) {}

  /** The contestants that can run a flow. */
  contestants(flow: Flow): Contestant[] {
    const all = [journeyman, handWritten, interpreter, ...(hasZigflow() ? [zigflow] : [])];
    return all.filter((it) => it.can(flow));
  }

  /** A task queue that nothing polls yet. */
  site(): Site {
    return {
      client: this.client,
      address: this.server.address,
      taskQueue: `bench-${randomUUID().slice(0, 8)}`,
      serviceUrl: this.service.url,
    };
  }

  /** Starts the worker of a contestant on its own task queue. */
  async enter(contestant: Contestant, flows: readonly Flow[], site = this.site()): Promise<Entrant> {
    const entrant = { contestant, site, worker: await contestant.launch(site, flows) };
    this.entered.push(entrant);
    return entrant;
  }

  /** Starts the workers of all contestants that can run the first of the flows. */
  async enterAll(...flows: [Flow, ...Flow[]]): Promise<Entrant[]> {
    const entrants: Entrant[] = [];
    for (const contestant of this.contestants(flows[0])) entrants.push(await this.enter(contestant, flows));
    return entrants;
  }

  /** Starts a run with the bare client; returns its id. */
  async start(contestant: Contestant, site: Site, flow: Flow): Promise<string> {
    const workflowId = randomUUID();
    const { type, ...options } = contestant.start(site, flow, workflowId);
    await this.client.workflow.start(type, { ...options, workflowId });
    return workflowId;
  }

  async result(workflowId: string): Promise<unknown> {
    return await this.client.workflow.getHandle(workflowId).result();
  }

  /** Runs a flow to its end; returns the id. */
  async run({ contestant, site }: Entrant, flow: Flow): Promise<string> {
    const id = await this.start(contestant, site, flow);
    await this.result(id);
    return id;
  }

  /**
   * Contestants alternate, `times` each per repeat, so that a slow moment of the machine affects all of them alike. Every other time the order is
   * reversed, because a run may still occupy the server when the next one starts.
   */
  async inTurn<T>(
    contestants: readonly T[],
    times: number,
    turn: (it: T, repeat: number) => Promise<void>,
  ): Promise<void> {
    for (let repeat = 0; repeat < this.repeats; repeat++)
      for (let i = 0; i < times; i++) {
        const order = (repeat + i) % 2 === 0 ? contestants : [...contestants].reverse();
        for (const it of order) await turn(it, repeat);
      }
  }

  note(measure: string, contestant: ContestantName, repeat: number, value: number, at?: number): void {
    this.samples.push({ measure, contestant, repeat, value, ...(at !== undefined && { at }) });
  }

  async stop(): Promise<void> {
    for (const { worker } of this.entered) await worker.kill();
    await this.service.close();
    await this.client.connection.close();
    await this.server.stop();
  }
}

const inMemory = {
  ...process.env,
  JOURNEYMAN_SERVER_IN_MEMORY: 'true',
  JOURNEYMAN_SERVER_PORT: '0',
  JOURNEYMAN_SERVER_UI_PORT: '0',
};

/** Starts the dependencies of a part: a server in memory with the flags of `journeyman up`, and a service. */
export async function startBench(repeats: number): Promise<Bench> {
  const server = await startServer(loadConfig({ env: inMemory }));
  const connection = await Connection.connect({ address: server.address });
  await ensureNamespace(connection, 'default');
  return new Bench(repeats, server, new Client({ connection }), await startService());
}
