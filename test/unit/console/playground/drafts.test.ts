import { describe, expect, it } from 'vitest';
import { draftsOf } from '../../../../src/console/playground/share-link-and-drafts.js';

describe('drafts', () => {
  it('are read as they were stored', () => {
    const drafts = [{ journey: 'kind: Journey', scenario: 'input: {}' }];
    expect(draftsOf(JSON.stringify(drafts))).toEqual(drafts);
  });

  it.each([null, '', '{', 'null', '{}', '[null]', '[{"journey":"a"}]'])('are empty if %s is stored', (stored) => {
    expect(draftsOf(stored)).toEqual([]);
  });
});
