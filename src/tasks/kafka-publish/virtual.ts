import type { VirtualEffect } from '../virtual.js';

/** In virtual time every event is published. */
export const kafka: VirtualEffect = async () => null;
