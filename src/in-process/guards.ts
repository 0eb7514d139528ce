import type { Config } from '../config/config.js';
import { askGuard, type GuardedRun } from '../engine/read-guard.js';
import type { Vocabulary } from '../engine/vocabulary.js';
import { vocabulary } from '../language/vocabulary.js';
import { refuse } from '../problems/problem.js';
import type { ReadGuards } from '../service/guards.js';
import type { InboundRequest } from '../service/inbound.js';
import type { Effects } from '../tasks/effects.js';
import { inProcessHost } from './host.js';
import { here, performing } from './perform.js';

/** Evaluates the read guards of runs in this process, where the reader's request is. */
export class InProcessGuards implements ReadGuards {
  constructor(
    private readonly config: Config,
    private readonly effects: Effects,
    /** Takes what an operator should know: a guard that fails looks to its readers like a run that is not there. */
    private readonly onTrouble: (text: string) => void = () => undefined,
    private readonly words: Vocabulary = vocabulary,
  ) {}

  async admit(run: GuardedRun, request: InboundRequest): Promise<void> {
    const { limits, platform } = this.config;
    const host = inProcessHost(performing(this.effects, { request }), limits.expression, platform.timezone);
    const { allowed, fault } = await askGuard(run, here, host, this.words);
    const { name, version } = run.definition;
    if (fault !== undefined) this.onTrouble(`The read guard of ${name} ${version} admits nobody: ${fault}`);
    if (!allowed) refuse('RUN_UNKNOWN');
  }
}
