import { readFileSync } from 'node:fs';
import { type Command, Option } from 'commander';
import type { Json, JsonObject } from '../../base/json/value.js';
import { refuse } from '../../base/problems/problem.js';
import { misfirePolicies } from '../../schedules/jobs/job-record.js';
import { jsonObject, withInput } from '../json-input-option.js';
import { countOption } from '../options.js';

/** Options that describe a job. */
export interface JobOptions {
  file?: string;
  name?: string;
  cron?: string;
  timezone?: string;
  every?: string;
  anchor?: string;
  at?: string;
  journey?: string;
  input?: JsonObject;
  function?: string;
  args?: JsonObject;
  targetRef?: JsonObject;
  misfirePolicy?: string;
  allowOverlap?: boolean;
  maxDuration?: number;
}

/** Adds the options for a target: a journey or a function. */
export function withTarget(command: Command): Command {
  command.addOption(new Option('--journey <name>', 'journey to start').conflicts('function'));
  return withInput(command, 'input of the journey', jsonObject)
    .option('--function <id>', 'function to invoke')
    .option('--args <json>', 'arguments of the function', jsonObject)
    .option('--target-ref <json>', 'target of the output', jsonObject);
}

/** Adds the options for a job. */
export function withJob(command: Command): Command {
  return withTarget(command)
    .option('--file <path>', 'JSON file with the job, as printed by `job show --format json`; - for the standard input')
    .option('--name <text>', 'display name')
    .addOption(new Option('--cron <expression>', 'five fields, with --timezone').conflicts(['every', 'at']))
    .option('--timezone <zone>', 'time zone of --cron, like Europe/Berlin')
    .addOption(new Option('--every <duration>', 'a duration, like 15m, PT6H or P1M').conflicts('at'))
    .option('--anchor <time>', 'anchor of --every')
    .option('--at <time>', 'run once, at this time')
    .addOption(new Option('--misfire-policy <policy>', 'how to handle missed times').choices(misfirePolicies))
    .option('--allow-overlap', 'allow overlapping runs')
    .option('--no-allow-overlap', 'one run at a time')
    .option('--max-duration <seconds>', 'maximum duration of a run', countOption);
}

/** Builds the job from the file, if given, and the options. */
export function jobArguments(options: JobOptions): JsonObject {
  const schedule = scheduleOf(options);
  const targetAction = targetOf(options);
  return {
    ...(options.file !== undefined && fromFile(options.file)),
    ...(schedule && { schedule }),
    ...(targetAction && { targetAction }),
    ...given('name', options.name),
    ...given('targetRef', options.targetRef),
    ...given('misfirePolicy', options.misfirePolicy),
    ...given('allowOverlap', options.allowOverlap),
    ...given('maxDurationSec', options.maxDuration),
  };
}

function given(key: string, value: Json | undefined): JsonObject {
  return value === undefined ? {} : { [key]: value };
}

function fromFile(path: string): JsonObject {
  try {
    return jsonObject(readFileSync(path === '-' ? 0 : path, 'utf8'));
  } catch (error) {
    return refuse('USAGE_INVALID', `--file ${path}: ${(error as Error).message}`);
  }
}

function scheduleOf({ cron, timezone, every, anchor, at }: JobOptions): JsonObject | undefined {
  if (cron !== undefined) return { type: 'cron', expression: cron, ...given('timezone', timezone) };
  if (timezone !== undefined) refuse('USAGE_INVALID', '--timezone requires --cron.');
  if (every !== undefined) return { type: 'interval', every, ...given('anchorAt', anchor) };
  if (anchor !== undefined) refuse('USAGE_INVALID', '--anchor requires --every.');
  return at === undefined ? undefined : { type: 'once', runAt: at };
}

/** Builds the target from the options, if given. */
export function targetOf({ journey, input, function: functionId, args }: JobOptions): JsonObject | undefined {
  if (input !== undefined && journey === undefined) refuse('USAGE_INVALID', '--input requires --journey.');
  if (args !== undefined && functionId === undefined) refuse('USAGE_INVALID', '--args requires --function.');
  if (journey !== undefined) return { type: 'workflow_start', workflowId: journey, ...given('inputs', input) };
  if (functionId === undefined) return undefined;
  return { type: 'command_invoke', functionId, ...given('functionArgs', args) };
}
