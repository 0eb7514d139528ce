import { apiKeyValidate } from './api-key-validate/index.js';
import { cache } from './cache/index.js';
import { httpCall } from './http-call/index.js';
import { jwtValidate } from './jwt-validate/index.js';
import { kafkaPublish } from './kafka-publish/index.js';
import type { TaskKind } from './kind.js';

export type { TaskKind };

import { mtlsValidate } from './mtls-validate/index.js';
import { schedule } from './schedule/index.js';
import { xmlDecode } from './xml-decode/index.js';

const all = [httpCall, schedule, cache, kafkaPublish, xmlDecode, jwtValidate, mtlsValidate, apiKeyValidate];

/** Every task kind the language knows, by `kind`. */
export const taskKinds: ReadonlyMap<string, TaskKind> = new Map(
  (all as readonly TaskKind[]).map((it) => [it.kind, it]),
);
