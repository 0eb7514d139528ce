import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cost, graph, type JourneyDocument, load, validate } from '../../../../src/app/embed/language.js';

describe('journeyman-temporal/language', () => {
  it('loads the specs of a project by default, or the given files', async () => {
    const all = await load();
    expect(all).toMatchObject({ valid: true, findings: [] });
    const names = all.documents.map(({ kind, name }) => `${kind} ${name}`);
    for (const one of ['Journey hello', 'Api product-page', 'Pipeline inbox']) expect(names).toContain(one);
    const { documents } = await load('hello.journey.yaml', { folder: 'specs' });
    expect(documents).toEqual([expect.objectContaining({ name: 'hello', version: '1.0.0', kind: 'Journey' })]);
  });

  it('reports findings of files with their locations, and returns no document for a file with errors', async () => {
    const { documents, valid, findings } = await load('test/fixtures/journeys/gone.journey.yaml');
    expect({ documents, valid }).toEqual({ documents: [], valid: false });
    expect(findings).toMatchObject([{ code: 'JOURNEY_FILE_UNREADABLE', severity: 'error' }]);
  });

  it('checks a text against the APIs of the project, strictly if requested', async () => {
    const text = readFileSync('specs/checkout.journey.yaml', 'utf8');
    expect(await validate(text)).toEqual({ valid: true, findings: [] });
    const broken = await validate(text.replace('shop.reserveStock', 'shop.reserveStok'));
    expect(broken).toMatchObject({ valid: false, findings: [{ line: expect.any(Number), severity: 'error' }] });
    const hello = readFileSync('specs/hello.journey.yaml', 'utf8');
    expect((await validate(hello)).valid).toBe(true);
    expect((await validate(hello, { strict: true })).valid).toBe(false);
  });

  it('draws documents that it loaded, and estimates their cost', async () => {
    const { documents } = await load();
    const named = (wanted: string) => documents.find(({ name }) => name === wanted)!;
    expect(graph(named('checkout'))).toMatch(/^flowchart TD/);
    expect(graph(named('inbox'), 'dot')).toContain('digraph');
    expect(JSON.parse(graph(named('hello'), 'json'))).toHaveProperty('graphs');
    expect(cost(named('checkout'))).toMatchObject({ name: 'checkout', paths: expect.any(Array), loops: [] });
    expect(() => cost(named('inbox'))).toThrow('inbox is a pipeline');
    expect(() => graph({ ...named('hello') } as JourneyDocument)).toThrow('was not returned by `load`');
  });
});
