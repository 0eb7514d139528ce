import { httpCall } from './http-call/read.js';
import type { TaskKind } from './kind.js';

/** Every task kind the language knows, by `kind`. */
export const taskKinds: ReadonlyMap<string, TaskKind> = new Map([httpCall].map((kind) => [kind.kind, kind]));
