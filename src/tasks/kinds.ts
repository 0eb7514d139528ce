import { apiKeyValidate } from './api-key-validate/read.js';
import { cache } from './cache/read.js';
import { httpCall } from './http-call/read.js';
import { jwtValidate } from './jwt-validate/read.js';
import { kafkaPublish } from './kafka-publish/read.js';
import type { TaskKind } from './kind.js';
import { mtlsValidate } from './mtls-validate/read.js';
import { schedule } from './schedule/read.js';
import { xmlDecode } from './xml-decode/read.js';

const all = [httpCall, schedule, cache, kafkaPublish, xmlDecode, jwtValidate, mtlsValidate, apiKeyValidate];

/** Every task kind the language knows, by `kind`. */
export const taskKinds: ReadonlyMap<string, TaskKind> = new Map(all.map((kind) => [kind.kind, kind]));
