import { randomUUID } from 'node:crypto';
import { type Client, ScheduleOverlapPolicy } from '@temporalio/client';
import { maintenanceWorkflow } from '../../../workflows/journey/workflow-contract.js';
import { refuse } from '../../base/problems/problem.js';
import type { Config } from '../../config/config-types.js';
import { type AlertState, noAlerts } from '../../service/operation/decide-alerts.js';
import { isBroken, isUnknown, ManagedSchedule } from './managed-schedule.js';
import type { ManagedRecord, ScheduleKind, ScheduleSnapshot } from './schedule-kind-interface.js';

interface AlertRecord extends ManagedRecord {
  readonly state: AlertState;
}

/** A Schedule that starts nothing: it has no times and is paused. */
const alertKind: ScheduleKind<AlertRecord, ScheduleSnapshot<AlertRecord>> = {
  name: 'alerts',
  snapshot: (found, record) => ({ ...found, record }),
  refuseUnknown: (id) => refuse('SCHEDULE_UNKNOWN', `The schedule ${id} does not exist.`),
  cadence: () => ({ kind: 'once', at: 0 }),
  describeCadence: () => 'never',
  overlap: () => ScheduleOverlapPolicy.SKIP,
  isOver: () => true,
  attributes: () => ({ ScheduleKind: 'alerts' }),
};

const note = 'The record of alerts; it starts nothing';

/**
 * The record of alerts that the gateways of a deployment share, in the memo of a Schedule: of several concurrent changes the server applies one,
 * and it keeps the record while no process runs. It needs no worker, because alerts are about workers too.
 */
export class AlertRecords {
  private readonly schedule: ManagedSchedule<AlertRecord>;

  constructor(
    client: Client,
    private readonly config: Pick<Config, 'temporal' | 'schedules'>,
  ) {
    this.schedule = new ManagedSchedule(client, `journeyman-alerts-${config.temporal.taskQueue}`, alertKind);
  }

  /** The state; that of no alerts if there is no record. */
  async read(): Promise<AlertState> {
    return (await this.schedule.find())?.record.state ?? noAlerts;
  }

  /** Changes the state. `decide` gets the current one, again after each conflict, and returns the new one, or undefined for no change. */
  async change(decide: (state: AlertState) => AlertState | undefined): Promise<void> {
    try {
      await this.schedule.change(randomUUID(), ({ record }) => {
        const state = decide(record.state);
        return state && { record: { ...record, state, updatedAt: new Date().toISOString() } };
      });
    } catch (error) {
      // Someone rewrote it with Temporal's tools: what was sent is lost.
      if (isBroken(error)) await this.schedule.delete();
      else if (!isUnknown(error)) throw error;
      await this.create();
      await this.change(decide);
    }
  }

  private async create(): Promise<void> {
    const { temporal, schedules } = this.config;
    await this.schedule.create({
      record: { state: noAlerts, changes: [], updatedAt: new Date().toISOString() },
      times: { spec: {} },
      paused: true,
      note,
      // Harmless if someone triggers it.
      action: {
        type: 'startWorkflow',
        workflowType: maintenanceWorkflow,
        workflowId: this.schedule.id,
        taskQueue: temporal.taskQueue,
        args: [schedules.keepExhaustedDays],
      },
    });
  }
}
