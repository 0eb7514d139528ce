const at = (mechanism: string, code: string) => `https://journeyforge.dev/problem/plugins/${mechanism}/${code}`;
const jwt = (code: string) => at('jwt', code);
const mtls = (code: string) => at('mtls', code);
const apiKey = (code: string) => at('apikey', code);

/** Results of auth tasks: invalid credentials, as data in the context, and unusable configuration, which ends the run. */
export const authCodes = {
  JWT_TOKEN_MISSING: { status: 401, title: 'The token is missing', type: jwt('token-missing') },
  JWT_TOKEN_MALFORMED: { status: 401, title: 'The token is not a JWT', type: jwt('token-malformed') },
  JWT_SIG_INVALID: { status: 401, title: 'The token’s signature is not valid', type: jwt('sig-invalid') },
  JWT_KID_NOT_FOUND: { status: 401, title: 'No key matches the token', type: jwt('kid-not-found') },
  JWT_EXPIRED: { status: 401, title: 'The token has expired', type: jwt('expired') },
  JWT_NOT_YET_VALID: { status: 401, title: 'The token is not valid yet', type: jwt('not-yet-valid') },
  JWT_AUDIENCE_MISMATCH: {
    status: 401,
    title: 'The token is intended for another audience',
    type: jwt('audience-mismatch'),
  },
  JWT_ISSUER_MISMATCH: { status: 401, title: 'The token was issued by another issuer', type: jwt('issuer-mismatch') },
  JWT_CLAIMS_INVALID: {
    status: 401,
    title: 'The token lacks a claim that the profile requires',
    type: jwt('claims-invalid'),
  },
  JWT_CONFIG_PROFILE_MISSING: {
    status: 500,
    title: 'The profile of a jwtValidate task is not configured',
    hint: 'Add it under plugins.jwtValidate.profiles in the gateway’s configuration.',
    type: jwt('config-profile-missing'),
  },
  JWT_CONFIG_KEYS_UNUSABLE: {
    status: 500,
    title: 'The keys of a jwtValidate profile cannot be loaded',
    type: jwt('config-keys-unusable'),
  },
  JWT_CONFIG_INVALID: {
    status: 500,
    title: 'A jwtValidate task cannot run as it is configured',
    type: jwt('config-invalid'),
  },
  MTLS_CERT_MISSING: { status: 401, title: 'The client certificate is missing', type: mtls('cert-missing') },
  MTLS_CERT_UNPARSEABLE: {
    status: 401,
    title: 'The client certificate cannot be read',
    type: mtls('cert-unparseable'),
  },
  MTLS_CERT_UNTRUSTED: {
    status: 401,
    title: 'The client certificate does not chain to a trust anchor',
    type: mtls('cert-untrusted'),
  },
  MTLS_CERT_REVOKED: { status: 401, title: 'The client certificate is revoked', type: mtls('cert-revoked') },
  MTLS_SUBJECT_DENIED: {
    status: 403,
    title: 'The certificate’s subject is not allowed',
    type: mtls('subject-denied'),
  },
  MTLS_SAN_DENIED: {
    status: 403,
    title: 'None of the certificate’s alternative names is allowed',
    type: mtls('san-denied'),
  },
  MTLS_SERIAL_DENIED: {
    status: 403,
    title: 'The certificate’s serial number is not allowed',
    type: mtls('serial-denied'),
  },
  MTLS_CONFIG_PROFILE_MISSING: {
    status: 500,
    title: 'The profile of an mtlsValidate task is not configured',
    hint: 'Add it under plugins.mtlsValidate.profiles in the gateway’s configuration.',
    type: mtls('config-profile-missing'),
  },
  MTLS_CONFIG_TRUST_ANCHORS_INVALID: {
    status: 500,
    title: 'The trust anchors of an mtlsValidate task cannot be loaded',
    type: mtls('config-trust-anchors-invalid'),
  },
  MTLS_CONFIG_INVALID: {
    status: 500,
    title: 'An mtlsValidate task cannot run as it is configured',
    type: mtls('config-invalid'),
  },
  APIKEY_MISSING: { status: 401, title: 'The API key is missing', type: apiKey('missing') },
  APIKEY_INVALID: { status: 401, title: 'The API key is not valid for the profile', type: apiKey('invalid') },
  APIKEY_CONFIG_PROFILE_MISSING: {
    status: 500,
    title: 'The profile of an apiKeyValidate task is not configured',
    hint: 'Add it under plugins.apiKeyValidate.profiles in the gateway’s configuration.',
    type: apiKey('config-profile-missing'),
  },
  APIKEY_CONFIG_KEYS_UNUSABLE: {
    status: 500,
    title: 'The keys of an apiKeyValidate profile cannot be loaded',
    type: apiKey('config-keys-unusable'),
  },
  APIKEY_CONFIG_INVALID: {
    status: 500,
    title: 'An apiKeyValidate task cannot run as it is configured',
    type: apiKey('config-invalid'),
  },
  REQUEST_GONE: {
    status: 410,
    title: 'The request of the run and its credentials have expired',
    hint: 'The gateway that accepted it has ended, or the run took longer than gateway.requests.keepSec. Send it again.',
  },
} as const;
