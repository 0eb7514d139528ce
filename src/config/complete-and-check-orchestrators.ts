import { relative, resolve, sep } from 'node:path';
import { nearestName } from '../base/problems/nearest-name.js';
import type { Finding } from '../base/problems/problem.js';
import { zoneFault } from '../base/time/zones.js';
import type { ChannelProfileConfig, Config, OrchestratorConfig } from './config-types.js';

/** The orchestrator that exists without configuration. */
const main = 'main';

type Given = Readonly<Record<string, Partial<OrchestratorConfig>>>;

/** All orchestrators with their defaults; `main` comes first. */
export function completeOrchestrators(given: Given, dataDir: string): Config['orchestrators'] {
  const all = { [main]: {}, ...given };
  return Object.fromEntries(
    Object.entries(all).map(([id, { root, journeys, functions, shared }]: [string, Partial<OrchestratorConfig>]) => [
      id,
      {
        root: root ?? resolve(dataDir, 'orchestrators', id),
        journeys: journeys ?? (id === main ? ['*'] : []),
        functions: functions ?? ['*'],
        shared: shared ?? [],
      },
    ]),
  );
}

/** All channel profiles with their defaults. */
export function completeProfiles(
  given: Readonly<Record<string, Partial<ChannelProfileConfig>>>,
): Config['channelProfiles'] {
  const complete = (it: Partial<ChannelProfileConfig>) =>
    ({ channels: {}, callers: [], ...it }) as ChannelProfileConfig;
  return Object.fromEntries(Object.entries(given).map(([id, it]) => [id, complete(it)]));
}

/** Rules between orchestrators, profiles, shared folders and alerts. */
export function checkOrchestrators({ orchestrators, channelProfiles, shared, alerts }: Config): Finding[] {
  return [
    ...roots(orchestrators),
    ...grants(orchestrators, shared),
    ...profiles(channelProfiles, orchestrators),
    ...destinations(alerts.to, channelProfiles),
  ];
}

/** A destination of alerts is a profile that exists, with a channel if that is Slack's. */
function destinations(to: Config['alerts']['to'], profiles: Config['channelProfiles']): Finding[] {
  return to.flatMap(({ channelProfileId: id, channelId }, i) => {
    const at = `/alerts/to/${i}`;
    if (!Object.hasOwn(profiles, id))
      return [invalid(`${at}/channelProfileId`, `No such channel profile: "${id}"`, hint(id, profiles))];
    const isSlack = profiles[id]!.channel === 'slack';
    if (isSlack === (channelId !== undefined)) return [];
    return isSlack
      ? [
          invalid(
            at,
            `Alerts to ${id} need a channelId`,
            'Give the id of the Slack channel, or its name in the profile.',
          ),
        ]
      : [invalid(`${at}/channelId`, `Alerts to ${id} cannot have a channelId`, 'Remove it: it is for Slack.')];
  });
}

/** Roots must not overlap: an orchestrator's files are private. */
function roots(orchestrators: Config['orchestrators']): Finding[] {
  const all = Object.entries(orchestrators);
  return all.flatMap(([id, { root }], i) => {
    const other = all.slice(0, i).find(([, it]) => holds(it.root, root) || holds(root, it.root));
    if (other === undefined) return [];
    const how = other[1].root === root ? 'have the same root' : 'have roots inside each other';
    const message = `The orchestrators "${other[0]}" and "${id}" ${how}`;
    return [invalid(`/orchestrators/${id}/root`, message, 'Give each a separate folder.')];
  });
}

function holds(folder: string, other: string): boolean {
  const way = relative(folder, other);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && resolve(folder, way) === other);
}

function grants(orchestrators: Config['orchestrators'], shared: Config['shared']): Finding[] {
  return Object.entries(orchestrators).flatMap(([id, it]) =>
    it.shared.flatMap((name, i) =>
      name === '*' || Object.hasOwn(shared, name)
        ? []
        : [invalid(`/orchestrators/${id}/shared/${i}`, `No such shared folder: "${name}"`, hint(name, shared))],
    ),
  );
}

function profiles(all: Config['channelProfiles'], orchestrators: Config['orchestrators']): Finding[] {
  return Object.entries(all).flatMap(([id, { orchestratorId, timezone, channel, ...rest }]) => {
    const at = `/channelProfiles/${id}`;
    const other = channel === 'slack' ? 'webhook' : 'slack';
    const zone = timezone === undefined ? undefined : zoneFault(timezone);
    return [
      ...(Object.hasOwn(orchestrators, orchestratorId)
        ? []
        : [
            invalid(
              `${at}/orchestratorId`,
              `No such orchestrator: "${orchestratorId}"`,
              hint(orchestratorId, orchestrators),
            ),
          ]),
      ...(zone ? [invalid(`${at}/timezone`, zone.message, zone.hint)] : []),
      ...(rest[other]
        ? [invalid(`${at}/${other}`, `A profile of channel ${channel} cannot have ${other}`, 'Remove it.')]
        : []),
    ];
  });
}

function hint(name: string, known: Readonly<Record<string, unknown>>): string {
  const guess = nearestName(name, Object.keys(known));
  return guess === undefined ? `Known: ${Object.keys(known).join(', ') || 'none'}.` : `Did you mean "${guess}"?`;
}

function invalid(pointer: string, message: string, help: string): Finding {
  return { code: 'CONFIG_VALUE_INVALID', severity: 'error', message, pointer, hint: help };
}
