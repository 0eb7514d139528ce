import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { prepareNamespace } from '../../src/app/prepare-namespace.js';
import type { JsonObject } from '../../src/base/json/value.js';
import { loadConfig } from '../../src/config/load-config.js';
import { connect } from '../../src/temporal/connection.js';
import { databaseFile } from '../../src/temporal/server/server-arguments.js';
import { type RunningServer, startServer } from '../../src/temporal/server/start-server.js';
import { freePorts } from '../bench/processes.js';
import { gatewayProcess, type WorkerProcess, workerProcess } from '../temporal/support/worker-process.js';

/** The processes that a test kills. */
export const processes = ['worker', 'gateway', 'server'] as const;
export type ProcessName = (typeof processes)[number];

/** Documents by file name, and additional settings for the configuration file. */
export interface StandOptions {
  documents: Readonly<Record<string, string>>;
  config?: JsonObject;
  workers?: number;
  gateways?: number;
  /** Files next to the configuration. */
  files?: Readonly<Record<string, string>>;
  /** The server's initial database. */
  database?: Uint8Array;
}

/** A server on a database file, workers and gateways, each a process that can be killed and restarted at the same address. */
export class Stand {
  readonly workers: WorkerProcess[] = [];
  readonly gateways: (WorkerProcess & { url: string })[] = [];
  client!: Client;
  /** The lines that workers and gateways logged at level `error`. */
  readonly log: string[] = [];
  private server!: RunningServer;
  private close = async () => {};

  private constructor(
    readonly folder: string,
    /** The task queue of the workers. */
    readonly taskQueue: string,
    private readonly env: Record<string, string>,
    private readonly gatewayPorts: readonly number[],
  ) {}

  static async start(options: StandOptions): Promise<Stand> {
    const { documents, config = {}, workers = 1, gateways = 1, files = {}, database } = options;
    const folder = mkdtempSync(join(tmpdir(), 'journeyman-stand-'));
    for (const [name, text] of Object.entries({ ...documents, ...files })) writeFileSync(join(folder, name), text);
    const data = join(folder, 'data');
    mkdirSync(data);
    if (database) writeFileSync(databaseFile(data), database);
    const [port, ...gatewayPorts] = (await freePorts(gateways + 1)) as [number, ...number[]];
    const file = join(folder, 'journeyman.config.yaml');
    writeFileSync(file, JSON.stringify({ specs: folder, ...config }));
    const taskQueue = 'reliability';
    const env = {
      TEMPORAL_ADDRESS: `127.0.0.1:${port}`,
      JOURNEYMAN_CONFIG: file,
      JOURNEYMAN_TEMPORAL_TASK_QUEUE: taskQueue,
      JOURNEYMAN_SERVER_DATA_DIR: data,
      JOURNEYMAN_SERVER_PORT: String(port),
      JOURNEYMAN_SERVER_UI_PORT: '0',
    };
    const stand = new Stand(folder, taskQueue, env, gatewayPorts);
    try {
      await stand.launch('server');
      const { client, close } = await connect(stand.config());
      stand.client = client;
      stand.close = close;
      await prepareNamespace(stand.config());
      await Promise.all(Array.from({ length: workers }, (_, i) => stand.launch('worker', i)));
      await Promise.all(Array.from({ length: gateways }, (_, i) => stand.launch('gateway', i)));
    } catch (error) {
      await stand.stop();
      throw error;
    }
    return stand;
  }

  /** The address of the server. */
  get address(): string {
    return this.server.address;
  }

  /** The process ids, for measurements. */
  pid(name: ProcessName, index = 0): number {
    if (name === 'server') return this.server.pid;
    return (name === 'worker' ? this.workers : this.gateways)[index]!.pid;
  }

  /** `kill -9`: resolves when the process is gone. */
  async kill(name: ProcessName, index = 0): Promise<void> {
    if (name === 'server') {
      process.kill(this.server.pid, 'SIGKILL');
      await this.server.exited;
      await this.server.stop();
    } else await (name === 'worker' ? this.workers : this.gateways)[index]!.kill9();
  }

  /** Restarts a process at the same address; the server with its database file. */
  async launch(name: ProcessName, index = 0): Promise<void> {
    const onLine = (line: string) => void this.log.push(line);
    if (name === 'server') this.server = await startServer(this.config());
    else if (name === 'worker') this.workers[index] = await workerProcess(this.env, onLine);
    else {
      const port = { JOURNEYMAN_GATEWAY_PORT: String(this.gatewayPorts[index]) };
      this.gateways[index] = await gatewayProcess({ ...this.env, ...port }, onLine);
    }
  }

  /** Stops the server gracefully, and returns its database. */
  async database(): Promise<Buffer> {
    await this.server.stop();
    return readFileSync(databaseFile(join(this.folder, 'data')));
  }

  async stop(): Promise<void> {
    const ended = await Promise.allSettled([...this.gateways, ...this.workers].map((it) => it?.kill9()));
    await this.close();
    await this.server?.stop();
    rmSync(this.folder, { recursive: true, force: true });
    for (const it of ended) if (it.status === 'rejected') throw it.reason;
  }

  private config() {
    return loadConfig({ env: { ...process.env, ...this.env } });
  }
}
