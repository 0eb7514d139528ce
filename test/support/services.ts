import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { available } from './available.js';

/** A real server that a test started on this machine. */
export interface Service {
  /** `host:port`. */
  readonly address: string;
  stop(): Promise<void>;
}

// npm scripts run in the root of the repository, even for code built elsewhere.
const jars = resolve('.services/kafka');

/** Whether `redis-server` is installed; an error if it is required and missing. */
export const hasRedis = available('redis', 'redis-server is not on the PATH', () => {
  execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
});

/** Whether Java and Kafka's jars are installed. */
export const hasKafka = available('kafka', 'Java or .services/kafka is missing (npm run services)', () => {
  if (!existsSync(jars) || !readdirSync(jars).some((name) => name.startsWith('kafka_'))) throw new Error('no jars');
  execFileSync('java', ['-version'], { stdio: 'ignore' });
});

/** Starts a Redis without persistence; `more` are additional arguments. */
export async function startRedis(port?: number, more: readonly string[] = []): Promise<Service> {
  const at = port ?? (await freePort());
  const child = spawn(
    'redis-server',
    ['--port', String(at), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', ...more],
    {
      stdio: 'ignore',
    },
  );
  await accepts(at, child);
  return { address: `127.0.0.1:${at}`, stop: () => end(child) };
}

/**
 * Starts Apache Kafka as one broker that is its own controller. Topics are created on first use, with two partitions. `advertised` returns the
 * port that it advertises to clients, given its own port.
 */
export async function startKafka(advertised = async (port: number) => port): Promise<Service> {
  const folder = mkdtempSync(join(tmpdir(), 'journeyman-kafka-'));
  const [port, controller] = [await freePort(), await freePort()];
  const properties = join(folder, 'server.properties');
  const settings = {
    'process.roles': 'broker,controller',
    'node.id': '1',
    'controller.quorum.voters': `1@127.0.0.1:${controller}`,
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controller}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${await advertised(port)}`,
    'controller.listener.names': 'CONTROLLER',
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    'log.dirs': join(folder, 'data'),
    'num.partitions': '2',
    'offsets.topic.replication.factor': '1',
    'offsets.topic.num.partitions': '1',
    'message.max.bytes': '100000',
  };
  writeFileSync(
    properties,
    Object.entries(settings)
      .map(([key, value]) => `${key}=${value}`)
      .join('\n'),
  );
  const java = ['-Xmx384m', '-XX:TieredStopAtLevel=1', '-cp', `${jars}/*`];
  const id = Buffer.from(randomUUID().replaceAll('-', ''), 'hex').toString('base64url');
  execFileSync('java', [...java, 'kafka.tools.StorageTool', 'format', '-t', id, '-c', properties], { stdio: 'ignore' });
  const child = spawn('java', [...java, 'kafka.Kafka', properties], { stdio: 'ignore' });
  await accepts(port, child);
  return {
    address: `127.0.0.1:${port}`,
    stop: async () => {
      await end(child, 'SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function accepts(port: number, child: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (open) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the server does not accept connections');
}

async function end(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await ended;
}
