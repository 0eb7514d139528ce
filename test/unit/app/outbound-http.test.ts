import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { claimPort, mayCallLoopback, outboundHttp } from '../../../src/app/outbound-http.js';
import { loadConfig } from '../../../src/config/load-config.js';

const load = (env: NodeJS.ProcessEnv = {}) => loadConfig({ cwd: '/', env });

describe('FLT-19 calls to this machine', () => {
  it.each([
    ['up, all on loopback', {}, true, true],
    ['up with a running server on loopback', { TEMPORAL_ADDRESS: 'localhost:7233' }, true, true],
    ['a separate worker or gateway', {}, false, false],
    ['up against a cluster', { TEMPORAL_ADDRESS: 'temporal.example.com:7233' }, true, false],
    ['a worker that allows it', { JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'true' }, false, true],
    ['up that denies it', { JOURNEYMAN_HTTP_EGRESS_ALLOW_LOOPBACK: 'false' }, true, false],
  ])('%s', (_, env, together, allowed) => {
    expect(mayCallLoopback(load(env), together)).toBe(allowed);
  });

  it('are rejected by a separate worker, unless the host is listed', async () => {
    const server = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    onTestFinished(() => void server.close());
    const call = async (env: NodeJS.ProcessEnv) => {
      const http = outboundHttp(load(env), pino({ level: 'silent' }));
      onTestFinished(() => http.close());
      return await http({
        method: 'GET',
        url: `http://127.0.0.1:${port}/`,
        headers: {},
        timeoutMs: 5_000,
        mode: 'requestResponse',
      });
    };
    expect(await call({})).toMatchObject({
      ok: false,
      error: { code: 'EGRESS_REFUSED', message: 'refused by the egress policy: the host is at a loopback address' },
    });
    expect(await call({ JOURNEYMAN_HTTP_EGRESS_ALLOW_PRIVATE: `127.0.0.1:${port}` })).toMatchObject({ ok: true });
  });

  it('GAP-25 are allowed by `up`, except to its own gateway, server and Web UI', async () => {
    const server = createServer((_request, response) => response.end('{}'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    onTestFinished(() => void server.close());
    const call = async (env: NodeJS.ProcessEnv, address?: string) => {
      const http = outboundHttp(load(env), pino({ level: 'silent' }), { together: true, address });
      onTestFinished(() => http.close());
      const request = { method: 'GET', headers: {}, timeoutMs: 5_000, mode: 'requestResponse' } as const;
      const result = await http({ ...request, url: `http://localhost:${port}/` });
      return 'error' in result ? result.error?.message : 'called';
    };
    const refused = 'refused by the egress policy: the port belongs to Journeyman itself';
    expect(await call({})).toBe('called');
    expect(await call({ JOURNEYMAN_GATEWAY_PORT: String(port) })).toBe(refused);
    expect(await call({ JOURNEYMAN_SERVER_UI_PORT: String(port) })).toBe(refused);
    expect(await call({ JOURNEYMAN_SERVER_PORT: String(port) })).toBe(refused);
    expect(await call({}, `127.0.0.1:${port}`), 'a port that was free').toBe(refused);
    claimPort(port);
    expect(await call({}), 'a gateway on a port that was free').toBe(refused);
  });
});
