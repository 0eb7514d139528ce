import type { Client } from '@temporalio/client';
import { httpActivities } from './http/activity.js';
import type { HttpActivity } from './http/http.js';
import { scheduleActivities } from './schedules/activity.js';

/** What the effects of a worker need. */
export interface ActivityParts {
  http: HttpActivity;
  client: Client;
}

/** Every activity a worker offers, by the name that effects use. */
export function createActivities({ http, client }: ActivityParts) {
  return { ...httpActivities(http), ...scheduleActivities(client) };
}
