import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { Logger } from 'pino';
import type { HttpClient } from '../../activities/http-call/http-client.js';
import { canonical, type Json } from '../base/json/value.js';
import { ProblemError } from '../base/problems/problem.js';
import { formatInstant } from '../base/time/instant.js';
import type { Config } from '../config/config-types.js';
import { createChannels } from '../gateway/channels/create-channels.js';
import { fullAccess } from '../service/access.js';
import type { Channels, Post } from '../service/channel-interface.js';
import {
  type AlertDestination,
  alertText,
  claimDue,
  type PendingMessage,
  tryLater,
} from '../service/operation/alert-outbox-and-text.js';
import {
  type AlertState,
  alertKinds,
  conditionsOf,
  decideNews,
  type Found,
  type News,
} from '../service/operation/decide-alerts.js';
import { findFaults } from '../service/operation/faults-and-attention.js';
import { orchestratorsOf } from '../service/orchestrators.js';
import type { RunView } from '../service/runs-interface.js';
import { TemporalPipelines } from '../temporal/pipelines/temporal-pipelines.js';
import { TemporalRuns } from '../temporal/runs/temporal-runs.js';
import { AlertRecords } from '../temporal/schedules/alert-record-store.js';
import { TemporalSchedules } from '../temporal/schedules/bindings/temporal-bindings.js';
import { TemporalJobs } from '../temporal/schedules/jobs/temporal-jobs.js';
import { processMetrics } from './telemetry/metrics.js';

export interface AlertDeps {
  readonly config: Config;
  readonly client: Client;
  /** Sends the messages. */
  readonly http: HttpClient;
  readonly log: Pick<Logger, 'warn' | 'info' | 'error' | 'debug'>;
  /** The address of the gateway for people. */
  readonly url: string;
}

/** Failed runs are looked for this long after their end, so that none is missed while no gateway runs for a moment. */
const lookBackMs = 3_600_000;
const mostFailedRuns = 100;

/**
 * Looks for problems and reports them until the returned function is called. All gateways look; what is reported, and who sends it, is decided
 * in their common record.
 */
export function watchAlerts(deps: AlertDeps): () => Promise<void> {
  const { alerts } = deps.config;
  if (!(alerts.enabled ?? alerts.to.length > 0)) return async () => undefined;
  const watch = new AlertWatch(deps);
  let round = Promise.resolve();
  let isBusy = false;
  const next = () => {
    if (isBusy) return;
    isBusy = true;
    round = watch.round().finally(() => {
      isBusy = false;
    });
  };
  next();
  const timer = setInterval(next, alerts.everySec * 1_000).unref();
  return async () => {
    clearInterval(timer);
    await round;
  };
}

class AlertWatch {
  private readonly records: AlertRecords;
  private readonly channels: Channels;
  private isFailing = false;

  constructor(private readonly deps: AlertDeps) {
    const { client, config, http } = deps;
    this.records = new AlertRecords(client, config);
    this.channels = createChannels(config.channelProfiles, http);
  }

  /** Looks once, and sends what is due. It never rejects. */
  async round(): Promise<void> {
    try {
      const found = await this.look();
      const claimed = await this.claim(found);
      if (claimed.length > 0) await this.settle(await Promise.all(claimed.map((message) => this.send(message))));
      this.isFailing = false;
    } catch (error) {
      const { log } = this.deps;
      log[this.isFailing ? 'debug' : 'warn']({ err: error }, 'Problems could not be looked for; it is tried again');
      this.isFailing = true;
    }
  }

  private async look(): Promise<Found> {
    const { client, config } = this.deps;
    const runs = new TemporalRuns(client, config);
    const [faults, failed] = await Promise.all([
      findFaults({
        runs,
        pipelines: new TemporalPipelines(client, config),
        schedules: new TemporalSchedules(client, config),
        jobs: new TemporalJobs(client, config),
        orchestrators: orchestratorsOf(config),
      }),
      this.failedRuns(runs),
    ]);
    const found = conditionsOf(faults, failed, config.alerts.except);
    const kinds = Object.keys(alertKinds);
    const count = (kind: string) => found.conditions.filter((it) => it.kind === kind).length;
    processMetrics().foundAlerts(Object.fromEntries(kinds.map((kind) => [kind, count(kind)])));
    return found;
  }

  private async failedRuns(runs: TemporalRuns): Promise<readonly RunView[]> {
    const { journeys } = this.deps.config.alerts;
    if (journeys.length === 0) return [];
    const endedFrom = formatInstant(Date.now() - lookBackMs);
    const filter = { tags: [], attributes: {}, phase: 'FAILED' as const, endedFrom, pageSize: mostFailedRuns };
    return (await runs.as({ ...fullAccess('journeyman'), journeys }).list(filter)).items;
  }

  /** Puts news into the record, and takes the messages that are due: no other gateway sends these before `claimMs` have passed. */
  private async claim(found: Found): Promise<readonly PendingMessage[]> {
    let claimed: readonly PendingMessage[] = [];
    let news: News = { begun: [], recovered: [] };
    let dropped: readonly PendingMessage[] = [];
    await this.records.change((before) => {
      const now = Date.now();
      const decided = decideNews(before, found, now, this.deps.config.alerts.windowSec * 1_000);
      news = decided.news;
      const due = claimDue([...before.outbox, ...this.messages(news, now)], now);
      ({ claimed, dropped } = due);
      const after: AlertState = { ...decided.state, outbox: due.outbox };
      return canonical(after as unknown as Json) === canonical(before as unknown as Json) ? undefined : after;
    });
    this.report(news);
    for (const { to, failure } of dropped)
      this.deps.log.error(
        { code: 'ALERT_LOST', profile: to.channelProfileId, reason: failure },
        'An alert could not be sent',
      );
    return claimed;
  }

  private messages(news: News, now: number): PendingMessage[] {
    const { config, url } = this.deps;
    if (news.begun.length + news.recovered.length === 0) return [];
    const { deployment, temporal, gateway } = config;
    const name = deployment.name ?? `Journeyman (${temporal.namespace})`;
    const text = alertText(name, news, gateway.console.enabled ? `${url}/console` : undefined);
    const at = formatInstant(now);
    return config.alerts.to.map((to) => ({
      id: `alert-${randomUUID()}`,
      ...{ to, text, createdAt: at, attempts: 0, notBefore: at },
    }));
  }

  private report({ begun, recovered }: News): void {
    const { log } = this.deps;
    for (const { kind, title, text, id } of begun) log.warn({ code: 'ALERT', kind, id }, `${title}: ${text}`);
    for (const { kind, title } of recovered)
      log.info({ code: 'ALERT_RECOVERED', kind }, `${title}: no longer a problem`);
  }

  /** Tries to send a message; returns it with the reason why it is still to be sent, or its id alone. */
  private async send(message: PendingMessage): Promise<PendingMessage | string> {
    const { log } = this.deps;
    const { id, to, text, attempts, createdAt } = message;
    const targetRef = this.targetRef(to);
    // Its profile is no longer configured.
    if (targetRef === undefined) return id;
    const profile = to.channelProfileId;
    const channel = this.channels[targetRef.channel]!;
    try {
      await channel.post({ executionId: id, targetRef, text, firstAttempt: attempts === 1, askedAt: createdAt });
      processMetrics().triedAlerts(profile, 'sent');
      return id;
    } catch (error) {
      const problem = error instanceof ProblemError ? error.problem : undefined;
      const { code, detail = '', retryAfterSec } = problem ?? { code: 'INTERNAL', retryAfterSec: undefined };
      const isRefused = code === 'CHANNEL_REFUSED';
      processMetrics().triedAlerts(profile, isRefused ? 'refused' : 'failed');
      log[isRefused ? 'error' : 'warn'](
        { code, profile, reason: detail, ...(!problem && { err: error }) },
        'Alerts could not be sent',
      );
      if (isRefused) return id;
      return tryLater(message, `${code}: ${detail}`, Date.now(), retryAfterSec);
    }
  }

  /** Removes delivered messages from the record, and puts the others back. */
  private async settle(results: readonly (PendingMessage | string)[]): Promise<void> {
    await this.records.change((state) => ({
      ...state,
      outbox: state.outbox.flatMap((it) => {
        if (results.includes(it.id)) return [];
        return results.find((result) => typeof result !== 'string' && result.id === it.id) ?? it;
      }) as PendingMessage[],
    }));
  }

  private targetRef({ channelProfileId, channelId }: AlertDestination): Post['targetRef'] | undefined {
    const { channelProfiles } = this.deps.config;
    if (!Object.hasOwn(channelProfiles, channelProfileId)) return undefined;
    const { channel, channels } = channelProfiles[channelProfileId]!;
    const named = channelId !== undefined && Object.hasOwn(channels, channelId) ? channels[channelId] : channelId;
    return {
      channel,
      channelProfileId,
      ...(named !== undefined && { channelId: named, postingMode: 'channel_post' }),
    };
  }
}
