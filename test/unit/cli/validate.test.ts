import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { schemaCommand } from '../../../src/cli/author/print-schema.js';
import { validateCommand } from '../../../src/cli/author/validate.js';
import { captured } from './capture.js';

const journey = `apiVersion: v1
kind: Journey
metadata: { name: tea, version: 1.0.0 }
spec:
  start: a
  states:
    a: { type: webhook, webhook: { input: { schema: true }, default: end } }
    end: { type: succeed }
`;

describe('journeyman validate', () => {
  const { folder, printed, run } = captured(validateCommand);

  it('prints each finding with its location and succeeds on warnings', async () => {
    await writeFile(join(folder(), 'tea.journey.yaml'), journey);
    expect(await run(folder())).toBe(0);
    expect(printed()).toContain(
      'tea.journey.yaml:7:61 warning COMPAT_C1 default names the next state. (Write next: beside type:.)',
    );
    expect(printed()).toContain('1 file checked, valid: 0 errors, 1 warning.');
  });

  it('fails on errors; --strict turns spellings into errors', async () => {
    await writeFile(join(folder(), 'tea.journey.yaml'), journey);
    expect(await run('--strict', join(folder(), 'tea.journey.yaml'))).toBe(1);
    expect(printed()).toContain('error COMPAT_C1');
    expect(printed()).toContain('1 not valid: 1 error, 0 warnings.');
  });

  const allowing = (comment: string) => journey.replace('    a:', `    ${comment}\n    a:`);

  it('omits a warning that a comment acknowledges, above or beside it, in every format', async () => {
    await writeFile(
      join(folder(), 'tea.journey.yaml'),
      allowing('# journeyman-allow: COMPAT_C1 until June\n    # (ada)'),
    );
    for (const format of ['json', 'sarif', 'github', 'text']) {
      expect(await run('--format', format, folder())).toBe(0);
      expect(printed()).not.toContain('COMPAT_C1');
    }
    expect(printed()).toContain('valid: 0 errors, 0 warnings.');
    await writeFile(
      join(folder(), 'tea.journey.yaml'),
      journey.replace('end } }', 'end } } # journeyman-allow: COMPAT_C1'),
    );
    await run(folder());
    expect(printed()).toContain('valid: 0 errors, 0 warnings.');
    await writeFile(join(folder(), 'tea.journey.yaml'), allowing('# journeyman-allow: compat_c1'));
    expect(await run(folder())).toBe(0);
    expect(printed()).toContain('tea.journey.yaml:7:5 warning ALLOW_UNUSED The comment does not name a code.');
  });

  it('an acknowledgement covers the node below it, and nothing else', async () => {
    const block = (expr: string, comment = '') =>
      `${comment}apiVersion: v1
kind: Journey
metadata: { name: tea, version: 1.0.0 }
spec:
  input: { schema: { type: object, properties: { leaf: { type: string } }, additionalProperties: false } }
  start: a
  states:
    # journeyman-allow: CONTEXT_UNWRITTEN
    a:
      type: transform
      transform:
        mapper:
          lang: dataweave
          expr: |
            {
              // # journeyman-allow: CHOICE_BRANCH_DEAD
              x: context.laef
            }
      next: b
    b: { type: transform, transform: { mapper: { lang: dataweave, expr: '${expr}' } }, next: end }
    end: { type: succeed }
`;
    await writeFile(join(folder(), 'tea.journey.yaml'), block('{ y: context.laef }'));
    await run(folder());
    expect(printed()).toContain('tea.journey.yaml:20:');
    expect(printed()).toContain('valid: 0 errors, 1 warning.');
    const early = block('{ y: context.x }', '# journeyman-allow: CONTEXT_UNWRITTEN, CHOICE_BRANCH_DAED\n');
    await writeFile(join(folder(), 'tea.journey.yaml'), early);
    await run(folder());
    expect(printed()).toContain(
      'tea.journey.yaml:1:1 warning ALLOW_UNUSED There is no warning CONTEXT_UNWRITTEN here.',
    );
    expect(printed()).toContain('(Did you mean "CHOICE_BRANCH_DEAD"?)');
    expect(printed()).toContain('valid: 0 errors, 2 warnings.');
  });

  it('errors and findings of --strict cannot be acknowledged', async () => {
    await writeFile(join(folder(), 'tea.journey.yaml'), allowing('# journeyman-allow: COMPAT_C1'));
    expect(await run('--strict', folder())).toBe(1);
    expect(printed()).toContain('1 not valid: 1 error, 0 warnings.');
    await writeFile(join(folder(), 'tea.journey.yaml'), `# journeyman-allow: UNKNOWN_FIELD\nsepc: {}\n${journey}`);
    expect(await run(folder())).toBe(1);
    expect(printed()).toContain('error UNKNOWN_FIELD');
    expect(printed()).not.toContain('ALLOW_UNUSED');
  });

  it('prints JSON for tools', async () => {
    await writeFile(join(folder(), 'tea.journey.yaml'), journey);
    await run('--format', 'json', folder());
    expect(JSON.parse(printed())).toMatchObject({
      valid: true,
      journeys: [{ kind: 'Journey', name: 'tea', version: '1.0.0' }],
      findings: [
        { code: 'COMPAT_C1', severity: 'warning', line: 7, column: 61, pointer: '/spec/states/a/webhook/default' },
      ],
    });
  });

  it('prints SARIF with a rule for each code', async () => {
    await writeFile(join(folder(), 'tea.journey.yaml'), journey);
    await run('--format', 'sarif', folder());
    expect(JSON.parse(printed())).toMatchObject({
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'journeyman', rules: [{ id: 'COMPAT_C1', shortDescription: {} }] } },
          results: [
            {
              ruleId: 'COMPAT_C1',
              ruleIndex: 0,
              level: 'warning',
              message: { text: 'default names the next state. Write next: beside type:.' },
              locations: [
                {
                  physicalLocation: {
                    artifactLocation: { uri: expect.stringMatching(/tea\.journey\.yaml$/) },
                    region: { startLine: 7, startColumn: 61 },
                  },
                },
              ],
            },
          ],
        },
      ],
    });
  });

  it('prints annotations for GitHub, one line each', async () => {
    await writeFile(join(folder(), 'a,b.journey.yaml'), `${journey}\nsepc: {}\n`);
    expect(await run('--format', 'github', folder())).toBe(1);
    const [warning, error] = printed().trimEnd().split('\n');
    expect(warning).toMatch(/^::warning file=.*a%2Cb\.journey\.yaml,line=7,col=61,title=COMPAT_C1::default names/);
    expect(error).toContain('::"sepc" is not a field here. Did you mean "spec"?');
  });

  it('resolves operations from a catalogue and overlays', async () => {
    const call = journey.replace(
      / {4}a: .*\n/,
      '    a: { type: task, task: { kind: httpCall:v1, operationRef: cups.pour, resultVar: r }, next: end }\n',
    );
    await writeFile(join(folder(), 'tea.journey.yaml'), call);
    await writeFile(
      join(folder(), 'cups.openapi.yaml'),
      'openapi: 3.1.0\nservers: [{ url: https://a.example }]\npaths: { /p: { post: { operationId: pour } } }\n',
    );
    expect(await run(folder())).toBe(1);
    expect(printed()).toContain('OPREF_API');
    expect(await run('--overlay', folder(), join(folder(), 'tea.journey.yaml'))).toBe(0);
  });

  it('explains file names if nothing is found', async () => {
    expect(await run(folder())).toBe(1);
    expect(printed()).toContain('.journey.yaml');
  });

  it('reports unreadable files', async () => {
    expect(await run(join(folder(), 'gone.journey.yaml'))).toBe(1);
    expect(printed()).toContain('JOURNEY_FILE_UNREADABLE');
  });

  it('prints the schema', async () => {
    await schemaCommand().parseAsync(['journey'], { from: 'user' });
    expect(JSON.parse(printed())).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'Journey',
    });
  });
});
