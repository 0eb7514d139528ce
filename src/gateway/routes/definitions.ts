import { basename } from 'node:path';
import type { Request, Response } from 'express';
import type { Json, JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { apiMethod, apiPath } from '../../engine/definition/api-routes.js';
import type { Definition } from '../../engine/definition/definition.js';
import { journeyDiagram } from '../../graph/journey-diagram.js';
import { changesBetween } from '../../language/compare/compare-definitions.js';
import { allStates } from '../../language/states/graph-traversal.js';
import { stepOf } from '../../language/states/state-queries.js';
import { libraryVisibleTo } from '../../service/access.js';
import { type Library, type LibraryEntry, refuseBroken } from '../../service/library-interface.js';
import type { Runs } from '../../service/runs-interface.js';
import { factsOf, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { quote, suggestion } from '../suggest-and-quote-names.js';
import { readQuery, refuseParameter } from './list-query-parameters.js';

const base = '/api/v1/definitions';
const kinds: readonly Definition['kind'][] = ['Journey', 'Api'];

interface Parts {
  readonly journeys: Library;
  readonly runs: Runs;
}

/**
 * Routes of journeys and Apis as they are served. Callers see what the OpenAPI documents show too; the states of a journey reveal its logic,
 * so its content is for operators.
 */
export function definitionRoutes({ journeys: all, runs }: Parts): Route[] {
  const roles = ['client', 'operator'] as const;
  const known = (response: Response): Library => libraryVisibleTo(factsOf(response).principal.access, all);

  function list(request: Request, response: Response): void {
    const given = readQuery(queryOf(request), ['kind', 'tag']);
    const [kind, tag] = [given.get('kind'), given.get('tag')];
    if (kind !== undefined && !kinds.some((it) => it === kind))
      refuseParameter('kind', `must be ${kinds.join(' or ')}`);
    const journeys = known(response);
    const items = namesIn(journeys)
      .map((name) => journeys.versions(name))
      .filter(([newest]) => newest !== undefined)
      .filter(([newest]) => kind === undefined || newest!.definition.kind === kind)
      .filter(([newest]) => tag === undefined || newest!.definition.tags.includes(tag));
    response.json({
      items: items.map((versions) => ({ ...summary(versions[0]!.definition), versions: versions.map(versionOf) })),
      ...(isOperator(response) && { brokenFiles: all.brokenFiles?.() ?? [] }),
    });
  }

  function show(request: Request, response: Response): void {
    const given = readQuery(queryOf(request), ['version']);
    const versions = versionsOf(request.params.name as string, known(response));
    const entry = pick(versions, given.get('version'));
    response.json({
      ...publicView(entry),
      versions: versions.map(versionOf),
      ...(isOperator(response) && { ...contentOf(entry), ...sourceOf(entry) }),
    });
  }

  function changes(request: Request, response: Response): void {
    const given = readQuery(queryOf(request), ['from', 'to']);
    const versions = versionsOf(request.params.name as string, known(response));
    const to = pick(versions, given.get('to'));
    const from = given.has('from') ? pick(versions, given.get('from')) : versions[versions.indexOf(to) + 1];
    const found = from ? changesBetween(from.definition, to.definition) : [];
    response.json({
      name: to.definition.name,
      from: from ? versionOf(from) : null,
      to: versionOf(to),
      breaking: found.some(({ breaking }) => breaking),
      changes: found,
    });
  }

  async function ofRun(request: Request, response: Response): Promise<void> {
    const id = request.params.id as string;
    readQuery(queryOf(request), []);
    const entry = await runs.as(factsOf(response).principal.access).definition(id);
    const { name, version } = entry.definition;
    const served = all.versions(name).find((it) => versionOf(it) === version);
    const current = served?.hash === entry.hash;
    response.json({
      journeyId: id,
      ...publicView(entry),
      current,
      ...contentOf(entry),
      ...(current && sourceOf(served)),
    });
  }

  return [
    { method: 'get', path: base, roles, answer: list },
    { method: 'get', path: `${base}/:name`, roles, answer: show },
    { method: 'get', path: `${base}/:name/changes`, roles: ['operator'], answer: changes },
    { method: 'get', path: '/api/v1/journeys/:id/definition', roles: ['operator'], action: 'read', answer: ofRun },
  ];
}

/** The logic of a journey, and its drawing. */
function contentOf({ definition }: LibraryEntry): object {
  return { definition, diagram: journeyDiagram(definition) };
}

function isOperator(response: Response): boolean {
  return factsOf(response).principal.roles.includes('operator');
}

function namesIn(journeys: Library): string[] {
  return [...journeys.names(), ...journeys.apis().map(({ definition }) => definition.name)].sort();
}

/** All versions of a journey or Api, the highest first. */
function versionsOf(name: string, journeys: Library): readonly LibraryEntry[] {
  const versions = journeys.versions(name);
  if (versions.length > 0) return versions;
  refuseBroken(journeys, name);
  return refuse(
    'JOURNEY_UNKNOWN',
    `There is no journey or Api called ${quote(name)}.`,
    suggestion(name, namesIn(journeys)),
  );
}

/** The given version, by default the highest. */
function pick(versions: readonly LibraryEntry[], wanted: string | undefined): LibraryEntry {
  const newest = versions[0]!;
  const found = wanted === undefined ? newest : versions.find((it) => versionOf(it) === wanted);
  if (found) return found;
  return refuse('JOURNEY_UNKNOWN', `${newest.definition.name} has no version ${quote(wanted ?? '')}.`, {
    hint: `Its versions are ${versions.map(versionOf).join(', ')}.`,
  });
}

function versionOf({ definition }: LibraryEntry): string {
  return definition.version;
}

function summary(definition: Definition): JsonObject {
  const { kind, name, version, description, tags, lifecycle, key, access } = definition;
  return {
    name,
    kind,
    version,
    ...(description !== undefined && { description }),
    tags,
    startMode: lifecycle.startMode,
    ...(kind === 'Api' && { path: `${apiMethod(definition)} ${apiPath(definition)}` }),
    ...(key && { key: { onExisting: key.onExisting, once: key.once } }),
    ...(access && { guarded: true }),
  };
}

/** A definition as every caller sees it that may use it. */
function publicView({ definition, hash }: LibraryEntry): JsonObject {
  const { input, output, lifecycle } = definition;
  return {
    ...summary(definition),
    hash,
    cancellable: lifecycle.cancellable,
    inputSchema: input?.schema ?? null,
    outputSchema: output?.schema ?? null,
    steps: [...allStates(definition)].flatMap(({ id, state }) => stepView(id, state)),
  };
}

function stepView(id: string, state: Definition['states'][string]): JsonObject[] {
  const awaited = stepOf(state);
  if (!awaited) return [];
  const { schema, timeout, signature } = awaited.step;
  return [
    {
      id,
      type: state.type,
      from: awaited.from,
      schema,
      ...(timeout && { timeoutSec: timeout.sec }),
      ...(signature && { signed: true }),
    },
  ];
}

function sourceOf({ file, text }: LibraryEntry): { source?: Json } {
  return file === undefined || text === undefined ? {} : { source: { file: basename(file), text } };
}
