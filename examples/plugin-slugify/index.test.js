import assert from 'node:assert/strict';
import { test } from 'node:test';
import slugify from './index.js';

const how = { problem: (it) => Object.assign(new Error(it.title), it) };

test('words become a slug', () => {
  assert.equal(slugify.run({ text: 'Crème brûlée, 2 spoons!' }, how), 'creme-brulee-2-spoons');
  assert.equal(slugify.run({ text: 'one two three', maxLength: 8 }, how), 'one-two');
});

test('a text without any is a problem', () => {
  assert.throws(() => slugify.run({ text: '…' }, how), { code: 'NOTHING_TO_SLUGIFY' });
});
