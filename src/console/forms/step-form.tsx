import { useState } from 'react';
import type { Json } from '../../base/json/value.js';
import { newRequestId, type RequestFailed } from '../api/client.js';
import type { RunItem } from '../api/run-types.js';
import { useChange } from '../api/use-read-and-change.js';
import { messages } from '../ui-texts.js';
import { LazyForm } from './lazy-form.tsx';

interface StepFormProps {
  readonly step: string;
  readonly href: string;
  readonly schema: Json | undefined;
  /** Other systems submit it, with a signature that people do not have. */
  readonly signed: boolean;
  /** Called with the run's answer. */
  onSubmitted?(run: RunItem): void;
}

/** Submits an open step of a run. */
export function SubmitForm({ step, href, schema, signed, onSubmitted }: StepFormProps) {
  const change = useChange<RunItem>();
  const [requestId, setRequestId] = useState(newRequestId);
  if (signed) return <p className="notice">{messages.form.signed}</p>;
  return (
    <LazyForm
      label={step}
      schema={schema}
      submit={messages.form.submit(step)}
      change={change}
      onSubmit={(body) => {
        // The list may lose this step, and the page this form, before the answer arrives.
        change
          .mutateAsync({ path: href, body: body ?? null, requestId })
          .then(onSubmitted, ({ problem }: RequestFailed) => {
            // A rejected submission had no effect, so the corrected one is another.
            if (problem.status >= 400 && problem.status < 500) setRequestId(newRequestId());
          });
      }}
    />
  );
}
