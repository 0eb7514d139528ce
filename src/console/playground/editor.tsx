import { autocompletion, type CompletionContext } from '@codemirror/autocomplete';
import { yaml } from '@codemirror/lang-yaml';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { EditorView, hoverTooltip } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';
import type { Finding } from '../../base/problems/problem.js';
import { messages } from '../ui-texts.js';
import type { Documents } from './worker/worker-protocol.js';
import type { PlaygroundWorker } from './worker-client.js';

/** Sets the cursor of an editor from outside; a new object moves it again. */
export interface CursorRequest {
  readonly offset: number;
}

interface EditorProps {
  readonly label: string;
  readonly document: keyof Documents;
  readonly text: string;
  /** The documents that were loaded last: another object starts a new undo history. */
  readonly loaded: Documents;
  readonly findings: readonly Finding[];
  readonly cursor?: CursorRequest | undefined;
  readonly worker: PlaygroundWorker;
  onChange(text: string): void;
  onCursor?(offset: number): void;
}

/**
 * An editor of YAML with completion, hover texts and findings. It is in a shadow tree: there CodeMirror's styles are constructed sheets, which
 * a policy without inline styles allows.
 */
export function Editor(props: EditorProps) {
  const { text, loaded, findings, cursor } = props;
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const element = host.current!;
    const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
    const created = new EditorView({ state: stateOf(latest, loaded), parent: root, root });
    view.current = created;
    latest.current.onCursor?.(0);
    return () => created.destroy();
  }, [loaded]);

  useEffect(() => {
    const editor = view.current!;
    if (editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    const editor = view.current!;
    // Findings of an earlier text would be marked at wrong places.
    editor.dispatch(
      setDiagnostics(
        editor.state,
        findings.map((it) => diagnosticOf(editor.state, it)),
      ),
    );
  }, [findings]);

  useEffect(() => {
    const editor = view.current!;
    if (!cursor) return;
    const anchor = Math.min(cursor.offset, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    editor.focus();
  }, [cursor]);

  return <div ref={host} className="editor" />;
}

function stateOf(props: { readonly current: EditorProps }, loaded: Documents): EditorState {
  const { label, document, worker } = props.current;
  const place = (state: EditorState, offset: number) => ({ document, text: state.doc.toString(), offset });
  const complete = async ({ state, pos, explicit }: CompletionContext) => {
    const found = await worker.ask('complete', place(state, pos)).catch(() => null);
    if (!found || (!explicit && found.from === pos && found.suggestions[0]?.kind === 'field')) return null;
    const options = found.suggestions.map(({ label: name, apply, kind, info }) => ({
      label: name,
      apply,
      type: kind === 'field' ? 'property' : 'enum',
      ...(info !== undefined && { info }),
    }));
    return { from: found.from, options, validFor: /^[\w.:/-]*$/ };
  };
  const hover = hoverTooltip(async (editor, pos) => {
    const found = await worker.ask('describe', place(editor.state, pos)).catch(() => null);
    if (!found) return null;
    return { pos: found.from, end: found.to, create: () => ({ dom: tooltip(found.text) }) };
  });
  return EditorState.create({
    doc: loaded[document],
    extensions: [
      basicSetup,
      yaml(),
      autocompletion({ override: [complete], icons: false }),
      hover,
      editorTheme,
      EditorState.tabSize.of(2),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': label,
        'aria-description': messages.playground.editorKeys,
        tabindex: '0',
      }),
      EditorView.updateListener.of((update) => {
        const now = update.docChanged ? update.state.doc.toString() : props.current.text;
        if (now !== props.current.text) props.current.onChange(now);
        if (update.selectionSet || update.docChanged) props.current.onCursor?.(update.state.selection.main.head);
      }),
    ],
  });
}

function tooltip(text: string): HTMLElement {
  const element = document.createElement('div');
  element.className = 'cm-description';
  element.textContent = text;
  return element;
}

function diagnosticOf(
  { doc }: EditorState,
  { line = 1, column = 1, severity, code, message, hint }: Finding,
): Diagnostic {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const from = Math.min(at.from + column - 1, at.to);
  return {
    from,
    to: at.to,
    severity: severity === 'error' ? 'error' : 'warning',
    source: code,
    message: hint === undefined ? message : `${message} ${hint}`,
  };
}

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '13px' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55', overflow: 'auto' },
  '.cm-content': { caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--surface)', color: 'var(--muted)', borderRight: '1px solid var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent-soft) 45%, transparent)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--busy) 28%, transparent)',
  },
  '.cm-tooltip, .cm-panels': {
    backgroundColor: 'var(--raised)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
    borderRadius: '6px',
    fontFamily: 'var(--font)',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-strong)',
    color: 'var(--on-accent)',
  },
  '.cm-completionInfo': { maxWidth: '22rem' },
  '.cm-description, .cm-diagnostic': { padding: '6px 10px', maxWidth: '32rem' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-diagnosticSource': { color: 'var(--muted)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--idle-soft)', border: 'none', color: 'var(--muted)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--accent-soft)' },
  '.cm-textfield, .cm-button': {
    background: 'var(--surface)',
    color: 'var(--text)',
    borderColor: 'var(--line-strong)',
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.content], color: 'var(--text)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: 'var(--busy)' },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.separator, tags.punctuation, tags.squareBracket, tags.brace], color: 'var(--muted)' },
]);

/** The look of editors, in the colours of the page. */
const editorTheme = [look, syntaxHighlighting(colours)];
