import { testHookTraffic } from '../temporal/support/hook-traffic-test.js';

testHookTraffic({ deliveries: Number(process.env.DELIVERIES ?? 1_000), kills: Number(process.env.KILLS ?? 3) });
