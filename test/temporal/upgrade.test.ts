import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json/value.js';
import { version } from '../../src/config/package-info.js';
import { Ledger } from '../reliability/ledger.js';
import { type Answer, PatientClient } from '../reliability/patient-client.js';
import { Stand } from '../reliability/stand.js';
import { repositoryRoot } from '../support/package-root.js';
import {
  changedDocuments,
  type ParkedRun,
  parkedDocument,
  parkedRuns,
  parkedServicePort,
} from './support/parked-runs.js';

const folder = join(repositoryRoot, 'test/histories');
const file = (release: string) => join(folder, release, 'parked.db.gz');
const releases = readdirSync(folder).filter((it) => readdirSync(join(folder, it)).includes('parked.db.gz'));
const ok = ({ status }: Answer) => status < 300;
const keyOf = ({ name }: ParkedRun) => ({ headers: { 'idempotency-key': name } });

/** The run waits for something, calls something, or compensates. */
const isParked = ({ phase, activeStates, journeyName }: JsonObject) =>
  journeyName === 'parked-task' || phase === 'FAILED' || (Array.isArray(activeStates) && activeStates.length > 0);

if (process.env.RECORD_HISTORIES) {
  it('parks one run of each kind, and saves the database of the server', async () => {
    const ledger = await Ledger.start(parkedServicePort);
    const http = new PatientClient({}, 40_000);
    const documents = Object.fromEntries(parkedRuns.map((it) => [`${it.name}.journey.json`, parkedDocument(it)]));
    const stand = await Stand.start({ documents });
    const base = `${stand.gateways[0]!.url}/api/v1/journeys`;
    ledger.hold('parked-task', 'held');
    const ids: Record<string, string> = {};
    await Promise.all(
      parkedRuns.map(async (it) => {
        const started = await http.until(
          () => `${base}/${it.name}/start`,
          { body: { run: it.name }, ...keyOf(it) },
          ok,
        );
        ids[it.name] = String(started.body.journeyId);
        for (const point of it.called) await ledger.reached(it.name, point);
        await http.until(
          () => `${base}/${ids[it.name]}`,
          { method: 'GET' },
          ({ body }) => isParked(body),
        );
      }),
    );
    await stand.kill('worker');
    mkdirSync(join(folder, version), { recursive: true });
    await stand.kill('gateway');
    writeFileSync(file(version), gzipSync(await stand.database(), { level: 9 }));
    writeFileSync(join(folder, version, 'parked.json'), `${JSON.stringify(ids, null, 2)}\n`);
    await stand.stop();
    await http.close();
    await ledger.close();
  });
}

describe.each(releases)('REL-3 runs parked by %s', (release) => {
  const ids = JSON.parse(readFileSync(join(folder, release, 'parked.json'), 'utf8')) as Record<string, string>;
  let ledger: Ledger;
  let http: PatientClient;
  let stand: Stand;
  const url = (path: string) => () => `${stand.gateways[0]!.url}/api/v1/journeys/${path}`;
  beforeAll(async () => {
    ledger = await Ledger.start(parkedServicePort);
    http = new PatientClient();
    const documents = Object.assign({}, ...parkedRuns.map(changedDocuments)) as Record<string, string>;
    const database = gunzipSync(readFileSync(file(release)));
    stand = await Stand.start({ documents, database, config: { library: { changedContent: 'allow' } } });
  });
  afterAll(async () => {
    await stand.stop();
    await http.close();
    await ledger.close();
  });

  it.each(parkedRuns.filter(({ name }) => ids[name]).map((it) => [it.name, it] as const))(
    '%s finishes on this release with its own definition, despite a changed document',
    async (name, parked) => {
      const id = ids[name]!;
      if (parked.migratesTo) await http.until(url(`${id}/migrate`), { body: { to: parked.migratesTo } }, ok);
      for (const step of parked.steps)
        await http.until(url(`${id}/steps/${step}`), { body: step === 'cancel' ? {} : { n: 1 }, ...keyOf(parked) }, ok);
      const { body } = await http.until(url(`${id}/result`), { method: 'GET' }, ok);
      expect((body.error as { code?: string } | undefined)?.code ?? body.phase).toBe(parked.ends);
      const calls = ledger.of(name);
      expect(calls.map(({ point }) => point).sort()).toEqual([...parked.calls].sort());
      expect(new Set(calls.map(({ key }) => key)).size).toBe(calls.length);
      for (const { key } of calls) expect(key).toMatch(new RegExp(`^${id}/.+#\\d+$`));
    },
  );

  it('a new run uses the changed document', async () => {
    const { body } = await http.until(url('parked-wait/start'), { body: {} }, ok);
    expect(body).toMatchObject({ phase: 'FAILED', error: { code: 'CHANGED' } });
  });
});
