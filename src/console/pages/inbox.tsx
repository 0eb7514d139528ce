import { useEffect, useRef, useState } from 'react';
import { apiUrl, withQuery } from '../api/client.js';
import type { OpenStepItem, OpenStepPage } from '../api/run-types.js';
import { useRead } from '../api/use-read-and-change.js';
import { SubmitForm } from '../forms/step-form.tsx';
import { Link, setQuery, useAddress } from '../router.tsx';
import { Badge, Tag } from '../ui/badge.tsx';
import { FilterField, isFiltered } from '../ui/filter-field.tsx';
import { Empty, ReadResult } from '../ui/loading-empty-and-failure.tsx';
import { Card, PageFrame } from '../ui/page.tsx';
import { Ago, Countdown, Due } from '../ui/time.tsx';
import { messages } from '../ui-texts.js';
import { runSubject, runTitle } from './run-subject.js';
import { soonestDueFirst } from './soonest-due-first.js';
import { StepContext } from './step-context.tsx';

const addressOf = (step: OpenStepItem) => `${step.journeyId}/${step.step}`;

/** Every open step that the reader may submit, each with its form. */
export function InboxPage() {
  const { query } = useAddress();
  const filter = (name: string) => query.get(name) ?? undefined;
  const list = useRead<OpenStepPage>(
    withQuery(apiUrl`/steps`, {
      journeyName: filter('journey'),
      key: filter('key'),
      step: filter('step'),
      subjectId: filter('subject'),
      tag: filter('tag'),
      pageToken: filter('page'),
    }),
    { keep: true },
  );
  return (
    <PageFrame title={messages.inbox.title}>
      <div className="filters">
        <FilterField name="journey" label={messages.fields.journey} />
        <FilterField name="key" label={messages.fields.key} />
        <FilterField name="step" label={messages.fields.step} />
        <FilterField name="subject" label={messages.fields.subject} />
        <FilterField name="tag" label={messages.fields.tag} />
      </div>
      <ReadResult query={list}>{(page) => <Steps page={page} />}</ReadResult>
    </PageFrame>
  );
}

function Steps({ page }: { readonly page: OpenStepPage }) {
  const { query } = useAddress();
  const [done, setDone] = useState<OpenStepItem>();
  const chosen = query.get('open') ?? undefined;
  // Visibility still lists a step for a moment after it was submitted.
  const [submitted, setSubmitted] = useState<ReadonlyMap<string, OpenStepItem>>(new Map());
  const items = soonestDueFirst(page.items).filter((it) => !submitted.has(addressOf(it)));
  // After a submission only the same run continues: the next step of the list can be another customer's.
  const left = submitted.get(chosen ?? '');
  const next = left && items.find(({ journeyId }) => journeyId === left.journeyId);
  const current = items.find((it) => addressOf(it) === chosen) ?? next;
  return (
    <div className="inbox">
      <Card title={messages.inbox.list} flush>
        <StepList items={items} chosen={current && addressOf(current)} />
        {page.unanswered > 0 && <p className="notice warn">{messages.inbox.unanswered(page.unanswered)}</p>}
        {page.nextPageToken !== undefined && (
          <p className="card-body">
            <button type="button" className="button" onClick={() => setQuery({ page: page.nextPageToken })}>
              {messages.states.more}
            </button>
          </p>
        )}
      </Card>
      <div className="inbox-form">
        {done && (
          <p className="notice good" role="status">
            <span>
              {messages.inbox.submitted(done.step, runSubject(done) === undefined ? done.journeyId : runTitle(done))}{' '}
              <Link to={`/runs/${encodeURIComponent(done.journeyId)}`}>{messages.inbox.showRun}</Link>
            </span>
          </p>
        )}
        {current ? (
          <OpenStep
            key={addressOf(current)}
            step={current}
            onSubmitted={() => {
              setDone(current);
              setSubmitted((before) => new Map([...before, [addressOf(current), current]]));
            }}
          />
        ) : (
          items.length > 0 && <Empty>{messages.inbox.choose}</Empty>
        )}
      </div>
    </div>
  );
}

/** The list; arrow keys move through it. */
function StepList({ items, chosen }: { readonly items: readonly OpenStepItem[]; readonly chosen: string | undefined }) {
  const list = useRef<HTMLUListElement>(null);
  const { query } = useAddress();
  if (items.length === 0) {
    return <Empty>{isFiltered(query) ? messages.inbox.noMatch : messages.inbox.empty}</Empty>;
  }
  const move = (by: number) => {
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])];
    const next = buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + by];
    next?.focus();
    next?.click();
  };
  return (
    <ul className="list choices" ref={list} title={messages.inbox.keys}>
      {items.map((step) => {
        const address = addressOf(step);
        return (
          <li key={address}>
            <button
              type="button"
              aria-current={address === chosen}
              onClick={() => setQuery({ open: address })}
              onKeyDown={(event) => {
                if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
                event.preventDefault();
                move(event.key === 'ArrowDown' ? 1 : -1);
              }}
            >
              <span className="row">
                <strong>{step.step}</strong>
                <span className="end small">
                  <Due at={step.dueAt} />
                </span>
              </span>
              <span className="small muted">
                {step.journeyName} · {runSubject(step) ?? step.journeyId}
              </span>
            </button>
          </li>
        );
      })}
    </ul>
  );
}

function OpenStep({ step, onSubmitted }: { readonly step: OpenStepItem; onSubmitted(): void }) {
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => {
    heading.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const attributes = Object.entries(step.attributes);
  return (
    <div ref={heading}>
      <Card title={`${step.step} · ${runSubject(step) ?? step.journeyId}`} actions={<Badge text={step.type} />}>
        {step.description !== null && <p>{step.description}</p>}
        <dl className="facts">
          <dt>{messages.fields.journey}</dt>
          <dd>
            <Link to={`/journeys/${encodeURIComponent(step.journeyName)}`}>{step.journeyName}</Link>{' '}
            <span className="muted">{step.journeyVersion}</span>
          </dd>
          <dt>{messages.fields.run}</dt>
          <dd>
            <Link to={`/runs/${encodeURIComponent(step.journeyId)}`}>{step.key ?? step.journeyId}</Link>
          </dd>
          {step.within !== undefined && (
            <>
              <dt>{messages.fields.branch}</dt>
              <dd className="mono">{step.within}</dd>
            </>
          )}
          <dt>{messages.fields.since}</dt>
          <dd>
            <Ago at={step.since} />
          </dd>
          <dt>{messages.fields.due}</dt>
          <dd>{step.dueAt === null ? messages.inbox.noDue : <Countdown at={step.dueAt} />}</dd>
          {attributes.map(([name, value]) => (
            <FactRow key={name} name={name === 'subjectId' ? messages.fields.subject : name} value={value} />
          ))}
        </dl>
        {step.tags.length > 0 && (
          <p className="tags">
            {step.tags.map((tag) => (
              <Tag key={tag}>{tag}</Tag>
            ))}
          </p>
        )}
        <SubmitForm
          step={step.step}
          href={step.href}
          schema={step.schema}
          signed={step.signed}
          onSubmitted={onSubmitted}
        />
        <StepContext step={step} />
      </Card>
    </div>
  );
}

function FactRow({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
