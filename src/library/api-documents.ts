import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { parse } from 'yaml';
import type { Json } from '../json/value.js';
import type { Finding } from '../problems/problem.js';
import { type ApiCatalogue, createApiCatalogue, readApiDocument } from '../reading/api-catalogue.js';

/** Where OpenAPI documents are: the root that `openApiRef` is relative to, and overlays (files or folders), named after their APIs. */
export interface ApiCatalogueFolders {
  root?: string;
  overlays?: readonly string[];
}

/** A catalogue read from folders, and what was wrong with its files. */
export interface ReadApiCatalogue {
  catalogue: ApiCatalogue;
  findings: (Finding & { file: string })[];
}

const openApiFile = /\.(ya?ml|json)$/i;
const mostBytes = 5_000_000;

/**
 * Reads every OpenAPI document below the root and the overlays. In an overlay the file's name up to the first dot is the API's name:
 * `billing.openapi.yaml` adds to the API that a journey calls `billing`. Later overlays win.
 */
export async function readApiCatalogue({ root, overlays = [] }: ApiCatalogueFolders): Promise<ReadApiCatalogue> {
  const findings: ReadApiCatalogue['findings'] = [];
  const documents = new Map<string, Json>();
  if (root !== undefined)
    for (const file of await files(root, findings)) {
      const json = await readDocument(file, findings);
      if (json !== undefined) documents.set(relative(root, file).split(sep).join('/'), json);
    }
  const byName = new Map<string, Json>();
  for (const folder of overlays)
    for (const file of await files(folder, findings)) {
      const json = await readDocument(file, findings);
      if (json === undefined) continue;
      if (readApiDocument(json)) byName.set(basename(file).split('.')[0]!, json);
      else findings.push(unreadable(file, 'It is not an OpenAPI 3 document.'));
    }
  return { catalogue: createApiCatalogue(documents, byName), findings };
}

async function files(folder: string, findings: ReadApiCatalogue['findings']): Promise<string[]> {
  try {
    if ((await stat(folder)).isFile()) return [folder];
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return entries
      .filter(
        (entry) =>
          entry.isFile() && openApiFile.test(entry.name) && !/\.journey\.|\.scenario\.|\.pipeline\./.test(entry.name),
      )
      .filter((entry) => !entry.parentPath.split(sep).includes('node_modules'))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
  } catch (error) {
    findings.push(unreadable(folder, (error as Error).message));
    return [];
  }
}

/** The file's content when it is an object; other YAML below the root is not ours and is passed over in silence. */
async function readDocument(file: string, findings: ReadApiCatalogue['findings']): Promise<Json | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    if (text.length > mostBytes) throw new Error(`it is larger than ${mostBytes} characters`);
    const value = parse(text, { maxAliasCount: 100 }) as Json;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch (error) {
    findings.push(unreadable(file, (error as Error).message.split('\n')[0] ?? ''));
    return undefined;
  }
}

function unreadable(file: string, message: string): Finding & { file: string } {
  return {
    file,
    code: 'API_REF_UNREADABLE',
    severity: 'warning',
    pointer: '',
    message: `The OpenAPI document cannot be read: ${message}`,
  };
}
