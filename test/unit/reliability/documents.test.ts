import { expect, it } from 'vitest';
import { load } from '../../../src/language/load-journey.js';
import { listJourney } from '../../reliability/concurrency/clients.js';
import { steadyDocument, steadyJourneys } from '../../reliability/steady/journeys.js';

const ledger = 'http://127.0.0.1:1';

it.each([
  ['list', JSON.stringify(listJourney(ledger))],
  ...steadyJourneys.map((it) => [it.name, steadyDocument(it, ledger)]),
])('the journey %s of the reliability tests has no errors', (_, text) => {
  expect(load({ text: text! }).findings.filter(({ severity }) => severity === 'error')).toEqual([]);
});
