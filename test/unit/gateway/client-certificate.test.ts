import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { gateway, runView } from './harness.js';

const pem = readFileSync(new URL('../../fixtures/certs/partners/partner.pem', import.meta.url), 'utf8');
const [own = '', issuer = ''] = pem
  .split('-----END CERTIFICATE-----')
  .map((part) => part.replace(/-----BEGIN CERTIFICATE-----|\s/g, ''));

/** The base64 of the client certificates that a journey sees for a request with these headers. */
async function seen(proxies: string[], headers: Record<string, string>): Promise<string[]> {
  const { post, runs } = await gateway({ clientCertificate: { header: 'Client-Cert', proxies } });
  runs.known.set('r', runView('r'));
  await post('/api/v1/journeys/order/start', {}, headers);
  await post('/api/v1/journeys/r/steps/approval', {}, headers);
  const [started, submitted] = [runs.started[0]?.inbound?.certificate, runs.submitted[0]?.certificate];
  expect(submitted).toBe(started);
  return (started ?? '').match(/(?<=-----BEGIN CERTIFICATE-----)[^-]+/g)?.map((text) => text.replace(/\s/g, '')) ?? [];
}

it('a trusted proxy forwards the certificate of its caller, percent-encoded or by RFC 9440', async () => {
  expect(await seen(['127.0.0.0/8'], { 'client-cert': encodeURIComponent(pem) })).toEqual([own, issuer]);
  const items = { 'client-cert': `:${own}:`, 'client-cert-chain': `:${issuer}:, :${issuer}:` };
  expect(await seen(['127.0.0.1', '::1'], items)).toEqual([own, issuer, issuer]);
  expect(await seen(['127.0.0.1'], {})).toEqual([]);
});

it('the header is ignored from other peers', async () => {
  expect(await seen(['10.0.0.0/8', '::1'], { 'client-cert': encodeURIComponent(pem) })).toEqual([]);
});
