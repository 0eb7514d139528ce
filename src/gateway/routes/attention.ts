import type { Request, Response } from 'express';
import { formatInstant } from '../../base/time/instant.js';
import type { Automation } from '../../service/job-automation.js';
import type { Library } from '../../service/library-interface.js';
import { type Faults, findFaults, ownAttention } from '../../service/operation/faults-and-attention.js';
import type { Pipelines } from '../../service/pipelines-interface.js';
import type { Runs } from '../../service/runs-interface.js';
import type { Schedules } from '../../service/schedules-interface.js';
import { factsOf, queryOf } from '../request-facts.js';
import type { Route } from '../route.js';
import { readQuery } from './list-query-parameters.js';

interface Parts {
  readonly runs: Runs;
  readonly journeys: Library;
  readonly pipelines: Pipelines;
  readonly schedules: Schedules;
  readonly automation: Pick<Automation, 'jobs' | 'orchestrators' | 'now'>;
}

type ShownFaults = Omit<Faults, 'activeJobs'>;

/** How long found faults are shown: several pages may ask for them again and again. */
const keptMs = 10_000;

/** The route that says what needs a person now. */
export function attentionRoutes({ runs, journeys, pipelines, schedules, automation }: Parts): Route[] {
  const { jobs, orchestrators, now } = automation;
  let last: { at: number; faults: Promise<ShownFaults> } | undefined;

  /** Concurrent requests, and those of the next seconds, share one search. */
  function faults(): Promise<ShownFaults> {
    if (last && now() - last.at < keptMs) return last.faults;
    const search = findFaults({ runs, pipelines, schedules, jobs, orchestrators }, now());
    const found = { at: now(), faults: search.then(({ activeJobs: _, ...shown }) => shown) };
    last = found;
    found.faults.catch(() => {
      if (last === found) last = undefined;
    });
    return found.faults;
  }

  async function attention(request: Request, response: Response): Promise<void> {
    readQuery(queryOf(request), []);
    const { access, roles } = factsOf(response).principal;
    const isOperator = roles.includes('operator');
    const [own, found] = await Promise.all([ownAttention(runs.as(access), now()), isOperator ? faults() : undefined]);
    response.json({
      at: formatInstant(now()),
      ...own,
      ...(found && { ...found, documents: journeys.brokenFiles?.() ?? [] }),
    });
  }

  return [
    { method: 'get', path: '/api/v1/attention', roles: ['client', 'operator'], action: 'read', answer: attention },
  ];
}
