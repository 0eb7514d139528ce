import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json/value.js';
import { createApiCatalogue, normalisePath, readApiDocument } from '../../../../src/language/read/api-catalogue.js';
import { readApiCatalogue } from '../../../../src/library/read-library.js';

const api = (more: Record<string, Json>): Json => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example/' }],
  ...more,
});

describe('an OpenAPI document', () => {
  it('defines method, URL and parameters of an operation', () => {
    const document = readApiDocument(
      api({
        paths: {
          '/a/{x}/b/{y}': {
            parameters: [
              { in: 'path', name: 'x', required: true },
              { in: 'query', name: 'q', required: true },
            ],
            delete: {
              operationId: 'drop',
              parameters: [
                { in: 'query', name: 'q', required: false },
                { in: 'cookie', name: 'c' },
                { in: 'header', name: 'Authorization', required: true },
              ],
            },
          },
        },
      }),
    );
    expect(document?.find('drop')).toEqual({
      operation: {
        method: 'DELETE',
        url: 'https://a.example/a/{x}/b/{y}',
        parameters: [
          { name: 'x', in: 'path', required: true },
          { name: 'q', in: 'query', required: false },
          { name: 'y', in: 'path', required: true },
        ],
        bodyTypes: [],
      },
    });
  });

  it('JL-11 may refer to other files of the catalogue, and they to others, but not outside it', () => {
    const catalogue = createApiCatalogue(
      new Map<string, Json>([
        ['apis/a.yaml', api({ paths: { '/p/{id}': { $ref: 'parts/paths.yaml#/p' } } })],
        [
          'apis/parts/paths.yaml',
          {
            p: {
              put: {
                operationId: 'o',
                parameters: [
                  { $ref: '#/trace' },
                  { $ref: '../common.yaml#/tenant' },
                  { $ref: '../../../b.yaml' },
                  { $ref: 'https://b.example/b.yaml' },
                ],
                requestBody: { $ref: '../common.yaml#/body' },
              },
            },
            trace: { in: 'header', name: 'X-Trace', required: true },
          },
        ],
        ['apis/common.yaml', { tenant: { in: 'query', name: 'tenant' }, body: { content: { 'application/xml': {} } } }],
        ['b.yaml', { in: 'query', name: 'b', required: true }],
      ]),
    );
    expect(catalogue.document('apis/a.yaml')?.find('o')).toMatchObject({
      operation: {
        parameters: [{ name: 'X-Trace', required: true }, { name: 'tenant' }, { name: 'id' }],
        bodyTypes: ['application/xml'],
      },
    });
  });

  it.each([
    [
      'the operation’s',
      {
        '/p': {
          servers: [{ url: 'https://path.example' }],
          get: { operationId: 'o', servers: [{ url: 'http://op.example/x' }] },
        },
      },
      'http://op.example/x/p',
    ],
    [
      'the path’s',
      { '/p': { servers: [{ url: 'https://path.example' }], get: { operationId: 'o' } } },
      'https://path.example/p',
    ],
    ['the document’s', { '/p': { get: { operationId: 'o' } } }, 'https://a.example/p'],
  ])('uses %s server first', (_, paths, url) => {
    expect(readApiDocument(api({ paths: paths as Json }))?.find('o')).toMatchObject({ operation: { url } });
  });

  it('may have local references, also of a path item, and cyclic ones', () => {
    const document = readApiDocument(
      api({
        paths: { '/p/{id}': { $ref: '#/components/pathItems/p' } },
        components: {
          pathItems: {
            p: {
              get: {
                operationId: 'o',
                parameters: [{ $ref: '#/components/parameters/a~1b' }, { $ref: '#/components/parameters/loop' }],
              },
            },
          },
          parameters: {
            'a/b': { in: 'query', name: 'n', required: true },
            loop: { $ref: '#/components/parameters/loop' },
          },
        },
      }),
    );
    expect(document?.find('o')).toMatchObject({
      operation: { parameters: [{ name: 'n' }, { name: 'id', in: 'path' }] },
    });
  });

  it.each(['/v1', 'https://{host}.example', 'mailto:x@example', ''])('may not have the server %j', (url) => {
    const document = readApiDocument(api({ servers: [{ url }], paths: { '/p': { get: { operationId: 'o' } } } }));
    expect(document?.find('o')).toMatchObject({ problem: 'OPREF_SERVERS' });
  });

  it.each([null, [], 'text', {}, { swagger: '2.0' }, { openapi: '4.0.0' }])('may not be %j', (json) => {
    expect(readApiDocument(json as Json)).toBeUndefined();
  });

  it.each([
    ['./apis/a.yaml', 'apis/a.yaml'],
    ['apis//x/../a.yaml', 'apis/a.yaml'],
    ['..\\..\\a.yaml', '../../a.yaml'],
  ])('has a normalised path: %s', (path, plain) => {
    expect(normalisePath(path)).toBe(plain);
  });
});

describe('folders of OpenAPI documents', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
    await mkdir(join(folder, 'root', 'apis'), { recursive: true });
    await mkdir(join(folder, 'overlay'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('are read by path and, for overlays, by API name', async () => {
    const document =
      'openapi: 3.0.0\nservers: [{ url: https://a.example }]\npaths: { /p: { get: { operationId: o } } }\n';
    await writeFile(join(folder, 'root', 'apis', 'a.openapi.yaml'), document);
    await writeFile(join(folder, 'overlay', 'tea.openapi.yaml'), document);
    await writeFile(join(folder, 'overlay', 'notes.yaml'), 'just: notes\n');
    await writeFile(join(folder, 'root', 'broken.yaml'), 'a: [\n');
    const { catalogue, findings } = await readApiCatalogue({
      root: join(folder, 'root'),
      overlays: [join(folder, 'overlay')],
    });
    expect(catalogue.document('./apis/a.openapi.yaml')?.operationIds).toEqual(['o']);
    expect(catalogue.document('broken.yaml')).toBeUndefined();
    expect(catalogue.overlay('tea')?.operationIds).toEqual(['o']);
    expect(catalogue.overlay('notes')).toBeUndefined();
    const single = await readApiCatalogue({ overlays: [join(folder, 'overlay', 'tea.openapi.yaml')] });
    expect(single.catalogue.overlay('tea')?.operationIds).toEqual(['o']);
    expect(findings.map(({ file, code }) => [file.slice(folder.length), code])).toEqual([
      [join('/root', 'broken.yaml'), 'API_REF_UNREADABLE'],
      [join('/overlay', 'notes.yaml'), 'API_REF_UNREADABLE'],
    ]);
  });

  it('are reported if they do not exist', async () => {
    const { findings } = await readApiCatalogue({ root: join(folder, 'nowhere') });
    expect(findings).toMatchObject([{ code: 'API_REF_UNREADABLE', severity: 'warning' }]);
  });
});
