export { type Authenticate, type Authenticator, type Principal, unauthenticated } from './authenticate.ts'
export { bearerTokens, type StaticToken } from './bearer.ts'
