// What `orderctl listen` needs besides its flags: the secret, the path, and the target of --forward-to.

import { readInput } from '../../app/read-input.ts'
import { openForwarder } from '../../client/network.ts'
import type { Context } from '../../context.ts'
import { isLoopbackHost } from '../../contract/account-id.ts'
import { findSecretProblem, readSecretKey } from '../../contract/webhook-signature.ts'
import { Failure } from '../../errors.ts'

const guessableLength = 16
const shortestSecretBytes = 24

export const readSecret = async (context: Context): Promise<string> => {
  const secret = new TextDecoder().decode(await readInput(context, '-', 'the secret')).trim()
  const problem = findSecretProblem(secret)
  if (problem !== undefined) {
    throw new Failure('usage', `the secret is invalid: ${problem}`, {
      field: '--secret-stdin',
      advice: (suggest) => `Read it from a file: ${suggest`listen --secret-stdin`} < secret.txt`,
    })
  }
  const { length } = readSecretKey(secret)
  if (length < shortestSecretBytes)
    context.stderr.warn(
      `the secret is short (${length} bytes). Use at least ${shortestSecretBytes} random bytes.`,
    )
  return secret
}

/** A new secret path, unless --path names one. */
export const choosePath = (context: Context, given: string | undefined, isSigned: boolean): string => {
  if (given !== undefined && given.length < guessableLength && !isSigned)
    context.stderr.warn(
      'the path is easy to guess, and deliveries are accepted without a signature. Omit --path, or use --secret-stdin.',
    )
  return given ?? `/${context.clock.newId().replaceAll('-', '')}`
}

export const openTarget = (context: Context, url: URL) => {
  const { protocol, hostname, origin, pathname } = url
  if (protocol !== 'https:' && !isLoopbackHost(hostname)) {
    context.stderr.warn(
      `--forward-to sends deliveries, which may contain codes, to ${hostname} without encryption`,
    )
  }
  const { post, close } = openForwarder(url, context)
  // The query may hold a key, so the name is without it.
  return { post, name: `${origin}${pathname}`, [Symbol.asyncDispose]: close }
}
