import { describe, expect, it } from 'vitest';
import {
  isId,
  looksLikePath,
  pathFindings,
  sharedReferences,
} from '../../../../src/schedules/jobs/check-file-paths-and-ids.js';

describe('R3-53 SCH-D11 detection of paths', () => {
  it.each([
    '../../secrets',
    'reports/../../etc/passwd',
    '..\\..\\windows',
    'a/..',
    ' ../x ',
    '%2e%2e%2fsecrets',
    '%252e%252e%252fsecrets',
    '..%5csecrets',
    '/etc/passwd',
    '/etc',
    '%2Fetc%2Fpasswd',
    'C:\\Users\\ann\\notes.txt',
    'C:/Program Files/x',
    '\\\\server\\share',
    '~/notes',
    '~ann/notes',
    'file:///etc/passwd',
    'FILE:/etc/passwd',
    'file:notes.txt',
    'file:///home/ann/my notes',
    'shared://reports/../x',
    'a\0b',
  ])('rejects %j', (text) => {
    expect(looksLikePath(text)).toBe(true);
  });

  it.each([
    'hello world',
    'see ../docs for more, please',
    'cd ../.. and then look',
    'wait.. what?',
    'and/or',
    '1/2 done, 2/3 to go...',
    '/remind me at noon',
    '/',
    '//',
    '</b>',
    'https://example.com/a/b?c=..',
    'https://example.com/file:x',
    'file: see the attachment',
    'team ~ all',
    '50% off',
    '100%2',
    '...',
    '',
    'https://example.com/%7Eann',
    'price: 5//unit',
    '// a comment',
    'zip:90210',
    'profile: see the file:',
    '…',
    '½ done',
    '50%25 off',
    'shared://reports/january.csv',
  ])('accepts %j', (text) => {
    expect(looksLikePath(text)).toBe(false);
  });

  it.each([
    '//etc/passwd',
    '///etc/passwd',
    '..',
    ' .. ',
    'jar:file:///etc/passwd!/x',
    'view-source:file:///etc/passwd',
    'url:jar:file:/etc/passwd',
    'fi\tle:///etc/passwd',
    'file%3a///etc/passwd',
    'file%253A%252F%252F/etc/passwd',
    'phar:///tmp/x.phar',
    '．．／secrets',
    '\u2025/secrets',
    '..\u2215secrets',
    '.\u200b./secrets',
    '%c0%ae%c0%ae%c0%afsecrets',
    '%u002e%u002e%u002fsecrets',
    '%25252525252e%25252525252e/secrets',
    '／etc／passwd',
    'ｆｉｌｅ：///etc/passwd',
    'C：＼Users',
  ])('GAP-17 R3-53 rejects %j', (text) => {
    expect(looksLikePath(text)).toBe(true);
    expect(pathFindings({ inputs: [text] }, '').map(({ pointer }) => pointer)).toEqual(['/inputs/0']);
  });

  it('rejects ids with characters of paths', () => {
    for (const id of ['job-eng-1', 'schedule.create', 'a', 'job-eng-0f3-2030-01-07T09:00:00Z'])
      expect(isId(id)).toBe(true);
    for (const id of ['', '..', 'a..b', 'a/b', 'a\\b', '.hidden', 'a b', 'a\n', '%2e', 'x'.repeat(201)])
      expect(isId(id)).toBe(false);
  });

  it('searches a payload completely, and does not repeat what it found', () => {
    const payload = { text: 'fine', list: [{ file: '/etc/shadow' }], '../key': 1, ok: '/remind me' };
    const findings = pathFindings(payload, '/inputs');
    expect(findings.map(({ pointer }) => pointer)).toEqual(['/inputs/list/0/file', '/inputs/..~1key']);
    expect(JSON.stringify(findings.map(({ message, hint }) => [message, hint]))).not.toContain('shadow');
    expect(pathFindings({ a: 'shared:///x', b: 'shared:x' }, '').map(({ pointer }) => pointer)).toEqual(['/a', '/b']);
  });

  it('finds references to shared folders at any depth', () => {
    expect(sharedReferences({ a: ['shared://reports/x.csv'], b: 'shared://other' }, '')).toEqual([
      { name: 'reports', pointer: '/a/0' },
      { name: 'other', pointer: '/b' },
    ]);
  });
});
