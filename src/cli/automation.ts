import { randomUUID } from 'node:crypto';
import { type Command, Option } from 'commander';
import { automationOf, portsOn } from '../app/automation.js';
import { connectChannels } from '../app/channels.js';
import { httpOf } from '../app/http.js';
import { jsonText, type Output, type Paint, paint } from '../app/terminal.js';
import { readLibrary } from '../library/library.js';
import type { Automation } from '../service/automation.js';
import { operator, scopeOf } from '../service/automation.js';
import type { Caller } from '../service/functions/registry.js';
import { connect } from '../temporal/connection.js';
import { whoami } from './operator.js';
import { configOf, configured, formatOption } from './options.js';

/** Where a command prints, and what it talks to; for tests. */
export interface AutomationParts {
  out: Output;
  errors?: Output;
  open(options: { config?: string }): Promise<{ automation: Automation; close(): Promise<void> }>;
}

/** What every command about jobs takes. */
export interface Scoped {
  config?: string;
  format: 'text' | 'json';
  orchestrator?: string;
  profile?: string;
}

/** The Temporal service itself, as `schedule` does: no gateway is needed. */
export const automationParts: AutomationParts = {
  out: process.stdout,
  async open(options) {
    const config = configOf(options);
    const [{ client, close }, library] = await Promise.all([
      connect(config, { timeoutMs: 5_000 }),
      readLibrary(config),
    ]);
    const error = (_: unknown, said?: string) => void process.stderr.write(`${said}\n`);
    const automation = automationOf(config, library, { info: () => undefined, error }, portsOn(client, config));
    const http = httpOf(config, { warn: error, debug: () => undefined });
    connectChannels(config, http, automation);
    return { automation, close: async () => void (await Promise.all([http.close(), close()])) };
  },
};

/** A subcommand that acts in one orchestrator. */
export function scopedCommand(name: string, description: string): Command {
  return configured(name)
    .description(description)
    .addOption(formatOption())
    .option('-o, --orchestrator <id>', 'the orchestrator (default: main, if it is the only one)')
    .addOption(
      new Option('--profile <id>', 'the channel profile whose orchestrator is meant').conflicts('orchestrator'),
    );
}

/** Who is at the terminal, acting in the orchestrator that the options name. */
export function terminalCaller({ orchestrators }: Automation, options: Scoped, requestId?: string): Caller {
  const { orchestrator: named, profile: channelProfileId } = options;
  const [first, ...others] = orchestrators.all;
  // Nothing is guessed: with several orchestrators one must be named.
  const only = named === undefined && channelProfileId === undefined && others.length === 0 ? first?.id : undefined;
  const { orchestrator, profile } = scopeOf(orchestrators, { orchestratorId: named ?? only, channelProfileId });
  const by = { caller: whoami(), ...(profile && { channelProfileId: profile.id }) };
  return operator(orchestrator, by, 'cli', requestId ?? randomUUID());
}

/** Prints a value as JSON, or as `text` makes it readable. */
export function printer(out: Output) {
  return <T>(options: Pick<Scoped, 'format'>, value: T, text: (value: T, colours: Paint) => string): void => {
    out.write(`${options.format === 'json' ? jsonText(value, 2) : text(value, paint(out))}\n`);
  };
}
