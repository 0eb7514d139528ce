import type { Target } from '../definition/definition.js';
import { defaultMetadataLimits } from '../definition/metadata-limits.js';
import { emptyObject, isObject, type Json, type JsonObject } from '../json/value.js';
import { refuse } from '../problems/problem.js';
import { withField, withPath } from './context.js';
import type { Frame } from './frame.js';
import { checkAttributes, setOnce } from './metadata.js';
import type { Run } from './run.js';

/** Writes a mapper's result where its target says. */
export function writeTarget(target: Target, value: Json, frame: Frame, run: Run): void {
  switch (target.kind) {
    case 'var':
      frame.context = withField(frame.context, target.name, value);
      return;
    case 'root':
      frame.context = needObject(value);
      return;
    case 'path':
      frame.context = withPath(frame.context, target.path, needObject(value));
      return;
    case 'attributes':
      writeAttributes(needObject(value), run);
  }
}

function needObject(value: Json): JsonObject {
  if (isObject(value)) return value;
  return refuse('TRANSFORM_NOT_OBJECT', 'The mapper must give an object here.', {
    hint: 'Use `target.kind: var` with a `resultVar` for values that are not objects.',
  });
}

function writeAttributes(values: JsonObject, run: Run): void {
  const attributes = Object.assign(emptyObject(), run.position.attributes);
  for (const [key, value] of Object.entries(values)) if (value !== null) setOnce(attributes, key, value);
  checkAttributes(attributes, run.host.metadata ?? defaultMetadataLimits);
  run.position.attributes = attributes;
}
