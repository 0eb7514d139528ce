import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { api, gateway, journey } from './harness.js';

const definitions = [journey('order'), api('price')];
const key = {
  id: 'shop',
  hash: `sha256:${createHash('sha256').update('jm_key').digest('hex')}`,
  roles: ['client' as const],
};
const bearer = { authorization: 'Bearer jm_key' };

it('the gateway serves an OpenAPI document of itself, of each journey and of each Api', async () => {
  const { get } = await gateway({ definitions });
  const { paths } = (await get('/openapi.json')).body;
  expect(Object.keys(paths)).toEqual(
    expect.arrayContaining(['/healthz', '/api/v1/journeys/order/start', '/api/v1/apis/price']),
  );
  expect((await get('/openapi/order.json')).body).toMatchObject({
    info: { title: 'order' },
    servers: [{ url: '/api/v1' }],
  });
  expect(Object.keys((await get('/openapi/price.json')).body.paths)).toEqual(['/apis/price']);
  expect((await get('/arazzo/order.json')).body).toMatchObject({
    sourceDescriptions: [{ url: '../openapi/order.json' }],
    workflows: [{ workflowId: 'order-happy-path' }],
  });
  expect((await get('/arazzo/price.json')).body.code).toBe('EXPORT_NOT_POSSIBLE');
  expect((await get('/openapi/oder.json')).body).toMatchObject({
    code: 'JOURNEY_UNKNOWN',
    hint: 'Did you mean order?',
  });
});

it('documents carry the public address', async () => {
  const { get } = await gateway({ definitions, publicUrl: 'https://shop.example/journeys/' });
  expect((await get('/openapi/order.json')).body.servers).toEqual([{ url: 'https://shop.example/journeys/api/v1' }]);
});

it('documents that name journeys need credentials; the gateway’s own document and the page do not', async () => {
  const { get } = await gateway({ definitions, apiKeys: [key] });
  for (const path of ['/openapi.json', '/openapi/order.json', '/arazzo/order.json', '/openapi/none.json']) {
    expect((await get(path)).status, path).toBe(401);
    expect((await get(path, bearer)).status, path).toBe(path.includes('none') ? 404 : 200);
  }
  for (const path of ['/openapi.yaml', '/docs', '/docs/page.js']) {
    const { status, text } = await get(path);
    expect([status, text.includes('order.json')], path).toEqual([200, false]);
  }
});

it('the page loads only from the gateway, under a strict content security policy', async () => {
  const { get } = await gateway();
  const page = await get('/docs');
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toMatch(/unsafe|\*|https?:/);
  const loaded = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  expect(loaded.filter((url) => !url.startsWith('/') && url !== 'data:,')).toEqual([]);
  for (const url of loaded.filter((it) => it.startsWith('/docs'))) {
    const file = await get(url);
    expect([file.status, file.text.length > 100], url).toEqual([200, true]);
    expect(file.headers.get('content-type')).toMatch(/^text\/(javascript|css)/);
  }
  // An inline script would not run under the policy.
  expect(page.text).not.toMatch(/<script>|<style>| style="| on\w+="/);
  expect((await get('/docs/package.json')).status).toBe(404);
});

it('an Api cannot have the path of a document', async () => {
  const { get } = await gateway({
    definitions: [api('sly', { http: { ...api('sly').http, route: { path: '/openapi.json', method: 'POST' } } })],
  });
  expect((await get('/openapi.json')).body.openapi).toBe('3.1.0');
});
