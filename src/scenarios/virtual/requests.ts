import type { InboundBinding } from '../../definition/definition.js';
import type { RequestRef } from '../../engine/frame.js';
import { type InboundRequest, passedOn } from '../../service/inbound.js';
import type { KeptRequest } from '../../service/requests.js';

/** The requests of a scenario, as a gateway keeps them for its runs. */
export class VirtualRequests {
  private readonly kept: KeptRequest[] = [];

  keep(request: InboundRequest, binding: InboundBinding | undefined): RequestRef {
    const passed = binding ? passedOn(binding, request) : {};
    this.kept.push({ request, passed });
    const id = String(this.kept.length - 1);
    return { queue: 'scenario', id, ...(Object.keys(passed).length > 0 && { passes: true }) };
  }

  find({ id }: RequestRef): KeptRequest {
    return this.kept[Number(id)]!;
  }
}
