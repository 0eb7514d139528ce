/** A journey that makes one call for each item of `context.of`, some concurrently. */
export const mapJourney = (url: string, method: 'GET' | 'POST', maxConcurrency = 8): string => `
apiVersion: v1
kind: Journey
metadata: { name: each-${method.toLowerCase()}, version: 1.0.0 }
spec:
  lifecycle: { startMode: async }
  start: each
  states:
    each:
      type: map
      map:
        items: { mapper: { lang: dataweave, expr: context.of } }
        maxConcurrency: ${maxConcurrency}
        errorPolicy: { tolerate: 3 }
        start: call
        states:
          call:
            type: task
            task: { kind: "httpCall:v1", method: ${method}, url: "${url}/\${item}", ${method === 'GET' ? '' : 'body: { n: 1 }, '}timeoutMs: 5000, resultVar: answer }
            next: keep
          keep:
            type: transform
            transform: { mapper: { lang: dataweave, expr: 'context.answer.body.path ++ ":" ++ index' }, target: { kind: var }, resultVar: seen }
            next: done
          done: { type: succeed, outputVar: seen }
        resultVar: all
      next: done
    done: { type: succeed, outputVar: all }
`;

/** The expected outcome of that journey. */
export const mapped = (of: readonly string[]): string[] => of.map((item, i) => `/${item}:${i}`);

/** This many items, each with a unique name. */
export const itemsOf = (count: number): string[] => Array.from({ length: count }, (_, i) => `i${i}`);
