import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { Definition } from '../../../src/definition/definition.js';
import type { JsonObject } from '../../../src/json/value.js';
import { load } from '../../../src/language/load.js';
import { cadenceOf } from '../../../src/pipelines/cadence.js';
import { loadPipeline } from '../../../src/pipelines/read/load.js';
import { pipelineSchema } from '../../../src/pipelines/read/schema.js';
import { pipelineScenarioSchema } from '../../../src/scenarios/pipelines/schema.js';
import { describe as describeCadence } from '../../../src/scheduling/cadence/describe.js';
import { nextAfter } from '../../../src/scheduling/cadence/occurrences.js';

const journey = (name: string, states: string, kind = 'Journey'): Definition => {
  const text = `apiVersion: v1\nkind: ${kind}\nmetadata: {name: ${name}, version: 1.0.0}\nspec: {start: a, states: {${states}}}`;
  return load({ text }).definition!;
};
const known = new Map(
  [
    journey('work', 'a: {type: succeed}'),
    journey('ask', 'a: {type: wait, wait: {channel: manual, input: {schema: {}}}, next: b}, b: {type: succeed}'),
    journey('page', 'a: {type: succeed}', 'Api'),
  ].map((definition) => [definition.name, { definition, hash: 'h' }]),
);
const journeys = { find: (name: string) => known.get(name), names: () => [...known.keys()] };

const good = (): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pipeline',
  metadata: { name: 'line', version: '1.0.0' },
  spec: {
    topics: { mail: { schema: { type: 'object' } }, post: null },
    producers: { poll: { schedule: { interval: '5m' }, journey: 'work', publishes: ['mail'], state: { at: 0 } } },
    consumers: {
      answer: {
        topics: ['mail', 'post'],
        prepare: { lang: 'dataweave', expr: 'events.mail[0]' },
        input: { mapper: { lang: 'dataweave', expr: '{ id: event.id }' } },
        journey: 'work',
      },
    },
  },
});

/** Loads the good document after a change at a path. */
function changed(path: string, value: unknown, options = {}) {
  const document = good();
  const parts = path.split('/');
  const last = parts.pop()!;
  const at = parts.reduce((it, part) => it[part] as JsonObject, document);
  if (value === undefined) delete at[last];
  else at[last] = value as JsonObject;
  return loadPipeline({ text: stringify(document), path: 'x.pipeline.yaml' }, { journeys, ...options });
}

describe('the document of a pipeline', () => {
  it('becomes a definition that holds its journeys, with the policy spelt out', () => {
    const { definition, findings } = changed('spec/policy', { backoffTimeout: 'PT10M', wakeHints: true });
    expect(findings).toEqual([]);
    expect(definition).toMatchObject({
      policy: { backoffMs: 600_000, wakeHints: true, producerBusy: 'skip', topicEvents: 10_000 },
      producers: { poll: { schedule: { interval: '5m' }, state: { at: 0 }, misfire: 'fire_once_on_recovery' } },
      consumers: { answer: { publishes: [], state: null } },
      journeys: { work: { hash: 'h', definition: { name: 'work' } } },
    });
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition);
  });

  it.each([
    ['spec/topics/other', {}, 'TOPIC_UNSUBSCRIBED'],
    ['spec/topics/no good', {}, 'TOPIC_NAME'],
    ['spec/consumers/answer/topics', ['mail', 'post', 'mial'], 'TOPIC_UNDECLARED'],
    ['spec/producers/poll/publishes', ['nail'], 'TOPIC_UNDECLARED'],
    ['spec/consumers/answer/topics', undefined, 'FIELD_REQUIRED'],
    ['spec/producers/poll/journey', 'wrok', 'HANDLER_JOURNEY'],
    ['spec/producers/poll/journey', 'page', 'HANDLER_JOURNEY'],
    ['spec/consumers/answer/journey', 'ask', 'HANDLER_INTERACTIVE'],
    ['spec/consumers/answer/journey', undefined, 'HANDLER_JOURNEY'],
    ['spec/consumers/poll', { topics: ['mail'], journey: 'work' }, 'HANDLER_DUPLICATE'],
    ['spec/consumers/a b', { topics: ['mail'], journey: 'work' }, 'HANDLER_NAME'],
    ['spec/consumers/answer/prepare', { lang: 'dataweave', expr: 'context.x' }, 'DW_UNKNOWN_VARIABLE'],
    ['spec/consumers/answer/input', { mapper: { lang: 'dataweave', expr: 'slot' } }, 'DW_UNKNOWN_VARIABLE'],
    ['spec/producers/poll/schedule', undefined, 'PRODUCER_SCHEDULE'],
    ['spec/producers/poll/schedule', { interval: '5m', cron: '* * * * *' }, 'PRODUCER_SCHEDULE'],
    ['spec/producers/poll/misfire', 'never', 'PRODUCER_SCHEDULE'],
    ['spec/policy', { backoffTimeout: '10 minutes' }, 'PIPELINE_POLICY'],
    ['spec/policy', { window: 0 }, 'PIPELINE_POLICY'],
    ['spec/policy', { maxPayloadBytes: 5_000_000 }, 'PIPELINE_POLICY'],
    ['spec/producers/poll/state', 'x'.repeat(250_000), 'PIPELINE_TOO_LARGE'],
    ['spec/consumers/answer/handler', 'work', 'UNKNOWN_FIELD'],
    ['spec', {}, 'PIPELINE_EMPTY'],
    ['spec', undefined, 'FIELD_REQUIRED'],
    ['kind', 'Journey', 'PIPELINE_KIND'],
    ['apiVersion', 'v2', 'DOC_API_VERSION'],
  ])('%s: %j is refused with %s', (path, value, code) => {
    const { definition, findings } = changed(path, value);
    expect(definition).toBeUndefined();
    expect(findings.map((it) => it.code)).toContain(code);
    for (const finding of findings) expect(finding.line).toBeGreaterThan(0);
  });

  it.each([
    [{ cron: '61 * * * *' }, 'CADENCE_CRON_RANGE', '/spec/producers/poll/schedule/cron'],
    [{ cron: 'every day' }, 'CADENCE_CRON_FIELD_COUNT', '/spec/producers/poll/schedule/cron'],
    [{ cron: '0 9 * * *', zone: 'Mars/Base' }, 'CADENCE_ZONE_UNKNOWN', '/spec/producers/poll/schedule/zone'],
    [{ interval: '0s' }, 'CADENCE_TOO_SHORT', '/spec/producers/poll/schedule/interval'],
    [{ interval: '10s' }, 'CADENCE_TOO_SHORT', '/spec/producers/poll/schedule/interval'],
    [{ interval: 'soon' }, 'CADENCE_DURATION_INVALID', '/spec/producers/poll/schedule/interval'],
  ])('SCH-K3: the schedule %j is refused with its place, never taken for something else', (schedule, code, pointer) => {
    expect(changed('spec/producers/poll/schedule', schedule).findings).toMatchObject([{ code, pointer }]);
  });

  it.each(['events.mial[0]', 'if (pending.mial < 3) null else events.mail', 'events["mial"]'])(
    'a misspelt topic in prepare is told, with the nearest name: %s',
    (expr) => {
      const { definition, findings } = changed('spec/consumers/answer/prepare', { lang: 'dataweave', expr });
      expect(definition).toBeDefined();
      const pointer = '/spec/consumers/answer/prepare/expr';
      expect(findings).toMatchObject([{ code: 'PREPARE_TOPIC', severity: 'warning', pointer }]);
      expect(findings[0]!.hint).toContain('mail');
      expect(changed('spec/consumers/answer/prepare', { lang: 'dataweave', expr: 'events.mail' }).findings).toEqual([]);
    },
  );

  it('the zone of a cron is called zone, and whoever writes timezone is told', () => {
    const { findings } = changed('spec/producers/poll/schedule', { cron: '0 9 * * *', timezone: 'Europe/Rome' });
    expect(findings).toMatchObject([{ code: 'UNKNOWN_FIELD', hint: 'It is called zone.' }]);
  });

  it('SCH-K2: a cron without a zone is UTC, wherever the machine is', () => {
    const next = (schedule: object) => {
      const { definition } = changed('spec/producers/poll/schedule', schedule);
      const cadence = cadenceOf(definition!.producers.poll!.schedule);
      return new Date(nextAfter(cadence, Date.UTC(2027, 0, 1))!).toISOString();
    };
    expect(next({ cron: '0 9 * * *' })).toBe('2027-01-01T09:00:00.000Z');
    expect(next({ cron: '0 9 * * *', zone: 'America/New_York' })).toBe('2027-01-01T14:00:00.000Z');
  });

  it('SCH-K11: intervals stay on their grid, whenever a pipeline is deployed', () => {
    const cadence = cadenceOf({ interval: '5m' });
    expect(nextAfter(cadence, Date.UTC(2027, 0, 1, 10, 3, 17)) as number).toBe(Date.UTC(2027, 0, 1, 10, 5));
  });

  it('SCH-K12: schedules are said as they are', () => {
    const said = (schedule: Parameters<typeof cadenceOf>[0]) => describeCadence(cadenceOf(schedule));
    expect(said({ cron: '0 9 * * 1-5', zone: 'UTC' })).toBe('every weekday at 09:00 UTC');
    expect(said({ interval: '90m' })).toMatch(/90 minutes|1 hour.*30 minutes/);
    expect(said({ interval: '2d' })).toMatch(/2 days/);
  });

  it('is an extension: --strict refuses it', () => {
    expect(changed('spec/policy', undefined, { compat: false }).findings).toMatchObject([
      { code: 'PIPELINE_EXTENSION' },
    ]);
  });

  it('SCH-K14: an event on a topic that nobody reads cannot be: the document is refused', () => {
    expect(changed('spec/topics/orphans', {}).findings).toMatchObject([
      { code: 'TOPIC_UNSUBSCRIBED', pointer: '/spec/topics/orphans' },
    ]);
  });

  it.each([
    ['topics', 'mail', 'FIELD_TYPE', 'topics must be a list of topics, not the text "mail".'],
    ['journey', 'wrok', 'HANDLER_JOURNEY', 'There is no journey "wrok".'],
    ['journey', 'ask', 'HANDLER_INTERACTIVE', expect.stringContaining('where it waits for input')],
  ])('one mistake in a consumer is one finding: %s: %s', (field, value, code, message) => {
    const { findings } = changed(`spec/consumers/answer/${field}`, value);
    expect(findings.filter(({ pointer }) => pointer !== '/spec/topics/post')).toMatchObject([{ code, message }]);
  });

  it.each([
    [{ topics: ['mial', 'post'], journey: 'work' }, 'TOPIC_UNDECLARED', 'Did you mean "mail"?'],
    [{ topic: ['mail', 'post'], journey: 'work' }, 'UNKNOWN_FIELD', 'Did you mean "topics"?'],
    [
      { topics: ['mail', 'post'], journey: 'work', prepare: { mapper: { lang: 'dataweave', expr: 'events.mail' } } },
      'UNKNOWN_FIELD',
      'Write lang and expr here, without mapper around them.',
    ],
  ])('one mistake in a consumer is one finding: %j', (consumer, code, hint) => {
    expect(changed('spec/consumers/answer', consumer).findings).toMatchObject([{ code, hint }]);
  });

  it('in the file of a journey is told where it belongs', () => {
    const [first] = load({ text: stringify(good()) }).findings;
    expect(first).toMatchObject({ code: 'DOC_KIND', hint: expect.stringContaining('.pipeline.yaml') });
  });
});

describe('the published schemas', () => {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const specs = new URL('../../../specs/pipelines/', import.meta.url);

  it.each([
    ['inbox.pipeline.yaml', pipelineSchema],
    ['shipping.pipeline.yaml', pipelineSchema],
    ['vans.pipeline.yaml', pipelineSchema],
    ['digest.pipeline.yaml', pipelineSchema],
    ['inbox.scenario.yaml', pipelineScenarioSchema],
    ['digest.scenario.yaml', pipelineScenarioSchema],
  ])('accept %s', (file, schema) => {
    const { $id: _, ...rest } = schema as JsonObject;
    const check = ajv.compile(rest);
    check(parse(readFileSync(new URL(file, specs), 'utf8')));
    expect(check.errors ?? []).toEqual([]);
  });
});
