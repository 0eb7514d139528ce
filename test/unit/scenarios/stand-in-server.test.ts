import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { FileFinding } from '../../../src/library/find-files.js';
import { startStandIn } from '../../../src/scenarios/live/stand-in-server.js';

const folder = mkdtempSync(join(tmpdir(), 'journeyman-stand-in-'));
afterEach(() => rmSync(join(folder, 'stand-in.yaml'), { force: true }));

describe('A stand-in', () => {
  const findings: FileFinding[] = [];
  async function open(text: string) {
    findings.length = 0;
    writeFileSync(join(folder, 'stand-in.yaml'), text);
    return await startStandIn(folder, (found) => findings.push(...found));
  }

  it('is not started for a folder without stand-in.yaml', async () => {
    expect(await startStandIn(folder, () => undefined)).toBeUndefined();
  });

  it('responds by method and path, in order, on the loopback interface', async ({ onTestFinished }) => {
    const standIn = await open(`backend:
  - call: GET https://bank.example.com/rates/*
    replies: [{ body: { rate: 1 } }, { body: { rate: 2 } }]
  - { call: POST https://mail.example.com/messages, reply: { status: 202 } }
`);
    onTestFinished(() => standIn!.close());
    const { url, rewrite } = standIn!;
    expect(new URL(url).hostname).toBe('127.0.0.1');
    expect(rewrite).toEqual({ 'https://bank.example.com': url, 'https://mail.example.com': url });
    const rates = [];
    for (let i = 0; i < 3; i++) rates.push(await (await fetch(`${url}/rates/sek`)).json());
    expect(rates).toEqual([{ rate: 1 }, { rate: 2 }, { rate: 2 }]);
    expect((await fetch(`${url}/messages`, { method: 'POST', body: '{}' })).status).toBe(202);
    const unknown = await fetch(`${url}/messages`);
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toEqual({ error: 'stand-in.yaml has no rule for GET /messages' });
  });

  it('is not started from a file with errors, which are reported', async () => {
    expect(await open('backend: [{ operation: mail.send, reply: { status: 202 } }]')).toBeUndefined();
    expect(findings).toMatchObject([{ code: 'SCENARIO_CALL', file: join(folder, 'stand-in.yaml') }]);
    expect(await open('backend: [{ call: GET https://a.example.com/, reply: {} }]\nport: 1')).toBeUndefined();
    expect(findings).toMatchObject([{ pointer: '/port' }]);
  });

  it('is part of `up` only', () => {
    const cli = fileURLToPath(new URL('../../../src/cli', import.meta.url));
    for (const command of ['gateway.ts', 'worker.ts']) {
      expect(readFileSync(join(cli, command), 'utf8')).not.toContain('stand-in');
    }
  });
});
