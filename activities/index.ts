import { httpActivities } from './http/activity.js';
import type { HttpActivity } from './http/http.js';

/** What the effects of a worker need. */
export interface ActivityParts {
  http: HttpActivity;
}

/** Every activity a worker offers, by the name that effects use. */
export function createActivities({ http }: ActivityParts) {
  return { ...httpActivities(http) };
}
