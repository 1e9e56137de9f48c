// Modules of Node itself, without what an import of them costs: to name its exports, an import of node:http runs
// a getter that loads all of undici (25 ms), and one of node:crypto loads the Web Crypto (5 ms).
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

export const builtin = {
  http: (): typeof import('node:http') => require('node:http'),
  https: (): typeof import('node:https') => require('node:https'),
  crypto: (): typeof import('node:crypto') => require('node:crypto'),
}
