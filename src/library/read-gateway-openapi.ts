import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import type { JsonObject } from '../base/json/value.js';
import { refuse } from '../base/problems/problem.js';

/** The gateway's own OpenAPI document: its text and its value. */
export interface GatewayDocument {
  readonly text: string;
  readonly value: JsonObject;
}

let read: Promise<GatewayDocument> | undefined;

/** Reads the document of this version: in docs/, two folders above the sources and three above the compiled files. */
export async function gatewayDocument(): Promise<GatewayDocument> {
  read ??= readFirst(['../../docs/openapi.yaml', '../../../docs/openapi.yaml']);
  return await read;
}

async function readFirst(paths: readonly string[]): Promise<GatewayDocument> {
  for (const path of paths) {
    const text = await readFile(new URL(path, import.meta.url), 'utf8').catch(() => undefined);
    if (text !== undefined) return { text, value: parse(text) as JsonObject };
  }
  return refuse('ROUTE_UNKNOWN', 'This installation has no docs/openapi.yaml.');
}
