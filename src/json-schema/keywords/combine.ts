import { type Json, own } from '../../json/value.js';
import { within } from '../errors.js';
import type { Keyword, KeywordSite, Validation } from '../validation.js';

export const ref: Keyword = (target, site, run) => follow('$ref', target, site, run);
export const dynamicRef: Keyword = (target, site, run) => follow('$dynamicRef', target, site, run);

function follow(
  keyword: '$ref' | '$dynamicRef',
  target: Json,
  { value, at, evaluated, scope }: KeywordSite,
  run: Validation,
) {
  if (typeof target !== 'string') return;
  const schema =
    keyword === '$ref' ? run.document.resolve(target, scope.resource) : run.document.resolveDynamic(target, scope);
  if (schema === undefined) run.fail(at, keyword, `refers to a schema that is not in the document: ${target}`);
  else run.apply(schema, value, within(at, keyword), scope, evaluated);
}

export const allOf: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas)) return;
  for (const [i, schema] of schemas.entries()) run.apply(schema, value, within(at, 'allOf', i), scope, evaluated);
};

export const anyOf: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas)) return;
  const matched = run.unless(() => {
    let some = false;
    for (const [i, schema] of schemas.entries()) {
      if (run.apply(schema, value, within(at, 'anyOf', i), scope, evaluated)) some = true;
    }
    return some;
  });
  if (!matched) run.fail(at, 'anyOf', 'must match a schema in anyOf');
};

export const oneOf: Keyword = (schemas, { value, at, evaluated, scope }, run) => {
  if (!Array.isArray(schemas)) return;
  let count = 0;
  run.unless(() => {
    for (const [i, schema] of schemas.entries()) {
      if (run.apply(schema, value, within(at, 'oneOf', i), scope, evaluated)) count += 1;
    }
    return count > 0;
  });
  if (count !== 1) run.fail(at, 'oneOf', 'must match exactly one schema in oneOf');
};

export const not: Keyword = (schema, { value, at, scope }, run) => {
  if (run.accepts(schema, value, within(at, 'not'), scope)) run.fail(at, 'not', 'must NOT be valid');
};

export const ifThenElse: Keyword = (condition, { schema, value, at, evaluated, scope }, run) => {
  const branch = run.accepts(condition, value, within(at, 'if'), scope, evaluated) ? 'then' : 'else';
  const consequence = own(schema, branch);
  if (consequence === undefined) return;
  if (!run.apply(consequence, value, within(at, branch), scope, evaluated)) {
    run.fail(at, 'if', `must match "${branch}" schema`);
  }
};
