import { own } from '../json/value.js';
import { apiBase } from '../service/apis.js';
import type { Automation } from '../service/automation.js';
import { sayFunctionId } from '../service/functions/say.js';
import { objectBody } from './body.js';
import { jobCaller, scoping } from './job-caller.js';
import { queryOf } from './request.js';
import type { Route } from './route.js';
import { read } from './schedule-query.js';

/** What is said in plain English. The scope may stand in the body as well as in the query; the rest are arguments of `schedule.say`. */
export function intentRoutes({ automation: { functions, orchestrators } }: { automation: Automation }): Route[] {
  return [
    {
      method: 'post',
      path: `${apiBase}/intents`,
      roles: ['operator', 'channel'],
      async answer(request, response) {
        const given = read(queryOf(request), scoping);
        const { orchestratorId, ...args } = objectBody(request);
        const profile = own(args, 'channelProfileId') ?? given.get('channelProfileId');
        if (typeof profile === 'string') given.set('channelProfileId', profile);
        const named = typeof orchestratorId === 'string' ? orchestratorId : given.get('orchestratorId');
        const caller = jobCaller(orchestrators, request, response, given, named);
        const said = { ...args, ...(profile !== undefined && { channelProfileId: profile }) };
        response.json(await functions.invoke(sayFunctionId, said, caller));
      },
    },
  ];
}
