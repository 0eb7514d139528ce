import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBrowser } from './support/browser.js';
import { type HttpGateway, httpGateway } from './support/gateway.js';
import { identityProvider } from './support/identity-provider.js';
import { handling, lineOf, PipelineRig } from './support/pipelines.js';
import { type Rig, rig } from './support/rig.js';
import { binding, counting } from './support/schedules.js';

const id = process.pid;

/** Parallel branches, a subjourney, a map, a loop and a step: everything that the graph can draw. */
const claim = `
apiVersion: v1
kind: Journey
metadata: { name: claim-${id}, version: 1.0.0, description: Settles a claim., tags: [claims] }
spec:
  input:
    schema:
      type: object
      required: [customer]
      properties: { customer: { type: string, title: Customer, minLength: 1 }, amount: { type: number, title: Amount } }
  metadata: { bindings: { attributes: { fromPayload: { subjectId: { path: customer } } } } }
  subjourneys:
    note:
      start: write
      states:
        write: { type: transform, transform: { mapper: { lang: dataweave, expr: "'noted'" }, target: { kind: var }, resultVar: text }, next: end }
        end: { type: succeed, outputVar: text }
  start: count
  states:
    count: { type: transform, transform: { mapper: { lang: dataweave, expr: "(context.rounds default 0) + 1" }, target: { kind: var }, resultVar: rounds }, next: again }
    again:
      type: choice
      choices: [{ when: { predicate: { lang: dataweave, expr: "context.rounds < 3" } }, next: count }]
      default: each
    each:
      type: map
      map: { items: { mapper: { lang: dataweave, expr: "[1, 2]" } }, start: item, states: { item: { type: succeed } }, resultVar: items }
      next: check
    check:
      type: parallel
      parallel:
        branches:
          - name: clerk
            start: approve
            states:
              approve:
                type: wait
                wait: { channel: manual, input: { schema: { type: object, required: [by], properties: { by: { type: string, title: Approved by, minLength: 2 } } } } }
                next: done
              done: { type: succeed, outputVar: payload }
          - name: office
            start: note
            states:
              note: { type: subjourney, subjourney: { ref: note }, next: done }
              done: { type: succeed }
        join: { strategy: allOf, mapper: { lang: dataweave, expr: branches.clerk.payload }, resultVar: answer }
      next: end
    end: { type: succeed, outputVar: answer }
`;

const fragile = `
apiVersion: v1
kind: Journey
metadata: { name: fragile-${id}, version: 1.0.0 }
spec:
  start: double
  states:
    double: { type: transform, transform: { mapper: { lang: dataweave, expr: "context.amount * 2" }, target: { kind: var }, resultVar: twice }, next: end }
    end: { type: succeed, outputVar: twice }
`;

const noted = `
apiVersion: v1
kind: Journey
metadata: { name: noted-${id}, version: 1.0.0 }
spec:
  input: { schema: { type: object, required: [text], properties: { text: { type: string } } } }
  start: end
  states: { end: { type: succeed } }
`;

const attack = '<img src=x onerror="window.attacked=1"></script><script>window.attacked=1</script>';

const hostile = `
apiVersion: v1
kind: Journey
metadata: { name: hostile-${id}, version: 1.0.0, description: ${JSON.stringify(attack)}, tags: ['<b onclick=1>tag</b>'] }
spec:
  start: ask
  states:
    ask:
      type: wait
      wait: { channel: manual, input: { schema: { type: object, properties: { name: { type: string, title: ${JSON.stringify(attack)} } } } } }
      next: bad
    bad: { type: fail, errorCode: BAD, reason: ${JSON.stringify(attack)} }
`;

describe('the console in a browser', () => {
  let rigged: Rig;
  let gateway: HttpGateway;
  let guarded: HttpGateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  /** Errors of the page, including violations of its policy. */
  let faults: string[];

  beforeAll(async () => {
    rigged = await rig();
    const documents = [claim, fragile, noted, hostile, counting({ name: `counting-${id}`, interval: 'PT1H' })];
    gateway = await httpGateway(rigged, documents);
    const hash = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`;
    guarded = await httpGateway(rigged, documents, {
      JOURNEYMAN_GATEWAY_AUTH_API_KEYS: JSON.stringify([
        { id: 'clerk', hash: hash('jm_right'), roles: ['client'] },
        { id: 'operator', hash: hash('jm_operator'), roles: ['operator'] },
      ]),
    });
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await guarded?.stop();
    await gateway?.stop();
    await rigged?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
    faults = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  });
  afterEach(async () => {
    await context.close();
  });

  const open = async (path: string, { url } = gateway) => {
    await page.goto(`${url}/console${path}`);
  };
  const start = async (name: string, body: object): Promise<string> => {
    const answer = await gateway.post(`/journeys/${name}-${id}/start`, body as never);
    return answer.body.journeyId as string;
  };
  const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  it('starts a run from a form, highlights its graph, submits its step from the inbox and shows its end', async () => {
    await open(`/journeys/claim-${id}`);
    const form = page.getByRole('region', { name: 'Start a run' }).last();
    await form.getByRole('button', { name: 'Start' }).click();
    // The schema requires a customer: nothing is sent.
    await form.getByText('is required').first().waitFor();
    await form.getByLabel('Customer').fill('Ada');
    // A decimal comma is rejected instead of being read as 1250.
    const amount = form.getByLabel('Amount');
    await amount.fill('12,50');
    await form.getByRole('button', { name: 'Start' }).click();
    await form
      .getByText(/number/)
      .first()
      .waitFor();
    expect(await amount.inputValue()).toBe('12,50');
    await amount.fill('12.50');
    await form.getByRole('button', { name: 'Start' }).click();

    await heading(`claim-${id}`).waitFor();
    const node = (name: RegExp) => page.getByRole('button', { name });
    await node(/^approve waits .*current/).waitFor();
    await node(/^count .*, visited 3×/).waitFor();
    await node(/^write .*visited/).waitFor();
    await node(/^item .*visited/).waitFor();
    await node(/^end .*not visited/)
      .first()
      .waitFor();
    const run = page.url();

    await page.getByRole('link', { name: 'Inbox' }).click();
    // Another customer waits for the same form.
    await start('claim', { customer: 'Zoe' });
    await page.getByLabel('Journey').fill(`claim-${id}`);
    await page.getByRole('button', { name: /^approve.*Zoe/ }).waitFor();
    await page.getByRole('button', { name: /^approve.*Ada/ }).click();
    const step = page.getByRole('region', { name: 'approve · Ada' });
    await page.getByRole('region', { name: 'Context' }).getByText('"customer": "Ada"').waitFor();
    await step.getByLabel('Approved by').fill('Grace');
    await step.getByRole('button', { name: 'Submit approve' }).click();
    await page.getByText(`Submitted approve for claim-${id} · Ada.`).waitFor();
    await page.getByRole('button', { name: /^approve.*Ada/ }).waitFor({ state: 'detached' });
    await page.getByText('Choose a step to fill it in.').waitFor();
    expect(await page.getByLabel('Approved by').count()).toBe(0);
    await page.getByRole('button', { name: /^approve.*Zoe/ }).waitFor();
    await page.getByRole('link', { name: 'Show the run' }).click();

    expect(page.url()).toBe(run);
    await page.getByText('"Grace"').first().waitFor();
    await page.getByText('"amount": 12.5').first().waitFor();
    await node(/^approve waits .*visited/).waitFor();
    await node(/^check .*visited/).waitFor();
    await page.getByRole('button', { name: 'count', exact: true }).last().click();
    await page.getByText('/rounds').waitFor();
    expect(faults).toEqual([]);
  });

  it('offers a skip link as the first focus target, on narrow screens too', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await open('/jobs');
    await heading('Jobs').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.getByRole('link', { name: 'Jobs', exact: true }).waitFor();
    expect(await page.evaluate(inView)).toBe(true);
  });

  it('follows a run that others change', async () => {
    const run = await start('claim', { customer: 'live' });
    await open(`/runs/${run}`);
    await page.getByRole('button', { name: /^approve waits .*current/ }).waitFor();
    await gateway.post(`/journeys/${run}/steps/approve`, { by: 'Somebody' });
    await page.getByRole('button', { name: /^approve waits .*visited/ }).waitFor();
    await page.getByText('"Somebody"').first().waitFor();
  });

  it('shows where and why a run failed, and retries it with another context', async () => {
    const run = await start('fragile', { amount: { not: 'a number' } });
    await open(`/runs/${run}`);
    await page.getByText('Failed in double').waitFor();
    await page.getByRole('button', { name: /^double .*failed/ }).waitFor();
    // The context in which it failed is open by default.
    await page.getByRole('region', { name: 'Context: double' }).getByText('a number').waitFor();
    await page.getByRole('button', { name: 'Retry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Starts from double').waitFor();
    await dialog.getByLabel('Edit the context first').check();
    const field = dialog.getByLabel('Context of the new run');
    await field.waitFor();
    expect(await field.inputValue()).toContain('a number');
    await field.fill('{"amount": 21}');
    await dialog.getByRole('button', { name: 'Retry' }).click();
    await page.getByText('Retry of').waitFor();
    await page.getByRole('region', { name: 'Output' }).getByText('42').waitFor();
    // The failed run links to its retry, so that its calls are not repeated a second time.
    const retry = page.url().split('/').at(-1)!;
    await open(`/runs/${run}`);
    await page.getByText('Retried as').waitFor();
    await page.getByRole('link', { name: retry, exact: true }).waitFor();
    expect(faults).toEqual([]);
  });

  it('resets a run to an earlier visit, and counts the paths of runs', async () => {
    const run = await start('fragile', { amount: 4 });
    await open(`/runs/${run}`);
    await page.getByRole('region', { name: 'Output' }).getByText('8').waitFor();
    await page.getByRole('button', { name: 'double', exact: true }).click();
    await page.getByRole('button', { name: 'Reset to here' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reset to here' }).click();
    await page.getByText('Retry of').waitFor();
    expect(page.url()).not.toContain(run);
    await page.getByRole('region', { name: 'Output' }).getByText('8').waitFor();

    await open(`/journeys/fragile-${id}`);
    await page.getByLabel(/how often each path was taken/).check();
    await page.getByText(/^\d+ runs of this version$/).waitFor();
    await page
      .getByText(/^\d+×$/)
      .first()
      .waitFor();
    expect(faults).toEqual([]);
  });

  it('cancels several runs at once and shows the result for each', async () => {
    const [first, second] = [await start('claim', { customer: 'bulk' }), await start('claim', { customer: 'bulk' })];
    await open(`/runs?journey=claim-${id}&subject=bulk&phase=RUNNING`);
    for (const run of [first, second]) await page.getByLabel(`Select ${run}`).check();
    await page.getByText('2 runs selected').waitFor();
    await page.getByRole('button', { name: 'Cancel runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel runs' }).click();
    await page.getByRole('heading', { name: 'Results' }).waitFor();
    await expect.poll(() => page.getByText('cancelled', { exact: true }).count()).toBe(2);
    await page.getByText('2 cancelled').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('heading', { name: 'Results' }).waitFor({ state: 'detached' });
  });

  it('retries several runs at once, and clears the results when the filters change', async () => {
    const amount = { not: 'a number' };
    const runs = [await start('fragile', { amount }), await start('fragile', { amount })];
    await open(`/runs?journey=fragile-${id}&phase=FAILED`);
    for (const run of runs) await page.getByLabel(`Select ${run}`).check();
    await page.getByRole('button', { name: 'Retry runs' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry runs' }).click();
    await page.getByText('2 retried', { exact: true }).waitFor();
    expect(await page.getByText('cancelled', { exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: /^All/ }).click();
    await page.getByRole('heading', { name: 'Results' }).waitFor({ state: 'detached' });
    for (const run of runs) {
      const row = page.getByRole('row').filter({ has: page.getByLabel(`Select ${run}`, { exact: true }) });
      await row.getByText('Retried as').waitFor();
    }
  });

  it('pauses, triggers and resumes a schedule', async () => {
    await gateway.post(`/journeys/counting-${id}/start`, { user: 'console', n: 0 });
    await open(`/schedules/${binding('console', `counting-${id}`)}`);
    await heading(/counting/).waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Reason').fill('holidays');
    await dialog.getByLabel('Reason').press('Enter');
    await page.getByText('holidays').first().waitFor();
    const runs = page.getByRole('table');
    const before = await page.getByRole('row').count();
    await page.getByRole('button', { name: 'Run now' }).click();
    await dialog.getByRole('button', { name: 'Run now' }).click();
    await expect.poll(() => runs.getByRole('row').count()).toBeGreaterThan(before);
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await page.getByText('Changes', { exact: true }).first().click();
    await page.getByText('/n', { exact: true }).waitFor();
    const facts = page.getByRole('region', { name: 'About this schedule' });
    const next = (await facts.getByText(/\d{4}, \d\d:\d\d/).allTextContents()).slice(0, 3);
    expect(next).toHaveLength(3);
    await page.getByRole('button', { name: 'Change when it repeats' }).click();
    // Without a change, the preview has the times of the schedule.
    await dialog.getByRole('button', { name: 'Show next times' }).click();
    for (const at of next) await dialog.getByText(at).waitFor();
    await dialog.getByLabel('Say it in plain English').fill('every weekday at 9 am');
    await dialog.getByRole('button', { name: 'Use' }).click();
    await dialog.getByText(/^every weekday at 09:00/).waitFor();
    await dialog.getByRole('button', { name: 'Change when it repeats' }).click();
    await page
      .getByRole('definition')
      .getByText(/^every weekday at 09:00/)
      .waitFor();
    expect(faults).toEqual([]);
  });

  it('shows in words what a request in plain English runs, in the zone that was said', async () => {
    await open('/jobs');
    const say = page.getByRole('textbox', { name: 'Say it in plain English' });
    // A failed request keeps the sentence.
    const bad = `run noted-${id} tomorrow at 9am Berlin`;
    await say.fill(bad);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The input text is missing. Add text="…" to the sentence.').waitFor();
    expect(await say.inputValue()).toBe(bad);
    await say.fill(`run noted-${id} with text=Hi tomorrow at 9am Berlin`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText(`Runs the journey noted-${id} with text="Hi".`).waitFor();
    await page.getByText('Time zone: Europe/Berlin').waitFor();
    await page
      .getByText(/, 09:00 Europe\/Berlin/)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const done = page.getByText(/^The job was created: .* next .*, 09:00 Europe\/Berlin/);
    await done.waitFor();
    expect(await done.textContent()).not.toMatch(/\dT\d/);
    await open(`/jobs/main/${/job-main-\w+/.exec((await done.textContent())!)![0]}`);
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: /^Delete .+\?$/ }).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await heading('Jobs').waitFor();
  });

  it('resolves a suspended run of a pipeline', async () => {
    const rigs = new PipelineRig(rigged);
    const name = `line-${id}`;
    await rigs.deploy(lineOf(name), [handling('handle', { wait: 'PT1H' })]);
    await rigs.publish(name, 'a');
    const { active } = await rigs.until(name, (it) => it.active?.journeyId !== undefined);
    await rigged.client.workflow.getHandle(active!.journeyId!).terminate();
    await rigs.until(name, ({ suspended }) => suspended.length > 0);
    await open(`/pipelines/${name}`);
    await page.getByRole('heading', { name: 'Suspended: work' }).waitFor();
    await page.getByText('Decide about the suspended runs below first.').waitFor();
    expect(await page.getByRole('button', { name: 'Resume' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Skip the events' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Skip the events' }).click();
    await page.getByRole('heading', { name: 'Suspended: work' }).waitFor({ state: 'detached' });
    expect((await rigs.pipelines.show(name)).suspended).toEqual([]);
    await page.getByRole('button', { name: 'Trigger' }).click();
    await page.getByText('Nothing to do: no event is pending in orders.').waitFor();
    expect(faults).toEqual([]);
  });

  it('asks for a key if the gateway requires one, stores it in the tab only, and respects the caller’s permissions', async () => {
    await open('/runs', guarded);
    await page.getByLabel('API key or token').fill('jm_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The gateway rejected the credential.').waitFor();
    await page.getByLabel('API key or token').fill('jm_right');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await heading('Runs').waitFor();
    await page.getByText('No run yet.').waitFor();
    await open('/runs?journey=unknown', guarded);
    await page.getByText('No run matches these filters.').waitFor();
    // A client submits the steps of its run and sees its trail, but not its graph or contexts, and cannot retry it.
    await open(`/journeys/claim-${id}`, guarded);
    const form = page.getByRole('region', { name: 'Start a run' }).last();
    await form.getByLabel('Customer').fill('Client');
    await form.getByRole('button', { name: 'Start' }).click();
    await page.getByText('The graph is shown to operators only.').waitFor();
    await page.getByLabel('Approved by').fill('Client');
    await page.getByRole('button', { name: 'Submit approve' }).click();
    await page.getByRole('region', { name: 'Output' }).getByText('"Client"').waitFor();
    expect(await page.getByRole('heading', { name: /^Context/ }).count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Schedules' }).count()).toBe(0);
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('jm_right');
    await page.getByRole('button', { name: 'Sign out' }).click();
    // The next user does not see data of the previous one.
    await page.getByLabel('API key or token').fill('jm_operator');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'Schedules' }).waitFor();
    await page
      .getByRole('region', { name: /^Context/ })
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key or token').waitFor();
  });

  it('signs in at an identity provider with PKCE and returns to the requested page', async () => {
    const provider = await identityProvider();
    const own = await httpGateway(rigged, [claim], {
      JOURNEYMAN_GATEWAY_AUTH_JWT_ISSUER: provider.issuer,
      JOURNEYMAN_GATEWAY_AUTH_JWT_AUDIENCE: 'gateway',
      JOURNEYMAN_GATEWAY_AUTH_JWT_KEYS: JSON.stringify([provider.key]),
      JOURNEYMAN_GATEWAY_CONSOLE_SIGN_IN_ISSUER: provider.issuer,
      JOURNEYMAN_GATEWAY_CONSOLE_SIGN_IN_CLIENT_ID: 'console',
    });
    try {
      await open(`/journeys/claim-${id}`, own);
      await page.getByRole('button', { name: 'Sign in with your identity provider' }).click();
      await heading(`claim-${id}`).waitFor();
      expect(page.url()).toBe(`${own.url}/console/journeys/claim-${id}`);
      expect(provider.refused).toBe(0);
      // A code that was issued to another client is rejected.
      await page.evaluate('sessionStorage.clear()');
      await open('/?code=stolen&state=guessed', own);
      await page.getByLabel('API key or token').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    } finally {
      await own.stop();
      await provider.close();
    }
  });

  it('escapes markup in names, contexts and reasons', async () => {
    const waiting = await start('hostile', { name: attack });
    const failed = await start('hostile', { name: attack });
    await gateway.post(`/journeys/${failed}/steps/ask`, { name: attack });
    const shown = async (path: string) => {
      await open(path);
      await page.getByText(attack).first().waitFor();
      expect(await page.evaluate('window.attacked'), path).toBeUndefined();
    };
    await shown(`/runs/${failed}`);
    await page.getByRole('button', { name: 'ask', exact: true }).click();
    await page.getByText('Whole context').click();
    await shown(`/runs/${waiting}`);
    await shown(`/inbox?open=${encodeURIComponent(`${waiting}/ask`)}&journey=hostile-${id}`);
    await shown(`/journeys/hostile-${id}`);
    await shown('/journeys');
    expect(await page.evaluate('window.attacked')).toBeUndefined();
    expect(faults).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'has no serious accessibility violations in the %s theme',
    async (colorScheme) => {
      const run = await start('claim', { customer: `axe-${colorScheme}` });
      const schedule = binding(`axe-${colorScheme}`, `counting-${id}`);
      await gateway.post(`/journeys/counting-${id}/start`, { user: `axe-${colorScheme}`, n: 0 });
      await page.emulateMedia({ colorScheme });
      const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
      const places = [
        '/',
        '/inbox',
        '/runs',
        `/runs/${run}`,
        '/journeys',
        `/journeys/claim-${id}`,
        '/schedules',
        `/schedules/${schedule}`,
        '/jobs',
        '/pipelines',
        '/playground',
      ];
      for (const path of places) {
        await open(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        if (path.startsWith('/runs/')) await page.getByRole('button', { name: /^approve waits/ }).waitFor();
        await page.evaluate(await source(axe));
        const { violations } = (await page.evaluate('axe.run()')) as { violations: Violation[] };
        const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
        expect(
          serious.map(({ id: rule, nodes }) => `${path} ${rule} ${nodes.map(({ html }) => html).join(' ')}`),
        ).toEqual([]);
      }
    },
  );
});

/** Whether the entry of the current page is visible in the navigation bar. */
const inView = `(() => {
  const { left, right } = document.querySelector('nav [aria-current]').getBoundingClientRect();
  return left >= 0 && right <= window.innerWidth;
})()`;

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** The text of a script. Evaluated through the browser's protocol, it is not subject to the policy of the page. */
async function source(file: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  return await readFile(file, 'utf8');
}
