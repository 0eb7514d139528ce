import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import type { RequestFailed } from '../api/client.js';
import { messages } from '../ui-texts.js';
import { Failure } from './loading-empty-and-failure.tsx';

interface DialogProps {
  readonly title: string;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** A modal dialog; Escape closes it. */
export function Dialog({ title, close, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={id} onClose={close}>
      <div className="dialog-body">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ActionButtonProps {
  readonly label: string;
  readonly tone?: 'primary' | 'danger';
  readonly small?: boolean;
  readonly disabled?: boolean;
  /** The effect, shown in a dialog that asks first; without it nothing is asked. */
  readonly confirm?: { readonly title: string; readonly text: ReactNode };
  /** Reads the reason that the reader gives, if asked for one. */
  readonly reason?: string;
  readonly change: {
    readonly isPending: boolean;
    readonly error: RequestFailed | null;
    reset(): void;
  };
  run(reason: string, done: () => void): void;
}

/** A button that changes something, after a question where that cannot be undone. Without a question, the page shows its error. */
export function ActionButton({ label, tone, small, disabled, confirm, reason, change, run }: ActionButtonProps) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState('');
  const close = () => {
    setOpen(false);
    setText('');
    change.reset();
  };
  const asks = confirm !== undefined || reason !== undefined;
  return (
    <>
      <button
        type="button"
        className={`button ${tone ?? ''} ${small === true ? 'small' : ''}`}
        disabled={disabled === true || change.isPending}
        onClick={() => {
          if (!asks) return run('', () => undefined);
          change.reset();
          setOpen(true);
        }}
      >
        {label}
      </button>
      {open && (
        <Dialog title={confirm?.title ?? label} close={close}>
          <form
            className="dialog-form"
            onSubmit={(event) => {
              event.preventDefault();
              if (!change.isPending) run(text, close);
            }}
          >
            {confirm?.text !== undefined && <p>{confirm.text}</p>}
            {reason !== undefined && (
              <label className="field">
                <span>{reason}</span>
                <input value={text} maxLength={500} onChange={(event) => setText(event.target.value)} />
              </label>
            )}
            {change.error && <Failure error={change.error} />}
            <div className="actions">
              <button type="button" className="button" onClick={close}>
                {messages.dialog.keep}
              </button>
              <button type="submit" className={`button ${tone ?? 'primary'}`} disabled={change.isPending}>
                {label}
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </>
  );
}
