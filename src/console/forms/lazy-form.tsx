import { lazy, Suspense } from 'react';
import { Loading } from '../ui/loading-empty-and-failure.tsx';
import type { SchemaFormProps } from './schema-form.tsx';

const SchemaForm = lazy(async () => ({ default: (await import('./schema-form.tsx')).SchemaForm }));

/** A form from a JSON Schema; its code is loaded when the first form is shown. */
export function LazyForm(props: SchemaFormProps) {
  return (
    <Suspense fallback={<Loading />}>
      <SchemaForm {...props} />
    </Suspense>
  );
}
