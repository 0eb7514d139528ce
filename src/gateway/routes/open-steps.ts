import type { Request, Response } from 'express';
import type { JsonObject } from '../../base/json/value.js';
import type { Definition } from '../../engine/definition/definition.js';
import { allStates } from '../../language/states/graph-traversal.js';
import { stepOf } from '../../language/states/state-queries.js';
import type { AwaitedStep } from '../../language/states/state-type.js';
import { libraryVisibleTo } from '../../service/access.js';
import type { Library } from '../../service/library-interface.js';
import { mapConcurrently } from '../../service/operation/map-concurrently.js';
import type { Runs, WaitingRun } from '../../service/runs-interface.js';
import { factsOf, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import type { RunResponses } from '../run-responses.js';
import { pageParameters, readPage, refuseParameter } from './list-query-parameters.js';
import { instantIn, readRunQuery } from './run-filter-parameters.js';

const filters = ['journeyName', 'journeyVersion', 'subjectId', 'tenantId', 'tag', 'key'];
const sources: readonly AwaitedStep['from'][] = ['client', 'callback'];
/** Each run of a page is queried. */
const largestPage = 100;
const definitionsKept = 100;
const readAtOnce = 8;

interface Parts {
  readonly journeys: Library;
  readonly runs: Runs;
  readonly answers: Pick<RunResponses, 'stepUrl'>;
}

/** The route that lists the open steps of all runs: the inbox of people who submit them. */
export function openStepRoutes({ journeys, runs: all, answers }: Parts): Route[] {
  const definitionOf = definitionReader(journeys, all);

  async function list(request: Request, response: Response): Promise<void> {
    const { access } = factsOf(response).principal;
    const { filter, given } = readRunQuery(queryOf(request), libraryVisibleTo(access, journeys), filters, [
      ...pageParameters,
      'step',
      'from',
      'dueBefore',
    ]);
    const wanted = stepFilter(given);
    const page = readPage(given);
    if (page.pageSize > largestPage) refuseParameter('pageSize', `must be a number from 1 to ${largestPage}`);
    const { items, unanswered, ...more } = await all.as(access).waiting({ ...filter, ...page });
    const steps = await mapConcurrently(items, readAtOnce, async (waiting) => {
      // A run that has been deleted meanwhile has no definition.
      const definition = await definitionOf(waiting).catch(() => undefined);
      return definition && stepsOf(waiting, definition);
    });
    const known = steps.filter((it) => it !== undefined);
    response.json({
      items: known.flat().filter(wanted),
      unanswered: unanswered + steps.length - known.length,
      ...more,
    });
  }

  function stepsOf({ run }: WaitingRun, definition: Definition): OpenStepView[] {
    const { journeyId, journeyName, journeyVersion } = run;
    const { tags, attributes, activeStates, updatedAt } = run.status;
    const forms = new Map([...allStates(definition)].map(({ id, state }) => [id, { state, awaited: stepOf(state) }]));
    return run.steps.flatMap((step): OpenStepView[] => {
      const active = activeStates.find((it) => (it.step ?? it.state) === step);
      const form = forms.get(active?.state ?? step);
      if (!form?.awaited) return [];
      const { from, step: accepted } = form.awaited;
      return [
        {
          journeyId,
          key: keyOf(journeyId, journeyName),
          journeyName,
          journeyVersion,
          description: definition.description ?? null,
          step,
          state: active?.state ?? step,
          type: form.state.type,
          from,
          ...(active?.within !== undefined && { within: active.within }),
          since: active?.since ?? updatedAt,
          dueAt: active?.dueAt ?? null,
          schema: accepted.schema,
          signed: accepted.signature !== undefined,
          tags,
          attributes,
          href: answers.stepUrl(journeyId, step),
        },
      ];
    });
  }

  return [{ method: 'get', path: '/api/v1/steps', roles: ['client', 'operator'], action: 'submit', answer: list }];
}

interface OpenStepView extends JsonObject {
  step: string;
  state: string;
  from: AwaitedStep['from'];
  dueAt: string | null;
}

/** Filters that only the runs themselves can answer. */
function stepFilter(given: ReadonlyMap<string, string>): (step: OpenStepView) => boolean {
  const [step, from, due] = [given.get('step'), given.get('from'), given.get('dueBefore')];
  if (from !== undefined && !sources.some((it) => it === from))
    refuseParameter('from', `must be one of ${sources.join(', ')}`);
  const dueBefore = due === undefined ? undefined : instantIn('dueBefore', due);
  return (it) =>
    (step === undefined || it.step === step || it.state === step) &&
    (from === undefined || it.from === from) &&
    (dueBefore === undefined || (it.dueAt !== null && Date.parse(it.dueAt) < Date.parse(dueBefore)));
}

/** Reads definitions of runs: as served, or from a run, because a served one may have changed since it started. */
function definitionReader(journeys: Library, runs: Runs): (waiting: WaitingRun) => Promise<Definition> {
  const read = new Map<string, Promise<Definition>>();
  return ({ run, hash }) => {
    const served = journeys.versions(run.journeyName).find((it) => it.hash === hash);
    if (served) return Promise.resolve(served.definition);
    const id = hash || run.journeyId;
    const known = read.get(id);
    if (known) return known;
    const reading = runs.definition(run.journeyId).then(({ definition }) => definition);
    reading.catch(() => read.delete(id));
    read.set(id, reading);
    if (read.size > definitionsKept) read.delete(read.keys().next().value!);
    return reading;
  };
}

/** The business key in the id of a run; null if it has a generated id. */
function keyOf(journeyId: string, journeyName: string): string | null {
  return journeyId.startsWith(`${journeyName}/`) ? journeyId.slice(journeyName.length + 1) : null;
}
