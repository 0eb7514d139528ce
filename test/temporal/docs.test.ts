import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Block, blocksOf, commandsOf, type DocCommand, pages } from '../support/doc-blocks.js';
import { temporalCli } from './support/temporal-cli.js';
import { freePorts, startUp, type Up } from './support/up.js';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const main = join(repository, 'dist/src/cli/main.js');

/** Every block of commands; the page states the reason for those that are not executed. */
const langs = ['sh', 'console', 'bash', 'shell'];
const blocks = pages.flatMap(blocksOf).filter(({ lang }) => langs.includes(lang));

/** An id on a page represents one of the reader's own: the last one of the same form that was printed. */
const runId = /(?<![\w-])(?=[\w-]*[A-Z])[\w-]{22}(?![\w-])/g;
const otherIds = [/\brun-[a-z]+-[0-9a-f]{20}\b/g, /\bjob-[a-z]+-[0-9a-f]{12}\b/g];

/** A Slack workspace, which readers do not have. */
const secrets = { SLACK_TOKEN: 'xoxb-none', SLACK_SIGNING_SECRET: 'none' };

/**
 * The commands of README and docs, run as written in a folder scaffolded by `init`, against one `journeyman up`. Only the port differs.
 * A line with `# 409` must get that status, a line that says it fails may fail, and one that shows an error code must fail; any other
 * failure fails the test.
 */
describe('R15-DOCS the commands of README and docs', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'journeyman-docs-'));
  const folder = join(scratch, 'my-journeys');
  let up: Up;
  let bank: Server;
  let bankIsDown = false;
  const seen = new Map<RegExp, string>();

  beforeAll(async () => {
    bank = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(bankIsDown ? 503 : 201, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'r-1' }));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => bank.once('listening', resolve));
    await prepareCommands();
    await inShell('journeyman init my-journeys', scratch);
    prepareFolder(`http://127.0.0.1:${(bank.address() as AddressInfo).port}`);
    await inShell('git init -q -b main && git add . && git commit -qm first');
    up = await startUp(main, folder, await freePorts(), secrets);
  });
  afterAll(async () => {
    await up?.stop('SIGTERM');
    bank.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  /** Other files of the reader: the examples, and the files that pages show. */
  function prepareFolder(bankUrl: string): void {
    const specs = join(folder, 'specs');
    cpSync(join(repository, 'specs'), specs, { recursive: true });
    const shown = (page: string, part: string) => blocksOf(page).find(({ text }) => text.includes(part))!.text;
    writeFileSync(join(specs, 'refund.journey.yaml'), shown('docs/tutorial.md', 'name: refund'));
    writeFileSync(join(specs, 'refund.scenario.yaml'), shown('docs/tutorial.md', 'a large one waits for an approval:'));
    writeFileSync(join(specs, 'report.journey.yaml'), small('report', 'input: { schema: {} }'));
    writeFileSync(join(specs, 'order.journey.yaml'), small('order', 'input: { schema: { type: object } }'));
    writeFileSync(join(folder, 'a.journey.yaml'), small('a', 'input: { schema: {} }'));
    // The bank of the tutorial is sometimes down; `specs/stand-in.yaml` mocks the other services.
    const rewrite = { 'https://bank.example.com': bankUrl };
    const channels = shown('docs/channels.md', 'channelProfiles:').replace(/^ {2}own_bot:[\s\S]*/m, '');
    config = `http: ${JSON.stringify({ rewrite })}\n${channels}`;
    writeConfig(withEng);
    const context = shown('docs/plain-english.md', '"locale"').replaceAll(/\/\/.*$/gm, '');
    writeFileSync(join(folder, 'context.json'), context);
    writeFileSync(join(folder, 'order.json'), '{"lines": [{"price": 2}]}');
  }

  /** Some pages declare their own orchestrator; the default is `main`. */
  const withEng = 'orchestrators: { eng: { journeys: [report] } }\n';
  let config = '';
  function writeConfig(more = ''): void {
    writeFileSync(join(folder, 'journeyman.config.yaml'), config + more);
  }

  /** `journeyman`, `temporal` and a `curl` that reports statuses, first on the path. */
  async function prepareCommands(): Promise<void> {
    mkdirSync(join(scratch, 'bin'));
    const scripts = {
      journeyman: `exec '${process.execPath}' '${main}' "$@"`,
      npx: 'exec "$@"',
      temporal: `exec '${await temporalCli()}' "$@"`,
      curl: `PATH=\${PATH#*:}; out=$(curl -w '\\n%{http_code}' "$@") || exit $?; code=\${out##*$'\\n'}; echo "\${out%$'\\n'*}"
        [[ $code == 2* || $code == "$EXPECTED_STATUS" ]] || { echo "answered $code" >&2; exit 22; }`,
    };
    for (const [name, script] of Object.entries(scripts)) {
      writeFileSync(join(scratch, 'bin', name), `#!/bin/bash\n${script}\n`);
      chmodSync(join(scratch, 'bin', name), 0o755);
    }
  }

  /** Steps that the pages describe in words before a command. */
  const before: Record<string, () => Promise<unknown>> = {
    'docs/jobs.md $ journeyman job create': async () => writeConfig(),
    'docs/jobs.md $ journeyman queue list': async () => writeConfig(withEng),
    'docs/running.md temporal workflow list': () => startCheckout(),
    'docs/runs.md $ journeyman diff main': async () => {
      const counted =
        'input: { schema: { type: object, required: [count], properties: { count: { type: integer } } } }';
      writeFileSync(join(folder, 'specs/order.journey.yaml'), small('order', counted, '1.1.0'));
    },
    'docs/tutorial.md $ journeyman diff main': async () => {
      await inShell('git checkout -q .');
      const file = join(folder, 'specs/refund.journey.yaml');
      const text = readFileSync(file, 'utf8').replace('[orderId, amount]', '[orderId, amount, reason]');
      writeFileSync(file, text.replace('        amount: {', '        reason: { type: string }\n        amount: {'));
    },
    'docs/tutorial.md $ journeyman run list --failed --group': async () => {
      await inShell('git checkout -q .');
      bankIsDown = true;
      await inShell('journeyman run start refund --field orderId=o-4 --field amount=50 || true');
      bankIsDown = false;
    },
  };

  /** A run that waits for a delivery. */
  async function startCheckout(): Promise<void> {
    const input = '{"cartId":"c","customerId":"lee","items":[{"sku":"desk","quantity":1,"price":900}]}';
    remember((await inShell(`journeyman run start checkout --input '${input}'`)).text);
  }

  function remember(text: string): void {
    const run = /(?:"journeyId":"|^Run +)([\w-]{22})/m.exec(text)?.[1];
    if (run !== undefined) seen.set(runId, run);
    for (const pattern of otherIds) {
      const [found] = text.match(pattern) ?? [];
      if (found !== undefined) seen.set(pattern, found);
    }
  }

  /** A command with the port and ids of this run of the test. */
  function asTyped(command: string): string {
    let script = command.replaceAll(/(localhost|127\.0\.0\.1):8080/g, up.url.slice('http://'.length));
    for (const [pattern, id] of seen) script = script.replaceAll(pattern, id);
    return script
      .split('\n')
      .map((line) => {
        const status = /# (\d{3})\b/.exec(line)?.[1];
        if (status !== undefined) return `EXPECTED_STATUS=${status} ${line}`;
        return /#.*\b(fails|refuses)\b/.test(line) ? `{ ${line}\n} || [ $? = 1 ]` : line;
      })
      .join('\n');
  }

  function inShell(script: string, cwd = folder): Promise<{ text: string; code: number }> {
    const env = {
      ...process.env,
      ...secrets,
      PATH: `${join(scratch, 'bin')}:${process.env.PATH}`,
      TEMPORAL_ADDRESS: up?.address,
      NO_COLOR: '1',
      GIT_AUTHOR_NAME: 'Reader',
      GIT_AUTHOR_EMAIL: 'reader@example.com',
      GIT_COMMITTER_NAME: 'Reader',
      GIT_COMMITTER_EMAIL: 'reader@example.com',
    };
    return new Promise((resolve) => {
      // If its input is a socket, bash may assume a remote shell and read a startup file that changes the path.
      execFile('bash', ['--norc', '-ec', script], { cwd, env }, (error, stdout, stderr) =>
        resolve({ text: `${stdout}${stderr}`, code: error ? Number(error.code ?? 1) : 0 }),
      );
    });
  }

  async function play(block: Block): Promise<void> {
    const start = `${block.page} ${block.text}`;
    for (const [key, prepare] of Object.entries(before)) if (start.startsWith(key)) await prepare();
    // Each command has its own shell, so variables are set again with their values.
    const assigned: string[] = [];
    for (const { command, prints } of commandsOf(block)) {
      const variable = /^(\w+)=/.exec(command)?.[1];
      const value = variable === undefined ? [] : [`echo "$${variable}"`];
      const { text, code } = await inShell([...assigned, asTyped(command), ...value].join('\n'));
      remember(text);
      expect(code !== 0, `${command}\n${text}`).toBe(mustFail({ command, prints }));
      if (prints !== '') expect(plain(text)).toMatch(likeness(prints));
      if (variable !== undefined) assigned.push(`${variable}='${text.trim()}'`);
    }
  }

  it('are in no other blocks', () => {
    const others = pages.flatMap(blocksOf).filter(({ lang }) => !langs.includes(lang));
    const typed = others.filter(({ text }) => /^(\$ |npx |curl |journeyman [^[\n]*$)/m.test(text));
    expect(typed.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
  });

  it.each(
    blocks.filter(({ notExecuted }) => notExecuted === undefined).map((it) => [`${it.page}:${it.line}`, it] as const),
  )('%s', (_, block) => play(block));
});

/** A journey that only ends. */
function small(name: string, contract: string, version = '1.0.0'): string {
  return `apiVersion: v1\nkind: Journey\nmetadata: { name: ${name}, version: ${version} }\nspec:\n  ${contract}\n  start: done\n  states:\n    done: { type: succeed }\n`;
}

/** Whether the page shows that a command is rejected, or that it breaks something. */
function mustFail({ prints }: DocCommand): boolean {
  return /^[A-Z_]+: /.test(prints) || /^ +breaks /m.test(prints);
}

/** Removes parts that vary between runs. */
function plain(text: string): string {
  let said = text;
  for (const pattern of [runId, ...otherIds]) said = said.replaceAll(pattern, 'ID');
  return said
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/after \d+ ms/g, 'after MS')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/(?<=[,{}[\]]) | (?=[{}])/g, '')
    .trim();
}

/** The output on a page as a pattern: `…` and the end of a line match anything. */
function likeness(prints: string): RegExp {
  const parts = prints.split(/…|\n/).map((part) => plain(part).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(parts.join('.*'), 's');
}
