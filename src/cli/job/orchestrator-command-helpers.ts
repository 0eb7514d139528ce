import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { connectChannels } from '../../app/create-channels-and-job-functions.js';
import { automationFor, temporalJobPorts } from '../../app/job-automation-on-temporal.js';
import { outboundHttp } from '../../app/outbound-http.js';
import { type Output, type Paint, paint, safeJson } from '../../app/safe-terminal-text.js';
import { readLibrary } from '../../library/read-library.js';
import type { Caller } from '../../service/functions/function-registry.js';
import type { Automation } from '../../service/job-automation.js';
import { operatorCaller, scopeOf } from '../../service/job-automation.js';
import { connect } from '../../temporal/connection.js';
import { commandWithConfig, configOf, formatOption } from '../options.js';
import { terminalUser } from '../terminal-user-and-audit.js';

/** Output and services of a command; replaced in tests. */
export interface AutomationDeps {
  out: Output;
  errors?: Output;
  open(options: { config?: string }): Promise<{ automation: Automation; close(): Promise<void> }>;
}

/** Options of every command that acts in an orchestrator. */
export interface Scoped {
  config?: string;
  format: 'text' | 'json';
  orchestrator?: string;
  profile?: string;
}

/** The real dependencies. Connects to Temporal directly; no gateway is needed. */
export const automationDeps: AutomationDeps = {
  out: process.stdout,
  async open(options) {
    const config = configOf(options);
    const [{ client, close }, library] = await Promise.all([
      connect(config, { timeoutMs: 5_000 }),
      readLibrary(config),
    ]);
    const error = (_: unknown, said?: string) => void process.stderr.write(`${said}\n`);
    const automation = automationFor(
      config,
      library,
      { info: () => undefined, error },
      temporalJobPorts(client, config),
    );
    const http = outboundHttp(config, { warn: error, debug: () => undefined });
    connectChannels(config, http, automation);
    return { automation, close: async () => void (await Promise.all([http.close(), close()])) };
  },
};

/** Creates a subcommand that acts in one orchestrator. */
export function scopedCommand(name: string, description: string): Command {
  return commandWithConfig(name)
    .description(description)
    .addOption(formatOption())
    .option('-o, --orchestrator <id>', 'the orchestrator (default: main, if there is only one)')
    .addOption(
      new Option('--profile <id>', 'select the orchestrator of this channel profile').conflicts('orchestrator'),
    );
}

/** The user of the terminal as a caller in the selected orchestrator. */
export function terminalCaller({ orchestrators }: Automation, options: Scoped, requestId?: string): Caller {
  const { orchestrator: named, profile: channelProfileId } = options;
  const [first, ...others] = orchestrators.all;
  // With several orchestrators, one must be named.
  const only = named === undefined && channelProfileId === undefined && others.length === 0 ? first?.id : undefined;
  const { orchestrator, profile } = scopeOf(orchestrators, { orchestratorId: named ?? only, channelProfileId });
  const by = { caller: terminalUser(), ...(profile && { channelProfileId: profile.id }) };
  return operatorCaller(orchestrator, by, 'cli', requestId ?? randomUUID());
}

/** Prints a value as JSON, or as text by `text`. */
export function printer(out: Output) {
  return <T>(options: Pick<Scoped, 'format'>, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? safeJson(value, 2) : text(value, paint(out))}\n`);
  };
}
