// The key of a profile: read from what the flags name or from a prompt, and kept in the credential store of the system
// or in the profiles file.

import { readStoredKey } from '../../app/account.ts'
import { readInput } from '../../app/read-input.ts'
import { canPrompt } from '../../app/terminal.ts'
import type { Context } from '../../context.ts'
import { findKeyProblem } from '../../contract/auth.ts'
import { Failure, interruption, writeRemedy } from '../../errors.ts'
import { cleanKey } from '../../profiles/account.ts'
import { findKeyItem, openKeyStore } from '../../profiles/key-store.ts'
import type { Credential, Profile } from '../../profiles/store.ts'
import { sanitize } from '../../ui/terminal/text.ts'
import type { KeyOptions } from './spec.ts'

export const hasKey = ({ keyStdin, keyFile, credentialCommand }: KeyOptions): boolean =>
  keyStdin || keyFile !== undefined || credentialCommand !== undefined

/** The credential that the flags give. If standard input is a terminal, --key-stdin prompts. */
export const readCredential = async (
  context: Context,
  profile: Profile,
  options: KeyOptions,
): Promise<Credential> => {
  const { keyFile = '-', credentialCommand } = options
  if (credentialCommand !== undefined) return { kind: 'command', command: credentialCommand }
  if (options.keyStdin && canPrompt(context, options)) return askForKey(context, profile)
  const key = new TextDecoder().decode(await readInput(context, keyFile, 'the key'))
  return { kind: 'key', key: cleanKey(key, profile.auth, 'the key') }
}

/** Prompts again after a wrong key. If the user only presses Enter, returns `kept`. Throws if the user cancels. */
export const askForKey = async (
  context: Context,
  { auth }: Profile,
  kept?: Credential,
): Promise<Credential> => {
  const message = kept === undefined ? 'Key (not shown)' : 'Key (not shown; press Enter to keep the key)'
  for (;;) {
    const key = requireAnswer(context, await context.promptSecret(message)).trim()
    if (key === '' && kept !== undefined) return kept
    const problem = findKeyProblem(key, auth)
    if (problem === undefined) return { kind: 'key', key }
    context.stderr.write(`The key ${problem}. Copy the complete key again.\n`)
  }
}

export const requireAnswer = <Answer>({ interrupted }: Context, answer: Answer | undefined): Answer => {
  if (answer !== undefined) return answer
  throw interruption(interrupted, 'cancelled; nothing was saved')
}

/** Throws if the profile has no key that can be read without a program of the user. */
const readPresentKey = async (context: Context, profile: Profile): Promise<Credential> => {
  if (profile.credential?.kind === 'key') return profile.credential
  const item = findKeyItem(profile)
  if (item !== undefined) return { kind: 'key', key: await readStoredKey(context, item) }
  throw new Failure('no-key', `the profile ${profile.name} has no key that could be moved`, {
    fix: (suggest) => suggest`profile set ${profile.name} --key-stdin`,
  })
}

/**
 * The credential of the changed profile if no key is given: undefined if the address is that of another host, which must
 * not get this key. The credential store has the key only for the present address. `moves`: the key is kept elsewhere.
 */
export const keepCredential = async (
  context: Context,
  present: Profile,
  { baseUrl }: Profile,
  moves = false,
): Promise<Credential | undefined> => {
  const isElsewhere = new URL(present.baseUrl).origin !== new URL(baseUrl).origin
  if (isElsewhere && present.credential !== undefined) return undefined
  const isLeft = present.credential?.kind === 'system' && present.baseUrl !== baseUrl
  return moves || isLeft ? readPresentKey(context, present) : present.credential
}

/**
 * Keeps the key in its place, then calls `save` with the profile as the file has it. Without a place, the key goes to
 * the credential store if the system has one, otherwise to the file. `reason` says why it went to the file.
 */
export const saveWithKey = async (
  context: Context,
  given: Profile,
  place: KeyOptions['keyStore'],
  save: (profile: Profile) => Promise<void>,
): Promise<{ readonly profile: Profile; readonly reason?: string | undefined }> => {
  const { name, baseUrl, credential } = given
  const key = credential?.kind === 'key' && place !== 'file' ? credential.key : undefined
  const store = openKeyStore(context)
  const id = context.clock.newId()
  const item = { profile: name, baseUrl, id }
  const reason = key === undefined ? undefined : await store.findAbsence(item)
  if (reason !== undefined && place === 'system')
    throw new Failure('credentials', `no credential store of this system responds: ${reason}`, {
      advice: 'Keep the key in a file with --key-store file.',
    })
  if (key === undefined || reason !== undefined) {
    await save(given)
    return { profile: given, reason }
  }
  await store.save(item, key)
  const profile: Profile = { ...given, credential: { kind: 'system', id } }
  try {
    await save(profile)
  } catch (error) {
    await store.remove(item).catch(() => {})
    throw error
  }
  return { profile }
}

/** Removes a key from the credential store if no profile needs it any more. */
export const removeStoredKey = async (context: Context, profile: Profile | undefined): Promise<void> => {
  const item = profile && findKeyItem(profile)
  if (item !== undefined) await openKeyStore(context).remove(item)
}

/** The new key is saved, so an old key that remains is no error. Keeps a key that the saved profile still has. */
export const removeOldKey = async (
  context: Context,
  replaced: Profile | undefined,
  saved: Profile,
): Promise<void> => {
  if (replaced === undefined || findKeyItem(replaced)?.id === findKeyItem(saved)?.id) return
  try {
    await removeStoredKey(context, replaced)
  } catch (error) {
    if (!(error instanceof Failure) || context.interrupted.aborted) throw error
    const { fix, advice = '' } = writeRemedy(error.details, context.suggest)
    context.stderr.warn(sanitize(`${error.message}. ${advice}${fix === undefined ? '' : ` Type: ${fix}`}`))
  }
}
