import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import type { ProblemError } from '../../../../src/base/problems/problem.js';
import { assertPortFree, freePort, isListening } from '../../../../src/temporal/server/tcp-ports.js';

it('a port in use is reported with its option and variable', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    const error = (await assertPortFree('127.0.0.1', port, 'server.uiPort').catch((it) => it)) as ProblemError;
    expect(error.problem).toMatchObject({ code: 'PORT_IN_USE', port, option: 'server.uiPort' });
    expect(error.message).toContain(String(port));
    expect(error.problem.hint).toContain('JOURNEYMAN_SERVER_UI_PORT');
    expect(await isListening(`127.0.0.1:${port}`)).toBe(true);
  } finally {
    server.close();
  }
});

it('a free port is free', async () => {
  const port = await freePort('127.0.0.1');
  await assertPortFree('127.0.0.1', port, 'server.port');
  expect(await isListening(`127.0.0.1:${port}`)).toBe(false);
});
