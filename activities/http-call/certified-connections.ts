import { createHash } from 'node:crypto';
import type { Agent } from 'undici';
import type { ClientTls } from './client-auth.js';

/** So many client certificates have connections at a time; a rotated one makes the oldest go. */
const most = 20;

/** Connections that show a client certificate, kept by certificate. */
export class CertifiedConnections {
  private readonly agents = new Map<string, Agent>();

  constructor(private readonly create: (tls: ClientTls) => Agent) {}

  with(tls: ClientTls): Agent {
    const key = createHash('sha256').update(JSON.stringify(tls)).digest('base64url');
    const agent = this.agents.get(key) ?? this.create(tls);
    this.agents.delete(key);
    this.agents.set(key, agent);
    const [oldest] = this.agents;
    if (this.agents.size > most && oldest) {
      this.agents.delete(oldest[0]);
      void oldest[1].close();
    }
    return agent;
  }

  async close(): Promise<void> {
    await Promise.all([...this.agents.values()].map((agent) => agent.close()));
  }
}
