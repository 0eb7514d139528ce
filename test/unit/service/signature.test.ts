import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Signature } from '../../../src/engine/definition/inbound-signature-scheme.js';
import { load } from '../../../src/language/load-journey.js';
import { isSigned, signaturesOf } from '../../../src/service/request-signature.js';

/** The signature from the block of a step. */
function read(block: string): Signature {
  const { definition } = load({
    text: `
apiVersion: v1
kind: Journey
metadata: { name: signed, version: 1.0.0 }
spec:
  start: hook
  states:
    hook:
      type: webhook
      webhook: { input: { schema: true }, signature: ${block} }
      next: done
    done: { type: succeed }
`,
  });
  return signaturesOf(definition!).hook!;
}

const key = 'a secret that two share';
const at = 1_900_000_000;
const body = Buffer.from('{"amount": 12}');
const mac = (text: string | Buffer, { as = 'hex', with: algorithm = 'sha256' } = {}) =>
  createHmac(algorithm, key)
    .update(text)
    .digest(as as 'hex');
const good = (block: string, headers: Record<string, string>, { now = at, keys = [key], sent = body } = {}) =>
  isSigned(read(block), keys, { headers, body: sent }, new Date(now * 1000));

describe('R14-signature: presets', () => {
  it('github: the example in its documentation', () => {
    const headers = {
      'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    };
    const request = { keys: ["It's a Secret to Everybody"], sent: Buffer.from('Hello, World!') };
    expect(good('{ preset: github, secretRef: s }', headers, request)).toBe(true);
    expect(good('{ preset: github, secretRef: s }', headers, { ...request, sent: Buffer.from('Hello, World?') })).toBe(
      false,
    );
  });

  it('stripe: several signatures in one header, with the time', () => {
    const header = (time: number, signature: string) => ({
      'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${signature},v0=${signature}`,
    });
    const block = '{ preset: stripe, secretRef: s }';
    expect(good(block, header(at, mac(`${at}.${body}`)))).toBe(true);
    expect(good(block, header(at + 1, mac(`${at}.${body}`)))).toBe(false);
    expect(good(block, { 'stripe-signature': `t=${at},v0=${mac(`${at}.${body}`)}` })).toBe(false);
    expect(good(block, header(at, mac(`${at}.${body}`)), { now: at + 301 })).toBe(false);
    expect(good(block, header(at, mac(`${at}.${body}`)), { now: at - 300 })).toBe(true);
  });

  it('slack: version, time and body', () => {
    const headers = { 'x-slack-request-timestamp': `${at}`, 'x-slack-signature': `v0=${mac(`v0:${at}:${body}`)}` };
    const block = '{ preset: slack, secretRef: s }';
    expect(good(block, headers)).toBe(true);
    expect(good(block, { ...headers, 'x-slack-request-timestamp': `${at + 1}` })).toBe(false);
    expect(good(block, { 'x-slack-signature': headers['x-slack-signature'] })).toBe(false);
  });
});

describe('R14-signature: custom schemes', () => {
  const block =
    '{ header: X-Sign, algorithm: sha512, encoding: base64, prefix: "v1,", content: "{header:X-Id}.{timestamp}.{body}", timestamp: { header: X-Time, toleranceSec: 10 }, secretRef: s }';
  const time = `${at}000`;
  const signed = { 'x-id': 'm-1', 'x-time': time };

  it('signs the parts in the content, with a time in milliseconds', () => {
    const signature = `v1,c29tZXRoaW5n v1,${mac(`m-1.${time}.${body}`, { as: 'base64', with: 'sha512' })}`;
    expect(good(block, { ...signed, 'x-sign': signature })).toBe(true);
    expect(good(block, { ...signed, 'x-id': 'm-2', 'x-sign': signature })).toBe(false);
    expect(good(block, { ...signed, 'x-sign': signature }, { now: at + 11 })).toBe(false);
    expect(good(block, { ...signed, 'x-time': 'now', 'x-sign': signature })).toBe(false);
  });

  it('accepts hexadecimal digits in both cases', () => {
    const headers = { 'x-signature': mac(body).toUpperCase() };
    expect(good('{ header: X-Signature, secretRef: s }', headers)).toBe(true);
    expect(good('{ header: X-Signature, encoding: base64, secretRef: s }', headers)).toBe(false);
  });

  it('accepts any step id', () => {
    const step = (id: string) =>
      `${id}: { type: webhook, webhook: { input: { schema: true }, signature: { preset: github, secretRef: s } }, next: done }`;
    const text = `apiVersion: v1\nkind: Journey\nmetadata: { name: odd, version: 1.0.0 }\nspec: { start: __proto__, states: { ${step('__proto__')}, done: { type: succeed } } }`;
    expect(Object.keys(signaturesOf(load({ text }).definition!))).toEqual(['__proto__']);
  });

  it('accepts any of several secrets, and nothing without secrets', () => {
    const headers = { 'x-sign': mac(body) };
    expect(good('{ header: X-Sign, secretRefs: [a, b] }', headers, { keys: ['another', key] })).toBe(true);
    expect(good('{ header: X-Sign, secretRefs: [a, b] }', headers, { keys: [] })).toBe(false);
    expect(good('{ header: X-Sign, secretRef: s }', {})).toBe(false);
    expect(good('{ header: X-Sign, secretRef: s }', { 'x-sign': '' })).toBe(false);
    expect(read('{ header: X-Sign, secretRefs: [a, b] }')).toMatchObject({ header: 'x-sign', secretRefs: ['a', 'b'] });
  });
});
