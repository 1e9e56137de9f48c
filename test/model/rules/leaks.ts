// Rule: no key and no code is in any output or file.
import { globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { serviceKey } from '../service.ts'
import type { World } from '../world.ts'

/** The profiles keep the key, and the sandbox is the service itself. */
const mayHoldSecrets = /profiles\.json|sandbox\.db/

/** By itself: six digits of a PIN may be part of a time. */
const isIn = (text: string, secret: string): boolean =>
  text.includes(secret) && new RegExp(`(?<![\\w.])${RegExp.escape(secret)}(?![\\w.])`).test(text)

export const findLeaks = async ({ ran, service, home }: World): Promise<string[]> => {
  const truths = await Promise.all([...service.orders.keys()].map(service.truth))
  const secrets = [serviceKey, ...truths.flatMap((truth) => truth.secrets)]
  const outputs = ran.map(({ words, process }) => ({
    name: words.join(' '),
    text: process.stdout + process.stderr,
  }))
  const files = globSync('**/*', { cwd: home })
    .filter((name) => !mayHoldSecrets.test(name) && statSync(path.join(home, name)).isFile())
    .map((name) => ({ name, text: readFileSync(path.join(home, name), 'latin1') }))
  return [...outputs, ...files].flatMap(({ name, text }) =>
    secrets.filter((secret) => isIn(text, secret)).map((secret) => `shows a secret: ${secret} in ${name}`),
  )
}
