import type { Documents } from './worker/worker-protocol.js';

/** The drafts of a stored text; none if it is absent or damaged. */
export function draftsOf(text: string | null): readonly Documents[] {
  try {
    const drafts: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(drafts) && drafts.every(isDocuments) ? drafts : [];
  } catch {
    return [];
  }
}

function isDocuments(value: unknown): value is Documents {
  const { journey, scenario } = (value ?? {}) as Partial<Documents>;
  return typeof journey === 'string' && typeof scenario === 'string';
}
