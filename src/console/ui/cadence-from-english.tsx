import { useState } from 'react';
import { apiUrl } from '../api/client.js';
import type { CadencePreview } from '../api/schedule-types.js';
import { useChange } from '../api/use-read-and-change.js';
import { messages } from '../ui-texts.js';
import { Failure } from './loading-empty-and-failure.tsx';

interface CadenceWordsProps {
  /** The zone of words that name none. */
  readonly timezone: string;
  onRead(preview: CadencePreview): void;
}

/** Reads a cadence in plain English. */
export function CadenceWords({ timezone, onRead }: CadenceWordsProps) {
  const [words, setWords] = useState('');
  const change = useChange<CadencePreview>();
  return (
    <form
      className="schema-form"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(
          { path: apiUrl`/schedules/preview`, body: { words, timezone, count: 5 } },
          { onSuccess: (preview) => onRead(preview) },
        );
      }}
    >
      <label className="field">
        <span>{messages.jobs.say}</span>
        <span className="say">
          <input
            value={words}
            maxLength={400}
            placeholder={messages.cadence.example}
            onChange={({ target }) => setWords(target.value)}
          />
          <button type="submit" className="button" disabled={change.isPending || words.trim() === ''}>
            {messages.cadence.read}
          </button>
        </span>
      </label>
      {change.error && <Failure error={change.error} />}
    </form>
  );
}
