import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Json, type JsonObject, own } from '../../../src/base/json/value.js';
import {
  activityReplyFields,
  activityRuleFields,
  replyFields,
  ruleFields,
  workflowRuleFields,
} from '../../../src/scenarios/read/read-backend-and-activities.js';
import {
  expectationFields,
  expectedCallFields,
  scheduledRunFields,
  scheduleFields,
  stepExpectationFields,
} from '../../../src/scenarios/read/read-expectation.js';
import {
  cancelFields,
  scenarioFields,
  sharedFields,
  signalFields,
  stepFields,
} from '../../../src/scenarios/read/read-scenario-file.js';
import { scenarioSchema } from '../../../src/scenarios/read/scenario-schema.js';

const schema = scenarioSchema as JsonObject;
const properties = (holder: Json | undefined): string[] => Object.keys(own(holder, 'properties') as JsonObject).sort();
const def = (name: string) => own(schema.$defs, name);

it.each([
  ['given', own(schema.properties, 'given'), sharedFields],
  ['scenario', def('scenario'), scenarioFields],
  ['rule', def('rule'), ruleFields],
  ['reply', def('reply'), replyFields],
  ['rule of an activity', def('activityRule'), activityRuleFields],
  ['rule of a workflow', def('workflowRule'), workflowRuleFields],
  ['reply of an activity', def('activityReply'), activityReplyFields],
  ['reply of a workflow', def('workflowReply'), activityReplyFields],
  ['step', def('step'), stepFields],
  ['signal', def('signal'), signalFields],
  ['cancel', own(own(def('scenario'), 'properties'), 'cancel'), cancelFields],
  ['expect', def('expectation'), expectationFields],
  ['expect of a step', def('stepExpectation'), stepExpectationFields],
  ['a call', def('expectedCall'), expectedCallFields],
  ['a schedule', def('expectedSchedule'), scheduleFields],
  ['a run of a schedule', def('scheduledRun'), scheduledRunFields],
])('the published schema has the fields of the reader: %s', (_, holder, fields) => {
  expect(properties(holder)).toEqual([...fields].sort());
});

it('the published schema is valid and accepts a valid file', () => {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  const check = ajv.compile(scenarioSchema as object);
  const file = new URL('fixtures/refund.scenario.yaml', import.meta.url);
  check(parse(readFileSync(file, 'utf8')));
  expect(check.errors ?? []).toEqual([]);
});
