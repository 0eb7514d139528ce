import { engineCodes } from '../../../src/problems/codes/engine.js';
import { expressionCodes } from '../../../src/problems/codes/expressions.js';
import { gatewayCodes } from '../../../src/problems/codes/gateway.js';
import { operationCodes } from '../../../src/problems/codes/operation.js';
import { specCodes } from '../../../src/problems/codes/spec.js';
import { type CodeEntry, registry } from '../../../src/problems/registry.js';

type Codes = Readonly<Record<string, CodeEntry>>;

const areas: [title: string, lead: string, codes: Codes][] = [
  ['HTTP gateway', 'What a caller of the gateway can get; [http-api.md](http-api.md) says when.', gatewayCodes],
  ['Runs', 'What can end a run (as `error.code` of its outcome) or refuse a step.', engineCodes],
  ['Expressions', 'What an expression can fail with, when it is read or when it is evaluated.', expressionCodes],
  ['Journey files', 'What `journeyman validate` and loading find in a document.', specCodes],
  ['Operation', 'What stops a process from starting or working.', operationCodes],
];

/** docs/errors.md as the registry says it. */
export function errorDocs(): string {
  const placed = new Set(areas.flatMap(([, , codes]) => Object.keys(codes)));
  const rest = Object.fromEntries(Object.entries(registry as Codes).filter(([code]) => !placed.has(code)));
  const all = Object.keys(rest).length > 0 ? [...areas, ['Other', 'Everything else.', rest] as const] : areas;
  return [
    '# Errors',
    '',
    'Every error is an RFC 9457 problem with a `code` that never changes its meaning. The status is that of the HTTP answer where the',
    'problem is one; in a list of findings each place has a code of its own.',
    '',
    'This page is made from `src/problems`; `UPDATE_DOCS=1 npx vitest run --config test/vitest.config.ts test/unit/gateway/docs.test.ts`',
    'writes it anew.',
    ...all.flatMap(([title, lead, codes]) => ['', `## ${title}`, '', lead, '', ...table(codes)]),
    '',
  ].join('\n');
}

function table(codes: Codes): string[] {
  const rows = Object.entries(codes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, { status, title, hint }]) => `| \`${code}\` | ${status} | ${cell(title)} | ${cell(hint ?? '')} |`);
  return ['| Code | Status | Meaning | Hint |', '|---|---|---|---|', ...rows];
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
