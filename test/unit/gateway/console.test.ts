import { request } from 'node:http';
import { expect, it } from 'vitest';
import { gateway, journey } from './harness.js';

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Asks without following a redirection. */
async function ask(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(url, { headers, redirect: 'manual' });
}

it('`/` redirects a browser to the console and returns a problem to programs', async () => {
  const { server } = await gateway();
  const browser = await ask(`${server.url}/`, html);
  expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console/']);
  for (const accept of ['*/*', 'application/json']) {
    const program = await ask(`${server.url}/`, { accept });
    expect([program.status, program.headers.get('content-type')]).toEqual([
      404,
      'application/problem+json; charset=utf-8',
    ]);
  }
});

it('pages of the console get the app, under a strict policy; files are cached by their hash', async () => {
  const { get, server } = await gateway();
  const page = await get('/console/runs/any%2Fid', html);
  expect(page.status).toBe(200);
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  expect(page.headers.get('x-content-type-options')).toBe('nosniff');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  // An inline script or style would not run under the policy.
  expect(page.text).not.toMatch(/<script>|<style>| style="| on\w+="/);
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  expect(loaded.length).toBeGreaterThan(2);
  for (const url of loaded) {
    expect(url).toMatch(/^\/console\/assets\//);
    const file = await ask(server.url + url, { 'accept-encoding': 'br' });
    expect([file.status, file.headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
    expect(file.headers.get('content-encoding')).toBe('br');
  }
});

it('a file that does not exist is not answered with the app', async () => {
  const { get } = await gateway();
  for (const path of ['/console/assets/none.js', '/console/..%2fpackage.json', '/console/settings.js']) {
    expect((await get(path, html)).status, path).toBe(404);
  }
});

it('the settings name how to sign in, and nothing that needs credentials', async () => {
  const key = { id: 'shop', hash: `sha256:${'0'.repeat(64)}`, roles: ['client' as const] };
  const signIn = { issuer: 'https://login.example.com/realm', clientId: 'console', scope: 'openid' };
  const { get } = await gateway({
    definitions: [journey('secret-name')],
    apiKeys: [key],
    console: { enabled: true, signIn },
  });
  expect((await get('/console/settings.json')).body).toEqual({ authentication: true, signIn });
  const page = await get('/console/', html);
  expect(page.headers.get('content-security-policy')).toContain("connect-src 'self' https://login.example.com;");
  expect(page.text).not.toContain('secret-name');
});

it('a gateway without a console responds with 404', async () => {
  const { get } = await gateway({ console: { enabled: false } });
  for (const path of ['/', '/console', '/console/', '/console/settings.json']) {
    expect((await get(path, html)).status, path).toBe(404);
  }
});

it('without authentication the console is served to loopback hosts only', async () => {
  const { server } = await gateway();
  const status = await new Promise((resolve, reject) => {
    // `fetch` does not let a caller set the Host header.
    request({ port: server.port, path: '/console/', headers: { host: 'evil.example' } }, (it) => resolve(it.statusCode))
      .on('error', reject)
      .end();
  });
  expect(status).toBe(421);
});
