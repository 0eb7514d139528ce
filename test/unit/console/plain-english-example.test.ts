import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { messages } from '../../../src/console/ui-texts.js';
import { load } from '../../../src/language/load-journey.js';
import { intentOf } from '../../../src/schedules/intents/conversation.js';

it('shows an example in plain English that runs an example journey without a question', () => {
  const { definition } = load({ text: readFileSync('specs/hello.journey.yaml', 'utf8') });
  const result = intentOf(messages.jobs.example, {
    now: Date.parse('2030-01-01T12:00:00Z'),
    orchestratorId: 'main',
    conversation: {},
    channels: [],
    workflows: [definition!.name],
    functions: [],
    jobs: [],
  });
  expect(result).toMatchObject({
    functionId: 'schedule.create',
    functionArgs: { targetAction: { workflowId: 'hello', inputs: { name: 'Ada' } } },
  });
  expect(definition!.input).toMatchObject({ schema: { required: ['name'] } });
});
