import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '../../../src/base/json/value.js';
import type { Definition } from '../../../src/engine/definition/definition.js';
import { load } from '../../../src/language/load-journey.js';
import { loadPipeline } from '../../../src/pipelines/read/load-pipeline.js';
import { pipelineSchema } from '../../../src/pipelines/read/pipeline-schema.js';
import { producerCadence } from '../../../src/pipelines/read-producer-schedule.js';
import { pipelineScenarioSchema } from '../../../src/scenarios/pipelines/read-pipeline-scenarios-and-schema.js';
import { describeCadence } from '../../../src/schedules/cadence/describe-cadence.js';
import { nextAfter } from '../../../src/schedules/cadence/occurrences.js';

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

/** Loads the valid document with a change at a path. */
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
  it('becomes a definition that contains its journeys and the complete policy', () => {
    const { definition, findings } = changed('spec/policy', { wakeHints: true }, { backoffSec: 600 });
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
    ['spec/policy', { window: 0 }, 'PIPELINE_POLICY'],
    ['spec/policy', { maxPayloadBytes: 5_000_000 }, 'PIPELINE_POLICY'],
    ['spec/producers/poll/state', 'x'.repeat(250_000), 'PIPELINE_TOO_LARGE'],
    ['spec/consumers/answer/handler', 'work', 'UNKNOWN_FIELD'],
    ['spec', {}, 'PIPELINE_EMPTY'],
    ['spec', undefined, 'FIELD_REQUIRED'],
    ['kind', 'Journey', 'PIPELINE_KIND'],
    ['apiVersion', 'v2', 'DOC_API_VERSION'],
    ['metadata/name', 'constructor', 'META_NAME_RESERVED'],
    ['spec/topics/mail/source', {}, 'FIELD_REQUIRED'],
    ['spec/topics/mail/source', { kafka: { topic: 'mail' } }, 'FIELD_REQUIRED'],
    ['spec/topics/mail/source', { kafka: { topic: 'no good', group: 'g' } }, 'KAFKA_TOPIC'],
    ['spec/topics/mail/source', { kafka: { topic: 'mail', group: 'g', brokers: 'b' } }, 'UNKNOWN_FIELD'],
    [
      'spec/topics',
      {
        mail: { source: { kafka: { topic: 't', group: 'g' } } },
        post: { source: { kafka: { topic: 't', group: 'g' } } },
      },
      'SOURCE_DUPLICATE',
    ],
  ])('with %s: %j is rejected with %s', (path, value, code) => {
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
  ])(
    'SCH-K3: with the schedule %j is rejected at its location, never read as something else',
    (schedule, code, pointer) => {
      expect(changed('spec/producers/poll/schedule', schedule).findings).toMatchObject([{ code, pointer }]);
    },
  );

  it.each(['events.mial[0]', 'if (pending.mial < 3) null else events.mail', 'events["mial"]'])(
    'with a misspelt topic in prepare has a finding with the nearest name: %s',
    (expr) => {
      const { definition, findings } = changed('spec/consumers/answer/prepare', { lang: 'dataweave', expr });
      expect(definition).toBeDefined();
      const pointer = '/spec/consumers/answer/prepare/expr';
      expect(findings).toMatchObject([{ code: 'PREPARE_TOPIC', severity: 'warning', pointer }]);
      expect(findings[0]!.hint).toContain('mail');
      expect(changed('spec/consumers/answer/prepare', { lang: 'dataweave', expr: 'events.mail' }).findings).toEqual([]);
    },
  );

  it('GAP-19 may have a topic with a Kafka source, which is in the published schema', () => {
    const kafka = { topic: 'shop.orders', group: 'shop', connectionSecretRef: 'secret://kafka' };
    const { definition, findings } = changed('spec/topics/mail/source', { kafka });
    expect(findings).toEqual([]);
    expect(definition!.topics.mail).toEqual({ schema: { type: 'object' }, source: { kafka } });
  });

  it('GAP-20 has its backoff timeout from the configuration, five minutes by default', () => {
    expect(changed('spec/policy', {}).definition).toMatchObject({ policy: { backoffMs: 300_000 } });
    const { findings } = changed('spec/policy', { backoffTimeout: '10m' });
    expect(findings).toMatchObject([{ code: 'UNKNOWN_FIELD', hint: expect.stringContaining('limits.backoffSec') }]);
  });

  it('GAP-20 has a finding about a handler without input whose journey requires other fields', () => {
    known.set('greet', {
      definition: { ...known.get('work')!.definition, name: 'greet', input: { schema: { required: ['to'] } } },
      hash: 'h',
    } as never);
    const { findings } = changed('spec/producers/poll/journey', 'greet');
    expect(findings).toMatchObject([{ code: 'HANDLER_INPUT', message: expect.stringContaining('to') }]);
  });

  const by = () => ({ by: { lang: 'dataweave', expr: 'event.id' } });

  it('GAP-18 may have correlate only with a consumer that joins: several topics with keys, and no prepare', () => {
    const document = good();
    const { topics, consumers } = document.spec as { topics: JsonObject; consumers: { answer: JsonObject } };
    topics.mail = { correlate: by() };
    const read = () => loadPipeline({ text: stringify(document) }, { journeys }).findings.map(({ code }) => code);
    expect(read()).toEqual(['TOPIC_CORRELATE']);
    topics.post = { correlate: by() };
    expect(read()).toEqual(['TOPIC_CORRELATE', 'TOPIC_CORRELATE']);
    delete consumers.answer.prepare;
    expect(read()).toEqual([]);
    topics.post = { correlate: {} };
    expect(read()).toContain('FIELD_REQUIRED');
  });

  it.each([
    ['(events.mail filter ((it) -> (events.post map ((p) -> p.payload)) contains it.id))[0]', true],
    [
      'do { var paid = events.post map ((p) -> p.payload.order) --- (events.mail filter ((it) -> paid contains it.id))[0] }',
      true,
    ],
    ['events.mail filter ((it) -> it.payload.ready)', false],
    ['if (pending.mail < 10) null else events.mail[0 to 9]', false],
  ])('GAP-18 has a warning about a prepare that searches a list for each event: %s', (expr, isQuadratic) => {
    const { findings } = changed('spec/consumers/answer/prepare', { lang: 'dataweave', expr });
    expect(findings.map(({ code }) => code)).toEqual(isQuadratic ? ['PREPARE_QUADRATIC'] : []);
  });

  it('has a finding with the right name for timezone, which is zone in a cron', () => {
    const { findings } = changed('spec/producers/poll/schedule', { cron: '0 9 * * *', timezone: 'Europe/Rome' });
    expect(findings).toMatchObject([{ code: 'UNKNOWN_FIELD', hint: 'It is called zone.' }]);
  });

  it('SCH-K2: has crons in UTC unless they have a zone, independent of the machine', () => {
    const next = (schedule: object) => {
      const { definition } = changed('spec/producers/poll/schedule', schedule);
      const cadence = producerCadence(definition!.producers.poll!.schedule);
      return new Date(nextAfter(cadence, Date.UTC(2027, 0, 1))!).toISOString();
    };
    expect(next({ cron: '0 9 * * *' })).toBe('2027-01-01T09:00:00.000Z');
    expect(next({ cron: '0 9 * * *', zone: 'America/New_York' })).toBe('2027-01-01T14:00:00.000Z');
  });

  it('SCH-K11: has intervals on a fixed grid, independent of the time of deployment', () => {
    const cadence = producerCadence({ interval: '5m' });
    expect(nextAfter(cadence, Date.UTC(2027, 0, 1, 10, 3, 17)) as number).toBe(Date.UTC(2027, 0, 1, 10, 5));
  });

  it('SCH-K12: describes a schedule as it is', () => {
    const described = (schedule: Parameters<typeof producerCadence>[0]) => describeCadence(producerCadence(schedule));
    expect(described({ cron: '0 9 * * 1-5', zone: 'UTC' })).toBe('every weekday at 09:00 UTC');
    expect(described({ interval: '90m' })).toMatch(/90 minutes|1 hour.*30 minutes/);
    expect(described({ interval: '2d' })).toMatch(/2 days/);
  });

  it('is an extension, which --strict rejects', () => {
    expect(changed('spec/policy', undefined, { compat: false }).findings).toMatchObject([
      { code: 'PIPELINE_EXTENSION' },
    ]);
  });

  it('SCH-K14: is rejected if a topic has no subscriber', () => {
    expect(changed('spec/topics/orphans', {}).findings).toMatchObject([
      { code: 'TOPIC_UNSUBSCRIBED', pointer: '/spec/topics/orphans' },
    ]);
  });

  it.each([
    ['topics', 'mail', 'FIELD_TYPE', 'topics must be a list of topics, not the text "mail".'],
    ['journey', 'wrok', 'HANDLER_JOURNEY', 'There is no journey "wrok".'],
    ['journey', 'ask', 'HANDLER_INTERACTIVE', expect.stringContaining('where it waits for input')],
  ])('has one finding for one mistake in a consumer: %s: %s', (field, value, code, message) => {
    const { findings } = changed(`spec/consumers/answer/${field}`, value);
    expect(findings.filter(({ pointer }) => pointer !== '/spec/topics/post')).toMatchObject([{ code, message }]);
  });

  it.each([
    [{ topics: ['mial', 'post'], journey: 'work' }, 'TOPIC_UNDECLARED', 'Did you mean "mail"?'],
    [{ topic: ['mail', 'post'], journey: 'work' }, 'UNKNOWN_FIELD', 'Did you mean "topics"?'],
    [
      { topics: ['mail', 'post'], journey: 'work', prepare: { mapper: { lang: 'dataweave', expr: 'events.mail' } } },
      'UNKNOWN_FIELD',
      'Write expr here, without mapper around it.',
    ],
  ])('has one finding for one mistake in a consumer: %j', (consumer, code, hint) => {
    expect(changed('spec/consumers/answer', consumer).findings).toMatchObject([{ code, hint }]);
  });

  it('has a hint about its file name if it is in the file of a journey', () => {
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
