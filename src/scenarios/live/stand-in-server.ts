import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sourceFindings } from '../../base/document/locate-pointer.js';
import { parseSource } from '../../base/document/parse-yaml.js';
import { Place } from '../../base/document/placed-value.js';
import type { Reply } from '../../language/tasks/task-kind.js';
import type { FileFinding } from '../../library/find-files.js';
import { readBackend } from '../read/read-backend-and-activities.js';
import type { BackendRule } from '../scripted-backend.js';
import { literalOrigin, send } from './scripted-services.js';

/** A local HTTP server that replaces services that a developer does not have. */
export interface StandIn {
  readonly url: string;
  /** Origins of the services → the stand-in, in the form of `http.rewrite`. */
  readonly rewrite: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Replies for the calls to one origin. */
interface StandInRule extends BackendRule {
  readonly origin: string;
}

const fileName = 'stand-in.yaml';

/**
 * Starts the stand-in that a folder of journeys declares in `stand-in.yaml`, on a free port of the loopback interface. Undefined when the
 * folder has no such file, or when the file has errors, which `report` receives.
 */
export async function startStandIn(
  folder: string,
  report: (findings: FileFinding[]) => void,
): Promise<StandIn | undefined> {
  const text = await readFile(join(folder, fileName), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const { rules, findings } = readStandIn(text);
  report(findings.map((it) => ({ ...it, file: join(folder, fileName) })));
  return findings.some(({ severity }) => severity === 'error') ? undefined : await serve(rules);
}

/** Reads the rules, which have the form of a scenario's `backend`. */
function readStandIn(text: string) {
  const source = parseSource(text, fileName);
  const findings = sourceFindings(source);
  if (source.value === undefined) return { rules: [], findings };
  const root = new Place({ source, findings, compat: true }, '', source.value);
  root.only(['backend']);
  const rules = readBackend(root.at('backend')).flatMap((rule): StandInRule[] => {
    const origin = literalOrigin(rule.calls.text.replace(/^\S+ +/, ''));
    if (origin !== undefined) return [{ ...rule, origin: origin.toLowerCase() }];
    root
      .at('backend')
      .error('SCENARIO_CALL', `${rule.calls.text} is not a method and a URL.`, 'A stand-in needs call.');
    return [];
  });
  return { rules, findings };
}

async function serve(rules: readonly StandInRule[]): Promise<StandIn> {
  const used = new Map<StandInRule, number>();
  // All services share one port, so a rule is found by method and path.
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { method = 'GET', url: path = '/' } = request;
    const rule = rules.find(({ calls, origin }) => calls.matches({ method, url: origin + path }));
    const count = rule ? (used.get(rule) ?? 0) : 0;
    if (rule) used.set(rule, count + 1);
    const reply = rule?.replies[Math.min(count, rule.replies.length - 1)] ?? unknownCall(`${method} ${path}`);
    request.resume().on('end', () => {
      if (reply.fail === 'network') response.destroy();
      else if (reply.fail !== 'timeout') setTimeout(() => send(response, reply), reply.afterMs).unref();
    });
  };
  const server = createServer(answer).unref();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    rewrite: Object.fromEntries(rules.map(({ origin }) => [origin, url])),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function unknownCall(call: string): Reply {
  return { status: 404, headers: {}, body: { error: `${fileName} has no rule for ${call}` }, afterMs: 0 };
}
