import { fileURLToPath } from 'node:url';
import { formatDocument } from '../../src/base/document/format-yaml.js';
import type { Forms } from '../../src/base/document/placed-value.js';
import type { writeLong } from '../../src/base/document/rewrite-short-and-long-forms.js';
import { type Loaded, load } from '../../src/language/load-journey.js';
import type { ApiCatalogue } from '../../src/language/read/api-catalogue.js';
import type { LoadOptions } from '../../src/language/read/load-options.js';
import { journeySchema } from '../../src/language/schema/journey-schema.js';
import { readApiCatalogue } from '../../src/library/read-library.js';
import { loadPipeline } from '../../src/pipelines/read/load-pipeline.js';
import { pipelineSchema } from '../../src/pipelines/read/pipeline-schema.js';

/** A document: its name, which starts with its folder, and its text. */
export type Named = [name: string, text: string];

/** The path of a file or folder of the repository. */
export const path = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));

/** The catalogue of a document: that of its folder, or of the examples for pages. */
function folderOf(name: string): string {
  const own = /^(?:\.\.\/shared\/corpus|templates\/init\/specs|templates\/\w+|test\/fixtures)\//;
  return own.exec(name)?.[0] ?? 'specs/';
}

const catalogues = new Map<string, ApiCatalogue>();

/** Reads a journey with the catalogue of its folder, or a pipeline without journeys. */
export async function read([name, text]: Named, options: LoadOptions = {}): Promise<Loaded<object>> {
  if (isPipeline(text))
    return loadPipeline({ text }, { journeys: { find: () => undefined, names: () => [] }, ...options });
  const folder = folderOf(name);
  if (!catalogues.has(folder)) {
    const { catalogue } = await readApiCatalogue({ root: path(folder), overlays: [path('test/fixtures/overlay')] });
    catalogues.set(folder, catalogue);
  }
  return load({ text }, { catalogue: catalogues.get(folder)!, ...options });
}

/** The document as `fmt --long` or `--short` writes it. */
export async function rewritten(named: Named, write: typeof writeLong, only: Partial<Forms> = {}): Promise<string> {
  const forms: Forms = { short: [], long: [], implied: [], redundant: [], twoStates: [] };
  await read(named, { forms });
  const schema = isPipeline(named[1]) ? pipelineSchema : journeySchema;
  return formatDocument(named[1], schema, '', (document) => write(document, { ...forms, ...only }));
}

function isPipeline(text: string): boolean {
  return /^kind: Pipeline$/m.test(text);
}
