import { spawn, spawnSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { nodeProcess } from '../bench/processes.js';

/**
 * Runs Schemathesis against the gateway's `/openapi.json`, with a real server and worker, on loopback: responses must conform to the document,
 * without server errors. First against a gateway without authentication, then one with keys, as a client and as an operator; `--as` selects
 * one of them. `--seed`, `--examples` and `--seconds` bound each; arguments after `--` are passed to Schemathesis.
 */
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: '1' },
    examples: { type: 'string', default: '25' },
    seconds: { type: 'string', default: '600' },
    only: { type: 'string' },
    as: { type: 'string' },
  },
});

const version = '4.32.5';

/** The checks of responses. Whether a body that the schema allows is rejected depends on the journey, not on the document. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
];

const callers = ['nobody', 'client', 'operator'] as const;
type Caller = (typeof callers)[number];

/** Keys for this run only. */
const keyOf = (role: Caller) => `jm_${role}_${randomUUID()}`;
const keys = { client: keyOf('client'), operator: keyOf('operator') };
const apiKeys = Object.entries(keys).map(([role, key]) => ({
  id: role,
  roles: [role],
  hash: `sha256:${createHash('sha256').update(key).digest('hex')}`,
}));

process.exitCode = await main();

async function main(): Promise<number> {
  const program = install();
  if (program === undefined) return 2;
  const wanted = callers.filter((caller) => options.as === undefined || options.as === caller);
  let worst = wanted.length > 0 ? 0 : 2;
  for (const caller of wanted) {
    console.log(`\nAs ${caller}:`);
    worst = Math.max(worst, await runAs(caller, program));
  }
  return worst;
}

async function runAs(caller: Caller, program: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'journeyman-http-'));
  const product = await nodeProcess(['dist/src/cli/main.js', 'up'], 'Try:', {
    JOURNEYMAN_SPECS: resolve('test/fixtures/exports'),
    JOURNEYMAN_SERVER_DATA_DIR: folder,
    JOURNEYMAN_SERVER_IN_MEMORY: 'true',
    JOURNEYMAN_SERVER_PORT: '0',
    JOURNEYMAN_SERVER_UI_PORT: '0',
    JOURNEYMAN_GATEWAY_PORT: '0',
    JOURNEYMAN_LOG_LEVEL: 'error',
    ...(caller !== 'nobody' && { JOURNEYMAN_GATEWAY_AUTH_API_KEYS: JSON.stringify(apiKeys) }),
  });
  try {
    const url = /^Gateway +(\S+)/m.exec(product.printed())?.[1];
    if (url === undefined) throw new Error(`no gateway in ${product.printed()}`);
    return await run(program, url, folder, caller === 'nobody' ? [] : [`--header=X-API-Key: ${keys[caller]}`]);
  } finally {
    await product.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Schemathesis in a virtual environment below node_modules, which git ignores. */
function install(): string | undefined {
  const home = resolve('node_modules/.cache/schemathesis', version);
  const program = join(home, 'bin/schemathesis');
  if (existsSync(program)) return program;
  console.log(`Installing Schemathesis ${version} …`);
  mkdirSync(home, { recursive: true });
  const steps = [
    ['python3', '-m', 'venv', home],
    [join(home, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${version}`],
  ];
  for (const [command, ...args] of steps) {
    const { status, stderr } = spawnSync(command!, args, { encoding: 'utf8' });
    if (status === 0) continue;
    console.error(`This needs Python 3 with venv, and PyPI. ${command} failed:\n${stderr}`);
    return undefined;
  }
  return program;
}

async function run(program: string, url: string, cwd: string, more: string[]): Promise<number> {
  const args = [
    'run',
    `${url}/openapi.json`,
    `--checks=${checks.join()}`,
    `--seed=${options.seed}`,
    `--max-examples=${options.examples}`,
    `--max-time=${options.seconds}`,
    '--generation-database=none',
    '--request-timeout=40',
    '--continue-on-failure',
    ...(options.only === undefined ? [] : [`--include-operation-id-regex=${options.only}`]),
    ...more,
    ...positionals,
  ];
  const child = spawn(program, args, { stdio: 'inherit', cwd, env: { ...process.env, NO_COLOR: '1' } });
  return await new Promise((done) => child.once('exit', (code) => done(code ?? 1)));
}
