import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { loadConfig } from '../../src/config/load-config.js';
import { connect } from '../../src/temporal/connection.js';
import { ensureNamespace } from '../../src/temporal/inspect-and-set-up-namespace.js';
import { startServer } from '../../src/temporal/server/start-server.js';
import { codecServer } from './support/codec-server.js';
import { useTestSecret } from './support/secret.js';

declare module 'vitest' {
  export interface ProvidedContext {
    temporalAddress: string;
    /** The flags of the server, for tests that start another one. */
    serverArgs: string;
  }
}

/** One real server for the whole test run, and the build whose workers the tests run. Tests are isolated by task queue. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // For Temporal's CLI. Not in the process of a test, which blocks while it calls the CLI.
  const codec = process.env.PAYLOAD_CODEC ? await codecServer() : undefined;
  if (codec) process.env.TEMPORAL_CODEC_ENDPOINT = codec.url;
  if (!process.env.SKIP_BUILD)
    execFileSync('npm', ['run', '--silent', 'build'], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      stdio: 'inherit',
    });
  const stop = await provideServer(project);
  return async () => {
    await stop();
    codec?.close();
  };
}

/** Starts a server in memory and provides its address to the tests of a project. */
export async function provideServer(project: TestProject, args: string[] = []): Promise<() => Promise<void>> {
  const env = {
    ...process.env,
    JOURNEYMAN_SERVER_IN_MEMORY: 'true',
    JOURNEYMAN_SERVER_PORT: '0',
    JOURNEYMAN_SERVER_UI_PORT: '0',
    JOURNEYMAN_SERVER_ARGS: args.join(','),
  };
  const config = loadConfig({ env });
  const server = await startServer(config);
  const connected = await connect(config, { address: server.address });
  await ensureNamespace(connected.connection, config.temporal.namespace);
  await useTestSecret(connected.client);
  await connected.close();
  project.provide('temporalAddress', server.address);
  project.provide('serverArgs', args.join(','));
  return () => server.stop();
}
