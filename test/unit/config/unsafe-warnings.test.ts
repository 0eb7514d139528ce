import { expect, it } from 'vitest';
import { loadConfig } from '../../../src/config/load-config.js';

const jwt = (jwksUri: string) => ({
  JOURNEYMAN_GATEWAY_AUTH_JWT_ISSUER: 'https://id.example.com',
  JOURNEYMAN_GATEWAY_AUTH_JWT_AUDIENCE: 'journeyman',
  JOURNEYMAN_GATEWAY_AUTH_JWT_JWKS_URI: jwksUri,
});
const profile = (jwksUri: string) => ({
  JOURNEYMAN_PLUGINS_JWT_VALIDATE_PROFILES: JSON.stringify({ own: { jwksUri } }),
});
const values = (config: object) => ({ JOURNEYMAN_PLATFORM_CONFIG: JSON.stringify(config) });
const warned = (env: NodeJS.ProcessEnv) =>
  loadConfig({ cwd: '/', env }).source.warnings.map(({ code, pointer }) => [code, pointer]);

it.each([
  ['an embedded server that is reachable from outside', { JOURNEYMAN_SERVER_IP: '0.0.0.0' }, '/server/ip'],
  [
    'a published gateway without keys',
    { JOURNEYMAN_GATEWAY_PUBLIC_URL: 'https://go.example.com' },
    '/gateway/publicUrl',
  ],
  ['keys over plain HTTP', jwt('http://id.example.com/jwks'), '/gateway/auth/jwt/jwksUri'],
  [
    'a profile’s keys over plain HTTP',
    profile('http://id.example.com/jwks'),
    '/plugins/jwtValidate/profiles/own/jwksUri',
  ],
  ['a password passed to journeys', values({ pay: { password: 'hunter2' } }), '/platform/config/pay/password'],
  ['a token passed to all journeys', values({ '*': { x: `ghp_${'a'.repeat(36)}` } }), '/platform/config/*/x'],
])('FLT-19 %s causes a warning', (_, env, pointer) => {
  expect(warned(env)).toEqual([['CONFIG_UNSAFE', pointer]]);
});

it.each([
  ['loopback', { JOURNEYMAN_SERVER_IP: '127.0.0.1' }],
  ['a server that is not embedded', { JOURNEYMAN_SERVER_IP: '0.0.0.0', TEMPORAL_ADDRESS: 'temporal.example.com:7233' }],
  [
    'a published gateway with keys',
    { JOURNEYMAN_GATEWAY_PUBLIC_URL: 'https://go.example.com', ...jwt('https://id.example.com/jwks') },
  ],
  ['a gateway published on this machine', { JOURNEYMAN_GATEWAY_PUBLIC_URL: 'http://localhost:8080' }],
  ['keys over TLS', jwt('https://id.example.com/jwks')],
  ['a profile’s keys over TLS', profile('https://id.example.com/jwks')],
  ['keys from this machine', jwt('http://127.0.0.1:9000/jwks')],
  ['a base URL for journeys', values({ pay: { shop: 'https://shop.staging.example.com' } })],
])('FLT-19 %s does not', (_, env) => {
  expect(warned(env)).toEqual([]);
});
