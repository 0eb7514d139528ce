import { Component, type ReactNode } from 'react';
import { messages } from '../ui-texts.js';

interface Props {
  readonly children: ReactNode;
}

/** Shows a notice in place of a page that a fault of ours has broken; navigation keeps working. */
export class ErrorBoundary extends Component<Props, { readonly error?: Error }> {
  override state: { readonly error?: Error } = {};

  static getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className="notice bad" role="alert">
        <strong>{messages.states.broken}</strong>
        <code>{error.message}</code>
      </div>
    );
  }
}
