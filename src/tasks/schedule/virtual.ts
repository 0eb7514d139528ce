import type { BindingRequest } from '../../scheduling/bindings/record.js';
import type { VirtualEffect } from '../virtual.js';

/** The effect `schedule`: refuses what a real one would. Whether runs start from what it makes is for whoever plays. */
export const schedule: VirtualEffect = async (input, _budgetMs, world) => world.bind(input as BindingRequest);
