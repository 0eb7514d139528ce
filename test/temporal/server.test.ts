import { execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProblemError } from '../../src/base/problems/problem.js';
import type { Config } from '../../src/config/config-types.js';
import { loadConfig } from '../../src/config/load-config.js';
import { connect } from '../../src/temporal/connection.js';
import { ensureNamespace, inspectNamespace } from '../../src/temporal/inspect-and-set-up-namespace.js';
import { searchAttributes } from '../../src/temporal/search-attribute-types.js';
import { isAlive } from '../../src/temporal/server/binary-cache.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { freePort, isListening } from '../../src/temporal/server/tcp-ports.js';

let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'server-'));
});
afterAll(() => {
  rmSync(cwd, { recursive: true });
});

function configuration(extra: NodeJS.ProcessEnv = {}): Config {
  return loadConfig({ cwd, env: { JOURNEYMAN_SERVER_PORT: '0', JOURNEYMAN_SERVER_UI_PORT: '0', ...extra } });
}
const inMemory = { JOURNEYMAN_SERVER_IN_MEMORY: 'true' };

async function gone(pid: number): Promise<boolean> {
  for (let i = 0; i < 200 && isAlive(pid); i++) await new Promise((resolve) => setTimeout(resolve, 50));
  return !isAlive(pid);
}

/** Every process with its process group. */
function processGroups(): number[][] {
  if (!existsSync('/proc/self/stat')) {
    const list = execFileSync('ps', ['-A', '-o', 'pid=,pgid='], { encoding: 'utf8' });
    return list.split('\n').map((row) => row.trim().split(/\s+/).map(Number));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = statOf(name);
      return stat === undefined ? [] : [[Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])]];
    });
}

/** Undefined for a process that has ended since it was listed: its file is gone or unreadable. */
function statOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

describe('the embedded server', () => {
  it('serves a namespace with our search attributes and 90 days of retention, and stops without orphan processes', async () => {
    const config = configuration(inMemory);
    const server = await startServer(config);
    const { connection, client, close } = await connect(config, { address: server.address });
    try {
      const report = await inspectNamespace(connection, 'default');
      expect(report).toEqual({ namespace: 'default', retentionDays: 90, missing: [], mistyped: [] });
      const query = `JourneyName = 'none' AND JourneyTags IN ('a')`;
      expect((await client.workflow.count(query)).count).toBe(0);
    } finally {
      await close();
      await Promise.all([server.stop(), server.stop()]);
    }
    expect(isAlive(server.pid)).toBe(false);
    expect(await isListening(server.address)).toBe(false);
  });

  it('keeps its data between starts', async () => {
    const config = configuration();
    const started = async (use: (client: Awaited<ReturnType<typeof connect>>['client']) => Promise<unknown>) => {
      const server = await startServer(config);
      const connected = await connect(config, { address: server.address });
      try {
        return await use(connected.client);
      } finally {
        await connected.close();
        await server.stop();
      }
    };
    await started((client) => client.workflow.start('anything', { workflowId: 'kept', taskQueue: 'nobody', args: [] }));
    const status = await started(async (client) => (await client.workflow.getHandle('kept').describe()).status.name);
    expect(status).toBe('RUNNING');
  });

  it('locks its data directory', async () => {
    const config = configuration();
    const server = await startServer(config);
    try {
      const error = (await startServer(config).catch((it) => it)) as ProblemError;
      expect(error.problem.code).toBe('DATA_DIR_IN_USE');
      expect(error.message).toContain(server.address);
    } finally {
      await server.stop();
    }
  });

  /** A server whose parent is another process, and the processes between the two. */
  async function inOtherProcess(port: number) {
    const root = fileURLToPath(new URL('../../', import.meta.url));
    const script = `
      const { loadConfig } = await import('${root}dist/src/config/load-config.js');
      const { startServer } = await import('${root}dist/src/temporal/server/start-server.js');
      const server = await startServer(loadConfig({ cwd: ${JSON.stringify(cwd)} }));
      console.log(server.pid);`;
    const env = { ...process.env, JOURNEYMAN_SERVER_PORT: String(port), JOURNEYMAN_SERVER_UI_PORT: '0' };
    const stdio: StdioOptions = ['ignore', 'pipe', 'inherit'];
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { env, stdio });
    // A failed test must not leave a server running on the data directory of later tests.
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [line] = (await once((parent.stdout as Readable).setEncoding('utf8'), 'data')) as [string];
    const pid = Number(line);
    const pairs = processGroups();
    const group = pairs.find(([id]) => id === pid)?.[1];
    const watchers = pairs.filter(([id, its]) => its === group && id !== pid).map(([id]) => id as number);
    return { parent, pid, watchers };
  }

  it('does not outlive a killed parent', async () => {
    const { parent, pid } = await inOtherProcess(0);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    expect(await gone(pid)).toBe(true);
    await (await startServer(configuration())).stop();
  });

  it('that was orphaned nevertheless is stopped by the next start', async () => {
    const port = await freePort('127.0.0.1');
    const { parent, pid, watchers } = await inOtherProcess(port);
    for (const id of [...watchers, parent.pid as number]) process.kill(id, 'SIGKILL');
    await once(parent, 'exit');
    expect(isAlive(pid)).toBe(true);
    const server = await startServer(configuration({ JOURNEYMAN_SERVER_PORT: String(port) }));
    expect(isAlive(pid)).toBe(false);
    await server.stop();
  });

  it('that dies is detected, and can still be stopped without error', async () => {
    const server = await startServer(configuration());
    process.kill(server.pid, 'SIGKILL');
    await server.exited;
    await server.stop();
    await (await startServer(configuration())).stop();
  });

  it('reports a port in use, before and after it starts', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    try {
      for (const option of ['PORT', 'UI_PORT']) {
        const config = configuration({ ...inMemory, [`JOURNEYMAN_SERVER_${option}`]: String(port) });
        const error = (await startServer(config).catch((it) => it)) as ProblemError;
        expect(error.problem).toMatchObject({ code: 'PORT_IN_USE', port });
      }
      const late = configuration({ ...inMemory, JOURNEYMAN_SERVER_ARGS: `--port, ${port}` });
      const error = (await startServer(late).catch((it) => it)) as ProblemError;
      expect(error.message).toContain('address already in use');
    } finally {
      taken.close();
    }
  });

  it('that does not start reports the reason and the path of its log', async () => {
    const config = configuration({ ...inMemory, JOURNEYMAN_SERVER_ARGS: '--no-such-flag' });
    const error = (await startServer(config).catch((it) => it)) as ProblemError;
    expect(error.problem.code).toBe('TEMPORAL_SERVER_FAILED');
    expect(error.message).toContain('no-such-flag');
  });
});

describe('an existing namespace', () => {
  let server: Awaited<ReturnType<typeof startServer>>;
  let connected: Awaited<ReturnType<typeof connect>>;
  beforeAll(async () => {
    server = await startServer(configuration(inMemory));
    connected = await connect(configuration(), { address: server.address });
  });
  afterAll(async () => {
    await connected.close();
    await server.stop();
  });

  it('gets missing search attributes once', async () => {
    const { connection } = connected;
    await connection.operatorService.removeSearchAttributes({
      namespace: 'default',
      searchAttributes: ['JourneyName', 'JourneyTags'],
    });
    expect((await inspectNamespace(connection, 'default')).missing).toEqual(['JourneyName', 'JourneyTags']);
    const reports = await Promise.all([1, 2, 3].map(() => ensureNamespace(connection, 'default')));
    for (const { missing } of reports) expect(missing).toEqual([]);
  });

  it('must have them with our types', async () => {
    const { connection } = connected;
    const namespace = { namespace: 'default' };
    await connection.operatorService.removeSearchAttributes({ ...namespace, searchAttributes: ['TenantId'] });
    await connection.operatorService.addSearchAttributes({ ...namespace, searchAttributes: { TenantId: 3 } });
    const error = (await ensureNamespace(connection, 'default').catch((it) => it)) as ProblemError;
    expect(error.problem.code).toBe('SEARCH_ATTRIBUTES_MISSING');
    expect(error.message).toContain('TenantId as Keyword');
  });

  it('must exist', async () => {
    const error = (await ensureNamespace(connected.connection, 'elsewhere').catch((it) => it)) as ProblemError;
    expect(error.problem.code).toBe('TEMPORAL_NAMESPACE_UNKNOWN');
    expect(error.problem.hint).toContain('temporal operator namespace create --namespace elsewhere');
  });

  it('without permission is reported with the operator’s commands', async () => {
    const denied = Object.assign(new Error('7 PERMISSION_DENIED: not you'), {
      code: 7,
      details: 'not you',
      metadata: {},
    });
    const { connection } = connected;
    const limited = {
      workflowService: connection.workflowService,
      operatorService: {
        listSearchAttributes: async () => ({ customAttributes: {} }),
        addSearchAttributes: () => Promise.reject(denied),
      },
    } as unknown as typeof connection;
    const error = (await ensureNamespace(limited, 'default').catch((it) => it)) as ProblemError;
    expect(error.problem.commands).toHaveLength(Object.keys(searchAttributes).length);
    expect(error.problem.hint).toContain(
      'temporal operator search-attribute create --namespace default --name JourneyName --type Keyword',
    );
  });
});

it('an unreachable server is reported with its address', async () => {
  const config = configuration({ TEMPORAL_ADDRESS: '127.0.0.1:1' });
  const error = (await connect(config, { timeoutMs: 300 }).catch((it) => it)) as ProblemError;
  expect(error.problem.code).toBe('TEMPORAL_UNREACHABLE');
  expect(error.message).toContain('127.0.0.1:1');
});
