import { expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { hostileDocument } from '../../soak/hostile-document.js';

it('FLT-3 a hostile document loads, and is reproduced from its seed and number', () => {
  const service = 'http://127.0.0.1:1';
  const documents = Array.from({ length: 60 }, (_, i) => hostileDocument(3, i, service));
  for (const { text, name } of documents)
    expect(load({ text, path: `${name}.journey.json` }).definition?.name).toBe(name);
  expect(hostileDocument(3, 17, service)).toEqual(documents[17]);
  expect(hostileDocument(4, 17, service).text).not.toBe(documents[17]!.text);
  const all = documents.map(({ text }) => text).join('');
  for (const type of ['parallel', 'subjourney', 'timer', 'wait', 'webhook', 'task', 'choice', 'transform'])
    expect(all).toContain(`"type":"${type}"`);
});
