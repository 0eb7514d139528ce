import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A span in OTLP's JSON format. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  status: { code?: number };
  attributes: { key: string; value: { stringValue?: string; intValue?: string | number } }[];
}

interface Exported {
  resourceSpans: {
    resource: { attributes: OtlpSpan['attributes'] };
    scopeSpans: { spans: OtlpSpan[] }[];
  }[];
}

/** A collector of spans: `answers` are the statuses of its first responses, then it accepts; `hang` sends no response. */
export async function collector(answers: (number | 'hang')[] = [], tls?: { key: string; cert: string }) {
  const spans: OtlpSpan[] = [];
  const requests: IncomingHttpHeaders[] = [];
  const services = new Set<string | undefined>();
  const respond: RequestListener = async (request, response) => {
    requests.push(request.headers);
    const body = await buffer(request);
    const answer = answers.shift() ?? 200;
    if (answer === 'hang') return;
    if (answer === 200) {
      const text = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
      for (const { resource, scopeSpans } of (JSON.parse(String(text)) as Exported).resourceSpans) {
        services.add(resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue);
        spans.push(...scopeSpans.flatMap((it) => it.spans));
      }
    }
    response.writeHead(answer, { 'content-type': 'application/json', 'retry-after': '1' }).end('{}');
  };
  const server = tls ? createSecureServer(tls, respond) : createServer(respond);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${tls ? 'https://localhost' : 'http://127.0.0.1'}:${port}`,
    spans,
    requests,
    services,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
