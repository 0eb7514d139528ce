import { outcomeFields } from '../definition/reserved.js';
import { jsonBytes } from '../json/size.js';
import type { Json } from '../json/value.js';
import { validate } from '../json-schema/validate.js';
import { classify } from './named-outcomes.js';
import { type End, type Outcome, type OutcomeCookies, runtimeFailure, statusOf } from './outcome.js';
import { excessOf } from './payload.js';
import type { Run } from './run.js';
import { projection } from './status.js';

/** The outcome of an ended run. One too large to keep becomes another outcome, which says so. */
export async function outcomeOf(run: Run, end: End): Promise<Outcome> {
  const { context, ...rest } = end;
  const { tags, attributes, root, uncertain } = run.position;
  const outcomeId = await classify(run, end);
  if (end.phase === 'SUCCEEDED') checkOutput(run, end.output);
  const response = run.definition.output?.response;
  const cookies = end.phase === 'SUCCEEDED' ? returned(run) : undefined;
  const bare: Outcome = {
    ...rest,
    status: statusOf(end),
    terminatedAtState: root.at,
    tags,
    attributes,
    ...(outcomeId !== undefined && { outcomeId }),
    ...(cookies && { cookies }),
    ...(uncertain && end.phase === 'FAILED' && { uncertain }),
  };
  const shown = response && { projection: projection(context, response.outputVar, outcomeFields) };
  return fitting(run, end, { ...bare, ...shown }, bare);
}

/** What returns to the caller of a run that succeeded. */
function returned({ definition, position }: Run): OutcomeCookies | undefined {
  const { domains, returnToClient } = definition.cookies ?? {};
  const changes = position.cookies?.changes ?? [];
  if (!domains || !returnToClient || returnToClient.mode === 'none' || changes.length === 0) return undefined;
  const { mode, names, namePatterns } = returnToClient;
  return { domains, changes, ...(mode === 'filtered' && { include: { names, namePatterns } }) };
}

function fitting(run: Run, end: End, outcome: Outcome, bare: Outcome): Outcome | Promise<Outcome> {
  const most = run.host.maxPayloadBytes;
  const excess = most === undefined ? undefined : excessOf('The outcome', bytesOf(outcome), most);
  if (most === undefined || !excess) return outcome;
  // Why a run failed matters more than what it adds to its outcome.
  if (end.phase === 'FAILED' && bytesOf(bare) <= most) return bare;
  return outcomeOf(run, runtimeFailure(excess, run.position.root.at, end.context));
}

/** An output that breaks its contract is noted, never refused: the work is done, and the caller is waiting for the end. */
function checkOutput({ definition, host }: Run, output: Json): void {
  const schema = definition.output?.schema;
  if (schema === undefined || !host.note) return;
  const [first, ...more] = validate(schema, output);
  if (!first) return;
  const rest = more.length === 0 ? '' : `, and ${more.length} more`;
  host.note(`The output does not match its schema: ${first.pointer || 'it'} ${first.message}${rest}.`);
}

function bytesOf(outcome: Outcome): number {
  return jsonBytes(outcome as unknown as Json);
}
